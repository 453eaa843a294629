/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The values that the rows of table.c show, each a function of a summary. */
#include "lb-config.h"

#include "metrics/values.h"

#include <math.h>

static const double mib = 1 << 20, gib = 1 << 30;

/* ---- epochs of a set ---- */

size_t lb_count_epochs(const struct lb_summary *s, enum lb_set set)
{
  return s->set[set].n_epochs;
}

#define PER_EPOCH(name, field)                                        \
  double lb_value_##name(const struct lb_summary *s, enum lb_set set, \
                         size_t i)                                    \
  {                                                                   \
    return s->set[set].epoch[i].field;                                \
  }
PER_EPOCH(epoch_au, au)
PER_EPOCH(epoch_nominal, nominal_au)
PER_EPOCH(epoch_au_min, au_min)
PER_EPOCH(epoch_au_max, au_max)
PER_EPOCH(epoch_rate, samples_per_s)
PER_EPOCH(epoch_wall_rate, wall_samples_per_s)
PER_EPOCH(epoch_seconds, seconds)
#undef PER_EPOCH

#define OF_SET(name, expression)                                        \
  double lb_value_##name(const struct lb_summary *s, enum lb_set which, \
                         size_t i)                                      \
  {                                                                     \
    (void)i;                                                            \
    const struct lb_set_summary *set = &s->set[which];                  \
    return expression;                                                  \
  }
OF_SET(au, set->au)
OF_SET(au_stdev, set->au_stdev)
OF_SET(nominal, set->nominal_au)
OF_SET(nominal_stdev, set->nominal_au_stdev)
OF_SET(rate, set->samples_per_s)
OF_SET(rate_stdev, set->samples_per_s_stdev)
OF_SET(steps, (double)set->steps)
OF_SET(samples, (double)set->samples)
OF_SET(io_rate, set->samples_per_s * s->record_bytes / mib)
OF_SET(io_rate_stdev, set->samples_per_s_stdev * s->record_bytes / mib)
OF_SET(load_percent, 100 * set->load_s / set->window_s)
OF_SET(compute_percent, 100 * set->compute_s / set->window_s)
OF_SET(gate_percent, 100 * set->gate_s / set->window_s)
OF_SET(late_percent, 100 * set->late_s / set->window_s)
OF_SET(stalled_busy, (double)set->stalled[LB_STALL_BUSY])
OF_SET(stalled_run_queue, (double)set->stalled[LB_STALL_RUN_QUEUE])
OF_SET(stalled_steal, (double)set->stalled[LB_STALL_STEAL])
OF_SET(stalled_stopped, (double)set->stalled[LB_STALL_STOPPED])
OF_SET(stalled_seconds, set->held_s)
#undef OF_SET

double lb_value_payload_bytes(const struct lb_summary *s, enum lb_set set,
                              size_t i)
{
  (void)i;
  return (double)s->cost.payload_bytes[set];
}

double lb_value_file_bytes(const struct lb_summary *s, enum lb_set set,
                           size_t i)
{
  (void)i;
  enum lb_phase phase = set == LB_SET_EVAL ? LB_PHASE_EVAL : LB_PHASE_TRAIN;
  const struct lb_iostat *read = s->io.cell[phase][LB_OP_READ];
  return read ? (double)read->bytes : 0;
}

/* Bytes really read for a sample, times samples per second. */
static double read_rate(const struct lb_summary *s, enum lb_set set,
                        double bytes)
{
  double samples = (double)s->cost.samples_read[set];
  return samples > 0 ? s->set[set].samples_per_s * bytes / samples / mib : NAN;
}

double lb_value_payload_rate(const struct lb_summary *s, enum lb_set set,
                             size_t i)
{
  return read_rate(s, set, lb_value_payload_bytes(s, set, i));
}

double lb_value_file_rate(const struct lb_summary *s, enum lb_set set, size_t i)
{
  return read_rate(s, set, lb_value_file_bytes(s, set, i));
}

