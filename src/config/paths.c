/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the dataset and the checkpoints are: folders below the roots of the
 * storage.  Several roots are one file system that is mounted several times;
 * whether they are is seen on disk, not here. */
#include "lb-config.h"

#include "config/config_impl.h"

#include <stdio.h>
#include <string.h>

#include "loadbank/path.h"

static const char *without_scheme(const char *path)
{
  static const char scheme[] = "file://";
  size_t n = sizeof scheme - 1;
  return path + (strncmp(path, scheme, n) ? 0 : n);
}

/* An absolute folder, or one with a scheme: no root is before it. */
static bool stands_alone(const char *folder)
{
  folder = without_scheme(folder);
  return *folder == '/' || strstr(folder, "://");
}

/* Its length, or that of what does not fit. */
static int join(const char *root, const char *folder, char out[PATH_MAX])
{
  int n;
  bool alone = stands_alone(folder);
  root = without_scheme(root);
  folder = without_scheme(folder);
  if (alone || !*root) {
    n = snprintf(out, PATH_MAX, "%s", folder);
  } else {
    size_t len = strlen(root);
    while (len > 1 && root[len - 1] == '/')
      len--;
    while (!strncmp(folder, "./", 2))
      folder += 2;
    const char *slash = root[len - 1] == '/' ? "" : "/";
    if (!*folder || !strcmp(folder, "."))
      n = snprintf(out, PATH_MAX, "%.*s", (int)len, root);
    else
      n = snprintf(out, PATH_MAX, "%.*s%s%s", (int)len, root, slash, folder);
  }
  while (n > 1 && n < PATH_MAX && out[n - 1] == '/')
    out[--n] = '\0';
  return n;
}

int lb_workload_path(const struct lb_workload *w, int root, const char *folder,
                     char out[PATH_MAX])
{
  return join(w->storage.storage_root.v[root], folder, out);
}

/* Below every root; out: below the first. */
static int derive_folder(const struct lb_workload *w, const char *key,
                         const char *folder, char out[PATH_MAX],
                         struct lb_err *err)
{
  for (int i = w->storage.storage_root.n - 1; i >= 0; i--) {
    int n = lb_workload_path(w, i, folder, out);
    if (n >= PATH_MAX)
      return lb_workload_error(w, key, err, "the path is too long");
    if (n <= 0)
      return lb_workload_error(w, key, err, "no folder is given");
  }
  return 0;
}

/* A root that is there twice would have a double share of the accelerators. */
static int check_different(const struct lb_workload *w, struct lb_err *err)
{
  char a[PATH_MAX], b[PATH_MAX];
  for (int i = 1; i < w->storage.storage_root.n; i++)
    for (int k = 0; k < i; k++) {
      lb_workload_path(w, i, ".", a);
      lb_workload_path(w, k, ".", b);
      if (!strcmp(a, b))
        return lb_workload_error(w, "storage.storage_root", err,
                                 "'%.200s' is given twice", a);
    }
  return 0;
}

/* What is removed or looked for in one must not be the other's. */
int lb_workload_check_apart(const struct lb_workload *w, const char *burst,
                            const char *last, struct lb_err *err)
{
  const char *key = "checkpoint.burst_buffer.folder";
  if (!strcmp(burst, last))
    return lb_workload_error(
        w, key, err, "'%.200s' is checkpoint.checkpoint_folder, too", burst);
  if (lb_path_within(burst, last))
    return lb_workload_error(
        w, key, err, "'%.200s' is below checkpoint.checkpoint_folder, '%.200s'",
        burst, last);
  if (lb_path_within(last, burst))
    return lb_workload_error(
        w, key, err,
        "checkpoint.checkpoint_folder, '%.200s', is below it ('%.200s')", last,
        burst);
  return 0;
}

int derive_paths(struct lb_workload *w, struct lb_err *err)
{
  struct lb_derived *d = &w->derived;
  if (derive_folder(w, "dataset.data_folder", w->dataset.data_folder,
                    d->data_folder, err) ||
      derive_folder(w, "checkpoint.checkpoint_folder",
                    w->checkpoint.checkpoint_folder, d->checkpoint_folder,
                    err) ||
      check_different(w, err))
    return -err->code;
  const char *burst = w->checkpoint.burst_buffer.folder;
  if (*burst && derive_folder(w, "checkpoint.burst_buffer.folder", burst,
                              d->burst_folder, err))
    return -err->code;
  if (*burst &&
      lb_workload_check_apart(w, d->burst_folder, d->checkpoint_folder, err))
    return -err->code;
  d->n_roots = w->storage.storage_root.n;
  if (d->n_roots == 1 || !d->backend || !d->backend->is_virtual)
    return 0;
  d->n_roots = 1;
  return notes_add(&w->own->notes, err,
                   "storage.storage_root: only the first root counts: storage "
                   "'%s' has no files, and no mounts",
                   d->backend->name);
}

int check_folder(const struct lb_workload *w, const char *key,
                 const char *folder, struct lb_err *err)
{
  const char *mark = strstr(folder, "://");
  if (!mark || mark == folder || !strncmp(folder, "file://", 7))
    return 0;
  return lb_workload_error(w, key, err,
                           "'%.200s' is an address; storage_type %s takes "
                           "paths, with or without file://",
                           folder, w->storage.storage_type);
}

int check_roots(const struct lb_workload *w, struct lb_err *err)
{
  const struct lb_paths *roots = &w->storage.storage_root;
  for (int i = 0; i < roots->n; i++)
    if (check_folder(w, "storage.storage_root", roots->v[i], err))
      return -err->code;
  if (w->derived.n_roots > 1 && workload_uses(w, "dataset.") &&
      stands_alone(w->dataset.data_folder))
    return lb_workload_error(
        w, "dataset.data_folder", err,
        "'%.200s' is absolute and stands alone, so that the %d roots of "
        "storage.storage_root would spread nothing: give it relative to them, "
        "or no list",
        w->dataset.data_folder, w->derived.n_roots);
  return 0;
}
