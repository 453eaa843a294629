/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds results below a folder. */
#include "lb-config.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "loadbank/config.h"
#include "results/results_impl.h"

enum { DEEPEST = 32 };
static const size_t most_results = 1 << 20;

struct walk {
  struct lb_results *s;
  size_t root_len; /* of the folder that was named */
  size_t before;   /* results that others had been found through */
  size_t seen;     /* so far, those included that were there before */
};

bool lb_result_has_file(const char *name)
{
  for (size_t i = 0; lb_result_names[i]; i++)
    if (!fnmatch(lb_result_names[i], name, 0))
      return true;
  return !strcmp(name, "dlio.log");
}

/* The same folder by another way is no second run. */
static bool known(const struct walk *k, const struct stat *st)
{
  for (size_t i = 0; i < k->before; i++)
    if (k->s->result[i].inode == st->st_ino &&
        k->s->result[i].device == st->st_dev)
      return true;
  return false;
}

static int add(struct walk *k, const char *path, struct lb_err *err)
{
  struct lb_results *s = k->s;
  struct stat st;
  if (stat(path, &st))
    return lb_err_sys(err, LB_FAILED, errno, "%s", path);
  k->seen++;
  if (known(k, &st))
    return 0;
  if (s->n == most_results)
    return lb_err_set(err, LB_FAILED, "%s: more than %zu results", path,
                      most_results);
  if ((s->n & (s->n - 1)) == 0) { /* full: a power of two, or empty */
    size_t room = s->n ? 2 * s->n : 1;
    void *more = realloc(s->result, room * sizeof *s->result);
    if (!more)
      return lb_err_set(err, LB_FAILED, "%s: no memory", path);
    s->result = more;
  }
  struct lb_result *r = &s->result[s->n];
  *r = (struct lb_result){
      .path = strdup(path), .device = st.st_dev, .inode = st.st_ino};
  if (!r->path)
    return lb_err_set(err, LB_FAILED, "%s: no memory", path);
  s->n++;
  r->name = strlen(path) > k->root_len ? r->path + k->root_len + 1 : ".";
  return lb_result_load(r, err);
}

static bool is_folder(const char *path, const struct dirent *e)
{
  struct stat st;
  if (e->d_type != DT_UNKNOWN)
    return e->d_type == DT_DIR;
  return !lstat(path, &st) && S_ISDIR(st.st_mode);
}

static int enter(struct walk *k, const char *path, int depth,
                 struct lb_err *err)
{
  char below[PATH_MAX];
  bool run = false;
  int rc = 0;
  DIR *dir = opendir(path);
  if (!dir)
    return lb_err_sys(err, LB_FAILED, errno, "%s: open", path);
  for (struct dirent *e; rc == 0 && (e = readdir(dir));) {
    int n = snprintf(below, sizeof below, "%s/%s", path, e->d_name);
    if (n < 0 || (size_t)n >= sizeof below)
      continue; /* no run could have written there */
    run |= lb_result_has_file(e->d_name);
    if (e->d_name[0] != '.' && depth < DEEPEST && is_folder(below, e))
      rc = enter(k, below, depth + 1, err);
  }
  closedir(dir);
  return rc == 0 && run ? add(k, path, err) : rc;
}

static int by_path(const void *a, const void *b)
{
  const struct lb_result *x = a, *y = b;
  return strcmp(x->path, y->path);
}

/* The folder that `path' means: without slashes at its end, and of a
 * summary.json the one that it is in. */
static int folder_of(const char *path, char folder[PATH_MAX],
                     struct lb_err *err)
{
  static const char summary[] = "summary.json";
  struct stat st;
  size_t n = strlen(path), tail = sizeof summary - 1;
  if (stat(path, &st))
    return lb_err_sys(err, LB_USAGE, errno, "%s", path);
  if (S_ISREG(st.st_mode) && n >= tail && !strcmp(path + n - tail, summary) &&
      (n == tail || path[n - tail - 1] == '/')) {
    n -= tail;
  } else if (!S_ISDIR(st.st_mode)) {
    return lb_err_set(err, LB_USAGE,
                      "%s: neither a folder of results nor a summary.json",
                      path);
  }
  while (n > 1 && path[n - 1] == '/')
    n--;
  if (n >= PATH_MAX)
    return lb_err_sys(err, LB_USAGE, ENAMETOOLONG, "%s", path);
  snprintf(folder, PATH_MAX, "%.*s", (int)(n ? n : 1), n ? path : ".");
  return 0;
}

int lb_results_read(struct lb_results *s, const char *path, struct lb_err *err)
{
  char folder[PATH_MAX];
  if (folder_of(path, folder, err))
    return -err->code;
  struct walk k = {.s = s,
                   .root_len = strcmp(folder, "/") ? strlen(folder) : 0,
                   .before = s->n};
  int rc = enter(&k, folder, 0, err);
  if (rc == 0 && k.seen == 0)
    rc = lb_err_set(err, LB_USAGE, "%s: no results in it", path);
  if (s->n)
    qsort(s->result, s->n, sizeof *s->result, by_path);
  return rc;
}

void lb_results_fini(struct lb_results *s)
{
  for (size_t i = 0; i < s->n; i++)
    lb_result_fini(&s->result[i]);
  free(s->result);
  *s = (struct lb_results){.n = 0};
}
