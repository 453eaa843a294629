/* SPDX-License-Identifier: GPL-3.0-or-later */
/* THE table of metrics: one row a number of the results.  JSON, text and CSV
 * walk it, and a test holds docs/metrics.md against it.  To add a metric: a
 * getter, a row, a line in docs/metrics.md. */
#include "lb-config.h"

#include <math.h>

#include "loadbank/summary.h"
#include "metrics/au.h"

static const double mib = 1 << 20, gib = 1 << 30;

/* ---- epochs of a set ---- */

static size_t epochs(const struct lb_summary *s, enum lb_set set)
{
  return s->set[set].n_epochs;
}

#define PER_EPOCH(name, field)                                              \
  static double name(const struct lb_summary *s, enum lb_set set, size_t i) \
  {                                                                         \
    return s->set[set].epoch[i].field;                                      \
  }
PER_EPOCH(epoch_au, au)
PER_EPOCH(epoch_nominal, nominal_au)
PER_EPOCH(epoch_au_min, au_min)
PER_EPOCH(epoch_au_max, au_max)
PER_EPOCH(epoch_rate, samples_per_s)
PER_EPOCH(epoch_wall_rate, wall_samples_per_s)
PER_EPOCH(epoch_seconds, seconds)
#undef PER_EPOCH

