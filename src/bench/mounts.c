/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Several roots of the storage: one file system that is mounted several times,
 * for more connections than a mount has.  Accelerator a goes through root a mod
 * n, for all that it does; whoever works for the job (listing, the manifest,
 * removing) through the first.
 *
 * That all show the same dataset is looked at on every host, for mounts are a
 * host's: by manifests and by sizes of files.  Not by devices and inodes, which
 * differ from mount to mount.  A mount is not looked at before there is
 * something to see: a network file system may remember for a minute that there
 * was nothing. */
#include "lb-config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench_impl.h"
#include "dataset_impl.h"

static int n_roots(const struct lb_bench *b)
{
  return b->w->derived.n_roots;
}

int lb_bench_spread_layout(struct lb_bench *b, struct lb_err *err)
{
  if (!b->mounts)
    b->mounts = calloc((size_t)n_roots(b), sizeof *b->mounts);
  if (!b->mounts)
    return lb_err_set(err, LB_FAILED, "no memory for %d roots", n_roots(b));
  for (int m = 0; m < n_roots(b); m++) {
    b->mounts[m] = b->layout;
    lb_workload_path(b->w, m, b->w->dataset.data_folder, b->mounts[m].root);
  }
  return 0;
}

const struct lb_layout *lb_bench_generator_layout(const struct lb_bench *b,
                                                  int64_t n)
{
  const struct lb_world *w = b->world;
  int64_t accelerator = w->first + n / w->n_ranks % w->k;
  return &b->mounts[accelerator % n_roots(b)];
}

int lb_bench_checkpoint_path(const struct lb_bench *b, int accelerator,
                             const char *path, char out[PATH_MAX])
{
  char folder[PATH_MAX];
  const char *rest = path + strlen(b->w->derived.checkpoint_folder);
  lb_workload_path(b->w, accelerator % n_roots(b),
                   b->w->checkpoint.checkpoint_folder, folder);
  int n = snprintf(out, PATH_MAX, "%s%s", folder, rest);
  return n < 0 || n >= PATH_MAX ? -1 : n;
}

/* ---- do they show the same? ---- */

static const char one_file_system[] =
    "the roots of storage.storage_root must be mounts of one file system";

/* Is the manifest below that root the one with the fingerprint, or none when
 * that is ""? */
static int check_manifest(const struct lb_bench *b, int m,
                          const char *fingerprint, struct lb_err *err)
{
  struct lb_manifest here;
  char mine[LB_FINGERPRINT_LEN] = "";
  const char *first = b->mounts[0].root, *root = b->mounts[m].root;
  int found = lb_manifest_read(&here, root, err);
  if (found < 0)
    return lb_err_wrap(err, "%s is to show the dataset of %s", root, first);
  if (found)
    lb_manifest_fingerprint(&here, mine);
  if (!strcmp(mine, fingerprint))
    return 0;
  if (!found)
    return lb_err_set(err, LB_FAILED,
                      "%s: no dataset is seen here, but one (fingerprint %s) "
                      "below %s: %s",
                      root, fingerprint, first, one_file_system);
  if (!*fingerprint)
    return lb_err_set(err, LB_FAILED,
                      "%s: the dataset that is seen here (fingerprint %s) has "
                      "no manifest below %s: %s",
                      root, mine, first, one_file_system);
  return lb_err_set(err, LB_FAILED,
                    "%s: another dataset is seen here (fingerprint %s) than "
                    "below %s (%s): %s",
                    root, mine, first, fingerprint, one_file_system);
}

/* Collective. */
static int check_all_manifests(struct lb_bench *b, const char *fingerprint,
                               struct lb_err *err)
{
  for (int m = 0; b->world->host_first && m < n_roots(b); m++)
    if (check_manifest(b, m, fingerprint, err))
      break;
  return lb_bench_agree(b->world, err);
}

int lb_bench_check_manifests(struct lb_bench *b, struct lb_err *err)
{
  struct lb_manifest disk;
  char fingerprint[LB_FINGERPRINT_LEN] = "";
  if (n_roots(b) == 1)
    return 0;
  if (b->world->rank == 0 && lb_manifest_read(&disk, b->layout.root, err) > 0)
    lb_manifest_fingerprint(&disk, fingerprint);
  int rc = lb_bench_agree(b->world, err);
  lb_world_bcast(b->world, fingerprint, sizeof fingerprint);
  return rc || !*fingerprint ? rc : check_all_manifests(b, fingerprint, err);
}

static int64_t size_below(struct lb_bench *b, int m, enum lb_set set, int64_t i,
                          struct lb_err *err)
{
  char path[PATH_MAX];
  struct lb_io stat = {.op = LB_OP_STAT, .slot = -1, .path = path};
  if (lb_layout_path(&b->mounts[m], set, i, path, sizeof path) < 0)
    return lb_err_sys(err, LB_FAILED, ENAMETOOLONG, "%s", b->mounts[m].root);
  return lb_storage_do(b->storage, stat, &b->io, err);
}

/* The same size below that root as below the first? */
static int check_file(struct lb_bench *b, int m, enum lb_set set, int64_t i,
                      struct lb_err *err)
{
  int64_t first = size_below(b, 0, set, i, err);
  int64_t here = first < 0 ? first : size_below(b, m, set, i, err);
  if (here < 0)
    return lb_err_wrap(err, "%s is to show the files of %s", b->mounts[m].root,
                       b->mounts[0].root);
  if (here == first)
    return 0;
  return lb_err_set(err, LB_FAILED,
                    "%s: file %" PRId64 " of the %s set has %" PRId64
                    " bytes, and %" PRId64 " below %s: %s",
                    b->mounts[m].root, i, lb_sets[set].folder, here, first,
                    b->mounts[0].root, one_file_system);
}

/* The first and the last file of what is read. */
static int check_files(struct lb_bench *b, int m, struct lb_err *err)
{
  int rc = 0;
  for (int set = 0; !rc && set < LB_N_SETS; set++) {
    const struct lb_plan_set *s = &b->plan.set[set];
    if (!s->read || s->files == 0)
      continue;
    rc = check_file(b, m, set, 0, err);
    if (!rc && s->files > 1)
      rc = check_file(b, m, set, s->files - 1, err);
  }
  return rc;
}

int lb_bench_check_mounts(struct lb_bench *b, struct lb_err *err)
{
  if (n_roots(b) == 1)
    return 0;
  int rc = check_all_manifests(b, b->fingerprint, err);
  if (rc)
    return rc;
  for (int m = 1; b->world->host_first && m < n_roots(b); m++)
    if (check_files(b, m, err))
      break;
  return lb_bench_agree(b->world, err);
}

void lb_bench_say_roots(const struct lb_bench *b, char *text, size_t size)
{
  *text = '\0';
  if (n_roots(b) > 1)
    snprintf(text, size, "accelerator a of %d goes through root a mod %d",
             b->world->accelerators, n_roots(b));
}
