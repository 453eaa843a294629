/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a rank needs to save and load checkpoints: the mark of the
 * configuration, and threads for those of its accelerators that have files. */
#include "lb-config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "background.h"
#include "plan_impl.h"

static bool is_torch(const struct lb_bench *b)
{
  return b->w->checkpoint.container == LB_CONTAINER_TORCH;
}

static void describe(struct lb_bench *b, struct lb_mark *m)
{
  const struct lb_plan_checkpoints *c = &b->plan.checkpoints;
  *m = (struct lb_mark){.scheme = c->scheme,
                        .seed = b->w->derived.content_seed,
                        .bytes = c->bytes};
  lb_plan_checkpoint_model(b->w, b->world->accelerators, &m->model);
  snprintf(m->container, sizeof m->container, "%s",
           is_torch(b) ? "torch" : "raw");
}

/* Does it write, or read as `reader', any file? */
static bool has_files(const struct lb_bench *b, int accelerator, int reader)
{
  const struct lb_mark *m = &b->saver->mark;
  for (int stage = 0; stage < m->scheme->stages; stage++)
    if (m->scheme->count(&m->model, stage, accelerator) > 0)
      return true;
  int stages =
      b->plan.checkpoints.reads > 0 ? lb_checkpoint_load_stages(m->scheme) : 0;
  for (int stage = 0; stage < stages; stage++)
    if (lb_checkpoint_load_count(m->scheme, &m->model, stage,
                                 b->world->accelerators, reader) > 0)
      return true;
  return false;
}

static void fill(const void *arg, struct lb_iothread *io)
{
  lb_shard_fill(arg, io);
}

/* Where checkpoints go. */
static int make_tiers(struct lb_bench *b, struct lb_err *err)
{
  struct lb_bench_saver *v = b->saver;
  const struct lb_derived *d = &b->w->derived;
  const struct lb_workload_checkpoint *c = &b->w->checkpoint;
  if (*d->burst_folder) {
    v->tier[v->tiers++] =
        (struct lb_tier){.root = d->burst_folder,
                         .keep_last = c->burst_buffer.keep_last,
                         .by_node = true};
    if (d->backend->is_virtual && lb_bench_open_buffer(b, &v->buffer, err))
      return -err->code;
    v->tier[0].storage = v->buffer ? v->buffer : b->storage;
  }
  v->tier[v->tiers++] = (struct lb_tier){.root = d->checkpoint_folder,
                                         .storage = b->storage,
                                         .keep_last = c->keep_last,
                                         .atomic = c->atomic};
  return 0;
}

static int hire(struct lb_bench *b, struct lb_err *err)
{
  struct lb_bench_saver *v = b->saver;
  bool is_virtual = b->w->derived.backend->is_virtual;
  const struct lb_shard_use use = lb_plan_checkpoint_use(b->w, &b->plan);
  v->room = lb_shard_room((size_t)b->w->checkpoint.request_size, &use);
  const struct lb_crew_config c = {
      .members = v->n_busy * v->threads,
      .buffer_bytes = is_virtual ? 0 : lb_shard_room_bytes(&v->room),
      .storage = b->storage,
      .ring = lb_plan_checkpoint_ring(b->w, &v->room, v->n_busy * v->threads),
      .prepare = is_virtual ? NULL : fill,
      .prepare_arg = &v->room};
  if (c.members == 0)
    return 0;
  int rc = lb_crew_new(&v->crew, &c, err);
  return rc ? rc : lb_bench_job_new(b, err);
}

static int make(struct lb_bench *b, struct lb_err *err)
{
  size_t k = (size_t)b->world->k;
  struct lb_bench_saver *v = b->saver = calloc(1, sizeof *v);
  if (v) {
    v->busy = calloc(k, sizeof *v->busy);
    v->reads_as = calloc(k, sizeof *v->reads_as);
    v->share = calloc(k, sizeof *v->share);
  }
  if (!v || !v->busy || !v->reads_as || !v->share)
    return lb_err_set(err, LB_FAILED, "no memory for checkpoints");
  v->threads = (int)b->w->checkpoint.write_threads;
  describe(b, &v->mark);
  for (int a = 0; a < b->world->k; a++)
    v->reads_as[a] = b->world->first + a;
  return 0;
}

int lb_bench_saver_new(struct lb_bench *b, struct lb_err *err)
{
  make(b, err);
  int rc = lb_bench_agree(b->world, err);
  if (!rc)
    rc = make_tiers(b, err);
  if (!rc)
    rc = lb_bench_shift(b, err);
  if (rc)
    return rc;
  struct lb_bench_saver *v = b->saver;
  for (int a = 0; a < b->world->k; a++)
    if (has_files(b, b->world->first + a, v->reads_as[a]))
      v->busy[v->n_busy++] = a;
  if (!hire(b, err))
    lb_background_new(b, err);
  return lb_bench_agree(b->world, err);
}

void lb_bench_saver_free(struct lb_bench *b)
{
  struct lb_bench_saver *v = b->saver;
  if (!v)
    return;
  lb_background_free(b);
  lb_crew_free(v->crew);
  lb_bench_job_free(b);
  lb_storage_close(v->buffer);
  free(v->busy);
  free(v->reads_as);
  free(v->share);
  free(v);
  b->saver = NULL;
}

void lb_bench_clear_shares(struct lb_bench *b)
{
  memset(b->saver->share, 0, (size_t)b->world->k * sizeof *b->saver->share);
}
