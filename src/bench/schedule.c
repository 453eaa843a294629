/* SPDX-License-Identifier: GPL-3.0-or-later */
/* When things happen in a run: epochs, steps, blocks, checkpoints and
 * evaluations, as closed forms.  Nothing here does anything. */
#include "lb-config.h"

#include "loadbank/plan.h"

int64_t lb_plan_epochs(const struct lb_plan *p)
{
  int64_t steps = p->set[LB_SET_TRAIN].steps;
  if (!p->train || steps <= 0)
    return 0;
  if (p->total_steps <= 0)
    return p->epochs_asked;
  int64_t epochs = (p->total_steps - 1) / steps + 1;
  return epochs < p->epochs_asked ? epochs : p->epochs_asked;
}

int64_t lb_plan_epoch_steps(const struct lb_plan *p, int64_t epoch)
{
  int64_t steps = p->set[LB_SET_TRAIN].steps, last = lb_plan_epochs(p);
  if (epoch < 1 || epoch > last)
    return 0;
  if (epoch < last || p->total_steps <= 0)
    return steps;
  int64_t left = p->total_steps - (last - 1) * steps;
  return left < steps ? left : steps;
}

int64_t lb_plan_steps(const struct lb_plan *p)
{
  int64_t last = lb_plan_epochs(p);
  return last == 0 ? 0
                   : (last - 1) * p->set[LB_SET_TRAIN].steps +
                         lb_plan_epoch_steps(p, last);
}

/* Steps between two checkpoints within an epoch; 0: the epoch rule holds. */
static int64_t interval(const struct lb_plan *p)
{
  return p->checkpoint && p->steps_between_checkpoints > 0
             ? p->steps_between_checkpoints
             : 0;
}

int64_t lb_plan_blocks(const struct lb_plan *p, int64_t epoch)
{
  int64_t steps = lb_plan_epoch_steps(p, epoch), each = interval(p);
  if (steps == 0)
    return 0;
  return each ? (steps - 1) / each + 1 : 1;
}

int64_t lb_plan_block_steps(const struct lb_plan *p, int64_t epoch,
                            int64_t block)
{
  int64_t blocks = lb_plan_blocks(p, epoch);
  if (block < 1 || block > blocks)
    return 0;
  if (block < blocks)
    return interval(p);
  return lb_plan_epoch_steps(p, epoch) - (blocks - 1) * interval(p);
}

/* Is `epoch' one of first, first + between, ...? */
static bool is_due(int64_t epoch, int64_t first, int64_t between)
{
  if (epoch < first)
    return false;
  return between > 0 ? (epoch - first) % between == 0 : epoch == first;
}

bool lb_plan_checkpoint_after(const struct lb_plan *p, int64_t epoch,
                              int64_t block)
{
  int64_t steps = lb_plan_block_steps(p, epoch, block);
  if (!p->checkpoint || steps == 0)
    return false;
  if (interval(p))
    return steps == interval(p);
  return is_due(epoch, p->checkpoint_after_epoch,
                p->epochs_between_checkpoints);
}

/* DLIO: runs when epoch >= next, then next += between.  Run j (0, 1, ...) is
 * thus in epoch max(after + j between, 1 + j). */
bool lb_plan_eval_after(const struct lb_plan *p, int64_t epoch)
{
  int64_t after = p->eval_after_epoch;
  int64_t between = p->epochs_between_evals > 0 ? p->epochs_between_evals : 0;
  if (!p->eval || epoch < after || lb_plan_epoch_steps(p, epoch) == 0)
    return false;
  return after <= epoch - (epoch - 1) * between ||
         (between > 0 && (epoch - after) % between == 0);
}

int64_t lb_plan_checkpoint_count(const struct lb_plan *p)
{
  int64_t last = lb_plan_epochs(p), each = interval(p);
  int64_t first = p->checkpoint_after_epoch;
  if (!p->checkpoint || last == 0)
    return 0;
  if (each)
    return (last - 1) * (p->set[LB_SET_TRAIN].steps / each) +
           lb_plan_epoch_steps(p, last) / each;
  if (first > last)
    return 0;
  return p->epochs_between_checkpoints > 0
             ? (last - first) / p->epochs_between_checkpoints + 1
             : 1;
}

int64_t lb_plan_eval_count(const struct lb_plan *p)
{
  int64_t last = lb_plan_epochs(p), after = p->eval_after_epoch;
  if (!p->eval || last == 0 || after > last)
    return 0;
  int64_t most = last - (after > 1 ? after : 1) + 1; /* one an epoch */
  if (p->epochs_between_evals <= 0)
    return most;
  int64_t n = (last - after) / p->epochs_between_evals + 1;
  return n < most ? n : most;
}

static uint64_t bytes_met(const struct lb_plan *p, enum lb_set set,
                          int64_t steps)
{
  const struct lb_plan_set *s = &p->set[set];
  double each =
      s->read_bytes > 0 ? s->read_bytes : (double)s->op_bytes[LB_OP_READ];
  double samples = (double)steps * (double)s->batch * p->accelerators;
  if (!s->read || p->pace.readers == 0)
    return 0;
  samples = samples < (double)s->samples ? samples : (double)s->samples;
  return samples * each < (double)s->file_bytes ? (uint64_t)(samples * each)
                                                : s->file_bytes;
}

uint64_t lb_plan_bytes_met(const struct lb_plan *p)
{
  int64_t evals = lb_plan_eval_count(p) > 0 ? p->set[LB_SET_EVAL].steps : 0;
  return bytes_met(p, LB_SET_TRAIN, lb_plan_steps(p)) +
         bytes_met(p, LB_SET_EVAL, evals);
}
