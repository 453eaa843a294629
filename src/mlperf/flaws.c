/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A list of what is wrong with a file. */
#include "lb-config.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mlperf/system_impl.h"

void lb_mlperf_flaws_fini(struct lb_mlperf_flaws *f)
{
  for (size_t i = 0; i < f->n; i++)
    free(f->flaw[i].text);
  free(f->flaw);
  *f = (struct lb_mlperf_flaws){0};
}

/* Room for one more at its place: behind those of the same line or before. */
static struct lb_mlperf_flaw *room(struct lb_mlperf_flaws *f, int line)
{
  if (!f->flaw)
    f->flaw = calloc(LB_MLPERF_FLAWS, sizeof *f->flaw);
  if (!f->flaw)
    return NULL;
  size_t i = f->n++;
  for (; i > 0 && f->flaw[i - 1].line > line; i--)
    f->flaw[i] = f->flaw[i - 1];
  return &f->flaw[i];
}

/* Takes the text; NULL: no memory. */
static void put(struct lb_mlperf_flaws *f, int line, const char *path,
                char *text)
{
  struct lb_mlperf_flaw *flaw = text ? room(f, line) : NULL;
  if (!flaw) {
    free(text);
    f->failed = true;
    return;
  }
  flaw->line = line;
  snprintf(flaw->path, sizeof flaw->path, "%s", path);
  flaw->text = text;
}

void lb_mlperf_flaw_of(struct lb_mlperf_flaws *f, const struct lb_err *bad)
{
  put(f, 0, "", strdup(bad->msg));
}

void lb_mlperf_flaw(struct lb_mlperf_flaws *f, const char *file, int line,
                    const char *path, const char *fmt, ...)
{
  char what[600], where[32] = "", text[1200];
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(what, sizeof what, fmt, ap);
  va_end(ap);
  if (f->failed || f->n == LB_MLPERF_FLAWS)
    return;
  if (f->n == LB_MLPERF_FLAWS - 1) {
    snprintf(text, sizeof text, "%.300s: more is wrong than is told", file);
    put(f, INT_MAX, "", strdup(text));
    return;
  }
  if (line)
    snprintf(where, sizeof where, ":%d", line);
  snprintf(text, sizeof text, "%.300s%s: %s%s%s", file, where, path,
           *path ? ": " : "", what);
  put(f, line, path, strdup(text));
}
