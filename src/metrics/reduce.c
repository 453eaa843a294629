/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From the recorders of all ranks to one summary on rank 0.  Rank 0 takes one
 * rank's bytes after another, so that its memory depends on epochs and
 * checkpoints, not on ranks or steps.  The one collective file of metrics. */
#include "lb-config.h"

#include "loadbank/summary.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "loadbank/buf.h"
#include "metrics/checkpoints.h"
#include "metrics/pack.h"
#include "metrics/record.h"
#include "metrics/stragglers.h"
#include "metrics/warn.h"

static const uint64_t magic = 0x6c626d6574723031; /* layout of the bytes */
static const size_t max_bytes = (size_t)1 << 30;

struct counts {
  uint64_t magic, n_epochs, n_checkpoints;
  uint64_t steps_lost, details_lost, epochs_lost, checkpoints_lost;
  int64_t batch[LB_N_SETS];
  int64_t node, first, k; /* whose accelerators */
};

static void pack_set(struct lb_buf *b, const struct lb_set_record *t)
{
  lb_buf_add(b, t, offsetof(struct lb_set_record, time));
  for (int i = 0; i < LB_N_TIMES; i++)
    lb_pack_histogram(b, &t->time[i]);
}

static void pack_rank(struct lb_buf *b, const struct lb_metrics *m,
                      const struct lb_world *w, const struct lb_rank_cost *cost)
{
  struct counts n = {.magic = magic, .node = w->node};
  if (m) {
    n.first = m->c.first;
    n.k = m->c.k;
    n.n_epochs = m->n_epochs;
    n.n_checkpoints = m->n_checkpoints;
    n.steps_lost = m->spool ? lb_spool_lost(m->spool) : 0;
    n.details_lost = m->details_lost;
    n.epochs_lost = m->epochs_lost;
    n.checkpoints_lost = m->checkpoints_lost;
    memcpy(n.batch, m->c.batch, sizeof n.batch);
  }
  lb_buf_add(b, &n, sizeof n);
  struct lb_rank_cost plain = *cost;
  plain.io = NULL;
  lb_buf_add(b, &plain, sizeof plain);
  lb_pack_iostats(b, cost->io);
  if (!m)
    return;
  for (int set = 0; set < LB_N_SETS; set++)
    pack_set(b, &m->total[set]);
  lb_buf_add(b, m->epoch, m->n_epochs * sizeof *m->epoch);
  lb_checkpoints_pack(b, m);
  for (int a = 0; a < m->c.k; a++)
    lb_buf_add(b, &m->acc[a].behind, sizeof m->acc[a].behind);
}

/* ---- rank 0 ---- */

/* Sums while they are made; becomes a lb_summary at the end. */
struct sums {
  struct lb_summary *s;
  const struct lb_world *w;
  bool recorded; /* someone has a recorder */
  struct lb_epoch_record *epoch;
  size_t n_epochs;
  struct lb_set_record total[LB_N_SETS];
  struct lb_checkpoint_sums checkpoints;
  struct lb_straggler *node; /* w->n_nodes */
  uint64_t epochs_lost;
};

static void add_cost(struct lb_rank_cost *to, const struct lb_rank_cost *c)
{
#define ADD(f) to->f += c->f
#define MOST(f) to->f = c->f > to->f ? c->f : to->f
  for (int set = 0; set < LB_N_SETS; set++) {
    ADD(payload_bytes[set]);
    ADD(samples_read[set]);
  }
  const struct lb_process_usage nothing = {0};
  for (int p = 0; p < LB_N_PHASES; p++) {
    lb_process_usage_add(&to->phase[p].used, &c->phase[p].used, &nothing);
    MOST(phase[p].wall_ns);
  }
  MOST(wall_ns);
  ADD(cpu_ns);
  ADD(reader_cpu_ns);
  ADD(reader_delay_ns);
  ADD(reader_lock_ns);
  ADD(verify_ns);
  ADD(verified_samples);
  ADD(verified_bytes);
  ADD(preprocess_ns);
  ADD(conductor_cpu_ns);
  ADD(conductor_delay_ns);
  MOST(gates);
  ADD(gate_kept);
  ADD(gate_late_ns);
  ADD(gate_others_ns);
  MOST(gate_skew_ns);
  ADD(gate_spin_ns);
  MOST(gate_tail_ns);
  MOST(max_rss_bytes);
  ADD(generated_files);
  ADD(generated_bytes);
  MOST(generate_ns);
#undef ADD
#undef MOST
}

