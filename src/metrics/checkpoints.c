/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Saves and loads: what a rank records of one, and what all ranks' records add
 * up to.  No communication. */
#include "lb-config.h"

#include "metrics/checkpoints.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- of a rank ---- */

static double seconds(uint64_t ns)
{
  return (double)ns / 1e9;
}

static void add_share(struct lb_checkpoint_record *r, int64_t accelerator,
                      const struct lb_checkpoint_share *s)
{
  r->bytes += s->bytes;
  if (s->ns > r->duration_ns || (s->ns && r->slowest < 0)) {
    r->duration_ns = s->ns;
    r->slowest = accelerator;
    memcpy(r->part_ns, s->part_ns, sizeof r->part_ns);
  }
  if (!s->bytes)
    return;
  r->busy++;
  r->sum_s += seconds(s->ns);
  double rate = s->ns ? (double)s->bytes / seconds(s->ns) : NAN;
  if (isnan(rate))
    return;
  r->rate_sum += rate;
  r->rate_min = fmin(r->rate_min, rate);
  r->rate_max = fmax(r->rate_max, rate);
}

/* The checkpoints that all ranks keep shares of are the same. */
static void keep_shares(struct lb_metrics *m,
                        const struct lb_checkpoint_share *s)
{
  size_t n = m->n_checkpoints, k = (size_t)m->c.k;
  if (m->n_shares != n * k || n + 1 > LB_MAX_SHARES / (size_t)m->c.accelerators)
    return;
  if (m->n_shares + k > m->cap_shares) {
    size_t cap = 2 * (m->n_shares + k);
    void *more = realloc(m->shares, cap * sizeof *m->shares);
    if (!more)
      return;
    m->shares = more;
    m->cap_shares = cap;
  }
  for (size_t a = 0; a < k; a++)
    m->shares[m->n_shares++] = s[a].bytes ? (float)seconds(s[a].ns) : 0;
}

void lb_metrics_checkpoint(struct lb_metrics *m,
                           const struct lb_checkpoint_event *e)
{
  if (!lb_record_grow((void **)&m->checkpoint, m->n_checkpoints,
                      &m->cap_checkpoints, LB_MAX_CHECKPOINTS,
                      sizeof *m->checkpoint)) {
    m->checkpoints_lost++;
    return;
  }
  keep_shares(m, e->share);
  struct lb_checkpoint_record *r = &m->checkpoint[m->n_checkpoints++];
  *r = (struct lb_checkpoint_record){.load = e->load,
                                     .number = e->number,
                                     .epoch = e->epoch,
                                     .step = e->step,
                                     .start_utc_ns = lb_record_utc(e->start_ns),
                                     .size_bytes = e->size_bytes,
                                     .visible_ns = e->waited_ns + e->visible_ns,
                                     .waited_ns = e->waited_ns,
                                     .durable_ns = e->durable_ns,
                                     .background = e->background,
                                     .slowest = -1,
                                     .rate_min = NAN,
                                     .rate_max = NAN};
  for (int a = 0; a < m->c.k; a++)
    add_share(r, m->c.first + a, &e->share[a]);
  r->first_ns = e->share[0].ns;
  if (e->synced) /* each waited for all */
    r->first_ns = e->end_ns > e->start_ns ? e->end_ns - e->start_ns : 0;
}

void lb_checkpoints_pack(struct lb_buf *b, const struct lb_metrics *m)
{
  uint64_t kept = m->n_shares / (size_t)m->c.k;
  lb_buf_add(b, m->checkpoint, m->n_checkpoints * sizeof *m->checkpoint);
  lb_buf_add(b, &kept, sizeof kept);
  lb_buf_add(b, m->shares, m->n_shares * sizeof *m->shares);
}

/* ---- of all ---- */

static void add_record(struct lb_checkpoint_summary *to,
                       const struct lb_checkpoint_record *r,
                       const struct lb_checkpoint_source *from)
{
  to->bytes += r->bytes;
  to->busy += r->busy;
  to->mean_seconds += r->sum_s; /* sums until they are finished */
  to->rate_mean += r->rate_sum;
  to->rate_min = fmin(to->rate_min, r->rate_min);
  to->rate_max = fmax(to->rate_max, r->rate_max);
  to->visible_seconds = fmax(to->visible_seconds, seconds(r->visible_ns));
  to->waited_seconds = fmax(to->waited_seconds, seconds(r->waited_ns));
  to->durable_seconds = fmax(to->durable_seconds, seconds(r->durable_ns));
  if (r->slowest < 0 ||
      (to->straggler >= 0 && seconds(r->duration_ns) <= to->seconds))
    return;
  to->seconds = seconds(r->duration_ns);
  to->straggler = (int)r->slowest;
  to->rank = from->rank;
  to->node = from->node;
  for (int p = 0; p < LB_N_PARTS; p++)
    to->part_s[p] = seconds(r->part_ns[p]);
}

