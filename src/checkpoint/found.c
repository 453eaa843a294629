/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The checkpoints in a folder, by their marks, in the order of their times. */
#include "lb-config.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loadbank/log.h"
#include "loadbank/path.h"
#include "loadbank/retention.h"

struct search {
  struct lb_found_list *list;
  const char *folder;
  struct lb_err *err;
};

static bool add(struct lb_found_list *l, const struct lb_found *f)
{
  if (l->n == l->cap) {
    size_t cap = l->cap ? 2 * l->cap : 16;
    void *more = realloc(l->v, cap * sizeof *l->v);
    if (!more)
      return false;
    l->v = more;
    l->cap = cap;
  }
  l->v[l->n++] = *f;
  return true;
}

/* Names that lb_checkpoint_folder makes, or those with a dot before them. */
static bool is_ours(const char *name)
{
  static const char begin[] = "global_epoch";
  return !strncmp(name + (*name == '.'), begin, sizeof begin - 1);
}

static int look_at(void *arg, const char *name)
{
  struct search *s = arg;
  char path[PATH_MAX];
  struct lb_found f;
  struct lb_mark mark;
  struct lb_err why = LB_ERR_INIT;
  if (!is_ours(name) || strlen(name) >= sizeof f.name)
    return 0;
  if (lb_path_join(s->folder, name, path, LB_FAILED, s->err))
    return -s->err->code;
  int found = lb_mark_read(&mark, path, &why);
  if (found < 0)
    lb_warn("%s; it is no checkpoint for this run", why.msg);
  if (found <= 0)
    return 0;
  f = (struct lb_found){
      .complete = mark.complete, .utc_ns = mark.utc_ns, .number = mark.number};
  snprintf(f.name, sizeof f.name, "%s", name);
  if (!add(s->list, &f))
    return lb_err_sys(s->err, LB_FAILED, ENOMEM, "%s: list", s->folder);
  return 0;
}

static int by_time(const void *a, const void *b)
{
  const struct lb_found *x = a, *y = b;
  if (x->utc_ns != y->utc_ns)
    return x->utc_ns < y->utc_ns ? -1 : 1;
  return strcmp(x->name, y->name);
}

int lb_found_list(struct lb_found_list *l, const char *folder,
                  struct lb_storage *s, struct lb_iothread *io,
                  struct lb_err *err)
{
  *l = (struct lb_found_list){.v = NULL};
  struct search search = {.list = l, .folder = folder, .err = err};
  int rc = lb_storage_list(s, folder, look_at, &search, io, err);
  if (rc && err->sys == ENOENT) {
    *err = (struct lb_err)LB_ERR_INIT;
    rc = 0;
  }
  if (l->n > 1)
    qsort(l->v, l->n, sizeof *l->v, by_time);
  return rc;
}

void lb_found_fini(struct lb_found_list *l)
{
  free(l->v);
  *l = (struct lb_found_list){.v = NULL};
}

size_t lb_found_complete(const struct lb_found_list *l)
{
  size_t n = 0;
  for (size_t i = 0; i < l->n; i++)
    n += l->v[i].complete;
  return n;
}

bool lb_found_surplus(const struct lb_found_list *l, size_t i, int64_t keep)
{
  int64_t after = 0; /* whole ones that are newer */
  for (size_t k = i + 1; k < l->n; k++)
    after += l->v[k].complete;
  return l->v[i].complete && keep > 0 && after >= keep;
}
