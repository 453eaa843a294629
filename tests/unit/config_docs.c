/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints docs/configuration.md: the hand-written part and the table of keys. */
#include "lb-config.h"

#include <stdio.h>
#include <stdlib.h>

#include "config_support.h"

int main(void)
{
  struct lb_buf out;
  lb_buf_init(&out, 4 << 20);
  char *head = read_source("docs/configuration.in.md");
  if (!head) {
    fprintf(stderr, "docs/configuration.in.md is not in $LB_TOP_SRCDIR\n");
    return 1;
  }
  lb_buf_puts(&out, head);
  lb_config_keys_markdown(&out);
  int rc = out.failed || fputs(out.data, stdout) == EOF || fflush(stdout);
  free(head);
  lb_buf_fini(&out);
  return rc;
}
