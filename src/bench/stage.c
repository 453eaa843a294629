/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One stage of a save or load on this rank: its accelerators' files, each
 * accelerator's by its own threads, while the main thread looks round. */
#include "lb-config.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "checkpoint_impl.h"
#include "dataset_impl.h"
#include "loadbank/clock.h"

/* How often the main thread looks whether the run goes on. */
static const uint64_t between_ns = LB_NS_PER_S / 10;

struct lb_bench_job {
  struct lb_bench *b;
  struct lb_bench_stage stage;
  struct lane {           /* an accelerator that has files */
    _Atomic int64_t next; /* of them */
    int64_t n;
  } * lane;
  struct part { /* of a member */
    uint64_t end_ns, bytes;
    uint64_t part_ns[LB_N_PARTS];
  } * part;
};

static const struct lb_bench_saver *saver_of(const struct lb_bench_job *job)
{
  return job->b->saver;
}

static int64_t files_of(const struct lb_bench_job *job, int a)
{
  const struct lb_bench_stage *s = &job->stage;
  const struct lb_mark *m = s->mark;
  if (s->load)
    return lb_checkpoint_load_count(m->scheme, &m->model, s->stage,
                                    job->b->world->accelerators,
                                    saver_of(job)->reads_as[a]);
  return m->scheme->count(&m->model, s->stage, job->b->world->first + a);
}

