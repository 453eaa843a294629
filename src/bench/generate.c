/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Generation: the ranks make the files together, each its share, in rounds
 * that end at a gate, so that a failure (no space, no permission) or a signal
 * ends the whole job within a round.  The manifest is written unfinished at
 * the start and finished at the end; that is what makes resuming safe. */
#include "lb-config.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "bench_impl.h"
#include "dataset_impl.h"

#include "loadbank/clock.h"
#include "loadbank/log.h"
#include "loadbank/units.h"

/* Bytes and files of one rank's round. */
#define ROUND_BYTES (256u << 20)
enum { ROUND_FILES = 1024 };

static int64_t all_files(const struct lb_bench *b)
{
  return b->layout.n_files[LB_SET_TRAIN] + b->layout.n_files[LB_SET_EVAL];
}

/* The i-th file of both sets. */
static enum lb_set set_of(const struct lb_bench *b, int64_t *i)
{
  if (*i < b->layout.n_files[LB_SET_TRAIN])
    return LB_SET_TRAIN;
  *i -= b->layout.n_files[LB_SET_TRAIN];
  return LB_SET_EVAL;
}

/* Of the n-th file of both sets. */
static struct lb_maker maker_of(struct lb_bench *b, int64_t n)
{
  return (struct lb_maker){.format = b->w->derived.format,
                           .params = &b->params,
                           .layout = lb_bench_generator_layout(b, n),
                           .sizes = &b->sizes,
                           .storage = b->storage,
                           .tick = lb_bench_look_round,
                           .tick_arg = b};
}

/* ---- is it all there? ---- */

/* Rank 0: does a manifest say that this very dataset is finished? */
static uint64_t is_finished(struct lb_bench *b, struct lb_err *err)
{
  struct lb_manifest disk;
  char there[LB_FINGERPRINT_LEN];
  if (b->o->regenerate || lb_manifest_read(&disk, b->layout.root, err) <= 0)
    return 0;
  lb_manifest_fingerprint(&disk, there);
  return disk.complete && !strcmp(there, b->fingerprint);
}

/* Collective.  Is every file of a finished dataset there?  Nothing is written
 * then, so that any number of jobs may use it, also where it may only be read.
 */
static int look_for_all(struct lb_bench *b, uint64_t *all_there,
                        struct lb_err *err)
{
  *all_there = b->world->rank == 0 ? is_finished(b, err) : 0;
  int rc = lb_bench_agree(b->world, err);
  lb_world_bcast(b->world, all_there, sizeof *all_there);
  for (int64_t n = b->world->rank; !rc && *all_there && n < all_files(b);
       n += b->world->n_ranks) {
    int64_t i = n;
    enum lb_set set = set_of(b, &i);
    const struct lb_maker maker = maker_of(b, n);
    int there = lb_dataset_has_file(&maker, set, i, &b->io, err);
    *all_there = there > 0 && lb_bench_look_round(b);
    if (there < 0)
      break;
  }
  rc = lb_bench_agree(b->world, err);
  lb_world_min_u64(b->world, all_there, 1);
  return rc;
}

/* ---- before the first file; rank 0 ---- */

/* A manifest of its own says that the new dataset has begun, unless a signal
 * has come while the old one was removed. */
static void prepare(struct lb_bench *b, struct lb_err *err)
{
  int rc = lb_dataset_make_folders(&b->layout, b->w->derived.format, b->storage,
                                   &b->io, err);
  /* Also when only its readers need it: better now than behind hours. */
  unsigned flags = b->storage->open_flags |
                   (b->w->workflow.train ? b->params.open_flags : 0);
  if (!rc && (flags & LB_IO_DIRECT))
    rc = lb_bench_check_direct_write(b, b->layout.root, err);
  if (!rc)
    rc = lb_dataset_claim(b->layout.root, &b->claim, err);
  if (!rc) /* who had it until now may have made another one */
    rc = lb_bench_check_owner(b, err);
  if (!rc && b->o->regenerate)
    rc = lb_bench_remove_old(b, err);
  if (!rc) {
    b->manifest.complete = false;
    lb_manifest_write(&b->manifest, b->layout.root, err);
  }
}

/* ---- the files ---- */

struct progress {
  int64_t next; /* of this rank's files, in steps of the number of ranks */
  int64_t made, kept;
  uint64_t bytes;
};

/* This rank's files of one round. */
static void make_round(struct lb_bench *b, struct progress *p)
{
  struct lb_err err = LB_ERR_INIT;
  uint64_t bytes = 0;
  for (int n = 0;
       n < ROUND_FILES && bytes < ROUND_BYTES && p->next < all_files(b);
       n++, p->next += b->world->n_ranks) {
    if (!lb_bench_look_round(b))
      return;
    int64_t i = p->next;
    enum lb_set set = set_of(b, &i);
    const struct lb_maker maker = maker_of(b, p->next);
    struct lb_file file;
    struct lb_file_sizes sizes;
    int made = 0;
    lb_dataset_file(&b->layout, &b->sizes, &b->params, set, i, NULL, 0, &file);
    if (lb_format_sizes(maker.format, &b->params, &file, &sizes, &err) ||
        lb_dataset_make_file(&maker, set, i, &b->io, &made, &err)) {
      if (!lb_err_gave_up(&err))
        lb_bench_fail(b, &err);
      return;
    }
    p->made += made;
    p->kept += !made;
    uint64_t written = made ? sizes.file_bytes + sizes.beside_bytes : 0;
    p->bytes += written;
    bytes += written;
  }
}

