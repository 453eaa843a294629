/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One run at a time saves into a folder of checkpoints: each removes what saves
 * left there that were cut off, and another's that goes on looks just so. */
#include "lb-config.h"

#include "bench_impl.h"
#include "loadbank/claim.h"

static const char name[] = ".loadbank-checkpoints.lock";

/* Rank 0. */
static int take(struct lb_bench *b, struct lb_err *err)
{
  const char *folder = b->w->derived.checkpoint_folder;
  char holder[LB_CLAIM_TEXT];
  int rc = lb_storage_mkdirs(b->storage, folder, b->w->checkpoint.fsync, &b->io,
                             err);
  if (!rc)
    rc = lb_claim_take(folder, name, &b->saves_here, holder, err);
  if (rc <= 0)
    return rc;
  return lb_err_set(err, LB_FAILED,
                    "%s: another run saves checkpoints here now (%s); wait for "
                    "it, or choose another checkpoint.checkpoint_folder",
                    folder, holder);
}

int lb_bench_claim_checkpoints(struct lb_bench *b, struct lb_err *err)
{
  if (b->plan.checkpoints.count <= 0 || b->w->derived.backend->is_virtual)
    return 0;
  if (b->world->rank == 0)
    take(b, err);
  return lb_bench_agree(b->world, err);
}

void lb_bench_release_checkpoints(struct lb_bench *b)
{
  lb_claim_give(b->w->derived.checkpoint_folder, name, &b->saves_here);
}
