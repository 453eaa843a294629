/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Raw steps on their way to steps.h5: a ring per rank, emptied by a thread of
 * low priority into a file.  Putting never blocks and never allocates; what
 * does not fit is counted. */
#ifndef LOADBANK_SPOOL_H
#define LOADBANK_SPOOL_H

#include <stddef.h>
#include <stdint.h>

#include "loadbank/err.h"

/* Times in units of 100 ns. */
enum { LB_STEP_UNIT_NS = 100 };
#define LB_STEP_MISSING UINT32_MAX       /* was lost */
#define LB_STEP_LONGEST (UINT32_MAX - 1) /* this or more (429 s) */

/* What is kept of a step; struct lb_step says what they are. */
enum lb_step_column {
  LB_COLUMN_LOAD,
  LB_COLUMN_COMPUTE,
  LB_COLUMN_GATE,
  LB_COLUMN_REQUESTED,
  LB_COLUMN_LATE,
  LB_COLUMN_STALL, /* enum lb_stall, no time */
  LB_N_COLUMNS
};
extern const char *const lb_step_column_names[LB_N_COLUMNS];

struct lb_spool_record {
  uint32_t acc;  /* of the rank, 0 .. k-1, times 2, plus the set */
  uint32_t step; /* of this accelerator and set, from 0 */
  uint32_t v[LB_N_COLUMNS];
};

struct lb_spool;
int lb_spool_new(struct lb_spool **s, const char *path, struct lb_err *err);
/* One thread at a time. */
void lb_spool_put(struct lb_spool *s, const struct lb_spool_record *r);
/* All is in the file, the thread has ended; later puts are lost.  May be
 * called again. */
int lb_spool_finish(struct lb_spool *s, struct lb_err *err);
uint64_t lb_spool_lost(const struct lb_spool *s);
size_t lb_spool_bytes(void);            /* of its ring */
void lb_spool_free(struct lb_spool *s); /* the file goes too; NULL is fine */

static inline uint32_t lb_step_units(uint64_t ns)
{
  uint64_t u = (ns + LB_STEP_UNIT_NS / 2) / LB_STEP_UNIT_NS;
  return u < LB_STEP_LONGEST ? (uint32_t)u : LB_STEP_LONGEST;
}

#endif
