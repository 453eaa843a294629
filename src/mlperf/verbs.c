/* SPDX-License-Identifier: GPL-3.0-or-later */
/* THE table of sub-commands of `loadbank mlperf'. */
#include "lb-config.h"

#include "loadbank/mlperf_cli.h"

#include "loadbank/mlperf_launch.h"
#include "mlperf/report.h"
#include "mlperf/rules.h"
#include "mlperf/run.h"

#define WORKLOAD(bit_, kind_, command_, ...)                                   \
  {                                                                            \
    .bit = LB_MLPERF_V_##bit_, .is_workload = true, .kind = LB_MLPERF_##kind_, \
    .command = LB_MLPERF_##command_, __VA_ARGS__                               \
  }

const struct lb_mlperf_verb lb_mlperf_verbs[] = {
    {.words = "init",
     .args = "ORG DIR",
     .doc = "Make a results folder, for one organisation.",
     .bit = LB_MLPERF_V_INIT,
     .min_operands = 2,
     .max_operands = 2,
     .run = lb_mlperf_init},
    WORKLOAD(TRAIN_SIZE, TRAINING, DATASIZE, .words = "training datasize",
             .args = "MODEL", .doc = "Say how many files the rules ask for.",
             .writes = true, .run = lb_mlperf_verb_datasize),
    WORKLOAD(TRAIN_GEN, TRAINING, DATAGEN, .words = "training datagen",
             .args = "MODEL [file]", .doc = "Generate the dataset.",
             .writes = true, .launches = true, .run = lb_mlperf_verb_run),
    WORKLOAD(TRAIN_RUN, TRAINING, RUN, .words = "training run",
             .args = "MODEL [file]",
             .doc = "Make a measured run, or several (--loops).",
             .writes = true, .launches = true, .run = lb_mlperf_verb_run),
    WORKLOAD(TRAIN_VIEW, TRAINING, CONFIGVIEW, .words = "training configview",
             .args = "MODEL [file]",
             .doc = "Print what a run would start, and its configuration.",
             .run = lb_mlperf_configview),
    WORKLOAD(SAVE_SIZE, CHECKPOINTING, DATASIZE,
             .words = "checkpointing datasize", .args = "MODEL",
             .doc = "Say how large checkpoints are.",
             .run = lb_mlperf_verb_datasize),
    WORKLOAD(SAVE_RUN, CHECKPOINTING, RUN, .words = "checkpointing run",
             .args = "MODEL [file]",
             .doc = "Write checkpoints, then read them.", .writes = true,
             .launches = true, .run = lb_mlperf_verb_run),
    WORKLOAD(SAVE_VIEW, CHECKPOINTING, CONFIGVIEW,
             .words = "checkpointing configview", .args = "MODEL [file]",
             .doc = "Print what a run would start, and its configuration.",
             .run = lb_mlperf_configview),
    {.words = "validate",
     .args = "DIR",
     .doc = "Hold a results folder against the rules; exits with 1 when one is "
            "broken.",
     .bit = LB_MLPERF_V_VALIDATE,
     .min_operands = 1,
     .max_operands = 1,
     .run = lb_mlperf_validate_verb},
    {.words = "rules",
     .args = "",
     .doc = "List the rules that `validate' knows.",
     .bit = LB_MLPERF_V_RULES,
     .run = lb_mlperf_rules_verb},
    {.words = "report",
     .args = "[RESULTS]",
     .doc = "Average the runs of a results folder, and say which do not count.",
     .bit = LB_MLPERF_V_REPORT,
     .max_operands = 1,
     .run = lb_mlperf_report},
    {.words = "history show",
     .args = "",
     .doc = "List the commands that wrote into a results folder.",
     .bit = LB_MLPERF_V_SHOW,
     .run = lb_mlperf_history_show},
    {.words = "history rerun",
     .args = "ID",
     .doc = "Give a command of the history again.",
     .bit = LB_MLPERF_V_RERUN,
     .min_operands = 1,
     .max_operands = 1,
     .run = lb_mlperf_history_rerun},
    {.words = NULL},
};
