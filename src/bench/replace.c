/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --regenerate: the files of the dataset that is here, which its manifest
 * names, are removed, and those that stand where new ones will: two datasets in
 * one folder are none, and a generation that is cut off and goes on later must
 * find no old file in the place of a new one.  Rank 0 does it.  Other files are
 * left alone. */
#include "lb-config.h"

#include <string.h>

#include "bench_impl.h"
#include "dataset_impl.h"

/* Has every file the same name in both? */
static bool same_names(const struct lb_layout *a, const struct lb_layout *b,
                       int set)
{
  return a->n_files[set] == b->n_files[set] &&
         (a->n_folders[set] > 1 ? a->n_folders[set] : 1) ==
             (b->n_folders[set] > 1 ? b->n_folders[set] : 1) &&
         !strcmp(a->prefix, b->prefix) && !strcmp(a->extension, b->extension);
}

/* 1: the run is to stop; what is left is removed the next time. */
static int remove_set(struct lb_bench *b, const struct lb_format *format,
                      const struct lb_layout *old, int set, struct lb_err *err)
{
  struct lb_removed done = {0};
  const struct lb_remover r = {.format = format,
                               .layout = old,
                               .storage = b->storage,
                               .io = &b->io,
                               .step = 1,
                               .tick = lb_bench_look_round,
                               .tick_arg = b};
  int rc = lb_dataset_remove_set(&r, set, &done, err);
  return rc < 0 ? lb_err_wrap(err, "removing the dataset that was here") : rc;
}

int lb_bench_remove_old(struct lb_bench *b, struct lb_err *err)
{
  struct lb_manifest disk;
  struct lb_layout old;
  int rc = 0, found = lb_manifest_read(&disk, b->layout.root, err);
  if (found < 0)
    return found;
  bool known = found && lb_layout_of_manifest(&old, &disk, b->layout.root);
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
