/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What must be so before anything of size is written: room (CAP-01), the same
 * folders everywhere (CAP-02), results on a file system of their own
 * (CAP-03).  docs/mlperf.md, "Running". */
#ifndef LB_MLPERF_GATES_H
#define LB_MLPERF_GATES_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

#include "loadbank/err.h"
#include "loadbank/world.h"

/* All borrowed; the same on every rank. */
struct lb_gates {
  const char *results;
  /* What is under test, the first is the one that fs_separation.json names;
   * data NULL: no file system is touched, or none but checkpoint. */
  const char *data, *checkpoint;
  uint64_t data_bytes, checkpoint_bytes; /* that will be written there */
  bool separate;                         /* is CAP-03 to be asked at all? */
  bool same_is_allowed;                  /* then it is only told */
  const char *same_rule;                 /* "3.4.2" */
};

/* What was found; rank 0. */
enum { LB_GATE_WARNING = 700 };
struct lb_gates_found {
  json_t *gates;      /* by each gate's id; owned */
  json_t *separation; /* fs_separation.json; NULL: not asked; owned */
  char warning[LB_GATE_WARNING]; /* "": none */
};
void lb_gates_fini(struct lb_gates_found *f); /* a zeroed one is fine */

/* Collective.  LB_FAILED or LB_USAGE with the gate's id, what, where, and what
 * would do; the same on every rank.  Nothing is left in any folder. */
int lb_gates_pass(const struct lb_world *w, const struct lb_gates *g,
                  struct lb_gates_found *out, struct lb_err *err);

#endif
