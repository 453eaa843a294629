/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A made-up run with a bit of everything, for tests of the report. */
#ifndef TESTS_REPORT_RUN_H
#define TESTS_REPORT_RUN_H

#include "loadbank/report.h"

enum { RUN_MS = 1000000 };

/* 2 epochs of 2 blocks of 6 steps (load 5 + acc ms, compute 20, requested 20,
 * the rest gate), a checkpoint after each block, an evaluation of 4 steps
 * after each epoch, one checkpoint read at the end. */
void run_steps(struct lb_metrics *m, int k);
/* Costs with I/O statistics; lb_iostats_fini(io) them. */
struct lb_rank_cost run_cost(struct lb_iostats *io);
struct lb_report run_report(const char *folder);

#endif
