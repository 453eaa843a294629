/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The whole state of a model, in pieces or not, as a list of tensors that is
 * computed and never kept: the state without layers, the weights, the
 * optimizer's state. */
#include "lb-config.h"

#include "checkpoint/state.h"

#include <inttypes.h>
#include <stdio.h>

enum { MOMENTS = 3 };
static const char *const moments[MOMENTS] = {"master", "exp_avg", "exp_avg_sq"};

static struct lb_share share_of(const struct lb_checkpoint_model *m, int pieces,
                                int piece)
{
  return (struct lb_share){.model = m, .pieces = pieces, .piece = piece};
}

/* ---- given groups ---- */

static int64_t present(const struct lb_ints *g)
{
  int64_t n = 0;
  for (int i = 0; i < g->n; i++)
    n += g->v[i] > 0;
  return n;
}

static uint64_t group_sum(const struct lb_ints *g)
{
  uint64_t sum = 0;
  for (int i = 0; i < g->n; i++)
    sum += (uint64_t)g->v[i];
  return sum;
}

int64_t lb_groups_tensors(const struct lb_checkpoint_model *m)
{
  int64_t n = present(&m->optimization_groups);
  return n > 0 ? 2 * n + 1 : 0;
}

uint64_t lb_groups_bytes(const struct lb_checkpoint_model *m)
{
  return 3 * group_sum(&m->optimization_groups);
}

void lb_groups_tensor(const struct lb_checkpoint_model *m, int64_t t,
                      struct lb_tensor *out)
{
  const struct lb_ints *g = &m->optimization_groups;
  out->dtype = lb_model_dtype_find("int8");
  out->elements = group_sum(g);
  snprintf(out->name, sizeof out->name, "combined");
  if (t >= 2 * present(g))
    return;
  for (int i = 0; i < g->n; i++)
    if (g->v[i] > 0 && (t -= 2) < 0) {
      out->elements = (uint64_t)g->v[i];
      snprintf(out->name, sizeof out->name, "%d.%c", i, t == -2 ? 'a' : 'b');
      return;
    }
}

/* ---- the state ---- */

int lb_state_check(const struct lb_checkpoint_model *m, struct lb_err *err)
{
  if (lb_layers_check(m, err) < 0)
    return -err->code;
  if (m->subset)
    return lb_err_set(err, LB_USAGE,
                      "checkpoint.mode: subset is of checkpoint.scheme dlio "
                      "alone; the others hold the whole state");
  return 0;
}

static uint64_t groups_part(const struct lb_checkpoint_model *m,
                            const struct lb_share *s, int64_t *tensors)
{
  uint64_t sum = 0;
  for (int64_t t = 0; t < lb_groups_tensors(m); t++) {
    struct lb_tensor x;
    lb_groups_tensor(m, t, &x);
    uint64_t n = lb_share_rows(s, x.elements);
    *tensors += n > 0;
    sum += n;
  }
  return sum;
}

void lb_state_sum(const struct lb_checkpoint_model *m, int pieces, int piece,
                  struct lb_shard *out)
{
  struct lb_share s = share_of(m, pieces, piece);
  struct lb_sum weights = lb_layers_sum(&s, lb_layers_all(m));
  uint64_t model = lb_share_rows(&s, m->model_bytes);
  out->tensors = (model > 0) + weights.tensors;
  if (m->optimization_groups.n > 0) {
    out->optimizer_bytes = groups_part(m, &s, &out->tensors);
  } else {
    out->tensors += MOMENTS * weights.tensors;
    out->optimizer_bytes =
        MOMENTS * weights.elements * (uint64_t)m->optimizer->bytes;
  }
  out->bytes = model + out->optimizer_bytes +
               weights.elements * (uint64_t)lb_layers_dtype(m)->bytes;
}

int64_t lb_state_tensors(const struct lb_checkpoint_model *m)
{
  struct lb_shard all = {0};
  lb_state_sum(m, 1, 0, &all);
  return all.tensors;
}

int64_t lb_state_chunks(const struct lb_checkpoint_model *m, int pieces)
{
  struct lb_share s = share_of(m, pieces, 0);
  int64_t weights = lb_layers_chunks(&s, lb_layers_all(m));
  int64_t sum = (int64_t)lb_share_chunks(&s, m->model_bytes) + weights;
  if (m->optimization_groups.n == 0)
    return sum + MOMENTS * weights;
  for (int64_t t = 0; t < lb_groups_tensors(m); t++) {
    struct lb_tensor x;
    lb_groups_tensor(m, t, &x);
    sum += (int64_t)lb_share_chunks(&s, x.elements);
  }
  return sum;
}

/* The t-th of the given groups' tensors that is not empty. */
static void groups_piece(const struct lb_checkpoint_model *m,
                         const struct lb_share *s, int64_t t,
                         struct lb_tensor *out)
{
  for (int64_t i = 0; i < lb_groups_tensors(m); i++) {
    lb_groups_tensor(m, i, out);
    out->elements = lb_share_rows(s, out->elements);
    if (out->elements > 0 && t-- == 0)
      return;
  }
}

void lb_state_tensor(const struct lb_checkpoint_model *m, int pieces, int piece,
                     int64_t t, struct lb_tensor *out)
{
  struct lb_share s = share_of(m, pieces, piece);
  struct lb_span all = lb_layers_all(m);
  int64_t weights = lb_layers_sum(&s, all).tensors;
  uint64_t model = lb_share_rows(&s, m->model_bytes);
  if (model > 0 && t-- == 0) {
    *out = (struct lb_tensor){
        .name = "a", .dtype = lb_model_dtype_find("int8"), .elements = model};
    return;
  }
  if (t >= weights && m->optimization_groups.n > 0) {
    groups_piece(m, &s, t - weights, out);
    return;
  }
  struct lb_param p = lb_layers_at(&s, all, t % weights);
  out->elements = p.elements;
  out->dtype = t < weights ? lb_layers_dtype(m) : m->optimizer;
  if (t < weights)
    snprintf(out->name, sizeof out->name, "model.%" PRId64 ".%d", p.layer,
             p.index);
  else
    snprintf(out->name, sizeof out->name, "optim.%" PRId64 ".%d.%s", p.layer,
             p.index, moments[t / weights - 1]);
}

/* ---- as one file ---- */

int64_t lb_whole_count(const struct lb_checkpoint_model *m, int stage,
                       int accelerator)
{
  (void)m, (void)stage;
  return accelerator == 0;
}

void lb_whole_tensor(const struct lb_checkpoint_model *m,
                     const struct lb_shard_ref *ref, int64_t t,
                     struct lb_tensor *out)
{
  (void)ref;
  lb_state_tensor(m, 1, 0, t, out);
}

void lb_whole_load(const struct lb_checkpoint_model *m, int stage, int readers,
                   int reader, int64_t k, struct lb_shard_ref *out)
{
  (void)m, (void)stage, (void)readers, (void)reader, (void)k;
  *out = (struct lb_shard_ref){0};
}
