/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lists of texts. */
#include "lb-config.h"

#include "loadbank/sweep.h"

#include <stdlib.h>
#include <string.h>

int lb_texts_add(struct lb_texts *t, const char *text, size_t len,
                 struct lb_err *err)
{
  char *copy = strndup(text, len);
  char **more = realloc(t->text, (t->n + 1) * sizeof *more);
  if (more)
    t->text = more;
  if (!copy || !more) {
    free(copy);
    return lb_err_set(err, LB_FAILED, "out of memory");
  }
  t->text[t->n++] = copy;
  return 0;
}

void lb_texts_fini(struct lb_texts *t)
{
  for (size_t i = 0; i < t->n; i++)
    free(t->text[i]);
  free(t->text);
  *t = (struct lb_texts){.n = 0};
}
