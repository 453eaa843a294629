/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a user should know about a plan before it is carried out: one rule a
 * function, one row a rule. */
#include "lb-config.h"

#include "loadbank/plan.h"
#include "loadbank/units.h"

#include <inttypes.h>
#include <stdio.h>

/* Writes the warning, or leaves `text' empty. */
typedef void lb_plan_rule(const struct lb_plan *p, char *text, size_t size);

static void dropped(const struct lb_plan *p, enum lb_set which,
                    const char *what, char *text, size_t size)
{
  const struct lb_plan_set *s = &p->set[which];
  if (s->read && s->steps > 0 && s->dropped > 0)
    snprintf(text, size,
             "%s: the last %" PRId64 " of %" PRId64
             " samples of an epoch %s dropped: %" PRId64
             " step%s x batch %" PRId64 " x %d accelerator%s = %" PRId64,
             what, s->dropped, s->samples, lb_are(s->dropped), s->steps,
             lb_plural(s->steps), s->batch, p->accelerators,
             lb_plural(p->accelerators), s->samples - s->dropped);
}

static void train_dropped(const struct lb_plan *p, char *text, size_t size)
{
  dropped(p, LB_SET_TRAIN, "train", text, size);
}

static void eval_dropped(const struct lb_plan *p, char *text, size_t size)
{
  dropped(p, LB_SET_EVAL, "evaluation", text, size);
}

static void eval_empty(const struct lb_plan *p, char *text, size_t size)
{
  const struct lb_plan_set *s = &p->set[LB_SET_EVAL];
  if (p->train && p->eval_asked && s->steps == 0)
    snprintf(text, size,
             "evaluation has no step and is left out: %" PRId64
             " file%s x %" PRId64 " sample%s = %" PRId64
             " %s fewer than batch %" PRId64 " x %d accelerator%s = %" PRId64,
             s->files, lb_plural(s->files), s->samples_per_file,
             lb_plural(s->samples_per_file), s->samples, lb_are(s->samples),
             s->batch, p->accelerators, lb_plural(p->accelerators),
             s->batch * p->accelerators);
}

/* DLIO applies the limit to each epoch. */
static void limit(const struct lb_plan *p, char *text, size_t size)
{
  int64_t n = p->set[LB_SET_TRAIN].steps, l = p->total_steps;
  if (p->train && l > 0 && p->epochs_asked > 1 && l < n * p->epochs_asked)
    snprintf(text, size,
             "train.total_training_steps ends the run after %" PRId64
             " step%s; DLIO caps each of the %" PRId64
             " epochs instead and would make %" PRId64,
             l, lb_plural(l), p->epochs_asked,
             (l < n ? l : n) * p->epochs_asked);
}

static void no_evaluation(const struct lb_plan *p, char *text, size_t size)
{
  if (p->eval_asked && !p->train)
    snprintf(text, size,
             "evaluation follows epochs of training; workflow.train is off, "
             "so there is none");
  else if (p->eval && p->evals == 0)
    snprintf(text, size,
             "no evaluation is due: the first is after epoch %" PRId64
             ", the run has %" PRId64,
             p->eval_after_epoch, lb_plan_epochs(p));
}

static void no_checkpoint(const struct lb_plan *p, char *text, size_t size)
{
  bool counted = p->checkpoints.count > 0 || p->checkpoints.reads > 0;
  if (p->checkpoint_asked && !p->train && p->generate_asked && !counted)
    snprintf(text, size,
             "checkpoints are saved during training; workflow.train is off, "
             "and checkpoint.num_checkpoints_write or num_checkpoints_read "
             "does not ask for any, so there is none");
  if (!p->checkpoint || p->checkpoints.count > 0)
    return;
  if (p->steps_between_checkpoints > 0)
    snprintf(text, size,
             "no checkpoint is due: one every %" PRId64
             " steps of an epoch, an epoch has %" PRId64,
             p->steps_between_checkpoints, lb_plan_epoch_steps(p, 1));
  else
    snprintf(text, size,
             "no checkpoint is due: the first is after epoch %" PRId64
             ", the run has %" PRId64,
             p->checkpoint_after_epoch, lb_plan_epochs(p));
}

static void amplified(const struct lb_plan *p, char *text, size_t size)
{
  const struct lb_plan_set *s = &p->set[LB_SET_TRAIN];
  double times = s->sample_bytes > 0 ? s->read_bytes / s->sample_bytes : 0;
  if (s->read && times >= 1.5)
    snprintf(
        text, size,
        "a sample has %.0f bytes, but reading one reads %.0f: the storage is "
        "asked for %.1f times the nominal demand",
        s->sample_bytes, s->read_bytes, times);
}

static void sizes(const struct lb_plan *p, char *text, size_t size)
{
  if (p->stdev_asked > 0 && p->stdev_got < p->stdev_asked * 0.999)
    snprintf(text, size,
             "dataset.record_length_bytes_stdev: %.0f is not possible between "
             "0 and twice the mean; the nearest, %.0f, is used",
             p->stdev_asked, p->stdev_got);
}

static void refused(const struct lb_plan *p, char *text, size_t size)
{
  if (p->refused[0])
    snprintf(text, size, "run refuses this workload: %s", p->refused);
}

static void nothing(const struct lb_plan *p, char *text, size_t size)
{
  if (!p->train && !p->eval_asked && !p->checkpoint_asked && !p->generate_asked)
    snprintf(text, size,
             "there is nothing to do: generate_data, train, evaluation and "
             "checkpoint of workflow are all off");
}

static void not_generated(const struct lb_plan *p, char *text, size_t size)
{
  if (p->is_virtual && p->generate_asked)
    snprintf(text, size,
             "workflow.generate_data has no effect: this storage_type has no "
             "files, and the planned ones count as present");
}

static void unreachable(const struct lb_plan *p, char *text, size_t size)
{
  if (p->train && p->spread.best_au < p->demand.au)
    snprintf(text, size,
             "metric.au, %.4g %%, cannot be reached: compute times vary, and a "
             "step waits for the slowest of %d accelerators: on infinitely "
             "fast storage the AU is %.1f %%",
             100 * p->demand.au, p->accelerators, 100 * p->spread.best_au);
}

static void idle_roots(const struct lb_plan *p, char *text, size_t size)
{
  if (p->roots > p->accelerators)
    snprintf(text, size,
             "storage.storage_root has %d roots, but each accelerator goes "
             "through one, and there are %d: the last %d %s not used",
             p->roots, p->accelerators, p->roots - p->accelerators,
             lb_are(p->roots - p->accelerators));
}

static lb_plan_rule *const rules[] = {
    refused,    nothing,     not_generated, train_dropped, eval_dropped,
    eval_empty, limit,       no_evaluation, no_checkpoint, amplified,
    sizes,      unreachable, idle_roots,
};

void lb_plan_warnings(const struct lb_plan *p,
                      void (*each)(void *arg, const char *text), void *arg)
{
  for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
    char text[480] = "";
    rules[i](p, text, sizeof text);
    if (text[0])
      each(arg, text);
  }
}
