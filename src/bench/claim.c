/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One run at a time saves into a folder of checkpoints, or a burst buffer: each
 * removes what saves left there that were cut off, and another's that goes on
 * looks just so. */
#include "lb-config.h"

#include "bench_impl.h"
#include "loadbank/claim.h"
#include "loadbank/path.h"

static const char name[] = ".loadbank-checkpoints.lock";

/* Where this run saves; "": nowhere.  Of a burst buffer that each node has for
 * itself rank 0 claims its own. */
static const char *folder_of(const struct lb_bench *b, int i)
{
  const struct lb_derived *d = &b->w->derived;
  return i ? d->burst_folder : d->checkpoint_folder;
}

/* Rank 0. */
static int take(struct lb_bench *b, int i, struct lb_err *err)
{
  const char *folder = folder_of(b, i);
  char holder[LB_CLAIM_TEXT];
  int rc = lb_storage_mkdirs(b->storage, folder, b->w->checkpoint.fsync, &b->io,
                             err);
  if (!rc && (b->storage->open_flags & LB_IO_DIRECT))
    rc = lb_bench_check_direct_write(b, folder, err);
  if (!rc)
    rc = lb_claim_take(folder, name, &b->saves_here[i], holder, err);
  if (rc <= 0)
    return rc;
  return lb_err_set(err, LB_FAILED,
                    "%s: another run saves checkpoints here now (%s); wait for "
                    "it, or choose another %s",
                    folder, holder,
                    i ? "checkpoint.burst_buffer.folder"
                      : "checkpoint.checkpoint_folder");
}

int lb_bench_check_apart(struct lb_bench *b, struct lb_err *err)
{
  const struct lb_derived *d = &b->w->derived;
  char burst[PATH_MAX], last[PATH_MAX];
  if (b->plan.checkpoints.count <= 0 || d->backend->is_virtual ||
      !*d->burst_folder)
    return 0;
  if (b->world->rank == 0 && !lb_path_resolve(d->burst_folder, burst) &&
      !lb_path_resolve(d->checkpoint_folder, last))
    lb_workload_check_apart(b->w, burst, last, err);
  return lb_bench_agree(b->world, err);
}

int lb_bench_claim_checkpoints(struct lb_bench *b, struct lb_err *err)
{
  if (b->plan.checkpoints.count <= 0 || b->w->derived.backend->is_virtual)
    return 0;
  for (int i = 0; i < LB_CLAIMS && b->world->rank == 0; i++)
    if (*folder_of(b, i) && take(b, i, err))
      break;
  return lb_bench_agree(b->world, err);
}

void lb_bench_release_checkpoints(struct lb_bench *b)
{
  for (int i = 0; i < LB_CLAIMS; i++)
    lb_claim_give(folder_of(b, i), name, &b->saves_here[i]);
}
