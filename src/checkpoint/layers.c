/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The layers of a transformer: which tensors each has and how large a share of
 * them is.  The shapes are those of a Llama: grouped key and value heads, a
 * gated feed-forward network, an embedding and a head of their own. */
#include "lb-config.h"

#include "checkpoint/layers.h"

#include <inttypes.h>

struct shape {
  int64_t rows, columns;
};

enum { N_PARAMS = 6 };

static bool is_given(const struct lb_checkpoint_model *m)
{
  return m->layer_parameters.n > 0;
}

struct lb_span lb_layers_all(const struct lb_checkpoint_model *m)
{
  if (m->layers <= 0)
    return (struct lb_span){1, 0};
  return is_given(m) ? (struct lb_span){1, m->layers}
                     : (struct lb_span){0, m->layers + 2};
}

struct lb_span lb_layers_of(const struct lb_checkpoint_model *m, int64_t stage)
{
  struct lb_span all = lb_layers_all(m);
  if (m->layers <= 0)
    return all;
  int64_t each = m->layers / m->pipeline, more = m->layers % m->pipeline;
  int64_t before = stage * each + (stage < more ? stage : more);
  struct lb_span s = {before + 1, before + each + (stage < more)};
  if (stage == 0)
    s.first = all.first;
  if (stage == m->pipeline - 1)
    s.last = all.last;
  return s;
}

const struct lb_dtype *lb_layers_dtype(const struct lb_checkpoint_model *m)
{
  return is_given(m) ? lb_model_dtype_find("int8") : m->weights;
}

static int params(const struct lb_checkpoint_model *m, int64_t layer)
{
  if (is_given(m))
    return m->layer_parameters.n;
  return layer == 0 || layer > m->layers ? 1 : N_PARAMS;
}

static int64_t kv_columns(const struct lb_checkpoint_model *m)
{
  return m->hidden / m->heads * m->kv_heads;
}

/* A norm has one column. */
static struct shape shape_of(const struct lb_checkpoint_model *m, int64_t layer,
                             int index)
{
  const int64_t h = m->hidden;
  const struct shape layers[N_PARAMS] = {
      {h, 1},      {h + 2 * kv_columns(m), h}, {h, h}, {h, 1}, {2 * m->ffn, h},
      {h, m->ffn},
  };
  if (is_given(m))
    return (struct shape){m->layer_parameters.v[index], 1};
  if (layer == 0 || layer == m->layers + 1)
    return (struct shape){m->vocab, h};
  return layer > m->layers ? (struct shape){h, 1} : layers[index];
}

/* As torch.chunk does: all but the last have the same number. */
static uint64_t rows_each(const struct lb_share *s, uint64_t rows)
{
  uint64_t n = (uint64_t)s->pieces;
  return rows / n + (rows % n != 0);
}

uint64_t lb_share_rows(const struct lb_share *s, uint64_t rows)
{
  uint64_t each = rows_each(s, rows), before = each * (uint64_t)s->piece;
  if (before >= rows)
    return 0;
  return rows - before < each ? rows - before : each;
}

uint64_t lb_share_chunks(const struct lb_share *s, uint64_t rows)
{
  uint64_t each = rows_each(s, rows);
  return each > 0 ? rows / each + (rows % each != 0) : 0;
}

static uint64_t elements_of(const struct lb_share *s, int64_t layer, int index)
{
  struct shape x = shape_of(s->model, layer, index);
  if (s->pieces > 0)
    return lb_share_rows(s, (uint64_t)x.rows) * (uint64_t)x.columns;
  if (is_given(s->model))
    return (uint64_t)(x.rows / s->tensor);
  int64_t n = x.rows * x.columns;
  return (uint64_t)((x.columns > 1 ? n / s->tensor : n) / s->copies);
}

static struct lb_sum layer_sum(const struct lb_share *s, int64_t layer)
{
  struct lb_sum sum = {0};
  for (int i = 0; i < params(s->model, layer); i++) {
    uint64_t n = elements_of(s, layer, i);
    sum.tensors += n > 0;
    sum.elements += n;
  }
  return sum;
}