static void add_epoch(struct lb_epoch_record *to,
                      const struct lb_epoch_record *e)
{
  if (e->steps > to->steps)
    to->steps = e->steps;
  if (e->windowless > to->windowless)
    to->windowless = e->windowless;
  to->all_steps += e->all_steps;
  to->accelerators += e->accelerators;
  to->with_window += e->with_window;
  to->with_rate += e->with_rate;
  to->au += e->au;
  to->nominal += e->nominal;
  to->samples_per_s += e->samples_per_s;
  to->au_min = fmin(to->au_min, e->au_min);
  to->au_max = fmax(to->au_max, e->au_max);
  to->seconds = fmax(to->seconds, e->seconds);
  if (e->duration_ns > to->duration_ns)
    to->duration_ns = e->duration_ns;
}

static int take_epochs(struct sums *t, struct lb_unpack *u, size_t n)
{
  for (size_t i = 0; i < n; i++) {
    struct lb_epoch_record e;
    lb_unpack(u, &e, sizeof e);
    if (u->bad)
      return 0;
    size_t at = i < t->n_epochs ? i : 0;
    if (!(i < t->n_epochs && t->epoch[i].set == e.set &&
          t->epoch[i].epoch == e.epoch))
      for (at = 0; at < t->n_epochs && !(t->epoch[at].set == e.set &&
                                         t->epoch[at].epoch == e.epoch);
           at++)
        ;
    if (at < t->n_epochs) {
      add_epoch(&t->epoch[at], &e);
      continue;
    }
    void *more = realloc(t->epoch, (t->n_epochs + 1) * sizeof e);
    if (!more)
      return -1;
    t->epoch = more;
    t->epoch[t->n_epochs++] = e;
  }
  return 0;
}

static int take_checkpoints(struct sums *t, struct lb_unpack *u,
                            const struct counts *c, int rank)
{
  const struct lb_checkpoint_source from = {.rank = rank,
                                            .node = (int)c->node,
                                            .first = c->first,
                                            .k = c->k,
                                            .n = c->n_checkpoints};
  t->checkpoints.n_accelerators = (size_t)t->w->accelerators;
  return lb_checkpoints_take(&t->checkpoints, t->s, u, &from);
}

static void take_stragglers(struct sums *t, struct lb_unpack *u,
                            const struct counts *c,
                            const struct lb_rank_cost *cost, int rank)
{
  struct lb_stragglers *lists = t->s->stragglers;
  int node = c->node >= 0 && c->node < t->w->n_nodes ? (int)c->node : 0;
  struct lb_straggler whole = {.accelerator = -1, .rank = rank, .node = node};
  for (int64_t a = 0; a < c->k && !u->bad; a++) {
    struct lb_straggling got;
    lb_unpack(u, &got, sizeof got);
    struct lb_straggler one = {.accelerator = (int)(c->first + a),
                               .rank = rank,
                               .node = node,
                               .last = got.last,
                               .alone_s = (double)got.alone_ns / 1e9,
                               .load_s = (double)got.load_ns / 1e9,
                               .gate_s = (double)got.gate_ns / 1e9};
    lb_stragglers_try(&lists[LB_LEVEL_ACCELERATOR], &one);
    lb_straggler_add(&whole, &one);
  }
  lb_stragglers_try(&lists[LB_LEVEL_RANK], &whole);
  lb_straggler_add(&t->node[node], &whole);
  t->node[node].others_s += (double)cost->gate_others_ns / 1e9;
}

static void finish_nodes(struct sums *t)
{
  for (int node = 0; node < t->w->n_nodes; node++) {
    t->node[node].accelerator = t->node[node].rank = -1;
    t->node[node].node = node;
    lb_stragglers_try(&t->s->stragglers[LB_LEVEL_NODE], &t->node[node]);
  }
}

static void take_set(struct lb_set_record *to, struct lb_unpack *u)
{
  struct lb_set_record got;
  lb_unpack(u, &got, offsetof(struct lb_set_record, time));
  to->steps += got.steps;
  to->window_s += got.window_s;
  to->load_s += got.load_s;
  to->last_load_s += got.last_load_s;
  to->gate_s += got.gate_s;
  to->compute_s += got.compute_s;
  to->late_s += got.late_s;
  to->held_s += got.held_s;
  to->clipped += got.clipped;
  for (int i = 0; i < LB_N_STALLS; i++)
    to->stalled[i] += got.stalled[i];
  for (int i = 0; i < LB_N_TIMES; i++)
    lb_unpack_histogram(u, &to->time[i]);
}

