/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The files that DLIO writes, and how it divides a model between them: the
 * state of a model that is only a number of bytes; weights by layer, by tensor
 * and pipeline parallelism and by copy, as the stage of ZeRO says; and the
 * optimizer's state.  Each accelerator reads what it wrote. */
#include "lb-config.h"

#include <inttypes.h>
#include <stdio.h>

#include "checkpoint/state.h"
#include "loadbank/units.h"

/* Where an accelerator stands. */
struct place {
  int64_t stage; /* of the pipeline */
  int64_t copy, part;
};

/* What it writes, in this order. */
struct files {
  bool model;
  int64_t layers; /* files */
  bool by_layer;  /* one for each */
  struct lb_span span;
  bool optimizer;
};

enum part { PART_MODEL, PART_LAYERS, PART_OPTIMIZER };

static int64_t parts(const struct lb_checkpoint_model *m)
{
  return m->tensor * m->pipeline;
}

static int64_t copies(const struct lb_checkpoint_model *m)
{
  return m->data > 0 ? m->data : m->accelerators / parts(m);
}

static struct place place_of(const struct lb_checkpoint_model *m,
                             int accelerator)
{
  return (struct place){.stage = accelerator / m->tensor % m->pipeline,
                        .copy = accelerator / parts(m),
                        .part = accelerator % parts(m)};
}

/* Parameters whose optimizer state one accelerator holds. */
static int64_t group(const struct lb_checkpoint_model *m)
{
  return lb_layers_parameters(m) / parts(m) / (m->zero > 0 ? copies(m) : 1);
}

static bool writes(const struct lb_checkpoint_model *m, int accelerator)
{
  if (m->layers <= 0)
    return m->all_ranks || accelerator == 0;
  return m->zero > 0 || accelerator < parts(m);
}

static struct files files_of(const struct lb_checkpoint_model *m,
                             int accelerator)
{
  struct place p = place_of(m, accelerator);
  bool once = m->zero == 1 || m->zero == 2; /* the first copy has them */
  struct files f = {.span = lb_layers_of(m, p.stage)};
  if (!writes(m, accelerator))
    return f;
  f.model = m->model_bytes > 0;
  f.by_layer = once && m->pipeline > 1;
  if (m->layers > 0 && (!once || p.copy == 0))
    f.layers = f.by_layer ? f.span.last - f.span.first + 1 : 1;
  f.optimizer =
      m->optimization_groups.n > 0 ? lb_groups_tensors(m) > 0 : group(m) > 0;
  return f;
}

/* What the i-th file is; a file of one layer narrows the span to it. */
static enum part part_of(struct files *f, int64_t i)
{
  i -= f->model;
  if (i < 0)
    return PART_MODEL;
  if (i >= f->layers)
    return PART_OPTIMIZER;
  if (f->by_layer)
    f->span.first = f->span.last = f->span.first + i;
  return PART_LAYERS;
}

static struct lb_share share_of(const struct lb_checkpoint_model *m)
{
  return (struct lb_share){
      .model = m, .tensor = m->tensor, .copies = m->zero == 3 ? copies(m) : 1};
}

static int check_subset(const struct lb_checkpoint_model *m, struct lb_err *err)
{
  if (m->data <= 0)
    return lb_err_set(
        err, LB_USAGE,
        "checkpoint.mode: subset needs model.parallelism.data, "
        "the copies of the whole model, a part of which are the %d "
        "accelerator%s",
        m->accelerators, lb_plural(m->accelerators));
  if (m->data * parts(m) < m->accelerators)
    return lb_err_set(err, LB_USAGE,
                      "checkpoint.mode: a subset of %d accelerator%s is more "
                      "than the whole model: tensor %" PRId64
                      " x pipeline %" PRId64 " x data %" PRId64 " = %" PRId64,
                      m->accelerators, lb_plural(m->accelerators), m->tensor,
                      m->pipeline, m->data, m->data * parts(m));
  return 0;
}

static int check_whole(const struct lb_checkpoint_model *m, struct lb_err *err)
{
  if (m->accelerators % parts(m) != 0)
    return lb_err_set(err, LB_USAGE,
                      "model.parallelism: tensor %" PRId64
                      " x pipeline %" PRId64 " = %" PRId64
                      " accelerators share one copy of the model, and %d is no "
                      "multiple of that; see --accelerators",
                      m->tensor, m->pipeline, parts(m), m->accelerators);
  if (m->data > 0 && m->data * parts(m) != m->accelerators)
    return lb_err_set(err, LB_USAGE,
                      "model.parallelism.data: tensor %" PRId64
                      " x pipeline %" PRId64 " x data %" PRId64 " = %" PRId64
                      " is not the %d accelerator%s; -1 takes what they give, "
                      "checkpoint.mode subset writes a part",
                      m->tensor, m->pipeline, m->data, m->data * parts(m),
                      m->accelerators, lb_plural(m->accelerators));
  return 0;
}