/* How many layers from this one on are alike: the transformer's own all are. */
static int64_t alike(const struct lb_share *s, int64_t layer, int64_t last)
{
  int64_t layers = s->model->layers;
  if (layer == 0 || layer > layers)
    return 1;
  return (last < layers ? last : layers) - layer + 1;
}

struct lb_sum lb_layers_sum(const struct lb_share *s, struct lb_span span)
{
  struct lb_sum sum = {0};
  for (int64_t layer = span.first, n; layer <= span.last; layer += n) {
    struct lb_sum one = layer_sum(s, layer);
    n = alike(s, layer, span.last);
    sum.tensors += n * one.tensors;
    sum.elements += (uint64_t)n * one.elements;
  }
  return sum;
}

int64_t lb_layers_chunks(const struct lb_share *s, struct lb_span span)
{
  int64_t sum = 0;
  for (int64_t layer = span.first, n; layer <= span.last; layer += n) {
    n = alike(s, layer, span.last);
    for (int i = 0; i < params(s->model, layer); i++) {
      uint64_t rows = (uint64_t)shape_of(s->model, layer, i).rows;
      sum += n * (int64_t)lb_share_chunks(s, rows);
    }
  }
  return sum;
}

/* The t-th of the layer that is not empty. */
static struct lb_param at(const struct lb_share *s, int64_t layer, int64_t t)
{
  struct lb_param p = {.layer = layer};
  for (; p.index < params(s->model, layer); p.index++) {
    p.elements = elements_of(s, layer, p.index);
    if (p.elements > 0 && t-- == 0)
      break;
  }
  return p;
}

struct lb_param lb_layers_at(const struct lb_share *s, struct lb_span span,
                             int64_t t)
{
  int64_t layer = span.first, n = alike(s, layer, span.last);
  int64_t each = layer_sum(s, layer).tensors;
  while (t >= n * each && layer + n <= span.last) {
    t -= n * each;
    layer += n;
    n = alike(s, layer, span.last);
    each = layer_sum(s, layer).tensors;
  }
  return each > 0 ? at(s, layer + t / each, t % each) : at(s, layer, t);
}

int64_t lb_layers_parameters(const struct lb_checkpoint_model *m)
{
  int64_t h = m->hidden;
  if (m->layers <= 0)
    return 0;
  return 2 * m->vocab * h + h +
         m->layers *
             (2 * h + h * (h + 2 * kv_columns(m)) + h * h + 3 * m->ffn * h);
}

/* Bytes, with a margin, as a number that does not overflow. */
static double estimate(const struct lb_checkpoint_model *m)
{
  double h = (double)m->hidden, given = 0, groups = 0;
  double layer = 4 * h * (h + (double)m->ffn) +
                 2 * h * h * (double)m->kv_heads / (double)m->heads;
  double n = m->layers > 0
                 ? 2 * h * (double)(m->vocab + 1) + (double)m->layers * layer
                 : 0;
  for (int i = 0; i < m->layer_parameters.n; i++)
    given += (double)m->layer_parameters.v[i];
  for (int i = 0; i < m->optimization_groups.n; i++)
    groups += 3 * (double)m->optimization_groups.v[i];
  return 8 * (4 * n + 15 * h * (double)m->accelerators) +
         (double)m->accelerators * ((double)m->model_bytes + groups) +
         given * (double)(m->layers > 0 ? m->layers : 0);
}

int lb_layers_check(const struct lb_checkpoint_model *m, struct lb_err *err)
{
  const double most = 4e18;
  double bytes = estimate(m);
  if (m->layer_parameters.n > 0 && m->layers <= 0)
    return lb_err_set(err, LB_USAGE,
                      "model.layer_parameters: %d are given, but "
                      "model.num_layers is %" PRId64,
                      m->layer_parameters.n, m->layers);
  if (m->layers > 0 && m->heads > m->hidden)
    return lb_err_set(err, LB_USAGE,
                      "model.transformer.num_attention_heads: %" PRId64
                      " heads in a hidden_size of %" PRId64,
                      m->heads, m->hidden);
  if (bytes > most)
    return lb_err_set(err, LB_USAGE,
                      "model: a checkpoint of about %.0e bytes; at most %.0e "
                      "can be counted",
                      bytes, most);
  return 0;
}
