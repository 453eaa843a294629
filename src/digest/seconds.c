/* SPDX-License-Identifier: GPL-3.0-or-later */
/* per_second.csv, read back: each line has its number, and as many values as
 * the first line has names. */
#include "lb-config.h"

#include "digest/seconds.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_LEN = 4400, VALUES = 2 * LB_N_PACES };

/* Room for one more second. */
static int grow(struct lb_seconds *s)
{
  if (s->n & (s->n - 1)) /* grows at powers of two */
    return 0;
  size_t room = s->n ? 2 * s->n : 1;
  for (int k = 0; k < LB_N_PACES; k++) {
    double *count = realloc(s->count[k], room * sizeof *count);
    s->count[k] = count ? count : s->count[k];
    double *bytes = realloc(s->bytes[k], room * sizeof *bytes);
    s->bytes[k] = bytes ? bytes : s->bytes[k];
    if (!count || !bytes)
      return -1;
  }
  return 0;
}

/* "12,3,4,...": false unless it is second number n. */
static bool parse(const char *line, size_t n, double v[VALUES])
{
  char *end;
  errno = 0;
  if (*line < '0' || *line > '9' || strtoull(line, &end, 10) != n || errno)
    return false;
  for (int k = 0; k < VALUES; k++) {
    if (*end != ',' || end[1] < '0' || end[1] > '9')
      return false;
    v[k] = (double)strtoull(end + 1, &end, 10);
  }
  return errno == 0 && *end == '\n';
}

static int read_lines(struct lb_seconds *s, FILE *f, const char *path,
                      struct lb_err *err)
{
  char *line = NULL;
  size_t room = 0;
  int rc = 0;
  double v[VALUES] = {0};
  for (size_t i = 0; !rc && getline(&line, &room, f) > 0; i++) {
    if (i == 0)
      continue;
    if (!parse(line, s->n, v))
      rc = lb_err_set(err, LB_FAILED, "%s:%zu: not what a run writes", path,
                      i + 1);
    else if (grow(s))
      rc = lb_err_set(err, LB_FAILED, "%s: no memory", path);
    for (int k = 0; !rc && k < LB_N_PACES; k++) {
      s->count[k][s->n] = v[k];
      s->bytes[k][s->n] = v[LB_N_PACES + k];
    }
    s->n += !rc;
  }
  free(line);
  return rc;
}

int lb_seconds_read(struct lb_seconds *s, const char *folder,
                    struct lb_err *err)
{
  char path[PATH_LEN];
  *s = (struct lb_seconds){.n = 0};
  snprintf(path, sizeof path, "%s/" LB_PACE_FILE, folder);
  FILE *f = fopen(path, "re");
  if (!f)
    return errno == ENOENT ? 0 : lb_err_sys(err, LB_FAILED, errno, "%s", path);
  int rc = read_lines(s, f, path, err);
  fclose(f);
  if (rc)
    lb_seconds_fini(s);
  return rc;
}

void lb_seconds_fini(struct lb_seconds *s)
{
  for (int k = 0; k < LB_N_PACES; k++) {
    free(s->count[k]);
    free(s->bytes[k]);
  }
  *s = (struct lb_seconds){.n = 0};
}
