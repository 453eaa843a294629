/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of sets. */
#include "lb-config.h"

#include "loadbank/set.h"

const struct lb_set_row lb_sets[LB_N_SETS] = {
    [LB_SET_TRAIN] = {"train", "train", "training"},
    [LB_SET_EVAL] = {"eval", "valid", "evaluation"},
};