/* Mean over epochs. */
double lb_value_wall_rate(const struct lb_summary *s, enum lb_set set, size_t i)
{
  double sum = 0, n = 0;
  for (i = 0; i < s->set[set].n_epochs; i++)
    if (isfinite(s->set[set].epoch[i].wall_samples_per_s)) {
      sum += s->set[set].epoch[i].wall_samples_per_s;
      n++;
    }
  return n > 0 ? sum / n : NAN;
}

/* ---- checkpoints ---- */

/* A value of one checkpoint. */
typedef double checkpoint_value(const struct lb_checkpoint_summary *c);

#define OF_CHECKPOINT(name, expression)                     \
  static double name(const struct lb_checkpoint_summary *c) \
  {                                                         \
    return expression;                                      \
  }
OF_CHECKPOINT(checkpoint_seconds, c->seconds)
OF_CHECKPOINT(checkpoint_visible, c->background ? c->visible_seconds : NAN)
OF_CHECKPOINT(checkpoint_durable, c->background ? c->durable_seconds : NAN)
OF_CHECKPOINT(checkpoint_first, c->first_seconds)
OF_CHECKPOINT(checkpoint_bytes, (double)c->bytes)
OF_CHECKPOINT(checkpoint_size_bytes, (double)c->size_bytes)
OF_CHECKPOINT(checkpoint_rate,
              c->seconds > 0 ? (double)c->size_bytes / gib / c->seconds : NAN)
OF_CHECKPOINT(checkpoint_delivered,
              c->seconds > 0 ? (double)c->bytes / gib / c->seconds : NAN)
OF_CHECKPOINT(checkpoint_rate_min, c->rate_min / gib)
OF_CHECKPOINT(checkpoint_rate_mean, c->rate_mean / gib)
OF_CHECKPOINT(checkpoint_rate_max, c->rate_max / gib)
OF_CHECKPOINT(checkpoint_data, c->part_s[LB_PART_DATA])
OF_CHECKPOINT(checkpoint_sync, c->part_s[LB_PART_SYNC])
OF_CHECKPOINT(checkpoint_rename, c->part_s[LB_PART_RENAME])
OF_CHECKPOINT(checkpoint_metadata, c->part_s[LB_PART_METADATA])
OF_CHECKPOINT(checkpoint_spread,
              c->mean_seconds > 0 ? c->p99_seconds / c->mean_seconds : NAN)
#undef OF_CHECKPOINT

static size_t n_checkpoints(const struct lb_summary *s, bool load)
{
  size_t n = 0;
  for (size_t i = 0; i < s->n_checkpoints; i++)
    n += s->checkpoint[i].load == load;
  return n;
}

static double nth(const struct lb_summary *s, bool load, size_t n,
                  checkpoint_value *value)
{
  for (size_t i = 0; i < s->n_checkpoints; i++)
    if (s->checkpoint[i].load == load && n-- == 0)
      return value(&s->checkpoint[i]);
  return NAN;
}

/* Mean (power 1) or population deviation (power 2) of the finite values. */
static double mean_of(const struct lb_summary *s, bool load,
                      checkpoint_value *value, int power, double about)
{
  double sum = 0, n = 0;
  for (size_t i = 0; i < s->n_checkpoints; i++) {
    double v = value(&s->checkpoint[i]);
    if (s->checkpoint[i].load != load || !isfinite(v))
      continue;
    sum += power == 1 ? v : (v - about) * (v - about);
    n++;
  }
  return n > 0 ? sum / n : NAN;
}

static double deviation_of(const struct lb_summary *s, bool load,
                           checkpoint_value *value)
{
  return sqrt(mean_of(s, load, value, 2, mean_of(s, load, value, 1, 0)));
}

