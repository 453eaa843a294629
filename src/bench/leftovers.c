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

#define LEFT "; other files are in the folder and stay"

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

/* Of a shared folder each rank removes its share; of a host's own the host's
 * ranks share all: another number of accelerators, or others of them, may have
 * written there. */
static struct lb_shard_remover remover_of(struct lb_bench *b,
                                          const struct lb_tier *tier,
                                          const struct lb_mark *mark,
                                          const char *folder)
{
  const struct lb_world *w = b->world;
  bool own = tier->by_node;
  return (struct lb_shard_remover){.mark = mark,
                                   .folder = folder,
                                   .storage = tier->storage,
                                   .io = &b->io,
                                   .first = own ? w->host_rank : w->rank,
                                   .step = own ? w->host_ranks : w->n_ranks};
}

/* Who removes a folder. */
static bool keeps_folder(const struct lb_bench *b, const struct lb_tier *tier)
{
  return tier->by_node ? b->world->host_first : b->world->rank == 0;
}

/* Collective.  The checkpoint that rank 0 has aimed at.  1: the run stops, and
 * files are left. */
static int remove_it(struct lb_bench *b, const struct lb_tier *tier,
                     struct target *t, const char *why, struct lb_err *err)
{
  bool left = false;
  if (lb_bench_share_mark(b, &t->mark, t->folder, err))
    return -err->code;
  struct lb_shard_remover r = remover_of(b, tier, &t->mark, t->folder);
  r.tick = lb_bench_look_round;
  r.tick_arg = b;
  uint64_t stop = lb_shards_remove(&r, err) > 0;
  int rc = lb_bench_agree(b->world, err);
  lb_world_max_u64(b->world, &stop, 1);
  if (rc || stop)
    return rc ? rc : 1;
  if (keeps_folder(b, tier) && !lb_checkpoint_rmdir(&r, &left, err) &&
      b->world->rank == 0)
    lb_info("%s: %s, removed%s", t->folder, why, left ? LEFT : "");
  return lb_bench_agree(b->world, err);
}

/* Collective. */
static int remove_those(struct lb_bench *b, const struct lb_tier *tier,
                        wanted_away *away, int64_t keep, const char *why,
                        struct lb_err *err)
{
  struct lb_found_list list = {.v = NULL};
  struct target t = {.folder = ""};
  uint64_t n = 0;
  if (b->world->rank == 0 &&
      !lb_found_list(&list, tier->root, tier->storage, &b->io, err))
    n = list.n;
  int rc = lb_bench_agree(b->world, err);
  lb_world_bcast(b->world, &n, sizeof n);
  for (uint64_t i = 0; !rc && i < n; i++) {
    bool due = list.v && away(&list, i, keep); /* rank 0 has it */
    if (due)
      due = aim(tier->root, list.v[i].name, &t, err) > 0;
    rc = lb_bench_agree(b->world, err);
    lb_world_bcast(b->world, &due, sizeof due);
    if (!rc && due)
      rc = remove_it(b, tier, &t, why, err);
  }
  lb_found_fini(&list);
  return rc;
}

static const char replaced[] = "replaced by a new one of the same name";

int lb_bench_remove_at(struct lb_bench *b, const struct lb_tier *tier,
                       const char *name, struct lb_err *err)
{
  struct target t = {.folder = ""};
  bool there = false;
  if (b->w->derived.backend->is_virtual)
    return 0;
  if (b->world->rank == 0)
    there = aim(tier->root, name, &t, err) > 0;
  int rc = lb_bench_agree(b->world, err);
  lb_world_bcast(b->world, &there, sizeof there);
  if (!rc && there)
    rc = remove_it(b, tier, &t, replaced, err);
  return rc;
}

int lb_bench_remove_alone(struct lb_bench *b, const struct lb_tier *tier,
                          const char *name, struct lb_iothread *io,
                          struct lb_err *err)
{
  struct target t = {.folder = ""};
  bool left;
  int found = aim(tier->root, name, &t, err);
  if (found <= 0)
    return found;
  struct lb_shard_remover r = remover_of(b, tier, &t.mark, t.folder);
  r.io = io;
  r.first = 0;
  r.step = 1;
  int rc = lb_shards_remove(&r, err);
  if (!rc)
    rc = lb_checkpoint_rmdir(&r, &left, err);
  if (!rc)
    lb_info("%s: %s, removed%s", t.folder, replaced, left ? LEFT : "");
  return rc;
}

int lb_bench_sweep(struct lb_bench *b, struct lb_tier *t, struct lb_err *err)
{
  if (b->w->derived.backend->is_virtual || t->swept)
    return 0;
  t->swept = true;
  int rc =
      remove_those(b, t, cut_off, 0, "an earlier save was cut off here", err);
  if (rc)
    return rc;
  if (b->world->rank == 0)
    lb_bench_name_whole(b, t, err);
  return lb_bench_agree(b->world, err);
}

int lb_bench_keep_last(struct lb_bench *b, const struct lb_tier *t,
                       struct lb_err *err)
{
  if (b->w->derived.backend->is_virtual || t->keep_last <= 0)
    return 0;
  return remove_those(b, t, lb_found_surplus, t->keep_last,
                      "older than those that keep_last keeps", err);
}

void lb_bench_undo_save(struct lb_bench *b, const struct lb_tier *t,
                        const struct lb_mark *mark, const char *folder)
{
  struct lb_err ignored = LB_ERR_INIT;
  const struct lb_shard_remover r = remover_of(b, t, mark, folder);
  struct target at;
  bool left, may = true;
  if (b->w->derived.backend->is_virtual)
    return;
  /* The stop may have come when its mark already said that it is whole. */
  if (b->world->rank == 0)
    may = aim(t->root, strrchr(folder, '/') + 1, &at, &ignored) >= 0;
  lb_world_bcast(b->world, &may, sizeof may);
  if (!may)
    return;
  lb_shards_remove(&r, &ignored);
  lb_world_barrier(b->world);
  if (keeps_folder(b, t))
    lb_checkpoint_rmdir(&r, &left, &ignored);
}
