/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The checks that rows of the table of rules name, and what they share. */
#ifndef LB_MLPERF_CHECKS_H
#define LB_MLPERF_CHECKS_H

#include "mlperf/rules_impl.h"

enum { LB_MLPERF_RUNS = 6 }; /* one to warm up, five that count */

#define LB_MLPERF_CHECK_LIST(X)                                                \
  X(org_names)                                                                 \
  X(top)                                                                       \
  X(pinned)                                                                    \
  X(readable)                                                                  \
  X(org)                                                                       \
  X(categories)                                                                \
  X(training_models) X(checkpointing_models) X(phases) X(datagen_stamps) X(    \
      run_stamps) X(save_stamps) X(run_table) X(save_table) X(status) X(files) \
      X(place) X(dlio_config) X(foreign) X(systems) X(described) X(            \
          same_system) X(simultaneous) X(run_gaps) X(save_gap) X(invocations)  \
          X(duration) X(remap) X(datasize_used) X(dataset_size) X(generated)   \
              X(phases_fit) X(utilisation) X(few) X(one_client) X(even)        \
                  X(alike) X(agree) X(one_scale) X(two_folders) X(room)        \
                      X(shared) X(file_systems) X(proof) X(parameters)         \
                          X(cached) X(fsync) X(model) X(accelerator_memory)    \
                              X(subset) X(processes) X(per_host) X(groups)     \
                                  X(class) X(code) X(same_code) X(pointers)    \
                                      X(images) X(orphans) X(old_layout)       \
                                          X(stamp) X(manifest) X(editions)     \
                                              X(checkable) X(revision)         \
                                                  X(rollup) X(other_kinds)     \
                                                      X(data)

#define LB_MLPERF_DECLARE(name) \
  void lb_mlperf_check_##name(struct lb_mlperf_check *c);
LB_MLPERF_CHECK_LIST(LB_MLPERF_DECLARE)

#endif
