/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What of a save goes on beside training: the writing (checkpoint.async), the
 * copying from a burst buffer, and each time the mark.  One thing after the
 * other, in laps: that all ranks have ended one is known at a gate, to all at
 * the same, and there the next one begins.  The threads work; the main thread
 * only looks, at gates, and waits when the next save or the end comes. */
#include "lb-config.h"

#include <inttypes.h>
#include <stdlib.h>

#include "background.h"
#include "loadbank/clock.h"
#include "loadbank/log.h"

/* How often the main thread looks whether the run goes on. */
static const uint64_t between_ns = LB_NS_PER_S / 10;

enum lap_kind { WRITE, MARK, DRAIN };

struct lap {
  enum lap_kind kind;
  int n; /* WRITE: the stage; MARK: the tier */
};

struct lb_background {
  struct lb_bench *b;
  bool open;    /* a save is to be settled */
  bool active;  /* not all of its laps are done */
  int lap;      /* the one that runs, of this save */
  bool running; /* on this rank */
  int begun;    /* laps of the whole run so far, the same on all ranks ... */
  int done;     /* ... and what this rank has ended of them */
  uint64_t start_ns;      /* of the lap: the stamp of the gate before it */
  uint64_t settled_ns;    /* stamp of the last gate that was met for laps */
  struct lb_drain *drain; /* NULL: there is one tier */
  struct lb_crew *clerk;  /* rank 0: the thread that writes marks */
  uint64_t clerk_part_ns[LB_N_PARTS], clerk_ns, clerk_end_ns;
};

/* ---- which laps there are ---- */

static int laps_that_write(const struct lb_bench *b)
{
  return b->w->checkpoint.async ? b->saver->mark.scheme->stages : 0;
}

static int laps(const struct lb_bench *b)
{
  int writes = laps_that_write(b);
  return writes + (writes > 0) + (b->saver->tiers > 1 ? 2 : 0);
}

static struct lap lap_of(const struct lb_bench *b, int i)
{
  int writes = laps_that_write(b);
  if (i < writes)
    return (struct lap){WRITE, i};
  if (writes && i == writes)
    return (struct lap){MARK, 0};
  return i == laps(b) - 1 ? (struct lap){MARK, 1} : (struct lap){DRAIN, 0};
}

/* ---- what a lap is; begin: false, this rank has no part in it ---- */

static void reach(struct lb_bench_save *s, uint64_t end_ns)
{
  uint64_t ns = end_ns > s->zero_ns ? end_ns - s->zero_ns : 0;
  s->durable_ns = ns > s->durable_ns ? ns : s->durable_ns;
}

static bool begin_writing(struct lb_background *g, int stage)
{
  struct lb_bench_saver *v = g->b->saver;
  const struct lb_bench_stage s = {.tier = &v->tier[0],
                                   .mark = &v->save.mark,
                                   .folder = v->save.at[0].folder,
                                   .stage = stage,
                                   .start_ns = g->start_ns,
                                   .zero_ns = v->save.zero_ns};
  return lb_bench_stage_begin(g->b, &s);
}

static struct lb_crew *writers(const struct lb_background *g)
{
  return g->b->saver->crew;
}

static int end_writing(struct lb_background *g, struct lb_err *err)
{
  struct lb_bench_saver *v = g->b->saver;
  int rc = lb_bench_stage_end(g->b, err);
  for (int a = 0; a < g->b->world->k; a++)
    reach(&v->save, v->save.zero_ns + v->share[a].ns);
  v->save.written_ns = v->save.durable_ns;
  return rc;
}

static int mark_work(void *arg, int member, struct lb_iothread *io,
                     struct lb_err *err)
{
  struct lb_background *g = arg;
  int tier = lap_of(g->b, g->lap).n;
  (void)member;
  int rc =
      lb_bench_make_whole(g->b, tier, io, g->clerk_part_ns, &g->clerk_ns, err);
  g->clerk_end_ns = lb_clock_ns();
  return rc;
}

