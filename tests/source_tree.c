/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See source_tree.h. */
#include "lb-config.h"

#include "source_tree.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loadbank/slurp.h"
#include "loadbank/wholefile.h"
#include "tap.h"

enum { MAX_BYTES = 4 << 20 };

const char *source_dir(void)
{
  const char *top = getenv("LB_TOP_SRCDIR");
  return top ? top : ".";
}

char *read_source(const char *path)
{
  char full[PATH_MAX], *text = NULL;
  size_t n;
  snprintf(full, sizeof full, "%s/%s", source_dir(), path);
  return lb_slurp_file(full, MAX_BYTES, &text, &n) ? NULL : text;
}

/* The document with this text between `from' and `to'. */
static void update(const char *path, const char *old, const char *from,
                   const char *to, const struct lb_buf *text)
{
  char full[PATH_MAX];
  struct lb_err err = LB_ERR_INIT;
  struct lb_buf now;
  lb_buf_init(&now, MAX_BYTES);
  lb_buf_add(&now, old, (size_t)(from - old));
  lb_buf_add(&now, text->data, text->len);
  lb_buf_puts(&now, to);
  snprintf(full, sizeof full, "%s/%s", source_dir(), path);
  ok(now.data && !lb_write_path(full, now.data, now.len, &err), "written: %s",
     err.msg);
  lb_buf_fini(&now);
}

void is_document(const char *path, const char *begin, const char *end,
                 const struct lb_buf *text)
{
  char *old = read_source(path);
  const char *golden = getenv("LB_GOLDEN");
  const char *from = old && begin ? strstr(old, begin) : old;
  if (from && begin)
    from += strlen(begin);
  const char *to = from && end ? strstr(from, end) : NULL;
  if (from && !end)
    to = from + strlen(from);
  if (ok(to && text->data, "%s is there, with its marks", path)) {
    if (golden && !strcmp(golden, "update"))
      update(path, old, from, to, text);
    else
      ok((size_t)(to - from) == text->len &&
             !memcmp(from, text->data, text->len),
         "and is current (else: make docs-update)");
  }
  free(old);
}
