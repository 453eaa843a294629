/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Warnings about a summary's numbers, and pass or fail. */
#include "lb-config.h"

#include "metrics/warn.h"

#include <inttypes.h>
#include <math.h>

#include "loadbank/log.h"
#include "loadbank/units.h"

/* Points of AU by which measured and requested compute may differ. */
static const double max_difference = 1.0;

static void warn_windows(const struct lb_summary *s, int which)
{
  const struct lb_set_summary *set = &s->set[which];
  int64_t blocks = 0, windowless = 0;
  size_t partial = 0;
  for (size_t i = 0; i < set->n_epochs; i++) {
    blocks += set->epoch[i].blocks;
    windowless += set->epoch[i].windowless;
    partial += set->epoch[i].accelerators != s->accelerators;
  }
  /* A run that ended before its first step has said why. */
  if (set->n_epochs && set->steps && isnan(set->au))
    lb_warn("%s: no block has a metric window (its steps are all excluded by "
            "output.metric.exclude_start_steps and exclude_end_steps): AU is "
            "unknown, which counts as fail",
            lb_sets[which].doc);
  else if (windowless)
    lb_warn("%s: %" PRId64 " of %" PRId64
            " block%s without a metric window (too "
            "few steps), which count%s neither for AU nor for throughput",
            lb_sets[which].doc, windowless, blocks, lb_plural(blocks),
            windowless == 1 ? "s" : "");
  if (partial)
    lb_warn("%s: %zu epoch%s without the figures of some accelerators, which "
            "count as unknown",
            lb_sets[which].doc, partial, lb_plural((int64_t)partial));
}

static void warn_nominal(const struct lb_summary *s, int which)
{
  const struct lb_set_summary *set = &s->set[which];
  if (fabs(set->au - set->nominal_au) > max_difference)
    lb_warn("%s: AU %.2f %% and nominal AU %.2f %% differ by more than %.0f "
            "point: the emulated compute did not take the time that was asked "
            "for, so AU says little",
            lb_sets[which].doc, set->au, set->nominal_au, max_difference);
}

/* Below this share of the time the window is no picture of the run. */
static const double small_window = 0.5;

static void warn_small_window(const struct lb_summary *s, int which)
{
  const struct lb_set_summary *set = &s->set[which];
  double all = 0;
  for (size_t i = 0; i < set->n_epochs; i++)
    all += set->epoch[i].seconds * s->accelerators;
  if (set->window_s > 0 && set->window_s < small_window * all)
    lb_warn("%s: the metric window is only %.0f %% of the time: the steps that "
            "it excludes (output.metric.exclude_start_steps) took the rest, so "
            "AU and throughput say little about the storage; see the "
            "throughput by the wall clock, and let an epoch have more steps",
            lb_sets[which].doc, 100 * set->window_s / all);
}

/* Above this share of T a hold-up is worth a line. */
static const double small_share = 0.01;

static void warn_stalls(const struct lb_set_summary *set, const char *name)
{
  uint64_t steps = 0;
  for (int i = LB_STALL_NONE + 1; i < LB_N_STALLS; i++)
    steps += set->stalled[i];
  if (set->held_s > small_share * set->window_s)
    lb_warn("%s: processes of this job were held up in %" PRIu64 " of %" PRId64
            " step%s, by %.3g s over all accelerators (steps.h5 "
            "marks them)",
            name, steps, set->steps, lb_plural(set->steps), set->held_s);
  if (set->clipped)
    lb_warn("%s: %" PRIu64 " block%s came out above 100 %% AU, taken "
            "as 100: please report this",
            name, set->clipped, lb_plural((int64_t)set->clipped));
}

void lb_summary_warn(const struct lb_summary *s, uint64_t epochs_lost)
{
  for (int which = 0; which < LB_N_SETS; which++) {
    warn_windows(s, which);
    warn_nominal(s, which);
    warn_small_window(s, which);
  }
  for (int which = 0; which < LB_N_SETS; which++)
    warn_stalls(&s->set[which], lb_sets[which].doc);
  if (s->limit.by == LB_LIMIT_CLIENT)
    lb_warn("this run was limited by the client, not by the storage: its "
            "figures say little about the storage");
  if (s->steps_lost)
    lb_warn("%" PRIu64 " step record%s did not get to steps.h5 "
            "(other figures are not touched)",
            s->steps_lost, lb_plural((int64_t)s->steps_lost));
  if (s->details_lost)
    lb_warn("the files of single accelerators lack %" PRIu64 " block%s (more "
            "than are kept)",
            s->details_lost, lb_plural((int64_t)s->details_lost));
  if (epochs_lost || s->checkpoints_lost)
    lb_warn("the results lack %" PRIu64 " epoch%s and %" PRIu64
            " checkpoint%s (more than are kept)",
            epochs_lost, lb_plural((int64_t)epochs_lost), s->checkpoints_lost,
            lb_plural((int64_t)s->checkpoints_lost));
}

bool lb_summary_meets(const struct lb_summary *s, enum lb_set set,
                      double threshold)
{
  /* A threshold of 0.9 is not exactly 90 %: a rounding error must not fail. */
  return s->set[set].au >= 100 * threshold - 1e-9;
}
