/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The words of MLPerf-style commands and folders. */
#include "lb-config.h"

#include "loadbank/mlperf.h"

const char *const lb_mlperf_mode_names[LB_MLPERF_N_MODES] = {
    [LB_MLPERF_CLOSED] = "closed",
    [LB_MLPERF_OPEN] = "open",
    [LB_MLPERF_WHATIF] = "whatif",
};

const char *const lb_mlperf_kind_names[LB_MLPERF_N_KINDS] = {
    [LB_MLPERF_TRAINING] = "training",
    [LB_MLPERF_CHECKPOINTING] = "checkpointing",
};

const char *const lb_mlperf_command_names[LB_MLPERF_N_COMMANDS] = {
    [LB_MLPERF_DATASIZE] = "datasize",
    [LB_MLPERF_DATAGEN] = "datagen",
    [LB_MLPERF_RUN] = "run",
    [LB_MLPERF_CONFIGVIEW] = "configview",
};

bool lb_mlperf_is_rehearsal(const struct lb_mlperf_scale *s)
{
  return s->files < 1 || s->bytes < 1 || s->time < 1;
}