static int take_record(struct lb_summary *s, size_t i,
                       const struct lb_checkpoint_record *r,
                       const struct lb_checkpoint_source *from)
{
  if (i == s->n_checkpoints) {
    void *more = realloc(s->checkpoint, (i + 1) * sizeof *s->checkpoint);
    if (!more)
      return -1;
    s->checkpoint = more;
    s->checkpoint[s->n_checkpoints++] = (struct lb_checkpoint_summary){
        .load = r->load,
        .background = r->background,
        .number = r->number,
        .epoch = r->epoch,
        .step = r->step,
        .start_utc_ns = r->start_utc_ns,
        .size_bytes = r->size_bytes,
        .first_seconds = from->rank == 0 ? seconds(r->first_ns) : NAN,
        .straggler = -1,
        .rank = -1,
        .node = -1,
        .p99_seconds = NAN,
        .rate_min = NAN,
        .rate_max = NAN};
  }
  add_record(&s->checkpoint[i], r, from);
  return 0;
}

/* Its columns of the matrix; ranks that kept fewer rows shorten it. */
static int take_shares(struct lb_checkpoint_sums *t, struct lb_unpack *u,
                       const struct lb_checkpoint_source *from, bool begins)
{
  uint64_t kept;
  lb_unpack(u, &kept, sizeof kept);
  if (u->bad || kept > from->n || from->first < 0 ||
      (size_t)(from->first + from->k) > t->n_accelerators) {
    u->bad = true;
    return 0;
  }
  if (begins) {
    t->shares = calloc(kept * t->n_accelerators + 1, sizeof *t->shares);
    t->n = kept;
    if (!t->shares)
      return -1;
  }
  t->n = kept < t->n ? kept : t->n;
  for (size_t i = 0; i < kept; i++)
    for (int64_t a = 0; a < from->k; a++) {
      float v;
      lb_unpack(u, &v, sizeof v);
      if (i < t->n)
        t->shares[i * t->n_accelerators + (size_t)(from->first + a)] = v;
    }
  return 0;
}

int lb_checkpoints_take(struct lb_checkpoint_sums *t, struct lb_summary *s,
                        struct lb_unpack *u,
                        const struct lb_checkpoint_source *from)
{
  bool begins = !t->shares;
  for (size_t i = 0; i < from->n; i++) {
    struct lb_checkpoint_record r;
    lb_unpack(u, &r, sizeof r);
    if (u->bad)
      return 0;
    if (take_record(s, i, &r, from))
      return -1;
  }
  return take_shares(t, u, from, begins);
}

static int by_value(const void *a, const void *b)
{
  float x = *(const float *)a, y = *(const float *)b;
  return x < y ? -1 : x > y;
}

/* The least value that at least 99 of 100 do not exceed, of those above 0.
 * Sorts them. */
static double p99(float *v, size_t n)
{
  qsort(v, n, sizeof *v, by_value);
  size_t none = 0;
  while (none < n && !(v[none] > 0))
    none++;
  size_t busy = n - none;
  return busy ? (double)v[none + (99 * busy + 99) / 100 - 1] : NAN;
}

void lb_checkpoints_finish(struct lb_checkpoint_sums *t, struct lb_summary *s)
{
  for (size_t i = 0; i < s->n_checkpoints; i++) {
    struct lb_checkpoint_summary *c = &s->checkpoint[i];
    double n = (double)c->busy;
    c->mean_seconds = n > 0 ? c->mean_seconds / n : NAN;
    c->rate_mean = n > 0 && !isnan(c->rate_min) ? c->rate_mean / n : NAN;
    if (i < t->n)
      c->p99_seconds =
          p99(t->shares + i * t->n_accelerators, t->n_accelerators);
  }
  free(t->shares);
  t->shares = NULL;
}
