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

/* A folder of checkpoints. */
struct lb_tier {
  const char *root;
  struct lb_storage *storage;
  int64_t keep_last; /* 0: all */
  bool atomic;       /* a checkpoint gets its name when it is whole */
  /* Nodes may have one each of that name: who wrote a file reads and removes
   * it, and each host makes the folder. */
  bool by_node;
  bool swept; /* what cut-off saves left is gone */
};

/* Of a checkpoint, on a tier. */
struct lb_save_place {
  char final[PATH_MAX];  /* its folder ... */
  char folder[PATH_MAX]; /* ... and the one that is written */
  bool made;             /* rank 0: the folder is ours, its mark is there */
  bool whole;            /* the same on all ranks */
};

/* The save that runs, or was the last.  Times are those of this node's clock.
 */
struct lb_bench_save {
  struct lb_mark mark;
  char name[96];              /* of its folder, below a tier's root */
  struct lb_save_place at[2]; /* by tier */
  uint64_t zero_ns;           /* the common start */
  uint64_t written_ns;        /* until all is on the first tier */
  uint64_t visible_ns;        /* since then training stood still, and before
                               * that ... */
  uint64_t waited_ns;         /* ... for the save before */
  uint64_t durable_ns;        /* until it is whole on the last tier */
};

/* What a rank keeps for its checkpoints. */
struct lb_bench_saver {
  struct lb_mark mark; /* of the configuration */
  /* The first is saved into, the last is checkpoint_folder. */
  struct lb_tier tier[2];
  int tiers;
  struct lb_storage *buffer; /* of a burst buffer that is a model; owned */
  struct lb_bench_save save;
  struct lb_background *background; /* NULL: nothing goes on beside training */
  struct lb_bench_job *job;         /* stage.c */
  struct lb_crew *crew;             /* NULL: no accelerator here has files */
  int n_busy;                       /* accelerators here that have files ... */
  int *busy;                        /* ... and which, from 0 */
  int threads;                      /* of each */
  struct lb_shard_room room;        /* of a thread's buffer */
  int *reads_as; /* by own accelerator: whose files it reads (lb_shift) */
  struct lb_checkpoint_share *share; /* of the own accelerators, k */
};

/* ---- stage.c; rank-local ---- */

/* The accelerators' files of one stage. */
struct lb_bench_stage {
  const struct lb_tier *tier;
  const struct lb_mark *mark;
  const char *folder;
  bool load;
  int stage;
  uint64_t start_ns; /* stamp of the gate before it */
  uint64_t zero_ns;  /* that of the first stage: shares count from there */
};
/* Room for it, once there is a crew. */
int lb_bench_job_new(struct lb_bench *b, struct lb_err *err);
void lb_bench_job_free(struct lb_bench *b);
/* The crew begins to write or read them.  false: there are none. */
bool lb_bench_stage_begin(struct lb_bench *b,
                          const struct lb_bench_stage *stage);
/* When the crew is done: adds to the shares. */
int lb_bench_stage_end(struct lb_bench *b, struct lb_err *err);
/* Both, looking round meanwhile. */
int lb_bench_stage(struct lb_bench *b, const struct lb_bench_stage *stage,
                   struct lb_err *err);
/* The checkpoint's folder as accelerator a (of the rank's own) sees it. */
int lb_bench_stage_folder(const struct lb_bench *b,
                          const struct lb_bench_stage *stage, int a,
                          char out[PATH_MAX], struct lb_err *err);
/* The i-th file of a row of files, as a job; torch: room for its container. */
struct lb_stage_file {
  char folder[PATH_MAX];
  struct lb_shard shard;
  struct lb_shard_job job;
  struct lb_torch_file torch;
  struct lb_stage_tensors {
    const struct lb_mark *mark;
    struct lb_shard_ref ref;
  } tensors;
};
int lb_bench_stage_file(struct lb_bench *b, const struct lb_bench_stage *stage,
                        int a, const struct lb_shard_ref *ref,
                        struct lb_iothread *io, struct lb_stage_file *out,
                        struct lb_err *err);

/* ---- saver.c ---- */

/* Before each. */
void lb_bench_clear_shares(struct lb_bench *b);
/* Where checkpoints are kept, and read from. */
static inline const struct lb_tier *
lb_bench_last_tier(const struct lb_bench_saver *v)
{
  return &v->tier[v->tiers - 1];
}

/* ---- shift.c ---- */

/* checkpoint.recovery_rank_shift: whose files this rank's accelerators read. */
int lb_bench_shift(struct lb_bench *b, struct lb_err *err);

/* ---- whole.c ---- */

/* Rank 0, any thread.  All bytes of it are on the tier: says so in its mark,
 * gives it its name, removes what had that before.  Part times are added to
 * part_ns; the time of the last two is returned in *ns. */
int lb_bench_make_whole(struct lb_bench *b, int tier, struct lb_iothread *io,
                        uint64_t part_ns[LB_N_PARTS], uint64_t *ns,
                        struct lb_err *err);

/* Where one is written that gets its name when it is whole.  -1: the path is
 * too long. */
int lb_bench_part_folder(const struct lb_tier *t, const char *name,
                         char out[PATH_MAX]);
/* Rank 0, main thread.  Whole ones that were cut off before they had their
 * names get them. */
int lb_bench_name_whole(struct lb_bench *b, const struct lb_tier *t,
                        struct lb_err *err);

/* ---- save.c ---- */

/* Collective, when the save that runs is durable (or will never be: then stop
 * says why): results, older ones, what is left of it. */
void lb_bench_save_over(struct lb_bench *b, enum lb_stop stop);

/* ---- leftovers.c: outside of timed intervals.  1: the run stops, and files
 * are left that were to go, the same on all ranks ---- */

/* Rank 0's mark and folder to all, as text: a mark has pointers. */
int lb_bench_share_mark(struct lb_bench *b, struct lb_mark *mark,
                        char folder[PATH_MAX], struct lb_err *err);

/* Removes what saves left that were cut off. */
int lb_bench_sweep(struct lb_bench *b, struct lb_tier *t, struct lb_err *err);
/* The one of that name on the tier, if it has a mark. */
int lb_bench_remove_at(struct lb_bench *b, const struct lb_tier *t,
                       const char *name, struct lb_err *err);
/* Rank 0, any thread: the same, alone. */
int lb_bench_remove_alone(struct lb_bench *b, const struct lb_tier *t,
                          const char *name, struct lb_iothread *io,
                          struct lb_err *err);
/* keep_last. */
int lb_bench_keep_last(struct lb_bench *b, const struct lb_tier *t,
                       struct lb_err *err);
/* This rank's files of a save that did not come to its end, and, when all have
 * done that, its folder.  A failure is not reported: there is one already. */
void lb_bench_undo_save(struct lb_bench *b, const struct lb_tier *t,
                        const struct lb_mark *mark, const char *folder);

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
