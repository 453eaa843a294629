/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Getters of what a recorder kept of its own rank. */
#include "lb-config.h"

#include "loadbank/metrics_detail.h"

#include "metrics/record.h"

const struct lb_block_record *lb_metrics_blocks(const struct lb_metrics *m,
                                                size_t *n)
{
  *n = m->n_blocks;
  return m->blocks;
}

const struct lb_block_sums *lb_metrics_block(const struct lb_metrics *m,
                                             size_t i, int acc)
{
  return &m->detail[i * (size_t)m->c.detail + (size_t)acc];
}

const struct lb_metrics_config *lb_metrics_config(const struct lb_metrics *m)
{
  return &m->c;
}

size_t lb_metrics_n_epochs(const struct lb_metrics *m)
{
  return m->n_epochs;
}

struct lb_span lb_metrics_epoch(const struct lb_metrics *m, size_t i)
{
  const struct lb_epoch_record *e = &m->epoch[i];
  return (struct lb_span){
      .kind = e->set == LB_SET_EVAL ? LB_SPAN_EVAL : LB_SPAN_TRAIN,
      .epoch = e->epoch,
      .number = 1,
      .start_utc_ns = e->start_utc_ns,
      .duration_ns = e->duration_ns,
  };
}

size_t lb_metrics_n_checkpoints(const struct lb_metrics *m)
{
  return m->n_checkpoints;
}

struct lb_span lb_metrics_checkpoint_span(const struct lb_metrics *m, size_t i)
{
  const struct lb_checkpoint_record *c = &m->checkpoint[i];
  return (struct lb_span){
      .kind = c->load ? LB_SPAN_LOAD : LB_SPAN_SAVE,
      .epoch = c->epoch,
      .number = c->number,
      .start_utc_ns = c->start_utc_ns,
      .duration_ns = c->duration_ns,
      .bytes = c->bytes,
  };
}

struct lb_spool *lb_metrics_spool(struct lb_metrics *m)
{
  return m->spool;
}

int64_t lb_metrics_steps(const struct lb_metrics *m, enum lb_set set)
{
  int64_t most = 0;
  for (int a = 0; a < m->c.k; a++)
    if (m->acc[a].steps[set] > most)
      most = m->acc[a].steps[set];
  return most;
}