static int dlio_check(const struct lb_checkpoint_model *m, struct lb_err *err)
{
  if (lb_layers_check(m, err) < 0)
    return -err->code;
  if ((double)parts(m) * (double)m->data > 1e15)
    return lb_err_set(err, LB_USAGE,
                      "model.parallelism: tensor %" PRId64
                      " x pipeline %" PRId64 " x data %" PRId64
                      " are more accelerators than can be counted",
                      m->tensor, m->pipeline, m->data);
  if (m->zero == 3 && m->pipeline > 1)
    return lb_err_set(err, LB_USAGE,
                      "model.parallelism.zero_stage: 3 cannot go with "
                      "pipeline %" PRId64 ": it shards every layer over the "
                      "copies",
                      m->pipeline);
  if (m->layers > 0 && m->layers < m->pipeline)
    return lb_err_set(err, LB_USAGE,
                      "model.parallelism.pipeline: %" PRId64
                      " stages cannot share %" PRId64 " layers",
                      m->pipeline, m->layers);
  return m->subset ? check_subset(m, err) : check_whole(m, err);
}

static int64_t dlio_count(const struct lb_checkpoint_model *m, int stage,
                          int accelerator)
{
  struct files f = files_of(m, accelerator);
  (void)stage;
  return f.model + f.layers + f.optimizer;
}

/* ---- the optimizer's state ---- */

enum { MOMENTS = 3, OTHER = 5 };

static void optimizer_sum(const struct lb_checkpoint_model *m,
                          struct lb_shard *out)
{
  if (m->optimization_groups.n > 0) {
    out->bytes = lb_groups_bytes(m);
    out->tensors = lb_groups_tensors(m);
  } else {
    out->bytes = MOMENTS * (uint64_t)(group(m) + OTHER * m->hidden) *
                 (uint64_t)m->optimizer->bytes;
    out->tensors = 2 * MOMENTS;
  }
  out->optimizer_bytes = out->bytes;
}

static void optimizer_tensor(const struct lb_checkpoint_model *m, int64_t t,
                             struct lb_tensor *out)
{
  if (m->optimization_groups.n > 0) {
    lb_groups_tensor(m, t, out);
    return;
  }
  out->dtype = m->optimizer;
  out->elements = (uint64_t)(t % 2 ? OTHER * m->hidden : group(m));
  snprintf(out->name, sizeof out->name, "%" PRId64, t);
}

/* ---- files and tensors ---- */

static void layers_name(const struct lb_checkpoint_model *m,
                        const struct files *f, struct place p,
                        struct lb_shard *out)
{
  if (f->by_layer)
    snprintf(out->name, sizeof out->name,
             "layer_%" PRId64 "-model_%" PRId64 "_model_states.pt",
             f->span.first, p.part);
  else if (m->zero == 1 || m->zero == 2)
    snprintf(out->name, sizeof out->name, "model_%" PRId64 "_model_states.pt",
             p.part);
  else
    snprintf(out->name, sizeof out->name,
             "zero_pp_rank_%" PRId64 "_mp_rank_%" PRId64 "_model_states.pt",
             p.copy, p.part);
}

static void dlio_shard(const struct lb_checkpoint_model *m,
                       const struct lb_shard_ref *ref, struct lb_shard *out)
{
  struct files f = files_of(m, ref->accelerator);
  struct place p = place_of(m, ref->accelerator);
  struct lb_share share = share_of(m);
  enum part part = part_of(&f, ref->i);
  *out = (struct lb_shard){.layout = LB_SHARD_STATE};
  if (part == PART_MODEL) {
    out->bytes = m->model_bytes;
    out->tensors = 1;
    snprintf(out->name, sizeof out->name, "model_states-%d.pt",
             ref->accelerator);
  } else if (part == PART_LAYERS) {
    struct lb_sum sum = lb_layers_sum(&share, f.span);
    out->bytes = sum.elements * (uint64_t)lb_layers_dtype(m)->bytes;
    out->tensors = sum.tensors;
    layers_name(m, &f, p, out);
  } else {
    optimizer_sum(m, out);
    snprintf(out->name, sizeof out->name,
             "zero_pp_rank_%" PRId64 "_mp_rank_%" PRId64 "_optim_states.pt",
             p.copy, p.part);
  }
}

static void dlio_tensor(const struct lb_checkpoint_model *m,
                        const struct lb_shard_ref *ref, int64_t t,
                        struct lb_tensor *out)
{
  struct files f = files_of(m, ref->accelerator);
  struct lb_share share = share_of(m);
  enum part part = part_of(&f, ref->i);
  if (part == PART_MODEL) {
    *out = (struct lb_tensor){.name = "a",
                              .dtype = lb_model_dtype_find("int8"),
                              .elements = m->model_bytes};
  } else if (part == PART_OPTIMIZER) {
    optimizer_tensor(m, t, out);
  } else {
    struct lb_param q = lb_layers_at(&share, f.span, t);
    out->dtype = lb_layers_dtype(m);
    out->elements = q.elements;
    if (f.by_layer)
      snprintf(out->name, sizeof out->name, "%d", q.index);
    else
      snprintf(out->name, sizeof out->name, "%" PRId64 ".%d", q.layer, q.index);
  }
}

const struct lb_checkpoint_scheme lb_checkpoint_dlio = {
    .name = "dlio",
    .doc = "The files that DLIO writes, divided as it does.",
    .stages = 1,
    .check = dlio_check,
    .count = dlio_count,
    .shard = dlio_shard,
    .tensor = dlio_tensor,
};