static int take_rank(void *arg, int rank, const void *bytes, size_t n,
                     struct lb_err *err)
{
  struct sums *t = arg;
  struct lb_summary *s = t->s;
  struct lb_unpack u = {.p = bytes, .left = n};
  struct counts c;
  lb_unpack(&u, &c, sizeof c);
  if (c.magic != magic)
    return lb_err_set(err, LB_FAILED,
                      "metrics of rank %d are missing or come from another "
                      "version of loadbank",
                      rank);
  struct lb_rank_cost cost;
  lb_unpack(&u, &cost, sizeof cost);
  add_cost(&s->cost, &cost);
  lb_unpack_iostats(&u, &s->io);
  s->steps_lost += c.steps_lost;
  s->details_lost += c.details_lost;
  s->checkpoints_lost += c.checkpoints_lost;
  t->epochs_lost += c.epochs_lost;
  int rc = 0;
  if (u.left > 0) { /* it has a recorder */
    if (!t->recorded)
      memcpy(s->batch, c.batch, sizeof s->batch);
    t->recorded = true;
    for (int set = 0; set < LB_N_SETS; set++)
      take_set(&t->total[set], &u);
    rc = take_epochs(t, &u, c.n_epochs);
    if (!rc)
      rc = take_checkpoints(t, &u, &c, rank);
    if (!rc)
      take_stragglers(t, &u, &c, &cost, rank);
  }
  if (rc)
    return lb_err_set(err, LB_FAILED, "no memory for the metrics");
  if (u.bad || u.left)
    return lb_err_set(err, LB_FAILED,
                      "metrics of rank %d: %zu bytes left, "
                      "%s",
                      rank, u.left, u.bad ? "too short" : "too long");
  return 0;
}

static struct lb_epoch_summary epoch_summary(const struct lb_epoch_record *e,
                                             const struct sums *t)
{
  double n = (double)e->with_window;
  bool all = e->accelerators == t->w->accelerators;
  bool au = all && e->with_window == e->accelerators;
  bool rate = all && e->with_rate == e->accelerators;
  double samples = (double)e->all_steps * (double)t->s->batch[e->set];
  return (struct lb_epoch_summary){
      .epoch = e->epoch,
      .steps = e->steps,
      .blocks = e->blocks,
      .windowless = e->windowless,
      .accelerators = (int)e->accelerators,
      .au = au ? e->au / n : NAN,
      .nominal_au = au ? e->nominal / n : NAN,
      .au_min = au ? e->au_min : NAN,
      .au_max = au ? e->au_max : NAN,
      .samples_per_s = rate ? e->samples_per_s : NAN,
      .wall_samples_per_s = all && e->seconds > 0 ? samples / e->seconds : NAN,
      .seconds = e->seconds,
      .start_utc_ns = e->start_utc_ns,
      .end_utc_ns = e->start_utc_ns + e->duration_ns,
  };
}

/* Mean and deviation over epochs of the double at `offset' of each. */
static void over_epochs(const struct lb_set_summary *set, size_t offset,
                        double *v, double *mean, double *stdev)
{
  for (size_t i = 0; i < set->n_epochs; i++)
    memcpy(&v[i], (const char *)&set->epoch[i] + offset, sizeof v[i]);
  lb_mean_stdev(v, set->n_epochs, mean, stdev);
}

static int finish_set(struct sums *t, int which, double *v)
{
  struct lb_set_summary *set = &t->s->set[which];
  const struct lb_set_record *r = &t->total[which];
  size_t n = 0;
  for (size_t i = 0; i < t->n_epochs; i++)
    n += t->epoch[i].set == which;
  set->epoch = n ? calloc(n, sizeof *set->epoch) : NULL;
  if (n && !set->epoch)
    return -1;
  set->n_epochs = 0;
  for (size_t i = 0; i < t->n_epochs; i++)
    if (t->epoch[i].set == which)
      set->epoch[set->n_epochs++] = epoch_summary(&t->epoch[i], t);
  set->steps = r->steps;
  set->samples = r->steps * t->s->batch[which];
  set->window_s = r->window_s;
  set->load_s = r->load_s;
  set->last_load_s = r->last_load_s;
  set->gate_s = r->gate_s;
  set->compute_s = r->compute_s;
  set->late_s = r->late_s;
  set->held_s = r->held_s;
  set->clipped = r->clipped;
  memcpy(set->stalled, r->stalled, sizeof set->stalled);
  memcpy(set->time, r->time, sizeof set->time);
#define OVER(field, mean, stdev)                                            \
  over_epochs(set, offsetof(struct lb_epoch_summary, field), v, &set->mean, \
              &set->stdev)
  OVER(au, au, au_stdev);
  OVER(nominal_au, nominal_au, nominal_au_stdev);
  OVER(samples_per_s, samples_per_s, samples_per_s_stdev);
#undef OVER
  return 0;
}

