/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A checkpoint of the run: every rank writes its accelerators' shards, all
 * meet, and the slowest one's time is the checkpoint's.  Its time belongs to
 * no block. */
#include "lb-config.h"

#include <inttypes.h>

#include "bench_impl.h"
#include "loadbank/clock.h"
#include "loadbank/log.h"
#include "loadbank/shard.h"

/* Generation has left other bytes in the buffer. */
void lb_bench_prepare_saves(struct lb_bench *b)
{
  if (b->plan.checkpoints.count > 0 && !b->w->derived.backend->is_virtual)
    lb_iothread_fill(&b->io);
}

static int path_too_long(const struct lb_bench *b, struct lb_err *err)
{
  return lb_err_set(err, LB_FAILED, "%s: the path is too long",
                    b->w->derived.checkpoint_folder);
}

static int save_shards(struct lb_bench *b, int64_t epoch, int64_t step,
                       uint64_t *bytes, struct lb_err *err)
{
  char folder[PATH_MAX];
  const int64_t number = b->checkpoints + 1;
  const struct lb_checkpoint_scheme *scheme = b->plan.checkpoints.scheme;
  struct lb_checkpoint_model model;
  lb_plan_checkpoint_model(b->w, b->world->accelerators, &model);
  struct lb_shard_job job = {.storage = b->storage,
                             .folder = folder,
                             .sync = b->w->checkpoint.fsync,
                             .io = &b->io,
                             .tick = lb_bench_look_round,
                             .tick_arg = b};
  for (int a = b->world->first; a < b->world->first + b->world->k; a++) {
    if (lb_bench_checkpoint_folder(b, a, epoch, step, folder, sizeof folder) <
        0)
      return path_too_long(b, err);
    for (int64_t i = 0; i < scheme->count(&model, 0, a); i++) {
      const struct lb_shard_ref ref = {.accelerator = a, .i = i};
      struct lb_shard shard;
      scheme->shard(&model, &ref, &shard);
      job.id = lb_shard_id(b->w->derived.content_seed, number, &ref);
      int rc = lb_shard_write(&job, &shard, err);
      if (rc)
        return rc;
      *bytes += shard.bytes;
    }
  }
  return 0;
}

int lb_bench_save(struct lb_bench *b, int64_t epoch, int64_t step,
                  uint64_t *end_ns, struct lb_err *err)
{
  char folder[PATH_MAX];
  struct lb_err mine = LB_ERR_INIT;
  uint64_t bytes = 0;
  enum lb_phase before = lb_bench_enter(b, LB_PHASE_SAVE);
  if (lb_bench_checkpoint_folder(b, b->world->first, epoch, step, folder,
                                 sizeof folder) < 0)
    path_too_long(b, &mine);
  else if (b->world->rank == 0)
    lb_storage_mkdirs(b->storage, folder, b->w->checkpoint.fsync, &b->io,
                      &mine);
  if (lb_err_is_set(&mine))
    lb_bench_fail(b, &mine);
  struct lb_release r = lb_gate_meet(b->gate);
  uint64_t start = r.ns;
  if (r.stop == LB_STOP_NONE && save_shards(b, epoch, step, &bytes, &mine) &&
      !lb_err_gave_up(&mine))
    lb_bench_fail(b, &mine);
  uint64_t own_end = lb_clock_ns();
  /* Here, where nothing is timed: after the gate the next block runs. */
  if (r.stop == LB_STOP_NONE && !lb_err_is_set(&mine))
    lb_info("checkpoint %" PRId64 " saved: %s", b->checkpoints + 1, folder);
  r = lb_gate_meet(b->gate);
  lb_bench_enter(b, before);
  lb_bench_stopped(b, r.stop);
  *end_ns = r.ns;
  if (r.stop == LB_STOP_FAILED)
    lb_gate_reason(b->gate, err);
  if (r.stop != LB_STOP_NONE) /* perhaps not whole on some rank: no result */
    return -err->code;
  b->checkpoints++;
  lb_metrics_checkpoint(b->metrics, false, b->checkpoints, epoch, step, start,
                        own_end, bytes);
  return 0;
}
