/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --regenerate: the files of the dataset that is here, which its manifest
 * names, are removed, and those that stand where new ones will: two datasets in
 * one folder are none, and a generation that is cut off and goes on later must
 * find no old file in the place of a new one.  Rank 0 does it.  Other files are
 * left alone. */
#include "lb-config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "bench_impl.h"

enum { LOOK_EVERY = 1024 }; /* files */

/* The layout of what the manifest claims; false: of a format that this build
 * does not know, so that its files have no names here. */
static bool layout_of(const struct lb_manifest *m, const char *root,
                      struct lb_layout *l)
{
  const struct lb_format *format = lb_format_find(m->format);
  if (!format)
    return false;
  *l = (struct lb_layout){.names = {NULL}};
  snprintf(l->root, sizeof l->root, "%s", root);
  snprintf(l->prefix, sizeof l->prefix, "%s", m->file_prefix);
  lb_format_extension(format, m->compression, l->extension,
                      sizeof l->extension);
  for (int set = 0; set < LB_N_SETS; set++) {
    l->n_files[set] = l->n_used[set] = m->n_files[set];
    l->n_folders[set] = m->n_folders[set];
  }
  return true;
}

/* Has every file the same name in both? */
static bool same_names(const struct lb_layout *a, const struct lb_layout *b,
                       int set)
{
  return a->n_files[set] == b->n_files[set] &&
         (a->n_folders[set] > 1 ? a->n_folders[set] : 1) ==
             (b->n_folders[set] > 1 ? b->n_folders[set] : 1) &&
         !strcmp(a->prefix, b->prefix) && !strcmp(a->extension, b->extension);
}

static int remove_file(struct lb_bench *b, const char *path, int length,
                       const struct lb_layout *old, struct lb_err *err)
{
  struct lb_io unlink = {.op = LB_OP_UNLINK, .slot = -1, .path = path};
  bool absent;
  if (length < 0)
    return lb_err_sys(err, LB_FAILED, ENAMETOOLONG, "%s", old->root);
  if (lb_storage_probe(b->storage, unlink, ENOENT, &absent, &b->io, err) < 0)
    return lb_err_wrap(err, "removing the dataset that was here");
  return 0;
}

/* 1: the run is to stop; what is left is removed the next time. */
static int remove_set(struct lb_bench *b, const struct lb_format *format,
                      const struct lb_layout *old, int set, struct lb_err *err)
{
  char path[PATH_MAX];
  for (int64_t i = 0; i < old->n_files[set]; i++) {
    if (i % LOOK_EVERY == 0 && !lb_bench_look_round(b))
      return 1;
    int n = lb_layout_path(old, set, i, path, sizeof path);
    int rc = remove_file(b, path, n, old, err);
    for (size_t k = 0; !rc && k < format->n_sidecars; k++) {
      n = lb_layout_sidecar(old, set, i, &format->sidecars[k], path,
                            sizeof path);
      rc = remove_file(b, path, n, old, err);
    }
    if (rc)
      return rc;
  }
  return 0;
}

int lb_bench_remove_old(struct lb_bench *b, struct lb_err *err)
{
  struct lb_manifest disk;
  struct lb_layout old;
  int rc = 0, found = lb_manifest_read(&disk, b->layout.root, err);
  if (found < 0)
    return found;
  bool known = found && layout_of(&disk, b->layout.root, &old);
  if (known && disk.complete) { /* no longer, whatever happens from here on */
    disk.complete = false;
    rc = lb_manifest_write(&disk, b->layout.root, err);
  }
  for (int set = 0; !rc && set < LB_N_SETS; set++) {
    if (known)
      rc = remove_set(b, lb_format_find(disk.format), &old, set, err);
    if (!rc && !(known && same_names(&old, &b->layout, set)))
      rc = remove_set(b, b->w->derived.format, &b->layout, set, err);
  }
  return rc;
}
