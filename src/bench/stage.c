/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One stage of a save or load on this rank: its accelerators' files, each
 * accelerator's by its own threads, while the main thread looks round. */
#include "lb-config.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "checkpoint_impl.h"
#include "loadbank/clock.h"

/* How often the main thread looks whether the run goes on. */
static const uint64_t between_ns = LB_NS_PER_S / 10;

struct job {
  struct lb_bench *b;
  const struct lb_bench_stage *stage;
  struct lane {           /* an accelerator that has files */
    _Atomic int64_t next; /* of them */
    int64_t n;
  } * lane;
  struct part { /* of a member */
    uint64_t end_ns, bytes;
    uint64_t part_ns[LB_N_PARTS];
  } * part;
};

static const struct lb_bench_saver *saver_of(const struct job *job)
{
  return job->b->saver;
}

static int64_t files_of(const struct job *job, int a)
{
  const struct lb_bench_stage *s = job->stage;
  const struct lb_mark *m = s->mark;
  if (s->load)
    return lb_checkpoint_load_count(m->scheme, &m->model, s->stage,
                                    job->b->world->accelerators,
                                    saver_of(job)->reads_as[a]);
  return m->scheme->count(&m->model, s->stage, job->b->world->first + a);
}

static struct lb_shard_ref file_of(const struct job *job, int a, int64_t i)
{
  const struct lb_bench_stage *s = job->stage;
  const struct lb_mark *m = s->mark;
  struct lb_shard_ref ref = {
      .stage = s->stage, .accelerator = job->b->world->first + a, .i = i};
  if (s->load)
    lb_checkpoint_load(m->scheme, &m->model, s->stage,
                       job->b->world->accelerators, saver_of(job)->reads_as[a],
                       i, &ref);
  return ref;
}

/* ---- a member of the crew ---- */

static enum lb_checkpoint_part part_of(int op)
{
  static const enum lb_checkpoint_part parts[LB_N_OPS] = {
      [LB_OP_OPEN] = LB_PART_METADATA,  [LB_OP_STAT] = LB_PART_METADATA,
      [LB_OP_READ] = LB_PART_DATA,      [LB_OP_WRITE] = LB_PART_DATA,
      [LB_OP_SYNC] = LB_PART_SYNC,      [LB_OP_CLOSE] = LB_PART_METADATA,
      [LB_OP_LIST] = LB_PART_METADATA,  [LB_OP_MKDIR] = LB_PART_METADATA,
      [LB_OP_RMDIR] = LB_PART_METADATA, [LB_OP_RENAME] = LB_PART_RENAME,
      [LB_OP_LINK] = LB_PART_METADATA,  [LB_OP_UNLINK] = LB_PART_METADATA,
      [LB_OP_LOCK] = LB_PART_METADATA,
  };
  return parts[op];
}

/* What its operations of this phase have taken so far. */
static void read_clocks(const struct lb_iothread *io, double ns[LB_N_PARTS])
{
  for (int p = 0; p < LB_N_PARTS; p++)
    ns[p] = 0;
  for (int op = 0; op < LB_N_OPS; op++) {
    const struct lb_iostat *cell = io->stats->cell[io->phase][op];
    if (cell)
      ns[part_of(op)] += cell->ns.sum;
  }
}

/* Tensors of a file, for its container. */
struct tensors {
  const struct lb_mark *mark;
  struct lb_shard_ref ref;
};

static void tensor_of(const void *arg, int64_t t, struct lb_tensor *out)
{
  const struct tensors *of = arg;
  of->mark->scheme->tensor(&of->mark->model, &of->ref, t, out);
}

