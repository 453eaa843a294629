/* SPDX-License-Identifier: GPL-3.0-or-later */
/* THE table of metrics: one row a number of the results.  JSON, text and CSV
 * walk it, and a test holds docs/metrics.md against it.  To add a metric: a
 * value (values.c), a row, a line in docs/metrics.md. */
#include "lb-config.h"

#include "loadbank/metric_table.h"
#include "metrics/values.h"

#define ROW(key_, unit_, group_, dlio_, get_, count_, ...)                  \
  {                                                                         \
    .key = key_, .unit = unit_, .group = LB_METRIC_##group_, .dlio = dlio_, \
    .get = lb_value_##get_, .count = count_, .doc = __VA_ARGS__,            \
  }

/* The same rows for training and evaluation; W: which throughput. */
#define SET_ROWS(p, G, what, W)                                                \
  ROW(p "_au_percentage", "%", G, true, epoch_au, lb_count_epochs,             \
      "AU of each epoch, mean over accelerators."),                            \
      ROW(p "_au_mean_percentage", "%", G, true, au, NULL,                     \
          "Mean of the epochs' AU.", .label = what " AU (%)",                  \
          .stdev = lb_value_au_stdev),                                         \
      ROW(p "_au_stdev_percentage", "%", G, true, au_stdev, NULL,              \
          "Population standard deviation of the epochs' AU."),                 \
      ROW(p "_nominal_au_percentage", "%", G, false, epoch_nominal,            \
          lb_count_epochs,                                                     \
          "Nominal AU of each epoch: the requested compute time in place of "  \
          "the "                                                               \
          "measured one."),                                                    \
      ROW(p "_nominal_au_mean_percentage", "%", G, false, nominal, NULL,       \
          "Mean of the epochs' nominal AU.", .label = what " nominal AU (%)",  \
          .stdev = lb_value_nominal_stdev),                                    \
      ROW(p "_nominal_au_stdev_percentage", "%", G, false, nominal_stdev,      \
          NULL, "Population standard deviation of the epochs' nominal AU."),   \
      ROW(p "_throughput_samples_per_second", "samples/s", G, true,            \
          epoch_rate, lb_count_epochs,                                         \
          "Throughput of each epoch, sum over accelerators, " W),              \
      ROW(p "_throughput_mean_samples_per_second", "samples/s", G, true, rate, \
          NULL, "Mean of the epochs' throughput.",                             \
          .label = what " throughput (samples/s)",                             \
          .stdev = lb_value_rate_stdev),                                       \
      ROW(p "_throughput_stdev_samples_per_second", "samples/s", G, true,      \
          rate_stdev, NULL,                                                    \
          "Population standard deviation of the epochs' throughput."),         \
      ROW(p "_io_mean_MB_per_second", "MiB/s", G, true, io_rate, NULL,         \
          "Mean throughput times the nominal sample size.",                    \
          .label = what " I/O, nominal (MiB/s)",                               \
          .stdev = lb_value_io_rate_stdev),                                    \
      ROW(p "_io_stdev_MB_per_second", "MiB/s", G, true, io_rate_stdev, NULL,  \
          "Deviation of the throughput times the nominal sample size."),       \
      ROW(p "_au_min_percentage", "%", G, false, epoch_au_min,                 \
          lb_count_epochs,                                                     \
          "AU of each epoch of the accelerator with the lowest."),             \
      ROW(p "_au_max_percentage", "%", G, false, epoch_au_max,                 \
          lb_count_epochs,                                                     \
          "AU of each epoch of the accelerator with the highest."),            \
      ROW(p "_throughput_wall_samples_per_second", "samples/s", G, false,      \
          epoch_wall_rate, lb_count_epochs,                                    \
          "All samples of each epoch over the block time of the slowest "      \
          "accelerator; nothing is excluded."),                                \
      ROW(p "_throughput_wall_mean_samples_per_second", "samples/s", G, false, \
          wall_rate, NULL, "Mean of that over epochs.",                        \
          .label = what " throughput, wall (samples/s)"),                      \
      ROW(p "_epoch_seconds", "s", G, false, epoch_seconds, lb_count_epochs,   \
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

#define CHECKPOINT_LIST(key, unit, get, p, G, ...)                    \
  ROW(#p "_checkpoint_" key, unit, G, false, p##_##get, lb_count_##p, \
      __VA_ARGS__)

#define CHECKPOINT_ROWS(p, G, verb)                                            \
  ROW(#p "_checkpoint_io_mean_GB_per_second", "GiB/s", G, true, p##_rate_mean, \
      NULL, "Mean over checkpoints of the size of one / duration.",            \
      .label = "Checkpoint " #p " (GiB/s)",                                    \
      .stdev = lb_value_##p##_rate_stdev),                                     \
      ROW(#p "_checkpoint_io_stdev_GB_per_second", "GiB/s", G, true,           \
          p##_rate_stdev, NULL,                                                \
          "Population standard deviation of that over checkpoints."),          \
      ROW(#p "_checkpoint_duration_mean_seconds", "s", G, true,                \
          p##_seconds_mean, NULL,                                              \
          "Mean of the durations, each of the slowest accelerator.",           \
          .label = "Checkpoint " #p " duration (s)",                           \
          .stdev = lb_value_##p##_seconds_stdev),                              \
      ROW(#p "_checkpoint_duration_stdev_seconds", "s", G, true,               \
          p##_seconds_stdev, NULL,                                             \
          "Population standard deviation of the durations."),                  \
      ROW(#p "_checkpoint_delivered_mean_GiB_per_second", "GiB/s", G, false,   \
          p##_delivered_mean, NULL,                                            \
          "Mean over checkpoints of all bytes " verb                           \
          " by all accelerators / duration.",                                  \
          .label = "Checkpoint " #p ", bytes " verb " (GiB/s)",                \
          .stdev = lb_value_##p##_delivered_stdev),                            \
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
    ROW("save_checkpoint_visible_mean_seconds", "s", BACKGROUND, false,
        save_visible_mean, NULL,
        "Mean over saves that go on beside training: training stood still, for "
        "the save itself or for the one before.",
        .label = "Checkpoint save, training stood still (s)",
        .stdev = lb_value_save_visible_stdev),
    ROW("save_checkpoint_durable_mean_seconds", "s", BACKGROUND, false,
        save_durable_mean, NULL,
        "Mean over saves that go on beside training: from the start until all "
        "was whole in checkpoint_folder.",
        .label = "Checkpoint save, until in its place (s)",
        .stdev = lb_value_save_durable_stdev),
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
        "Samples that were compared; of parquet one for each row group.",
        .whole = true),
    ROW("verified_bytes", "B", VERIFY, false, verified_bytes, NULL,
        "Payload read for them; of parquet that of whole row groups.",
        .whole = true, .label = "Verified, payload (bytes)"),
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

enum lb_set lb_metric_set(const struct lb_metric *metric)
{
  return metric->group == LB_METRIC_EVAL ? LB_SET_EVAL : LB_SET_TRAIN;
}
