/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Removing checkpoints: those that were cut off, before a run saves its own;
 * those that checkpoint.keep_last no longer wants; and what is left of a save
 * that failed.  Rank 0 finds them, all remove their part of the files. */
#include "lb-config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checkpoint_impl.h"
#include "loadbank/log.h"

typedef bool wanted_away(const struct lb_found_list *l, size_t i, int64_t keep);

static bool cut_off(const struct lb_found_list *l, size_t i, int64_t keep)
{
  (void)keep;
  return !l->v[i].complete;
}

/* What all need to know of one; mark as text. */
struct target {
  struct lb_mark mark;
  char folder[PATH_MAX];
};

/* Rank 0.  1: from here on it is whole no more, whatever happens.  0: it has no
 * mark. */
static int aim(const char *parent, const char *name, struct target *t,
               struct lb_err *err)
{
  int n = snprintf(t->folder, sizeof t->folder, "%s/%s", parent, name);
  if (n < 0 || (size_t)n >= sizeof t->folder)
    return lb_err_set(err, LB_FAILED, "%s: the path is too long", parent);
  int found = lb_mark_read(&t->mark, t->folder, err);
  if (found <= 0 || !t->mark.complete)
    return found;
  t->mark.complete = false;
  int rc = lb_mark_write(&t->mark, t->folder, err);
  return rc ? rc : 1;
}

int lb_bench_share_mark(struct lb_bench *b, struct lb_mark *mark,
                        char folder[PATH_MAX], struct lb_err *err)
{
  char *text = NULL;
  size_t n = 0;
  lb_world_bcast(b->world, folder, PATH_MAX);
  if (b->world->rank == 0) {
    text = lb_mark_text(mark);
    n = text ? strlen(text) : 0;
    if (!text)
      lb_err_set(err, LB_FAILED, "no memory for a mark");
  }
  if (!lb_world_bcast_text(b->world, &text, &n, err))
    lb_mark_parse(mark, text, folder, err);
  free(text);
  return lb_bench_agree(b->world, err);
}

static struct lb_shard_remover remover_of(struct lb_bench *b,
                                          const struct target *t)
{
  return (struct lb_shard_remover){.mark = &t->mark,
                                   .folder = t->folder,
                                   .storage = b->storage,
                                   .io = &b->io,
                                   .first = b->world->rank,
                                   .step = b->world->n_ranks,
                                   .tick = lb_bench_look_round,
                                   .tick_arg = b};
}

/* Collective.  The checkpoint that rank 0 has aimed at. */
static int remove_it(struct lb_bench *b, struct target *t, const char *why,
                     struct lb_err *err)
{
  bool left = false;
  if (lb_bench_share_mark(b, &t->mark, t->folder, err))
    return -err->code;
  const struct lb_shard_remover r = remover_of(b, t);
  uint64_t stop = lb_shards_remove(&r, err) > 0;
  int rc = lb_bench_agree(b->world, err);
  lb_world_max_u64(b->world, &stop, 1);
  if (rc || stop)
    return rc;
  if (b->world->rank == 0 && !lb_checkpoint_rmdir(&r, &left, err))
    lb_info("%s: %s, removed%s", t->folder, why,
            left ? "; other files are in the folder and stay" : "");
  return lb_bench_agree(b->world, err);
}

/* Collective. */
static int remove_those(struct lb_bench *b, wanted_away *away, int64_t keep,
                        const char *why, struct lb_err *err)
{
  struct lb_found_list list = {.v = NULL};
  struct target t = {.folder = ""};
  uint64_t n = 0;
  if (b->world->rank == 0 &&
      !lb_found_list(&list, b->w->derived.checkpoint_folder, b->storage, &b->io,
                     err))
    n = list.n;
  int rc = lb_bench_agree(b->world, err);
  lb_world_bcast(b->world, &n, sizeof n);
  for (uint64_t i = 0; !rc && i < n; i++) {
    bool due = list.v && away(&list, i, keep); /* rank 0 has it */
    if (due)
      due = aim(b->w->derived.checkpoint_folder, list.v[i].name, &t, err) > 0;
    rc = lb_bench_agree(b->world, err);
    lb_world_bcast(b->world, &due, sizeof due);
    if (!rc && due)
      rc = remove_it(b, &t, why, err);
  }
  lb_found_fini(&list);
  return rc;
}

int lb_bench_remove_at(struct lb_bench *b, const char *name, struct lb_err *err)
{
  struct target t = {.folder = ""};
  bool there = false;
  if (b->w->derived.backend->is_virtual)
    return 0;
  if (b->world->rank == 0)
    there = aim(b->w->derived.checkpoint_folder, name, &t, err) > 0;
  int rc = lb_bench_agree(b->world, err);
  lb_world_bcast(b->world, &there, sizeof there);
  if (!rc && there)
    rc = remove_it(b, &t, "replaced by a new one of the same name", err);
  return rc;
}

int lb_bench_sweep(struct lb_bench *b, struct lb_err *err)
{
  if (b->w->derived.backend->is_virtual || b->saver->swept)
    return 0;
  b->saver->swept = true;
  return remove_those(b, cut_off, 0, "an earlier save was cut off here", err);
}

int lb_bench_keep_last(struct lb_bench *b, struct lb_err *err)
{
  int64_t keep = b->w->checkpoint.keep_last;
  if (b->w->derived.backend->is_virtual || keep <= 0)
    return 0;
  return remove_those(b, lb_found_surplus, keep,
                      "older than those that checkpoint.keep_last keeps", err);
}

void lb_bench_undo_save(struct lb_bench *b, const struct lb_mark *mark,
                        const char *folder)
{
  struct lb_err ignored = LB_ERR_INIT;
  struct lb_shard_remover r = {.mark = mark,
                               .folder = folder,
                               .storage = b->storage,
                               .io = &b->io,
                               .first = b->world->rank,
                               .step = b->world->n_ranks};
  bool left;
  if (b->w->derived.backend->is_virtual)
    return;
  lb_shards_remove(&r, &ignored);
  lb_world_barrier(b->world);
  if (b->world->rank == 0)
    lb_checkpoint_rmdir(&r, &left, &ignored);
}