#define OF_SET(name, expression)                                              \
  static double name(const struct lb_summary *s, enum lb_set which, size_t i) \
  {                                                                           \
    (void)i;                                                                  \
    const struct lb_set_summary *set = &s->set[which];                        \
    return expression;                                                        \
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

static double payload_bytes(const struct lb_summary *s, enum lb_set set,
                            size_t i)
{
  (void)i;
  return (double)s->cost.payload_bytes[set];
}

static double file_bytes(const struct lb_summary *s, enum lb_set set, size_t i)
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

static double payload_rate(const struct lb_summary *s, enum lb_set set,
                           size_t i)
{
  return read_rate(s, set, payload_bytes(s, set, i));
}

static double file_rate(const struct lb_summary *s, enum lb_set set, size_t i)
{
  return read_rate(s, set, file_bytes(s, set, i));
}

/* Mean over epochs. */
static double wall_rate(const struct lb_summary *s, enum lb_set set, size_t i)
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

#define CHECKPOINT_GETTERS(prefix, load)                                    \
  static size_t prefix##_count(const struct lb_summary *s, enum lb_set set) \
  {                                                                         \
    (void)set;                                                              \
    return n_checkpoints(s, load);                                          \
  }                                                                         \
  LIST(prefix##_seconds, load, checkpoint_seconds)                          \
  LIST(prefix##_first, load, checkpoint_first)                              \
  LIST(prefix##_bytes, load, checkpoint_bytes)                              \
  LIST(prefix##_rate_min, load, checkpoint_rate_min)                        \
  LIST(prefix##_rate_own, load, checkpoint_rate_mean)                       \
  LIST(prefix##_rate_max, load, checkpoint_rate_max)                        \
  LIST(prefix##_data, load, checkpoint_data)                                \
  LIST(prefix##_sync, load, checkpoint_sync)                                \
  LIST(prefix##_rename, load, checkpoint_rename)                            \
  LIST(prefix##_metadata, load, checkpoint_metadata)                        \
  LIST(prefix##_spread, load, checkpoint_spread)                            \
  MEAN(prefix##_delivered_mean, prefix##_delivered_stdev, load,             \
       checkpoint_delivered)                                                \
  MEAN(prefix##_rate_mean, prefix##_rate_stdev, load, checkpoint_rate)      \
  MEAN(prefix##_seconds_mean, prefix##_seconds_stdev, load, checkpoint_seconds)
#define LIST(name, load, value)                                             \
  static double name(const struct lb_summary *s, enum lb_set set, size_t i) \
  {                                                                         \
    (void)set;                                                              \
    return nth(s, load, i, value);                                          \
  }
#define MEAN(mean, stdev, load, value)                                       \
  static double mean(const struct lb_summary *s, enum lb_set set, size_t i)  \
  {                                                                          \
    (void)set, (void)i;                                                      \
    return mean_of(s, load, value, 1, 0);                                    \
  }                                                                          \
  static double stdev(const struct lb_summary *s, enum lb_set set, size_t i) \
  {                                                                          \
    (void)set, (void)i;                                                      \
    return deviation_of(s, load, value);                                     \
  }
CHECKPOINT_GETTERS(save, false)
CHECKPOINT_GETTERS(load, true)
#undef CHECKPOINT_GETTERS
#undef LIST
#undef MEAN

static double checkpoint_size(const struct lb_summary *s, enum lb_set set,
                              size_t i)
{
  (void)set, (void)i;
  bool load = n_checkpoints(s, false) == 0;
  return mean_of(s, load, checkpoint_size_bytes, 1, 0) / gib;
}

/* ---- the client's own cost ---- */

#define OF_CLIENT(name, expression)                                         \
  static double name(const struct lb_summary *s, enum lb_set set, size_t i) \
  {                                                                         \
    (void)set, (void)i;                                                     \
    const struct lb_rank_cost *c = &s->cost;                                \
    return expression;                                                      \
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

#define OF_CACHE(name, expression)                                          \
  static double name(const struct lb_summary *s, enum lb_set set, size_t i) \
  {                                                                         \
    (void)set, (void)i;                                                     \
    double hits = reads_of(s, LB_STAT_HIT);                                 \
    double misses = reads_of(s, LB_STAT_MISS);                              \
    return expression;                                                      \
  }
OF_CACHE(cache_hits, misses >= 0 ? hits : NAN)
OF_CACHE(cache_misses, hits >= 0 ? misses : NAN)
OF_CACHE(cache_untold, reads_of(s, LB_OP_READ) - hits - misses)
OF_CACHE(cache_percent, per(100 * hits, hits + misses))
#undef OF_CACHE

#define OF_LIMIT(name, expression)                                          \
  static double name(const struct lb_summary *s, enum lb_set set, size_t i) \
  {                                                                         \
    (void)set, (void)i;                                                     \
    return s->limit.by == LB_LIMIT_UNKNOWN ? NAN : expression;              \
  }
OF_LIMIT(client_load_percent, s->limit.load_percent)
OF_LIMIT(client_late_percent, s->limit.late_percent)
OF_LIMIT(client_share, 100 * s->limit.client_share)
OF_LIMIT(client_wait, s->limit.client_s)
#undef OF_LIMIT

static double client_lost(const struct lb_summary *s, enum lb_set set, size_t i)
{
  (void)set, (void)i;
  return (double)s->steps_lost;
}

#define ROW(key_, unit_, group_, dlio_, get_, count_, ...)                  \
  {                                                                         \
    .key = key_, .unit = unit_, .group = LB_METRIC_##group_, .dlio = dlio_, \
    .get = get_, .count = count_, .doc = __VA_ARGS__,                       \
  }

/* The same rows for training and evaluation; W: which throughput. */
#define SET_ROWS(p, G, what, W)                                                \
  ROW(p "_au_percentage", "%", G, true, epoch_au, epochs,                      \
      "AU of each epoch, mean over accelerators."),                            \
      ROW(p "_au_mean_percentage", "%", G, true, au, NULL,                     \
          "Mean of the epochs' AU.", .label = what " AU (%)",                  \
          .stdev = au_stdev),                                                  \
      ROW(p "_au_stdev_percentage", "%", G, true, au_stdev, NULL,              \
          "Population standard deviation of the epochs' AU."),                 \
      ROW(p "_nominal_au_percentage", "%", G, false, epoch_nominal, epochs,    \
          "Nominal AU of each epoch: the requested compute time in place of "  \
          "the "                                                               \
          "measured one."),                                                    \
      ROW(p "_nominal_au_mean_percentage", "%", G, false, nominal, NULL,       \
          "Mean of the epochs' nominal AU.", .label = what " nominal AU (%)",  \
          .stdev = nominal_stdev),                                             \
      ROW(p "_nominal_au_stdev_percentage", "%", G, false, nominal_stdev,      \
          NULL, "Population standard deviation of the epochs' nominal AU."),   \
      ROW(p "_throughput_samples_per_second", "samples/s", G, true,            \
          epoch_rate, epochs,                                                  \
          "Throughput of each epoch, sum over accelerators, " W),              \
      ROW(p "_throughput_mean_samples_per_second", "samples/s", G, true, rate, \
          NULL, "Mean of the epochs' throughput.",                             \
          .label = what " throughput (samples/s)", .stdev = rate_stdev),       \
      ROW(p "_throughput_stdev_samples_per_second", "samples/s", G, true,      \
          rate_stdev, NULL,                                                    \
          "Population standard deviation of the epochs' throughput."),         \
      ROW(p "_io_mean_MB_per_second", "MiB/s", G, true, io_rate, NULL,         \
          "Mean throughput times the nominal sample size.",                    \
          .label = what " I/O, nominal (MiB/s)", .stdev = io_rate_stdev),      \
      ROW(p "_io_stdev_MB_per_second", "MiB/s", G, true, io_rate_stdev, NULL,  \
          "Deviation of the throughput times the nominal sample size."),       \
      ROW(p "_au_min_percentage", "%", G, false, epoch_au_min, epochs,         \
          "AU of each epoch of the accelerator with the lowest."),             \
      ROW(p "_au_max_percentage", "%", G, false, epoch_au_max, epochs,         \
          "AU of each epoch of the accelerator with the highest."),            \
      ROW(p "_throughput_wall_samples_per_second", "samples/s", G, false,      \
          epoch_wall_rate, epochs,                                             \
          "All samples of each epoch over the block time of the slowest "      \
          "accelerator; nothing is excluded."),                                \
      ROW(p "_throughput_wall_mean_samples_per_second", "samples/s", G, false, \
          wall_rate, NULL, "Mean of that over epochs.",                        \
          .label = what " throughput, wall (samples/s)"),                      \
      ROW(p "_epoch_seconds", "s", G, false, epoch_seconds, epochs,            \
          "Block time of each epoch, slowest accelerator, without "            \
          "checkpoints."),                                                     \
      ROW(p "_steps", "steps", G, false, steps, NULL,                          \
          "Steps of all accelerators and epochs.", .whole = true),             \
      ROW(p "_samples", "samples", G, false, samples, NULL,                    \
          "Samples of all those steps.", .whole = true),                       \
      ROW(p "_payload_bytes", "B", G, false, payload_bytes, NULL,              \
          "Dataset content read by all readers, without headers; that of a "   \
          "shuffle buffer, too.",                                              \
          .whole = true),                                                      \
      ROW(p "_file_bytes", "B", G, false, file_bytes, NULL,                    \
          "All bytes that read operations of this phase returned.",            \
          .whole = true),                                                      \
      ROW(p "_payload_mean_MiB_per_second", "MiB/s", G, false, payload_rate,   \
          NULL,                                                                \
          "Mean throughput times the payload bytes really read for a "         \
          "sample.",                                                           \
          .label = what " I/O, payload read (MiB/s)"),                         \
      ROW(p "_file_mean_MiB_per_second", "MiB/s", G, false, file_rate, NULL,   \
          "Mean throughput times the file bytes really read for a sample.",    \
          .label = what " I/O, file bytes read (MiB/s)"),                      \
      ROW(p "_load_wait_percentage", "%", G, false, load_percent, NULL,        \
          "Share of T, summed over accelerators, spent waiting for batches."), \
      ROW(p "_compute_percentage", "%", G, false, compute_percent, NULL,       \
          "Share of T, summed over accelerators, spent in compute."),          \
      ROW(p "_gate_percentage", "%", G, false, gate_percent, NULL,             \
          "Share of T, summed over accelerators, spent at the gate, by all "   \
          "steps."),                                                           \
      ROW(p "_late_percentage", "%", G, false, late_percent, NULL,             \
          "Share of T, summed over accelerators, by which the client ended "   \
          "steps late."),                                                      \
      ROW(p "_stalled_busy_steps", "steps", G, false, stalled_busy, NULL,      \
          "Steps in which a process was held up by its own work.",             \
          .whole = true),                                                      \
      ROW(p "_stalled_run_queue_steps", "steps", G, false, stalled_run_queue,  \
          NULL,                                                                \
          "Steps in which a process was held up because others had the "       \
          "processors.",                                                       \
          .whole = true),                                                      \
      ROW(p "_stalled_steal_steps", "steps", G, false, stalled_steal, NULL,    \
          "Steps in which a process was held up by the hypervisor.",           \
          .whole = true),                                                      \
      ROW(p "_stalled_stopped_steps", "steps", G, false, stalled_stopped,      \
          NULL, "Steps in which a process was stopped.", .whole = true),       \
      ROW(p "_stalled_seconds", "s", G, false, stalled_seconds, NULL,          \
          "By how much processes were held up in those steps, sum over "       \
          "accelerators.")

#define CHECKPOINT_LIST(key, unit, get, p, G, ...) \
  ROW(#p "_checkpoint_" key, unit, G, false, p##_##get, p##_count, __VA_ARGS__)

#define CHECKPOINT_ROWS(p, G, verb)                                            \
  ROW(#p "_checkpoint_io_mean_GB_per_second", "GiB/s", G, true, p##_rate_mean, \
      NULL, "Mean over checkpoints of the size of one / duration.",            \
      .label = "Checkpoint " #p " (GiB/s)", .stdev = p##_rate_stdev),          \
      ROW(#p "_checkpoint_io_stdev_GB_per_second", "GiB/s", G, true,           \
          p##_rate_stdev, NULL,                                                \
          "Population standard deviation of that over checkpoints."),          \
      ROW(#p "_checkpoint_duration_mean_seconds", "s", G, true,                \
          p##_seconds_mean, NULL,                                              \
          "Mean of the durations, each of the slowest accelerator.",           \
          .label = "Checkpoint " #p " duration (s)",                           \
          .stdev = p##_seconds_stdev),                                         \
      ROW(#p "_checkpoint_duration_stdev_seconds", "s", G, true,               \
          p##_seconds_stdev, NULL,                                             \
          "Population standard deviation of the durations."),                  \
      ROW(#p "_checkpoint_delivered_mean_GiB_per_second", "GiB/s", G, false,   \
          p##_delivered_mean, NULL,                                            \
          "Mean over checkpoints of all bytes " verb                           \
          " by all accelerators / duration.",                                  \
          .label = "Checkpoint " #p ", bytes " verb " (GiB/s)",                \
          .stdev = p##_delivered_stdev),                                       \
      ROW(#p "_checkpoint_delivered_stdev_GiB_per_second", "GiB/s", G, false,  \
          p##_delivered_stdev, NULL,                                           \
          "Population standard deviation of that over checkpoints."),          \
      CHECKPOINT_LIST("duration_seconds", "s", seconds, p, G,                  \
                      "Duration of each, slowest accelerator."),               \
      CHECKPOINT_LIST("first_accelerator_seconds", "s", first, p, G,           \
                      "Duration of each for accelerator 0."),                  \
      CHECKPOINT_LIST("bytes", "B", bytes, p, G,                               \
                      "Bytes " verb " in each, all accelerators.",             \
                      .whole = true),                                          \
      CHECKPOINT_LIST("accelerator_min_GiB_per_second", "GiB/s", rate_min, p,  \
                      G,                                                       \
                      "Bytes / own duration of the accelerator with the "      \
                      "least, of those that have bytes."),                     \
      CHECKPOINT_LIST("accelerator_mean_GiB_per_second", "GiB/s", rate_own, p, \
                      G, "Mean of that over them."),                           \
      CHECKPOINT_LIST("accelerator_max_GiB_per_second", "GiB/s", rate_max, p,  \
                      G, "The most of any of them."),                          \
      CHECKPOINT_LIST("data_seconds", "s", data, p, G,                         \
                      "Time of the slowest accelerator in requests that "      \
                      "move its bytes."),                                      \
      CHECKPOINT_LIST("fsync_seconds", "s", sync, p, G,                        \
                      "Its time in fsync, of files and folders."),             \
      CHECKPOINT_LIST("rename_seconds", "s", rename, p, G,                     \
                      "Its time in rename."),                                  \
      CHECKPOINT_LIST("metadata_seconds", "s", metadata, p, G,                 \
                      "Its time in other operations: open, stat, close, "      \
                      "mkdir."),                                               \
      CHECKPOINT_LIST("p99_over_mean", "ratio", spread, p, G,                  \
                      "99th percentile of the accelerators' durations / "      \
                      "their mean.")

const struct lb_metric lb_metrics_table[] = {
    SET_ROWS("train", TRAIN, "Training", "window steps x batch / T."),
    SET_ROWS("eval", EVAL, "Evaluation", "all steps x batch / own time."),
    ROW("checkpoint_size_GB", "GiB", CHECKPOINT, true, checkpoint_size, NULL,
        "Mean size of a checkpoint: all files, each once.",
        .label = "Checkpoint size (GiB)"),
    CHECKPOINT_ROWS(save, SAVE, "written"),
    CHECKPOINT_ROWS(load, LOAD, "read"),
    ROW("client_cpu_seconds", "s", CLIENT, false, client_cpu, NULL,
        "CPU time of all processes during training and evaluation."),
    ROW("client_cpu_cores", "cores", CLIENT, false, client_cores, NULL,
        "That per second of the run, all ranks together.",
        .label = "Client CPU (cores, all ranks)"),
    ROW("client_reader_cpu_seconds", "s", CLIENT, false, client_reader_cpu,
        NULL, "CPU time of all readers outside I/O calls."),
    ROW("client_reader_delay_seconds", "s", CLIENT, false, client_reader_delay,
        NULL, "Time that readers were ready to run but had no processor."),
    ROW("client_reader_lock_seconds", "s", CLIENT, false, client_reader_lock,
        NULL, "Time that readers waited for the lock of the HDF5 library."),
    ROW("verify_seconds", "s", VERIFY, false, verify_seconds, NULL,
        "Time that readers took to compare what they had read, outside of "
        "the reads; its CPU time is in client_reader_cpu_seconds, too.",
        .label = "Verifying (s, all readers)"),
    ROW("verified_samples", "samples", VERIFY, false, verified_samples, NULL,
        "Samples that were compared.", .whole = true),
    ROW("verified_bytes", "B", VERIFY, false, verified_bytes, NULL,
        "Payload read for them.", .whole = true,
        .label = "Verified, payload (bytes)"),
    ROW("cache_hits", "reads", CACHE, false, cache_hits, NULL,
        "Reads that the page cache answered, training and evaluation.",
        .whole = true),
    ROW("cache_misses", "reads", CACHE, false, cache_misses, NULL,
        "Reads of which it lacked some.", .whole = true),
    ROW("cache_untold", "reads", CACHE, false, cache_untold, NULL,
        "Reads of which the kernel could not tell, those of libraries among "
        "them.",
        .whole = true),
    ROW("cache_hit_percentage", "%", CACHE, false, cache_percent, NULL,
        "Hits among hits and misses.", .label = "Page-cache hits (% of reads)"),
    ROW("client_conductor_cpu_seconds", "s", CLIENT, false,
        client_conductor_cpu, NULL, "CPU time of all ranks' main threads."),
    ROW("client_conductor_delay_seconds", "s", CLIENT, false,
        client_conductor_delay, NULL,
        "Time that main threads were ready to run but had no processor."),
    ROW("client_preprocess_seconds", "s", CLIENT, false, client_preprocess,
        NULL,
        "Emulated preprocessing time, of all readers or of the threads behind "
        "them."),
    ROW("client_gates", "gates", CLIENT, false, client_gates, NULL,
        "Gates passed by each rank (the most of any).", .whole = true),
    ROW("client_gate_late_seconds", "s", CLIENT, false, client_late, NULL,
        "Error of the timekeepers' sleep: when they acted less when the "
        "release was due, sum over gates and nodes."),
    ROW("client_gate_late_mean_seconds", "s", CLIENT, false, client_late_mean,
        NULL, "The same, mean per gate and node.",
        .label = "Gate lateness (s, mean)"),
    ROW("client_gate_skew_seconds", "s", CLIENT, false, client_skew, NULL,
        "What it took the nodes to meet: the time that the node that came last "
        "waited for their answer, sum over steps."),
    ROW("client_tail_seconds", "s", CLIENT, false, client_tail, NULL,
        "Calibrated tail: for so long before a release a timekeeper reads the "
        "clock instead of sleeping (the most of any node; 0: none)."),
    ROW("client_gate_spin_seconds", "s", CLIENT, false, client_spin, NULL,
        "Time spent spinning in calibrated tails, all ranks."),
    ROW("client_max_rss_bytes", "B", CLIENT, false, client_rss, NULL,
        "Largest resident memory of any rank.", .whole = true),
    ROW("client_load_wait_percentage", "%", CLIENT, false, client_load_percent,
        NULL, "What limited_by went by: load wait, share of T."),
    ROW("client_late_percentage", "%", CLIENT, false, client_late_percent, NULL,
        "What limited_by went by: lateness of the client, meeting of nodes "
        "included, share of T."),
    ROW("client_share_percentage", "%", CLIENT, false, client_share, NULL,
        "What limited_by went by: the readers' time that was the client's."),
    ROW("client_wait_seconds", "s", CLIENT, false, client_wait, NULL,
        "What limited_by went by: wait that the client caused, sum over "
        "accelerators."),
    ROW("client_steps_lost", "steps", CLIENT, false, client_lost, NULL,
        "Step records that did not reach steps.h5.", .whole = true),
    {.key = NULL},
};

bool lb_metric_present(const struct lb_summary *s, enum lb_metric_group g)
{
  switch (g) {
  case LB_METRIC_TRAIN:
    return s->set[LB_SET_TRAIN].n_epochs > 0;
  case LB_METRIC_EVAL:
    return s->set[LB_SET_EVAL].n_epochs > 0;
  case LB_METRIC_SAVE:
    return n_checkpoints(s, false) > 0;
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

enum lb_set lb_metric_set(const struct lb_metric *metric)
{
  return metric->group == LB_METRIC_EVAL ? LB_SET_EVAL : LB_SET_TRAIN;
}
