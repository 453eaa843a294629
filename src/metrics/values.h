/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The values that the rows of table.c show.  Inside this module. */
#ifndef LB_METRICS_VALUES_H
#define LB_METRICS_VALUES_H

#include "loadbank/metric_table.h"

/* Number i of a list, or a single one, which does not ask for i; NAN: none. */
typedef double lb_value(const struct lb_summary *s, enum lb_set set, size_t i);

/* Of epochs, one each. */
lb_value lb_value_epoch_au, lb_value_epoch_nominal, lb_value_epoch_au_min,
    lb_value_epoch_au_max, lb_value_epoch_rate, lb_value_epoch_wall_rate,
    lb_value_epoch_seconds;

/* Of a set: training or evaluation. */
lb_value lb_value_au, lb_value_au_stdev, lb_value_nominal,
    lb_value_nominal_stdev, lb_value_rate, lb_value_rate_stdev, lb_value_steps,
    lb_value_samples, lb_value_io_rate, lb_value_io_rate_stdev,
    lb_value_load_percent, lb_value_compute_percent, lb_value_gate_percent,
    lb_value_late_percent, lb_value_stalled_busy, lb_value_stalled_run_queue,
    lb_value_stalled_steal, lb_value_stalled_stopped, lb_value_stalled_seconds,
    lb_value_payload_bytes, lb_value_file_bytes, lb_value_payload_rate,
    lb_value_file_rate, lb_value_wall_rate;

/* Of checkpoints. */
lb_value lb_value_checkpoint_size, lb_value_save_seconds, lb_value_save_first,
    lb_value_save_bytes, lb_value_save_rate_mean, lb_value_save_rate_stdev,
    lb_value_save_seconds_mean, lb_value_save_seconds_stdev,
    lb_value_load_seconds, lb_value_load_first, lb_value_load_bytes,
    lb_value_load_rate_mean, lb_value_load_rate_stdev,
    lb_value_load_seconds_mean, lb_value_load_seconds_stdev,
    lb_value_save_rate_min, lb_value_save_rate_own, lb_value_save_rate_max,
    lb_value_save_data, lb_value_save_sync, lb_value_save_rename,
    lb_value_save_metadata, lb_value_save_spread, lb_value_save_delivered_mean,
    lb_value_save_delivered_stdev, lb_value_load_rate_min,
    lb_value_load_rate_own, lb_value_load_rate_max, lb_value_load_data,
    lb_value_load_sync, lb_value_load_rename, lb_value_load_metadata,
    lb_value_load_spread, lb_value_load_delivered_mean,
    lb_value_load_delivered_stdev, lb_value_save_visible_mean,
    lb_value_save_visible_stdev, lb_value_save_durable_mean,
    lb_value_save_durable_stdev;

/* Of the client and its reads. */
lb_value lb_value_client_cpu, lb_value_client_cores, lb_value_client_reader_cpu,
    lb_value_client_reader_delay, lb_value_client_reader_lock,
    lb_value_verify_seconds, lb_value_verified_samples, lb_value_verified_bytes,
    lb_value_client_conductor_cpu, lb_value_client_conductor_delay,
    lb_value_client_preprocess, lb_value_client_gates, lb_value_client_late,
    lb_value_client_late_mean, lb_value_client_skew, lb_value_client_tail,
    lb_value_client_spin, lb_value_client_rss, lb_value_cache_hits,
    lb_value_cache_misses, lb_value_cache_untold, lb_value_cache_percent,
    lb_value_client_load_percent, lb_value_client_late_percent,
    lb_value_client_share, lb_value_client_wait, lb_value_client_lost;

/* How long a list is. */
typedef size_t lb_count(const struct lb_summary *s, enum lb_set set);
lb_count lb_count_epochs, lb_count_save, lb_count_load;

#endif
