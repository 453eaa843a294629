/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counts and latencies for each (phase, operation).  One lb_iostats a thread,
 * no locks; merged over threads at the end, over ranks by report. */
#ifndef LOADBANK_IOSTATS_H
#define LOADBANK_IOSTATS_H

#include <stdbool.h>
#include <stdint.h>

#include "loadbank/histogram.h"
#include "loadbank/iolist.h"
#include "loadbank/pace.h"

#define LB_PHASE_LIST(X)                                                   \
  X(GENERATE, "generate", "Dataset files are written.")                    \
  X(TRAIN, "train", "Samples are read for training.")                      \
  X(EVAL, "eval", "Samples are read for evaluation.")                      \
  X(SAVE, "checkpoint_save", "Checkpoints are written.")                   \
  X(DRAIN, "checkpoint_drain", "Checkpoints go from the burst buffer on.") \
  X(LOAD, "checkpoint_load", "Checkpoints are read back.")                 \
  X(SETUP, "setup", "Folders are listed, made and checked.")
enum lb_phase {
#define X(id, name, doc) LB_PHASE_##id,
  LB_PHASE_LIST(X)
#undef X
      LB_N_PHASES
};
struct lb_phase_row {
  const char *name, *doc;
};
extern const struct lb_phase_row lb_phases[LB_N_PHASES];

/* One (phase, operation).  A read or write of n requests counts n times; a
 * failed request counts too, with the bytes that were done. */
struct lb_iostat {
  uint64_t errors, bytes;
  struct lb_histogram ns; /* count is ns.count; latency of one request */
};

/* Rows of a phase: the operations; then reads once more, by the page cache,
 * where that was asked; then once more those on the metadata of checkpoints
 * (LB_STAT_METADATA + operation). */
enum {
  LB_STAT_HIT = LB_N_OPS,
  LB_STAT_MISS,
  LB_STAT_METADATA,
  LB_N_STATS = LB_STAT_METADATA + LB_N_OPS
};
const char *lb_stat_name(int row);

/* A cell is made at its first use (NULL before): memory is bounded by the
 * tables and does not grow with the number of operations. */
struct lb_iostats {
  struct lb_iostat *cell[LB_N_PHASES][LB_N_STATS];
  uint64_t lost; /* requests not counted: no memory for their cell */
  struct lb_pace pace;
};

void lb_iostats_init(struct lb_iostats *s);
void lb_iostats_fini(struct lb_iostats *s);
void lb_iostats_add(struct lb_iostats *s, enum lb_phase phase, int row,
                    uint64_t ns, uint64_t bytes, bool failed);
/* A request that is over. */
struct lb_done {
  enum lb_phase phase;
  enum lb_op op;
  uint64_t ns, end_ns; /* how long it took, and until when */
  uint64_t bytes;      /* that it moved */
  bool failed;
  bool metadata; /* of a checkpoint */
};
/* Counts it in its row, in that of metadata if it is such, and in its second.
 */
void lb_iostats_count(struct lb_iostats *s, const struct lb_done *d);
/* n READs, all answered in full, that followed each other from start_ns on,
 * each begun when the one before had ended. */
void lb_iostats_add_reads(struct lb_iostats *s, enum lb_phase phase,
                          const struct lb_io *io, uint64_t start_ns,
                          const uint64_t *end_ns, size_t n);
void lb_iostats_merge(struct lb_iostats *into, const struct lb_iostats *s);

#endif
