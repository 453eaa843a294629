/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From the burst buffer on: a rank's threads copy what its accelerators have
 * saved, file after file. */
#include "lb-config.h"

#include <pthread.h>
#include <stdlib.h>

#include "background.h"
#include "loadbank/clock.h"
#include "loadbank/shard_copy.h"

struct lb_drain {
  struct lb_bench *b;
  struct lb_crew *crew;        /* NULL: this rank has no files */
  uint64_t start_ns;           /* stamp of the gate before it */
  struct lb_throttle throttle; /* this rank's part of drain_bandwidth */
  pthread_mutex_t lock;
  struct cursor { /* the file to be taken next; under the lock */
    int stage, a; /* a: of the own accelerators */
    int64_t i;
  } next;
  uint64_t *end_ns; /* by member */
};

/* The next file.  false: all are taken. */
static bool take(struct lb_drain *d, struct lb_shard_ref *ref, int *a)
{
  const struct lb_world *w = d->b->world;
  const struct lb_mark *m = &d->b->saver->mark;
  struct cursor *c = &d->next;
  bool found = false;
  pthread_mutex_lock(&d->lock);
  while (!found && c->stage < m->scheme->stages) {
    *ref = (struct lb_shard_ref){
        .stage = c->stage, .accelerator = w->first + c->a, .i = c->i++};
    *a = c->a;
    found = ref->i < m->scheme->count(&m->model, ref->stage, ref->accelerator);
    if (!found) {
      c->i = 0;
      c->a = (c->a + 1) % w->k;
      c->stage += c->a == 0;
    }
  }
  pthread_mutex_unlock(&d->lock);
  return found;
}

/* The checkpoint that is drained, on a tier. */
static struct lb_bench_stage on_tier(const struct lb_drain *d, int tier)
{
  const struct lb_bench_saver *v = d->b->saver;
  return (struct lb_bench_stage){.tier = &v->tier[tier],
                                 .mark = &v->save.mark,
                                 .folder = v->save.at[tier].folder};
}

static int copy(struct lb_drain *d, const struct lb_shard_ref *ref, int a,
                struct lb_iothread *io, struct lb_err *err)
{
  struct lb_stage_file to; /* the same file as the one in the buffer */
  char from[PATH_MAX], source[PATH_MAX], final[PATH_MAX], temporary[PATH_MAX];
  const struct lb_bench_stage buffer = on_tier(d, 0), last = on_tier(d, 1);
  if (lb_bench_stage_folder(d->b, &buffer, a, from, err) ||
      lb_bench_stage_file(d->b, &last, a, ref, io, &to, err) ||
      lb_shard_paths(from, &to.shard, source, temporary, err) ||
      lb_shard_paths(to.folder, &to.shard, final, temporary, err) ||
      lb_shard_make_parent(&to.job, &to.shard, final, err))
    return -err->code;
  const struct lb_shard_copy one = {.from = buffer.tier->storage,
                                    .to = last.tier->storage,
                                    .source = source,
                                    .final = final,
                                    .temporary = temporary,
                                    .bytes =
                                        lb_shard_file_bytes(&to.job, &to.shard),
                                    .request = d->b->saver->room.request,
                                    .sync = d->b->w->checkpoint.fsync,
                                    .throttle = &d->throttle,
                                    .io = io,
                                    .tick = lb_crew_goes_on,
                                    .tick_arg = io};
  io->rng = (struct lb_rng){.key = to.job.id};
  io->metadata = to.shard.layout == LB_SHARD_PLAIN;
  int rc = lb_shard_copy(&one, err);
  io->metadata = false;
  return rc;
}

static int work(void *arg, int member, struct lb_iothread *io,
                struct lb_err *err)
{
  struct lb_drain *d = arg;
  struct lb_shard_ref ref;
  int rc = 0, a;
  bool is_virtual = d->b->w->derived.backend->is_virtual;
  d->end_ns[member] = 0;
  io->late_ns = is_virtual ? lb_clock_ns() - d->start_ns : 0;
  while (!rc && take(d, &ref, &a)) {
    rc = copy(d, &ref, a, io, err);
    d->end_ns[member] = lb_clock_ns() - (is_virtual ? io->late_ns : 0);
  }
  return rc;
}

bool lb_drain_begin(struct lb_drain *d, uint64_t start_ns)
{
  if (!d->crew)
    return false;
  d->next = (struct cursor){.stage = 0};
  d->start_ns = start_ns;
  lb_crew_start(d->crew, work, d, LB_PHASE_DRAIN);
  return true;
}

struct lb_crew *lb_drain_crew(const struct lb_drain *d)
{
  return d->crew;
}

uint64_t lb_drain_end_ns(const struct lb_drain *d)
{
  uint64_t end = 0;
  for (int64_t m = 0; m < d->b->w->checkpoint.burst_buffer.drain_threads; m++)
    end = d->end_ns[m] > end ? d->end_ns[m] : end;
  return end;
}

/* In proportion to what each rank has to copy, so that all end together. */
static double ns_per_byte(const struct lb_bench *b, uint64_t own)
{
  double limit = (double)b->w->checkpoint.burst_buffer.drain_bandwidth;
  return limit > 0 ? 1e9 * (double)b->saver->mark.bytes / (double)own / limit
                   : 0;
}

int lb_drain_new(struct lb_bench *b, struct lb_drain **out, struct lb_err *err)
{
  const struct lb_mark *m = &b->saver->mark;
  int64_t threads = b->w->checkpoint.burst_buffer.drain_threads;
  struct lb_drain *d = *out = calloc(1, sizeof *d);
  uint64_t own = 0;
  if (d)
    d->end_ns = calloc((size_t)threads, sizeof *d->end_ns);
  if (!d || !d->end_ns)
    return lb_err_set(err, LB_FAILED, "no memory for checkpoints");
  d->b = b;
  pthread_mutex_init(&d->lock, NULL);
  for (int a = 0; a < b->world->k; a++)
    own += lb_checkpoint_bytes(m->scheme, &m->model, b->world->first + a);
  if (own == 0)
    return 0;
  d->throttle.ns_per_byte = ns_per_byte(b, own);
  const struct lb_crew_config c = {
      .members = (int)threads,
      .buffer_bytes =
          b->w->derived.backend->is_virtual ? 0 : b->saver->room.request};
  return lb_crew_new(&d->crew, &c, err);
}

void lb_drain_free(struct lb_drain *d)
{
  if (!d)
    return;
  lb_crew_free(d->crew);
  pthread_mutex_destroy(&d->lock);
  free(d->end_ns);
  free(d);
}