static struct lb_shard_ref file_of(const struct lb_bench_job *job, int a,
                                   int64_t i)
{
  const struct lb_bench_stage *s = &job->stage;
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

static void tensor_of(const void *arg, int64_t t, struct lb_tensor *out)
{
  const struct lb_stage_tensors *of = arg;
  of->mark->scheme->tensor(&of->mark->model, &of->ref, t, out);
}

int lb_bench_stage_folder(const struct lb_bench *b,
                          const struct lb_bench_stage *s, int a,
                          char out[PATH_MAX], struct lb_err *err)
{
  int n = s->tier->by_node ? snprintf(out, PATH_MAX, "%s", s->folder)
                           : lb_bench_checkpoint_path(b, b->world->first + a,
                                                      s->folder, out);
  return n < 0
             ? lb_err_set(err, LB_FAILED, "%s: the path is too long", s->folder)
             : 0;
}

int lb_bench_stage_file(struct lb_bench *b, const struct lb_bench_stage *s,
                        int a, const struct lb_shard_ref *ref,
                        struct lb_iothread *io, struct lb_stage_file *out,
                        struct lb_err *err)
{
  const struct lb_mark *m = s->mark;
  *out = (struct lb_stage_file){.tensors = {m, *ref}};
  m->scheme->shard(&m->model, ref, &out->shard);
  if (lb_bench_stage_folder(b, s, a, out->folder, err))
    return -err->code;
  out->torch =
      (struct lb_torch_file){.count = out->shard.tensors,
                             .items = out->shard.layout == LB_SHARD_ITEMS,
                             .tensor = tensor_of,
                             .arg = &out->tensors};
  bool packed = b->w->checkpoint.container == LB_CONTAINER_TORCH &&
                out->shard.layout != LB_SHARD_PLAIN;
  out->job =
      (struct lb_shard_job){.storage = s->tier->storage,
                            .folder = out->folder,
                            .id = lb_shard_id(m->seed, m->number, ref),
                            .sync = b->w->checkpoint.fsync,
                            .compare = b->w->reader.verify != LB_VERIFY_OFF,
                            .torch = packed ? &out->torch : NULL,
                            .room = &b->saver->room,
                            .io = io,
                            .tick = lb_crew_goes_on,
                            .tick_arg = io};
  return packed && lb_torch_check(&out->torch, err) < 0 ? -err->code : 0;
}

static int move_file(struct lb_bench_job *job, int a, int64_t i,
                     struct lb_iothread *io, uint64_t *bytes,
                     struct lb_err *err)
{
  struct lb_shard_ref ref = file_of(job, a, i);
  struct lb_stage_file f;
  int rc = lb_bench_stage_file(job->b, &job->stage, a, &ref, io, &f, err);
  io->metadata = f.shard.layout == LB_SHARD_PLAIN;
  if (!rc)
    rc = job->stage.load ? lb_shard_read(&f.job, &f.shard, err)
                         : lb_shard_write(&f.job, &f.shard, err);
  io->metadata = false;
  *bytes += rc ? 0 : f.shard.bytes;
  return rc;
}

static int work(void *arg, int member, struct lb_iothread *io,
                struct lb_err *err)
{
  struct lb_bench_job *job = arg;
  const struct lb_bench_saver *v = saver_of(job);
  struct lane *lane = &job->lane[member / v->threads];
  struct part *mine = &job->part[member];
  double before[LB_N_PARTS], after[LB_N_PARTS];
  int rc = 0;
  int64_t i;
  bool is_virtual = job->b->w->derived.backend->is_virtual;
  /* On virtual storage its time line begins at the gate, however late the
   * thread woke up. */
  io->late_ns = is_virtual ? lb_clock_ns() - job->stage.start_ns : 0;
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

static void add_to_shares(const struct lb_bench_job *job)
{
  const struct lb_bench_saver *v = saver_of(job);
  for (int member = 0; member < v->n_busy * v->threads; member++) {
    const struct part *p = &job->part[member];
    struct lb_checkpoint_share *s = &v->share[v->busy[member / v->threads]];
    uint64_t zero = job->stage.zero_ns;
    uint64_t ns = p->end_ns > zero ? p->end_ns - zero : 0;
    s->ns = ns > s->ns ? ns : s->ns;
    s->bytes += p->bytes;
    for (int k = 0; k < LB_N_PARTS; k++)
      s->part_ns[k] += p->part_ns[k];
  }
}

int lb_bench_job_new(struct lb_bench *b, struct lb_err *err)
{
  struct lb_bench_saver *v = b->saver;
  struct lb_bench_job *job = v->job = calloc(1, sizeof *job);
  if (job) {
    job->b = b;
    job->lane = calloc((size_t)v->n_busy, sizeof *job->lane);
    job->part =
        calloc((size_t)v->n_busy * (size_t)v->threads, sizeof *job->part);
  }
  if (!job || !job->lane || !job->part)
    return lb_err_set(err, LB_FAILED, "no memory for checkpoints");
  return 0;
}

void lb_bench_job_free(struct lb_bench *b)
{
  struct lb_bench_job *job = b->saver->job;
  if (!job)
    return;
  free(job->lane);
  free(job->part);
  free(job);
  b->saver->job = NULL;
}

bool lb_bench_stage_begin(struct lb_bench *b,
                          const struct lb_bench_stage *stage)
{
  const struct lb_bench_saver *v = b->saver;
  struct lb_bench_job *job = v->job;
  if (!v->crew)
    return false;
  job->stage = *stage;
  for (int n = 0; n < v->n_busy; n++) {
    atomic_store(&job->lane[n].next, 0);
    job->lane[n].n = files_of(job, v->busy[n]);
  }
  for (int m = 0; m < v->n_busy * v->threads; m++)
    job->part[m] = (struct part){.end_ns = 0};
  lb_crew_start(v->crew, work, job,
                stage->load ? LB_PHASE_LOAD : LB_PHASE_SAVE);
  return true;
}

int lb_bench_stage_end(struct lb_bench *b, struct lb_err *err)
{
  add_to_shares(b->saver->job);
  return lb_crew_result(b->saver->crew, err);
}

int lb_bench_stage(struct lb_bench *b, const struct lb_bench_stage *stage,
                   struct lb_err *err)
{
  struct lb_crew *crew = b->saver->crew;
  if (!lb_bench_stage_begin(b, stage))
    return 0;
  while (!lb_crew_wait(crew, lb_clock_ns() + between_ns))
    if (lb_bench_look_round(b))
      lb_bench_progress_checkpoint(b, stage->load ? "load" : "save", crew);
    else
      lb_crew_give_up(crew);
  return lb_bench_stage_end(b, err);
}