static void show(struct lb_bench *b, const struct progress *p, uint64_t start)
{
  uint64_t now = lb_clock_ns();
  int64_t total = all_files(b);
  /* The ranks go in step, round by round. */
  int64_t done = p->next < total ? p->next : total;
  struct lb_progress_state state = {.phase = "generate",
                                    .done = done,
                                    .total = total,
                                    .unit = "files",
                                    .au = NAN,
                                    .elapsed_ns = now - start,
                                    .left_ns = LB_NEVER};
  if (done > 0)
    state.left_ns = (uint64_t)((double)(now - start) * (double)(total - done) /
                               (double)done);
  lb_progress_tick(&b->progress, now, &state);
}

static int make_files(struct lb_bench *b, struct progress *p,
                      struct lb_err *err)
{
  uint64_t start = lb_clock_ns();
  /* The rank with the lowest number has the most files: rounds end with its. */
  int64_t lowest = 0;
  while (lowest < all_files(b) && b->stop == LB_STOP_NONE) {
    make_round(b, p);
    struct lb_release r = lb_gate_meet(b->gate);
    lb_bench_stopped(b, r.stop);
    uint64_t slowest = (uint64_t)p->next;
    lb_world_min_u64(b->world, &slowest, 1);
    lowest = (int64_t)slowest;
    show(b, p, start);
  }
  lb_progress_end(&b->progress);
  if (b->stop == LB_STOP_FAILED)
    lb_gate_reason(b->gate, err);
  return -err->code;
}

/* On virtual storage the files count as present. */
bool lb_bench_makes_files(const struct lb_bench *b)
{
  return !b->w->derived.backend->is_virtual && !b->w->derived.format->no_data &&
         all_files(b) > 0;
}

static int finish(struct lb_bench *b, const struct progress *p,
                  struct lb_err *err)
{
  uint64_t kept = (uint64_t)p->kept;
  lb_world_sum_u64(b->world, &kept, 1);
  /* The manifest must not outlive the files that it vouches for; and training
   * must not be measured while they are written back. */
  if (b->world->host_first) {
    lb_bench_enter(b, LB_PHASE_GENERATE);
    for (int m = 0; m < b->w->derived.n_roots && !lb_err_is_set(err); m++)
      lb_storage_sync_folder(b->storage, b->mounts[m].root, LB_IO_ALL, &b->io,
                             err);
    lb_bench_enter(b, LB_PHASE_SETUP);
  }
  if (lb_bench_agree(b->world, err))
    return -err->code;
  if (b->world->rank == 0) {
    if (kept)
      lb_info("%" PRIu64 " file%s %s there already and %s kept", kept,
              lb_plural((int64_t)kept), kept == 1 ? "was" : "were",
              lb_are((int64_t)kept));
    b->manifest.complete = true;
    lb_manifest_write(&b->manifest, b->layout.root, err);
  }
  return lb_bench_agree(b->world, err);
}

static int generate(struct lb_bench *b, struct lb_err *err)
{
  uint64_t start = lb_clock_ns();
  if (b->world->rank == 0)
    prepare(b, err);
  int rc = lb_bench_agree(b->world, err);
  if (!rc) /* now that there is a manifest for sure */
    rc = lb_bench_check_manifests(b, err);
  if (rc)
    return rc;
  lb_bench_enter(b, LB_PHASE_GENERATE);
  struct progress p = {.next = b->world->rank};
  rc = make_files(b, &p, err);
  lb_bench_enter(b, LB_PHASE_SETUP);
  b->cost.generated_files = (uint64_t)p.made;
  b->cost.generated_bytes = p.bytes;
  b->cost.generate_ns = lb_clock_ns() - start;
  if (rc || b->stop != LB_STOP_NONE)
    return rc;
  return finish(b, &p, err);
}

int lb_bench_generate(struct lb_bench *b, struct lb_err *err)
{
  uint64_t all_there;
  if (!lb_bench_makes_files(b))
    return 0;
  lb_bench_enter(b, LB_PHASE_SETUP);
  int rc = look_for_all(b, &all_there, err);
  if (rc)
    return rc;
  lb_bench_stopped(b, lb_gate_meet(b->gate).stop);
  if (b->stop != LB_STOP_NONE)
    return 0;
  if (all_there) {
    if (b->world->rank == 0)
      lb_info("%" PRId64 " file%s %s there already and %s kept", all_files(b),
              lb_plural(all_files(b)), all_files(b) == 1 ? "was" : "were",
              lb_are(all_files(b)));
    return 0;
  }
  rc = generate(b, err);
  lb_dataset_release(b->layout.root, &b->claim);
  return rc;
}
