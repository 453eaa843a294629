/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The checks that rows of the table of rules name, by the file that has them.
 */
#ifndef LB_MLPERF_CHECKS_H
#define LB_MLPERF_CHECKS_H

#include "mlperf/rules_impl.h"

typedef void lb_mlperf_checker(struct lb_mlperf_check *c);

/* ---- check_layout.c ---- */
lb_mlperf_checker lb_mlperf_check_org_names, lb_mlperf_check_top,
    lb_mlperf_check_pinned, lb_mlperf_check_readable, lb_mlperf_check_org,
    lb_mlperf_check_categories, lb_mlperf_check_training_models,
    lb_mlperf_check_checkpointing_models, lb_mlperf_check_phases,
    lb_mlperf_check_datagen_stamps, lb_mlperf_check_run_stamps,
    lb_mlperf_check_save_stamps, lb_mlperf_check_run_table,
    lb_mlperf_check_save_table, lb_mlperf_check_status, lb_mlperf_check_files,
    lb_mlperf_check_place, lb_mlperf_check_dlio_config, lb_mlperf_check_foreign;

/* ---- check_systems.c ---- */
lb_mlperf_checker lb_mlperf_check_systems, lb_mlperf_check_described,
    lb_mlperf_check_same_system, lb_mlperf_check_simultaneous;

/* ---- check_gaps.c ---- */
lb_mlperf_checker lb_mlperf_check_run_gaps, lb_mlperf_check_save_gap,
    lb_mlperf_check_invocations, lb_mlperf_check_duration,
    lb_mlperf_check_remap;

/* ---- check_training.c ---- */
lb_mlperf_checker lb_mlperf_check_datasize_used, lb_mlperf_check_dataset_size,
    lb_mlperf_check_generated, lb_mlperf_check_phases_fit,
    lb_mlperf_check_utilisation, lb_mlperf_check_few,
    lb_mlperf_check_one_client, lb_mlperf_check_even, lb_mlperf_check_alike,
    lb_mlperf_check_agree, lb_mlperf_check_one_scale, lb_mlperf_check_same_load;

/* ---- check_data.c ---- */
lb_mlperf_checker lb_mlperf_check_data;

/* ---- check_folders.c ---- */
lb_mlperf_checker lb_mlperf_check_two_folders, lb_mlperf_check_room,
    lb_mlperf_check_shared, lb_mlperf_check_file_systems, lb_mlperf_check_proof;

/* ---- check_params.c ---- */
lb_mlperf_checker lb_mlperf_check_parameters, lb_mlperf_check_cached,
    lb_mlperf_check_fsync, lb_mlperf_check_model,
    lb_mlperf_check_accelerator_memory, lb_mlperf_check_subset,
    lb_mlperf_check_processes, lb_mlperf_check_per_host, lb_mlperf_check_groups,
    lb_mlperf_check_class;

/* ---- check_images.c ---- */
lb_mlperf_checker lb_mlperf_check_code, lb_mlperf_check_same_code,
    lb_mlperf_check_pointers, lb_mlperf_check_images, lb_mlperf_check_orphans,
    lb_mlperf_check_old_layout;

/* ---- check_provenance.c ---- */
lb_mlperf_checker lb_mlperf_check_stamp, lb_mlperf_check_manifest,
    lb_mlperf_check_editions, lb_mlperf_check_checkable,
    lb_mlperf_check_revision, lb_mlperf_check_rollup,
    lb_mlperf_check_other_kinds;

#endif
