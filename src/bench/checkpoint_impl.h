/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Saving and loading of checkpoints.  Inside src/bench only; like everything
 * there collective, unless it says otherwise. */
#ifndef CHECKPOINT_IMPL_H
#define CHECKPOINT_IMPL_H

#include "bench_impl.h"
#include "loadbank/crew.h"
#include "loadbank/mark.h"
#include "loadbank/retention.h"
#include "loadbank/shard.h"

/* What a rank keeps for its checkpoints. */
struct lb_bench_saver {
  struct lb_mark mark;       /* of the configuration */
  struct lb_crew *crew;      /* NULL: no accelerator here has files */
  int n_busy;                /* accelerators here that have files ... */
  int *busy;                 /* ... and which, from 0 */
  int threads;               /* of each */
  struct lb_shard_room room; /* of a thread's buffer */
  int *reads_as; /* by own accelerator: whose files it reads (lb_shift) */
  struct lb_checkpoint_share *share; /* of the own accelerators, k */
  bool swept;                        /* what cut-off saves left is gone */
};

/* ---- stage.c; rank-local ---- */

/* The accelerators' files of one stage. */
struct lb_bench_stage {
  const struct lb_mark *mark;
  const char *folder;
  bool load;
  int stage;
  uint64_t start_ns; /* stamp of the gate before it */
  uint64_t zero_ns;  /* that of the first stage: shares count from there */
};
/* Writes or reads them with the crew and adds to the shares. */
int lb_bench_stage(struct lb_bench *b, const struct lb_bench_stage *stage,
                   struct lb_err *err);

/* ---- saver.c ---- */

/* Before each. */
void lb_bench_clear_shares(struct lb_bench *b);

/* ---- shift.c ---- */

/* checkpoint.recovery_rank_shift: whose files this rank's accelerators read. */
int lb_bench_shift(struct lb_bench *b, struct lb_err *err);

/* ---- sweep.c: outside of timed intervals ---- */

/* Rank 0's mark and folder to all, as text: a mark has pointers. */
int lb_bench_share_mark(struct lb_bench *b, struct lb_mark *mark,
                        char folder[PATH_MAX], struct lb_err *err);

/* Removes what saves left that were cut off. */
int lb_bench_sweep(struct lb_bench *b, struct lb_err *err);
/* The one of that name in the folder of checkpoints, if it has a mark. */
int lb_bench_remove_at(struct lb_bench *b, const char *name,
                       struct lb_err *err);
/* checkpoint.keep_last. */
int lb_bench_keep_last(struct lb_bench *b, struct lb_err *err);
/* This rank's files of a save that did not come to its end, and, when all have
 * done that, its folder.  A failure is not reported: there is one already. */
void lb_bench_undo_save(struct lb_bench *b, const struct lb_mark *mark,
                        const char *folder);

/* ---- load.c ---- */

struct lb_bench_loads {
  struct lb_found_list found; /* rank 0; of virtual storage none */
  size_t next;
};
/* The checkpoints to be read, `wanted' of them; fewer: an error. */
int lb_bench_find_checkpoints(struct lb_bench *b, int64_t wanted,
                              struct lb_bench_loads *loads, struct lb_err *err);
/* Reads the next of them. */
int lb_bench_load(struct lb_bench *b, int64_t number,
                  struct lb_bench_loads *loads, struct lb_err *err);

/* ---- drop_shards.c ---- */

/* The files of this checkpoint that this rank reads leave the page cache, if
 * storage.drop_caches asks for it. */
int lb_bench_drop_shards(struct lb_bench *b, const struct lb_mark *mark,
                         const char *folder, struct lb_err *err);

#endif