/* Virtual storage has none. */
static bool begin_mark(struct lb_background *g, int tier)
{
  if (!g->clerk || g->b->w->derived.backend->is_virtual)
    return false;
  for (int p = 0; p < LB_N_PARTS; p++)
    g->clerk_part_ns[p] = 0;
  lb_crew_start(g->clerk, mark_work, g, tier ? LB_PHASE_DRAIN : LB_PHASE_SAVE);
  return true;
}

static struct lb_crew *clerk(const struct lb_background *g)
{
  return g->clerk;
}

static int end_mark(struct lb_background *g, struct lb_err *err)
{
  struct lb_bench_save *s = &g->b->saver->save;
  struct lb_checkpoint_share *first = &g->b->saver->share[0];
  if (lb_crew_result(g->clerk, err))
    return -err->code;
  reach(s, g->clerk_end_ns);
  if (lap_of(g->b, g->lap).n > 0 || !g->clerk_ns)
    return 0;
  /* The name is on accelerator 0's time. */
  for (int p = 0; p < LB_N_PARTS; p++)
    first->part_ns[p] += g->clerk_part_ns[p];
  first->ns = s->written_ns = s->durable_ns;
  return 0;
}

static bool begin_drain(struct lb_background *g, int n)
{
  (void)n;
  return lb_drain_begin(g->drain, g->start_ns);
}

static struct lb_crew *drainers(const struct lb_background *g)
{
  return lb_drain_crew(g->drain);
}

static int end_drain(struct lb_background *g, struct lb_err *err)
{
  int rc = lb_crew_result(drainers(g), err);
  reach(&g->b->saver->save, lb_drain_end_ns(g->drain));
  return rc;
}

static const struct {
  bool (*begin)(struct lb_background *g, int n);
  struct lb_crew *(*crew)(const struct lb_background *g);
  int (*end)(struct lb_background *g, struct lb_err *err);
} kinds[] = {
    [WRITE] = {begin_writing, writers, end_writing},
    [MARK] = {begin_mark, clerk, end_mark},
    [DRAIN] = {begin_drain, drainers, end_drain},
};

/* ---- from lap to lap ---- */

static void count_done(struct lb_background *g)
{
  g->running = false;
  g->done++;
  lb_gate_laps(g->b->gate, g->done);
}

static void begin_lap(struct lb_background *g, uint64_t start_ns)
{
  const struct lap lap = lap_of(g->b, g->lap);
  g->begun++;
  g->start_ns = start_ns;
  g->running = kinds[lap.kind].begin(g, lap.n);
  if (!g->running)
    count_done(g);
}

/* Has this rank's part ended by then?  One that failed stops the run. */
static bool look(struct lb_background *g, uint64_t until_ns)
{
  struct lb_err mine = LB_ERR_INIT;
  const struct lap lap = lap_of(g->b, g->lap);
  if (!g->running)
    return true;
  if (!lb_crew_wait(kinds[lap.kind].crew(g), until_ns))
    return false;
  if (!kinds[lap.kind].end(g, &mine)) {
    count_done(g);
    return true;
  }
  g->running = false;
  if (!lb_err_gave_up(&mine))
    lb_bench_fail(g->b, &mine);
  return true;
}

/* All ranks have ended the lap: what is whole stays so, even if the run stops
 * here. */
static void next_lap(struct lb_background *g, const struct lb_release *r)
{
  const struct lap lap = lap_of(g->b, g->lap);
  const struct lb_bench_save *s = &g->b->saver->save;
  if (lap.kind == MARK) {
    g->b->saver->save.at[lap.n].whole = true;
    if (g->b->world->rank == 0)
      lb_info("checkpoint %" PRId64 " %s: %s", s->mark.number,
              lap.n ? "is in its place" : "saved", s->at[lap.n].final);
  }
  g->active = r->stop == LB_STOP_NONE && ++g->lap < laps(g->b);
  if (g->active)
    begin_lap(g, r->ns);
}

