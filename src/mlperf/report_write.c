/* SPDX-License-Identifier: GPL-3.0-or-later */
/* results.json and results.csv: in the folder of each workload, and of each
 * organisation.  A file that another program wrote is never replaced. */
#include "lb-config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loadbank/log.h"
#include "loadbank/wholefile.h"
#include "mlperf/provenance.h"
#include "mlperf/report_impl.h"
#include "mlperf/slurp.h"

static const size_t max_text = (size_t)1 << 28;

typedef void rows_text(const struct lb_report_group *const *g, size_t n,
                       struct lb_buf *out);
static const struct {
  const char *name;
  rows_text *rows;
} files[] = {{"results.json", lb_report_rows_json},
             {"results.csv", lb_report_rows_csv}};
enum { N_FILES = sizeof files / sizeof *files };

/* One writing of a report. */
struct writing {
  const struct lb_mlperf_report *r;
  const struct lb_report_group **group; /* room for all */
  char
      refused[2 * PATH_MAX + 32]; /* the first file that could not be written */
  struct lb_err *err;
};

/* ---- one file ---- */

/* What a file of that name is to us. */
enum found { ABSENT, FOREIGN, OURS, UP_TO_DATE };

static enum found look(const char *path, const char *name,
                       const struct lb_buf *text)
{
  struct lb_err bad = LB_ERR_INIT;
  char *there;
  size_t len;
  if (lb_mlperf_slurp(path, LB_FAILED, &there, &len, &bad))
    return bad.sys == ENOENT ? ABSENT : FOREIGN;
  enum found found = FOREIGN;
  if (len && len == text->len && !memcmp(there, text->data, len))
    found = UP_TO_DATE;
  else if (len && lb_report_is_ours(name, there, len))
    found = OURS;
  free(there);
  return found;
}

static bool is_read_only(const struct lb_err *err)
{
  return err->sys == EROFS || err->sys == EACCES || err->sys == EPERM;
}

/* A tree that cannot be written to is no failure of the report. */
static int tolerate(const struct lb_err *failed, struct lb_err *err)
{
  if (!is_read_only(failed))
    return lb_err_set(err, LB_FAILED, "%s", failed->msg);
  lb_warn("%s", failed->msg);
  return 0;
}

static int put(struct writing *w, const char *folder, const char *name,
               const struct lb_buf *text)
{
  char path[2 * PATH_MAX + 32];
  struct lb_err err = LB_ERR_INIT;
  if (text->failed)
    return lb_err_set(w->err, LB_FAILED, "%s/%s: no memory for it", folder,
                      name);
  snprintf(path, sizeof path, "%s/%s", folder, name);
  switch (look(path, name, text)) {
  case UP_TO_DATE:
    return 0;
  case FOREIGN:
    lb_warn("%s is not loadbank's, or cannot be read: it stays as it is", path);
    if (!*w->refused)
      memcpy(w->refused, path, strlen(path) + 1);
    return 0;
  default:
    break;
  }
  return lb_write_file(folder, name, text->data, text->len, &err)
             ? tolerate(&err, w->err)
             : 0;
}

/* ---- the groups of one folder ---- */

static int put_rows(struct writing *w, size_t n, const char *below)
{
  char folder[2 * PATH_MAX];
  int rc = 0;
  snprintf(folder, sizeof folder, "%s/%s", w->r->tree.root, below);
  for (int i = 0; i < N_FILES && !rc; i++) {
    struct lb_buf text;
    lb_buf_init(&text, max_text);
    files[i].rows(w->group, n, &text);
    rc = put(w, folder, files[i].name, &text);
    lb_buf_fini(&text);
  }
  return rc;
}

/* "MODE/ORG/results" */
static int rollup_path(const struct lb_mlperf_place *p, char out[PATH_MAX],
                       struct lb_err *err)
{
  (void)err;
  snprintf(out, PATH_MAX, "%s/%s/results", lb_mlperf_mode_names[p->mode],
           p->org);
  return 0;
}

typedef int path_of(const struct lb_mlperf_place *p, char out[PATH_MAX],
                    struct lb_err *err);

/* One set of files for each path that groups have. */
static int put_each(struct writing *w, path_of *of)
{
  char path[PATH_MAX], other[PATH_MAX];
  for (size_t i = 0; i < w->r->n; i++) {
    size_t n = 0;
    bool done = false;
    if (of(&w->r->group[i].place, path, w->err))
      return -w->err->code;
    for (size_t k = 0; k < w->r->n && !done; k++) {
      if (of(&w->r->group[k].place, other, w->err))
        return -w->err->code;
      if (strcmp(path, other) != 0)
        continue;
      done = k < i; /* with that one */
      w->group[n++] = &w->r->group[k];
    }
    if (!done && put_rows(w, n, path))
      return -w->err->code;
  }
  return 0;
}

int lb_mlperf_report_write(const struct lb_mlperf_report *r, struct lb_err *err)
{
  struct writing w = {.r = r,
                      .group =
                          calloc(r->n + 1, sizeof(struct lb_report_group *)),
                      .err = err};
  struct lb_err failed = LB_ERR_INIT;
  if (!w.group)
    return lb_err_set(err, LB_FAILED, "no memory for the report");
  int rc = put_each(&w, lb_mlperf_group_path);
  if (!rc)
    rc = put_each(&w, rollup_path);
  if (!rc && lb_mlperf_manifests_write(&r->tree, &failed))
    rc = tolerate(&failed, err);
  free(w.group);
  if (!rc && *w.refused)
    rc = lb_err_set(err, LB_FAILED,
                    "%s: a file of another program; it was not replaced",
                    w.refused);
  return rc;
}

/* ---- for stdout ---- */

void lb_mlperf_report_json(const struct lb_mlperf_report *r, struct lb_buf *out)
{
  lb_report_rows_json(r->shown, r->n_shown, out);
}

void lb_mlperf_report_csv(const struct lb_mlperf_report *r, struct lb_buf *out)
{
  lb_report_rows_csv(r->shown, r->n_shown, out);
}