#define CHECKPOINT_GETTERS(prefix, load)                                \
  size_t lb_count_##prefix(const struct lb_summary *s, enum lb_set set) \
  {                                                                     \
    (void)set;                                                          \
    return n_checkpoints(s, load);                                      \
  }                                                                     \
  LIST(prefix##_seconds, load, checkpoint_seconds)                      \
  LIST(prefix##_first, load, checkpoint_first)                          \
  LIST(prefix##_bytes, load, checkpoint_bytes)                          \
  LIST(prefix##_rate_min, load, checkpoint_rate_min)                    \
  LIST(prefix##_rate_own, load, checkpoint_rate_mean)                   \
  LIST(prefix##_rate_max, load, checkpoint_rate_max)                    \
  LIST(prefix##_data, load, checkpoint_data)                            \
  LIST(prefix##_sync, load, checkpoint_sync)                            \
  LIST(prefix##_rename, load, checkpoint_rename)                        \
  LIST(prefix##_metadata, load, checkpoint_metadata)                    \
  LIST(prefix##_spread, load, checkpoint_spread)                        \
  MEAN(prefix##_delivered_mean, prefix##_delivered_stdev, load,         \
       checkpoint_delivered)                                            \
  MEAN(prefix##_rate_mean, prefix##_rate_stdev, load, checkpoint_rate)  \
  MEAN(prefix##_seconds_mean, prefix##_seconds_stdev, load, checkpoint_seconds)
#define LIST(name, load, value)                                       \
  double lb_value_##name(const struct lb_summary *s, enum lb_set set, \
                         size_t i)                                    \
  {                                                                   \
    (void)set;                                                        \
    return nth(s, load, i, value);                                    \
  }
#define MEAN(mean, stdev, load, value)                                 \
  double lb_value_##mean(const struct lb_summary *s, enum lb_set set,  \
                         size_t i)                                     \
  {                                                                    \
    (void)set, (void)i;                                                \
    return mean_of(s, load, value, 1, 0);                              \
  }                                                                    \
  double lb_value_##stdev(const struct lb_summary *s, enum lb_set set, \
                          size_t i)                                    \
  {                                                                    \
    (void)set, (void)i;                                                \
    return deviation_of(s, load, value);                               \
  }
CHECKPOINT_GETTERS(save, false)
CHECKPOINT_GETTERS(load, true)
MEAN(save_visible_mean, save_visible_stdev, false, checkpoint_visible)
MEAN(save_durable_mean, save_durable_stdev, false, checkpoint_durable)
#undef CHECKPOINT_GETTERS
#undef LIST
#undef MEAN

double lb_value_checkpoint_size(const struct lb_summary *s, enum lb_set set,
                                size_t i)
{
  (void)set, (void)i;
  bool load = n_checkpoints(s, false) == 0;
  return mean_of(s, load, checkpoint_size_bytes, 1, 0) / gib;
}

/* ---- the client's own cost ---- */

#define OF_CLIENT(name, expression)                                   \
  double lb_value_##name(const struct lb_summary *s, enum lb_set set, \
                         size_t i)                                    \
  {                                                                   \
    (void)set, (void)i;                                               \
    const struct lb_rank_cost *c = &s->cost;                          \
    return expression;                                                \
  }
static double per(double a, double b)
{
  return b > 0 ? a / b : NAN;
}
OF_CLIENT(client_cpu, (double)c->cpu_ns / 1e9)
OF_CLIENT(client_cores, per((double)c->cpu_ns, (double)c->wall_ns))
OF_CLIENT(client_reader_cpu, (double)c->reader_cpu_ns / 1e9)
OF_CLIENT(client_reader_delay, (double)c->reader_delay_ns / 1e9)
OF_CLIENT(client_reader_lock, (double)c->reader_lock_ns / 1e9)
OF_CLIENT(verify_seconds, (double)c->verify_ns / 1e9)
OF_CLIENT(verified_samples, (double)c->verified_samples)
OF_CLIENT(verified_bytes, (double)c->verified_bytes)
OF_CLIENT(client_conductor_cpu, (double)c->conductor_cpu_ns / 1e9)
OF_CLIENT(client_conductor_delay, (double)c->conductor_delay_ns / 1e9)
OF_CLIENT(client_preprocess, (double)c->preprocess_ns / 1e9)
OF_CLIENT(client_gates, (double)c->gates)
OF_CLIENT(client_late, (double)c->gate_late_ns / 1e9)
OF_CLIENT(client_late_mean,
          per((double)c->gate_late_ns / 1e9, (double)c->gate_kept))
OF_CLIENT(client_skew, (double)c->gate_skew_ns / 1e9)
OF_CLIENT(client_tail, (double)c->gate_tail_ns / 1e9)
OF_CLIENT(client_spin, (double)c->gate_spin_ns / 1e9)
OF_CLIENT(client_rss, (double)c->max_rss_bytes)
#undef OF_CLIENT

/* Reads of training and evaluation, by the page cache. */
static double reads_of(const struct lb_summary *s, int row)
{
  static const enum lb_phase phases[] = {LB_PHASE_TRAIN, LB_PHASE_EVAL};
  double n = 0;
  for (size_t i = 0; i < sizeof phases / sizeof phases[0]; i++)
    if (s->io.cell[phases[i]][row])
      n += (double)s->io.cell[phases[i]][row]->ns.count;
  return n;
}

#define OF_CACHE(name, expression)                                    \
  double lb_value_##name(const struct lb_summary *s, enum lb_set set, \
                         size_t i)                                    \
  {                                                                   \
    (void)set, (void)i;                                               \
    double hits = reads_of(s, LB_STAT_HIT);                           \
    double misses = reads_of(s, LB_STAT_MISS);                        \
    return expression;                                                \
  }
OF_CACHE(cache_hits, misses >= 0 ? hits : NAN)
OF_CACHE(cache_misses, hits >= 0 ? misses : NAN)
OF_CACHE(cache_untold, reads_of(s, LB_OP_READ) - hits - misses)
OF_CACHE(cache_percent, per(100 * hits, hits + misses))
#undef OF_CACHE

#define OF_LIMIT(name, expression)                                    \
  double lb_value_##name(const struct lb_summary *s, enum lb_set set, \
                         size_t i)                                    \
  {                                                                   \
    (void)set, (void)i;                                               \
    return s->limit.by == LB_LIMIT_UNKNOWN ? NAN : expression;        \
  }
OF_LIMIT(client_load_percent, s->limit.load_percent)
OF_LIMIT(client_late_percent, s->limit.late_percent)
OF_LIMIT(client_share, 100 * s->limit.client_share)
OF_LIMIT(client_wait, s->limit.client_s)
#undef OF_LIMIT

double lb_value_client_lost(const struct lb_summary *s, enum lb_set set,
                            size_t i)
{
  (void)set, (void)i;
  return (double)s->steps_lost;
}

bool lb_metric_present(const struct lb_summary *s, enum lb_metric_group g)
{
  switch (g) {
  case LB_METRIC_TRAIN:
    return s->set[LB_SET_TRAIN].n_epochs > 0;
  case LB_METRIC_EVAL:
    return s->set[LB_SET_EVAL].n_epochs > 0;
  case LB_METRIC_SAVE:
    return n_checkpoints(s, false) > 0;
  case LB_METRIC_BACKGROUND:
    return !isnan(mean_of(s, false, checkpoint_visible, 1, 0));
  case LB_METRIC_LOAD:
    return n_checkpoints(s, true) > 0;
  case LB_METRIC_CHECKPOINT:
    return s->n_checkpoints > 0;
  case LB_METRIC_CACHE:
    return reads_of(s, LB_STAT_HIT) + reads_of(s, LB_STAT_MISS) > 0;
  case LB_METRIC_VERIFY:
    return s->cost.verified_samples > 0;
  default:
    return s->cost.wall_ns > 0;
  }
}