void lb_background_passed(void *arg, const struct lb_release *r)
{
  struct lb_bench *b = arg;
  struct lb_background *g = b->saver ? b->saver->background : NULL;
  if (!g || !g->active)
    return;
  if (r->laps == g->begun)
    next_lap(g, r);
  if (g->active)
    look(g, 0);
}

void lb_background_begin(struct lb_bench *b, uint64_t start_ns)
{
  struct lb_background *g = b->saver->background;
  g->open = g->active = true;
  g->lap = 0;
  begin_lap(g, start_ns);
}

/* ---- waiting for its end ---- */

static void give_up(struct lb_background *g)
{
  if (!g->running)
    return;
  struct lb_crew *crew = kinds[lap_of(g->b, g->lap).kind].crew(g);
  lb_crew_give_up(crew);
  while (!look(g, lb_clock_ns() + between_ns))
    lb_gate_watch(g->b->gate);
}

static void wait_for_lap(struct lb_background *g)
{
  const struct lap lap = lap_of(g->b, g->lap);
  while (!look(g, lb_clock_ns() + between_ns))
    if (lb_bench_look_round(g->b))
      lb_bench_progress_checkpoint(g->b, lap.kind == DRAIN ? "drain" : "save",
                                   kinds[lap.kind].crew(g));
    else
      give_up(g);
}

void lb_background_settle(struct lb_bench *b)
{
  struct lb_background *g = b->saver ? b->saver->background : NULL;
  struct lb_release r = {.stop = b->stop};
  while (g && g->active && r.stop == LB_STOP_NONE) {
    wait_for_lap(g);
    r = lb_gate_meet(b->gate);
    lb_background_passed(b, &r);
    g->settled_ns = r.ns;
  }
  if (r.stop != b->stop)
    lb_bench_stopped(b, r.stop);
}

int lb_background_finish(struct lb_bench *b, uint64_t *end_ns,
                         struct lb_err *err)
{
  struct lb_background *g = b->saver ? b->saver->background : NULL;
  if (!g || !g->open)
    return 0;
  lb_background_settle(b);
  struct lb_release r = {.stop = b->stop};
  if (g->settled_ns > *end_ns)
    *end_ns = g->settled_ns;
  give_up(g);
  g->open = g->active = false;
  lb_bench_save_over(b, r.stop);
  if (r.stop == LB_STOP_NONE)
    r = lb_gate_meet(b->gate); /* older ones could perhaps not be removed */
  lb_bench_stopped(b, r.stop);
  if (r.stop == LB_STOP_FAILED && !lb_err_is_set(err))
    lb_gate_reason(b->gate, err);
  return r.stop == LB_STOP_FAILED ? -err->code : 0;
}

/* ---- */

int lb_background_new(struct lb_bench *b, struct lb_err *err)
{
  struct lb_bench_saver *v = b->saver;
  const struct lb_crew_config one = {.members = 1};
  if (b->plan.checkpoints.count <= 0 ||
      (!b->w->checkpoint.async && v->tiers == 1))
    return 0;
  struct lb_background *g = v->background = calloc(1, sizeof *g);
  if (!g)
    return lb_err_set(err, LB_FAILED, "no memory for checkpoints");
  g->b = b;
  int rc = v->tiers > 1 ? lb_drain_new(b, &g->drain, err) : 0;
  if (!rc && b->world->rank == 0)
    rc = lb_crew_new(&g->clerk, &one, err);
  return rc;
}

void lb_background_free(struct lb_bench *b)
{
  struct lb_background *g = b->saver->background;
  if (!g)
    return;
  lb_drain_free(g->drain);
  lb_crew_free(g->clerk);
  free(g);
  b->saver->background = NULL;
}

void lb_background_stats(const struct lb_bench *b, struct lb_iostats *into)
{
  const struct lb_background *g = b->saver->background;
  if (g && g->clerk)
    lb_crew_stats(g->clerk, into);
  if (g && g->drain && lb_drain_crew(g->drain))
    lb_crew_stats(lb_drain_crew(g->drain), into);
}
