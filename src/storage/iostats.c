/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counts for each (phase, operation).  lb_iostats_add is the one place where
 * requests are counted; the two walkers (run.c, virtual.c) call it, so that a
 * backend cannot forget to. */
#include "lb-config.h"

#include "loadbank/iostats.h"

#include <stdlib.h>

const struct lb_phase_row lb_phases[LB_N_PHASES] = {
#define X(id, name, doc) [LB_PHASE_##id] = {name, doc},
    LB_PHASE_LIST(X)
#undef X
};

static const char *const stat_names[LB_N_STATS] = {
#define X(id, name) [LB_OP_##id] = (name),
    LB_OP_LIST(X)
#undef X
        [LB_STAT_HIT] = "read_hit",
    [LB_STAT_MISS] = "read_miss",
#define X(id, name) [LB_STAT_METADATA + LB_OP_##id] = name "_metadata",
    LB_OP_LIST(X)
#undef X
};

const char *lb_stat_name(int row)
{
  return stat_names[row];
}

void lb_iostats_init(struct lb_iostats *s)
{
  *s = (struct lb_iostats){.lost = 0};
  lb_pace_init(&s->pace);
}

void lb_iostats_fini(struct lb_iostats *s)
{
  for (int p = 0; p < LB_N_PHASES; p++)
    for (int op = 0; op < LB_N_STATS; op++)
      free(s->cell[p][op]);
  lb_pace_fini(&s->pace);
  *s = (struct lb_iostats){.lost = 0};
}

/* The cell, made at its first use; NULL: no memory. */
static struct lb_iostat *cell(struct lb_iostats *s, int phase, int op)
{
  struct lb_iostat **c = &s->cell[phase][op];
  if (!*c) {
    *c = calloc(1, sizeof **c);
    if (*c)
      lb_histogram_init(&(*c)->ns);
  }
  return *c;
}

void lb_iostats_add(struct lb_iostats *s, enum lb_phase phase, int row,
                    uint64_t ns, uint64_t bytes, bool failed)
{
  struct lb_iostat *c = cell(s, (int)phase, row);
  if (!c) {
    s->lost++;
    return;
  }
  c->errors += failed;
  c->bytes += bytes;
  lb_histogram_add(&c->ns, ns);
}

void lb_iostats_count(struct lb_iostats *s, const struct lb_done *d)
{
  enum lb_pace_kind kind = d->op == LB_OP_READ    ? LB_PACE_READ
                           : d->op == LB_OP_WRITE ? LB_PACE_WRITE
                                                  : LB_PACE_OTHER;
  lb_iostats_add(s, d->phase, (int)d->op, d->ns, d->bytes, d->failed);
  if (d->metadata)
    lb_iostats_add(s, d->phase, LB_STAT_METADATA + (int)d->op, d->ns, d->bytes,
                   d->failed);
  lb_pace_add(&s->pace, kind, d->end_ns, d->bytes);
}

void lb_iostats_add_reads(struct lb_iostats *s, enum lb_phase phase,
                          const struct lb_io *io, uint64_t start_ns,
                          const uint64_t *end_ns, size_t n)
{
  struct lb_iostat *c = cell(s, (int)phase, LB_OP_READ);
  s->lost += c ? 0 : n;
  for (size_t i = 0; i < n; i++) {
    if (c) {
      c->bytes += io[i].length;
      lb_histogram_add(&c->ns, end_ns[i] - start_ns);
    }
    lb_pace_add(&s->pace, LB_PACE_READ, end_ns[i], io[i].length);
    start_ns = end_ns[i];
  }
}

void lb_iostats_merge(struct lb_iostats *into, const struct lb_iostats *s)
{
  into->lost += s->lost;
  lb_pace_merge(&into->pace, &s->pace);
  for (int p = 0; p < LB_N_PHASES; p++)
    for (int op = 0; op < LB_N_STATS; op++) {
      const struct lb_iostat *from = s->cell[p][op];
      if (!from)
        continue;
      struct lb_iostat *c = cell(into, p, op);
      if (!c) {
        into->lost += from->ns.count;
        continue;
      }
      c->errors += from->errors;
      c->bytes += from->bytes;
      lb_histogram_merge(&c->ns, &from->ns);
    }
}
