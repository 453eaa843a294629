/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a checkpoint holds and who writes it, of the plan.  Pure. */
#include "lb-config.h"

#include <inttypes.h>
#include <string.h>

#include "loadbank/checkpoint.h"
#include "loadbank/config.h"
#include "loadbank/ring.h"
#include "loadbank/shard.h"
#include "loadbank/verify.h"
#include "loadbank/world.h"
#include "plan_impl.h"

/* Such a model is its layers; DLIO does not look at its size either. */
static bool is_transformer(const struct lb_workload *w)
{
  return !strcmp(w->model.type, "transformer");
}

void lb_plan_checkpoint_model(const struct lb_workload *w, int accelerators,
                              struct lb_checkpoint_model *out)
{
  const struct lb_workload_model *m = &w->model;
  *out = (struct lb_checkpoint_model){
      .accelerators = accelerators,
      .model_bytes = is_transformer(w) ? 0 : (uint64_t)m->model_size_bytes,
      .layers = m->num_layers,
      .hidden = m->transformer.hidden_size,
      .ffn = m->transformer.ffn_hidden_size,
      .vocab = m->transformer.vocab_size,
      .heads = m->transformer.num_attention_heads,
      .kv_heads = m->transformer.num_kv_heads,
      .weights = lb_model_dtype_find(m->model_datatype),
      .optimizer = lb_model_dtype_find(m->optimizer_datatype),
      .layer_parameters = m->layer_parameters,
      .optimization_groups = m->optimization_groups,
      .tensor = m->parallelism.tensor,
      .pipeline = m->parallelism.pipeline,
      .data = m->parallelism.data,
      .zero = (int)m->parallelism.zero_stage,
      .all_ranks = w->checkpoint.type == LB_CHECKPOINT_ALL_RANKS,
      .subset = w->checkpoint.mode == LB_CHECKPOINT_SUBSET,
  };
}

/* Has it files, to write or to read? */
static bool add_accelerator(struct lb_plan_checkpoints *c,
                            const struct lb_checkpoint_model *m,
                            int accelerator)
{
  struct lb_checkpoint_sum sum;
  uint64_t reads = 0;
  lb_checkpoint_sum(c->scheme, m, accelerator, &sum);
  c->files += sum.files;
  c->bytes += sum.bytes;
  c->optimizer_bytes += sum.optimizer_bytes;
  c->writers += sum.bytes > 0;
  if (accelerator == 0 || sum.bytes < c->least_bytes)
    c->least_bytes = sum.bytes;
  if (sum.bytes > c->most_bytes)
    c->most_bytes = sum.bytes;
  if (c->reads > 0)
    reads =
        lb_checkpoint_load_bytes(c->scheme, m, m->accelerators, accelerator);
  c->read_bytes += reads;
  return sum.bytes > 0 || reads > 0;
}

/* Without training they are counted; with it the schedule says when. */
static void count(const struct lb_workload *w, const struct lb_plan *p,
                  struct lb_plan_checkpoints *c)
{
  bool alone = p->checkpoint_asked && !p->train;
  const struct lb_workload_checkpoint *k = &w->checkpoint;
  c->count = lb_plan_checkpoint_count(p);
  if (alone && k->num_checkpoints_write > 0)
    c->count = k->num_checkpoints_write;
  if (alone && k->num_checkpoints_read > 0)
    c->reads = k->num_checkpoints_read;
}

int lb_plan_checkpoints(const struct lb_workload *w, struct lb_plan *p,
                        struct lb_err *err)
{
  struct lb_plan_checkpoints *c = &p->checkpoints;
  struct lb_checkpoint_model model;
  count(w, p, c);
  if (c->count == 0 && c->reads == 0)
    return 0;
  c->scheme = lb_checkpoint_schemes[w->checkpoint.scheme];
  lb_plan_checkpoint_model(w, p->accelerators, &model);
  if (is_transformer(w) && model.layers <= 0)
    return lb_workload_error(w, "model.num_layers", err,
                             "a model of type transformer is its layers, and "
                             "%" PRId64 " are none: there is nothing to save",
                             model.layers);
  if (c->scheme->check(&model, err) < 0)
    return -err->code;
  int a = 0;
  for (int rank = 0; rank < p->ranks; rank++) {
    int64_t busy = 0; /* of its accelerators, those that have files */
    for (; a < lb_first_accelerator(p->accelerators, p->ranks, rank + 1); a++)
      busy += add_accelerator(c, &model, a);
    if (busy * w->checkpoint.write_threads > c->threads)
      c->threads = busy * w->checkpoint.write_threads;
  }
  if (__builtin_mul_overflow(c->bytes, (uint64_t)c->count, &c->total_bytes))
    return lb_err_set(err, LB_USAGE,
                      "checkpoint: %" PRId64 " x %" PRIu64
                      " bytes: too many to count",
                      c->count, c->bytes);
  return 0;
}

struct lb_shard_use lb_plan_checkpoint_use(const struct lb_workload *w,
                                           const struct lb_plan *p)
{
  return (struct lb_shard_use){.writes = p->checkpoints.count > 0,
                               .reads = p->checkpoints.reads > 0,
                               .compares = w->reader.verify != LB_VERIFY_OFF,
                               .torch = w->checkpoint.container ==
                                        LB_CONTAINER_TORCH,
                               .ring = lb_plan_ring(w).depth > 0};
}

/* The depth is that of a rank; each thread has its share of it, at least 1. */
struct lb_ring_room lb_plan_checkpoint_ring(const struct lb_workload *w,
                                            const struct lb_shard_room *room,
                                            int64_t threads)
{
  int64_t depth = lb_plan_ring(w).depth;
  if (depth > 0 && threads > 0)
    depth = depth > threads ? depth / threads : 1;
  return (struct lb_ring_room){
      .depth = (size_t)depth, .request = room->request, .used = room->request};
}

void lb_plan_checkpoint_memory(const struct lb_workload *w,
                               const struct lb_plan *p, struct lb_memory_in *in)
{
  const struct lb_shard_use use = lb_plan_checkpoint_use(w, p);
  const struct lb_shard_room room =
      lb_shard_room((size_t)w->checkpoint.request_size, &use);
  const int64_t threads = p->checkpoints.threads, depth = lb_plan_ring(w).depth;
  uint64_t drainers = *w->derived.burst_folder && p->checkpoints.count > 0
                          ? (uint64_t)w->checkpoint.burst_buffer.drain_threads
                          : 0;
  in->checkpoint_bytes =
      (uint64_t)threads * lb_shard_room_bytes(&room) + drainers * room.request;
  if (depth == 0 || threads == 0)
    return;
  in->checkpoint_requests = depth > threads ? depth : threads;
  in->checkpoint_request = room.request;
  in->checkpoint_bytes += lb_ring_bytes(in->checkpoint_requests, room.request);
}
