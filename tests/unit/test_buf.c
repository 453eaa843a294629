/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lb-config.h"

#include "loadbank/buf.h"

#include <stdlib.h>

#include "tap.h"

int main(void)
{
  struct lb_buf b;
  lb_buf_init(&b, 1000);
  lb_buf_puts(&b, "ab");
  lb_buf_printf(&b, "%d", 12);
  is_str(b.data, "ab12", "appends text");
  is_int(b.len, 4, "counts it");
  for (int i = 0; i < 300; i++)
    lb_buf_puts(&b, "xyz");
  ok(!b.failed, "grows up to its maximum");
  for (int i = 0; i < 300; i++)
    lb_buf_puts(&b, "xyz");
  ok(b.failed && b.len <= 1000, "fails past its maximum");
  lb_buf_reset(&b);
  lb_buf_puts(&b, "q");
  char *mine = lb_buf_take(&b);
  is_str(mine, "q", "take moves the memory");
  ok(!b.data && !b.len, "and leaves the buffer empty");
  free(mine);
  lb_buf_fini(&b);
  return done();
}
