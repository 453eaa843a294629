/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What reading costs, from the planned lists alone. */
#ifndef LOADBANK_FORMAT_COST_H
#define LOADBANK_FORMAT_COST_H

#include <stdbool.h>
#include <stdint.h>

#include "loadbank/err.h"
#include "loadbank/format.h"
#include "loadbank/iolist.h"

/* One sample of a file, by a fresh reader. */
int lb_format_cost(const struct lb_format *f, const struct lb_format_params *p,
                   const struct lb_sample *s, uint64_t count[LB_N_OPS],
                   uint64_t bytes[LB_N_OPS], struct lb_err *err);
/* The same of a sample of a file that the reader has read one of before. */
int lb_format_cost_again(const struct lb_format *f,
                         const struct lb_format_params *p,
                         const struct lb_sample *s, uint64_t count[LB_N_OPS],
                         uint64_t bytes[LB_N_OPS], struct lb_err *err);

/* What samples of a file cost that a reader takes in their order. */
struct lb_format_run {
  int64_t samples; /* how many, from the first on */
  bool in_hand;    /* it has several of them in hand at a time */
  uint64_t count[LB_N_OPS], bytes[LB_N_OPS];
};
/* As far as at most so many of them, and what is in hand with them, go. */
int lb_format_cost_run(const struct lb_format *f,
                       const struct lb_format_params *p,
                       const struct lb_file *file, int64_t most,
                       struct lb_format_run *run, struct lb_err *err);

#endif