static double phase_s(const struct lb_iostats *io, enum lb_phase phase)
{
  double ns = 0;
  for (int op = 0; op < LB_N_OPS; op++)
    if (io->cell[phase][op])
      ns += io->cell[phase][op]->ns.sum;
  return ns / 1e9;
}

/* Each gate waits for its last accelerator, and all wait with it: of several
 * nodes, each of which has one, the mean. */
static double waited_for_data(const struct lb_summary *s,
                              const struct lb_set_summary *set)
{
  double at_gates = set->last_load_s * s->accelerators / s->n_nodes;
  return at_gates > set->load_s ? at_gates : set->load_s;
}

/* Costs are of training and evaluation together; so is the time in calls. */
static void find_limit(struct lb_summary *s)
{
  const struct lb_rank_cost *c = &s->cost;
  struct lb_limit_input in = {
      .io_s = phase_s(&s->io, LB_PHASE_TRAIN) + phase_s(&s->io, LB_PHASE_EVAL),
      .reader_cpu_s = (double)c->reader_cpu_ns / 1e9,
      .reader_delay_s = (double)c->reader_delay_ns / 1e9,
      .reader_lock_s = (double)c->reader_lock_ns / 1e9,
      .preprocess_s = (double)c->preprocess_ns / 1e9,
  };
  int which = s->set[LB_SET_TRAIN].n_epochs ? LB_SET_TRAIN : LB_SET_EVAL;
  const struct lb_set_summary *set = &s->set[which];
  in.window_s = set->window_s;
  in.load_s = waited_for_data(s, set);
  in.late_s = set->late_s + (double)c->gate_skew_ns / 1e9 * s->accelerators;
  s->limit = lb_limited_by(&in);
}

static int finish(struct sums *t, struct lb_err *err)
{
  double *v = malloc((t->n_epochs + 1) * sizeof *v);
  int rc = v ? 0 : -1;
  for (int set = 0; set < LB_N_SETS && !rc; set++)
    rc = finish_set(t, set, v);
  free(v);
  if (rc)
    return lb_err_set(err, LB_FAILED, "no memory for the metrics");
  if (t->recorded)
    finish_nodes(t);
  lb_checkpoints_finish(&t->checkpoints, t->s);
  find_limit(t->s);
  lb_summary_warn(t->s, t->epochs_lost);
  return 0;
}

int lb_metrics_reduce(struct lb_metrics *m, const struct lb_world *w,
                      const struct lb_rank_cost *cost, double record_bytes,
                      struct lb_summary *s, struct lb_err *err)
{
  memset(s, 0, sizeof *s);
  lb_iostats_init(&s->io);
  s->accelerators = w->accelerators;
  s->n_ranks = w->n_ranks;
  s->n_nodes = w->n_nodes;
  s->n_hosts = w->n_hosts;
  s->record_bytes = record_bytes;
  struct sums t = {.s = s, .w = w};
  t.node = w->rank ? NULL : calloc((size_t)w->n_nodes, sizeof *t.node);
  for (int set = 0; set < LB_N_SETS; set++)
    for (int i = 0; i < LB_N_TIMES; i++)
      lb_histogram_init(&t.total[set].time[i]);
  struct lb_buf b;
  lb_buf_init(&b, max_bytes);
  /* All raw steps are in the file before the lost ones are counted.  A file
   * that failed costs steps.h5 only, whose writer tells why. */
  struct lb_err spool_err = LB_ERR_INIT;
  if (m && m->spool)
    lb_spool_finish(m->spool, &spool_err);
  pack_rank(&b, m, w, cost);
  if (b.failed || (w->rank == 0 && !t.node))
    lb_err_set(err, LB_FAILED, "no memory for the metrics");
  lb_world_collect(w, b.data, b.failed ? 0 : b.len, take_rank, &t, err);
  lb_buf_fini(&b);
  if (w->rank == 0 && !lb_err_is_set(err))
    finish(&t, err);
  free(t.epoch);
  free(t.node);
  free(t.checkpoints.shares);
  return lb_err_agree(w, err, NULL);
}

void lb_summary_fini(struct lb_summary *s)
{
  for (int set = 0; set < LB_N_SETS; set++)
    free(s->set[set].epoch);
  free(s->checkpoint);
  lb_iostats_fini(&s->io);
  memset(s, 0, sizeof *s);
}
