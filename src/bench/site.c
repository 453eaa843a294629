/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Before a generation: may files be made in this folder, and is there room?
 * Rank 0 looks; nothing is written. */
#include "lb-config.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "bench_impl.h"
#include "dataset_impl.h"

/* The size of a file of the dataset; 0: it is not there. */
static int64_t size_there(struct lb_bench *b, enum lb_set set, int64_t i,
                          struct lb_err *err)
{
  char path[PATH_MAX];
  bool absent;
  if (lb_layout_path(&b->layout, set, i, path, PATH_MAX) < 0)
    return lb_err_sys(err, LB_FAILED, ENAMETOOLONG, "%s", b->layout.root);
  return lb_storage_probe(
      b->storage, (struct lb_io){.op = LB_OP_STAT, .slot = -1, .path = path},
      ENOENT, &absent, &b->io, err);
}

/* Whole bytes of files that are there already: what a resumed generation does
 * not need again. */
static int bytes_there(struct lb_bench *b, uint64_t *sum, struct lb_err *err)
{
  *sum = 0;
  for (int set = 0; set < LB_N_SETS; set++)
    for (int64_t i = 0; i < b->layout.n_files[set]; i++) {
      int64_t size = size_there(b, set, i, err);
      if (size < 0)
        return (int)size;
      *sum += (uint64_t)size;
    }
  return 0;
}

static int check_space(struct lb_bench *b, struct lb_err *err)
{
  uint64_t need = b->plan.set[LB_SET_TRAIN].file_bytes +
                  b->plan.set[LB_SET_EVAL].file_bytes;
  uint64_t available, there;
  int rc = lb_free_bytes(b->layout.root, &available, err);
  if (rc || available >= need)
    return rc;
  rc = bytes_there(b, &there, err);
  if (rc)
    return rc;
  need = need > there ? need - there : 0;
  if (available >= need)
    return 0;
  return lb_err_set(err, LB_FAILED,
                    "%s: no room for the dataset: it needs %" PRIu64
                    " bytes more, %" PRIu64 " are free",
                    b->layout.root, need, available);
}

/* Files without a manifest were not made by this program: they are neither
 * trusted nor overwritten. */
static int check_foreign(struct lb_bench *b, struct lb_err *err)
{
  char path[PATH_MAX];
  for (int set = 0; set < LB_N_SETS; set++) {
    if (b->layout.n_files[set] == 0)
      continue;
    int rc = lb_inventory_any(&b->layout, set, b->storage, &b->io, path, err);
    if (rc < 0)
      return rc;
    if (rc > 0)
      return lb_err_set(err, LB_USAGE,
                        "%s: holds files that loadbank did not generate (%s); "
                        "%s",
                        b->layout.root, path,
                        b->o->mismatch_advice
                            ? b->o->mismatch_advice
                            : "--regenerate overwrites those of the same "
                              "names, workflow.generate_data=False uses them");
  }
  return 0;
}

/* Ways on from a dataset that generation would not make. */
static const char *advice(const struct lb_bench *b, bool whole, bool fits)
{
  if (b->o->mismatch_advice)
    return b->o->mismatch_advice;
  return !whole ? "--regenerate replaces it"
         : fits ? "--regenerate replaces it, workflow.generate_data=false uses "
                  "it as it is"
                : "--regenerate replaces it, workflow.generate_data=false with "
                  "--allow-mismatch uses it all the same";
}

/* Generation would not make what is there: why, and the two ways on. */
static int refuse_other(struct lb_bench *b, const struct lb_manifest *disk,
                        const char *fingerprint, struct lb_err *err)
{
  struct lb_err unfit = LB_ERR_INIT;
  bool enough = true;
  for (int set = 0; set < LB_N_SETS; set++)
    enough &= disk->n_files[set] >= b->manifest.n_files[set];
  bool fits = lb_manifest_compare(disk, &b->manifest, &unfit) == 0;
  struct lb_buf differ;
  lb_buf_init(&differ, 32768); /* more than there are fields for */
  lb_manifest_differences(disk, &b->manifest, &differ);
  lb_err_set(err, LB_USAGE,
             "%s: holds another dataset (fingerprint %s, configured %s): "
             "%.400s; %s",
             b->layout.root, fingerprint, b->fingerprint,
             differ.data ? differ.data : "",
             advice(b, disk->complete && enough, fits));
  lb_buf_fini(&differ);
  return -err->code;
}

/* May files be made here? */
int lb_bench_check_owner(struct lb_bench *b, struct lb_err *err)
{
  struct lb_manifest disk;
  if (b->o->regenerate)
    return 0;
  int found = lb_manifest_read(&disk, b->layout.root, err);
  if (found < 0)
    return found;
  if (!found)
    return check_foreign(b, err);
  char there[LB_FINGERPRINT_LEN];
  lb_manifest_fingerprint(&disk, there);
  if (!strcmp(there, b->fingerprint))
    return 0;
  return refuse_other(b, &disk, there, err);
}

int lb_bench_check_site(struct lb_bench *b, struct lb_err *err)
{
  if (b->world->rank == 0 && lb_bench_makes_files(b) &&
      !lb_bench_check_owner(b, err))
    check_space(b, err);
  int rc = lb_bench_agree(b->world, err);
  return rc || !lb_bench_makes_files(b) ? rc : lb_bench_check_manifests(b, err);
}