static int move_file(struct job *job, int a, int64_t i, struct lb_iothread *io,
                     uint64_t *bytes, struct lb_err *err)
{
  const struct lb_bench *b = job->b;
  const struct lb_bench_stage *s = job->stage;
  const struct lb_mark *m = s->mark;
  struct lb_shard_ref ref = file_of(job, a, i);
  struct lb_shard shard;
  char folder[PATH_MAX];
  if (lb_bench_checkpoint_path(b, b->world->first + a, s->folder, folder) < 0)
    return lb_err_set(err, LB_FAILED, "%s: the path is too long", s->folder);
  m->scheme->shard(&m->model, &ref, &shard);
  const struct tensors tensors = {m, ref};
  const struct lb_torch_file torch = {.count = shard.tensors,
                                      .items = shard.layout == LB_SHARD_ITEMS,
                                      .tensor = tensor_of,
                                      .arg = &tensors};
  bool packed = b->w->checkpoint.container == LB_CONTAINER_TORCH &&
                shard.layout != LB_SHARD_PLAIN;
  if (packed && lb_torch_check(&torch, err) < 0)
    return -err->code;
  const struct lb_shard_job one = {.storage = b->storage,
                                   .folder = folder,
                                   .id = lb_shard_id(m->seed, m->number, &ref),
                                   .sync = b->w->checkpoint.fsync,
                                   .compare =
                                       b->w->reader.verify != LB_VERIFY_OFF,
                                   .torch = packed ? &torch : NULL,
                                   .room = &b->saver->room,
                                   .io = io,
                                   .tick = lb_crew_goes_on,
                                   .tick_arg = b->saver->crew};
  io->metadata = shard.layout == LB_SHARD_PLAIN;
  int rc = s->load ? lb_shard_read(&one, &shard, err)
                   : lb_shard_write(&one, &shard, err);
  io->metadata = false;
  *bytes += rc ? 0 : shard.bytes;
  return rc;
}

static int work(void *arg, int member, struct lb_iothread *io,
                struct lb_err *err)
{
  struct job *job = arg;
  const struct lb_bench_saver *v = saver_of(job);
  struct lane *lane = &job->lane[member / v->threads];
  struct part *mine = &job->part[member];
  double before[LB_N_PARTS], after[LB_N_PARTS];
  int rc = 0;
  int64_t i;
  bool is_virtual = job->b->w->derived.backend->is_virtual;
  /* On virtual storage its time line begins at the gate, however late the
   * thread woke up. */
  io->late_ns = is_virtual ? lb_clock_ns() - job->stage->start_ns : 0;
  read_clocks(io, before);
  while (!rc && (i = atomic_fetch_add(&lane->next, 1)) < lane->n) {
    rc = move_file(job, v->busy[member / v->threads], i, io, &mine->bytes, err);
    mine->end_ns = lb_clock_ns() - (is_virtual ? io->late_ns : 0);
  }
  read_clocks(io, after);
  for (int p = 0; p < LB_N_PARTS; p++)
    mine->part_ns[p] = (uint64_t)(after[p] - before[p]);
  return rc;
}

/* ---- the main thread ---- */

static void add_to_shares(const struct job *job)
{
  const struct lb_bench_saver *v = saver_of(job);
  for (int member = 0; member < v->n_busy * v->threads; member++) {
    const struct part *p = &job->part[member];
    struct lb_checkpoint_share *s = &v->share[v->busy[member / v->threads]];
    uint64_t zero = job->stage->zero_ns;
    uint64_t ns = p->end_ns > zero ? p->end_ns - zero : 0;
    s->ns = ns > s->ns ? ns : s->ns;
    s->bytes += p->bytes;
    for (int k = 0; k < LB_N_PARTS; k++)
      s->part_ns[k] += p->part_ns[k];
  }
}

static int run(struct job *job, struct lb_err *err)
{
  struct lb_crew *crew = saver_of(job)->crew;
  lb_crew_start(crew, work, job,
                job->stage->load ? LB_PHASE_LOAD : LB_PHASE_SAVE);
  while (!lb_crew_wait(crew, lb_clock_ns() + between_ns))
    if (!lb_bench_look_round(job->b))
      lb_crew_give_up(crew);
  return lb_crew_result(crew, err);
}

int lb_bench_stage(struct lb_bench *b, const struct lb_bench_stage *stage,
                   struct lb_err *err)
{
  const struct lb_bench_saver *v = b->saver;
  struct job job = {.b = b, .stage = stage};
  int rc = 0;
  if (!v->crew)
    return 0;
  job.lane = calloc((size_t)v->n_busy, sizeof *job.lane);
  job.part = calloc((size_t)v->n_busy * (size_t)v->threads, sizeof *job.part);
  if (job.lane && job.part) {
    for (int n = 0; n < v->n_busy; n++)
      job.lane[n].n = files_of(&job, v->busy[n]);
    rc = run(&job, err);
    add_to_shares(&job);
  } else {
    rc = lb_err_set(err, LB_FAILED, "no memory for a checkpoint");
  }
  free(job.lane);
  free(job.part);
  return rc;
}
