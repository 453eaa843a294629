/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The schedule: hand-computed cases, and the closed forms against a walk that
 * applies the rules as DLIO words them. */
#include "lb-config.h"

#include "loadbank/plan.h"

#include "tap.h"

static struct lb_plan plain(int64_t steps, int64_t epochs)
{
  return (struct lb_plan){.train = true,
                          .set[LB_SET_TRAIN] = {.read = true, .steps = steps},
                          .epochs_asked = epochs,
                          .total_steps = -1,
                          .checkpoint_after_epoch = 1,
                          .epochs_between_checkpoints = 1,
                          .steps_between_checkpoints = -1,
                          .eval_after_epoch = 1,
                          .epochs_between_evals = 1};
}

static void limits(void)
{
  struct lb_plan p = plain(24, 5);
  is_int(lb_plan_epochs(&p), 5, "no limit: all epochs exist");
  is_int(lb_plan_steps(&p), 120, "5 x 24 steps");
  is_int(lb_plan_epoch_steps(&p, 0), 0, "there is no epoch 0");
  is_int(lb_plan_epoch_steps(&p, 6), 0, "there is no epoch 6");
  p.total_steps = 50;
  is_int(lb_plan_epochs(&p), 3, "50 steps of 24: three epochs");
  is_int(lb_plan_epoch_steps(&p, 2), 24, "the second is whole");
  is_int(lb_plan_epoch_steps(&p, 3), 2, "the third ends at step 50");
  is_int(lb_plan_epoch_steps(&p, 4), 0, "the fourth does not exist");
  is_int(lb_plan_steps(&p), 50, "50 steps in all");
  p.total_steps = 48;
  is_int(lb_plan_epochs(&p), 2, "a limit at the end of an epoch");
  is_int(lb_plan_epoch_steps(&p, 2), 24, "leaves it whole");
  p.total_steps = 0;
  is_int(lb_plan_steps(&p), 120, "0 is no limit");
  p.train = false;
  is_int(lb_plan_epochs(&p), 0, "no training, no epochs");
}

static void blocks(void)
{
  struct lb_plan p = plain(10, 3);
  p.steps_between_checkpoints = 4;
  is_int(lb_plan_blocks(&p, 1), 1, "no checkpoints: one block");
  is_int(lb_plan_block_steps(&p, 1, 1), 10, "with all steps");
  ok(!lb_plan_checkpoint_after(&p, 1, 1), "and nothing saved");
  p.checkpoint = true;
  is_int(lb_plan_blocks(&p, 1), 3, "10 steps, every 4: blocks 4 4 2");
  is_int(lb_plan_block_steps(&p, 1, 2), 4, "the second has 4");
  is_int(lb_plan_block_steps(&p, 1, 3), 2, "the last has 2");
  is_int(lb_plan_block_steps(&p, 1, 4), 0, "there is no fourth");
  ok(lb_plan_checkpoint_after(&p, 1, 2), "saved after step 8");
  ok(!lb_plan_checkpoint_after(&p, 1, 3), "not at the epoch's end");
  is_int(lb_plan_checkpoint_count(&p), 6, "two in each of three epochs");
  p.set[LB_SET_TRAIN].steps = 8;
  is_int(lb_plan_blocks(&p, 1), 2, "8 steps, every 4: no empty third block");
  ok(lb_plan_checkpoint_after(&p, 1, 2), "saved after the last step");
  p.total_steps = 14;
  is_int(lb_plan_blocks(&p, 2), 2, "an epoch cut at 6 steps has 4 2");
  is_int(lb_plan_block_steps(&p, 2, 2), 2, "2 in the last");
  is_int(lb_plan_checkpoint_count(&p), 3, "2 + 1 checkpoints");
}

static void epoch_rule(void)
{
  struct lb_plan p = plain(10, 9);
  p.checkpoint = true;
  p.checkpoint_after_epoch = 5;
  p.epochs_between_checkpoints = 2;
  ok(!lb_plan_checkpoint_after(&p, 4, 1), "not before epoch 5");
  ok(lb_plan_checkpoint_after(&p, 5, 1), "after epoch 5");
  ok(!lb_plan_checkpoint_after(&p, 6, 1), "not after 6");
  ok(lb_plan_checkpoint_after(&p, 7, 1), "after epoch 7");
  is_int(lb_plan_checkpoint_count(&p), 3, "5, 7 and 9");
  p.total_steps = 45;
  ok(lb_plan_checkpoint_after(&p, 5, 1), "due at the end of a cut epoch too");
  is_int(lb_plan_checkpoint_count(&p), 1, "and the later ones do not exist");
}

/* The rule in DLIO's words, walked. */
static void evals_walked(int64_t after, int64_t between)
{
  struct lb_plan p = plain(10, 12);
  int64_t next = after, n = 0;
  bool same = true;
  p.eval = true;
  p.eval_after_epoch = after;
  p.epochs_between_evals = between;
  for (int64_t epoch = 1; epoch <= 12; epoch++) {
    bool due = epoch >= next;
    if (due) {
      next += between;
      n++;
    }
    same = same && due == lb_plan_eval_after(&p, epoch);
  }
  ok(same, "evaluations from %lld every %lld", (long long)after,
     (long long)between);
  is_int(lb_plan_eval_count(&p), n, "and there are %lld", (long long)n);
}

static void checkpoints_walked(int64_t steps, int64_t limit, int64_t every)
{
  struct lb_plan p = plain(steps, 4);
  p.checkpoint = true;
  p.total_steps = limit;
  p.steps_between_checkpoints = every;
  int64_t n = 0, sum = 0;
  bool filled = true;
  for (int64_t epoch = 1; epoch <= lb_plan_epochs(&p); epoch++)
    for (int64_t b = 1; b <= lb_plan_blocks(&p, epoch); b++) {
      n += lb_plan_checkpoint_after(&p, epoch, b);
      sum += lb_plan_block_steps(&p, epoch, b);
      filled = filled && lb_plan_block_steps(&p, epoch, b) > 0;
    }
  ok(filled, "%lld steps, every %lld: no empty block", (long long)steps,
     (long long)every);
  is_int(sum, lb_plan_steps(&p), "blocks add up to the steps");
  is_int(lb_plan_checkpoint_count(&p), n, "%lld checkpoints", (long long)n);
}

/* Each byte once: what of the sets' files a run meets. */
static void met(void)
{
  struct lb_plan p = plain(10, 3);
  struct lb_plan_set *train = &p.set[LB_SET_TRAIN];
  p.accelerators = 2;
  p.pace.readers = 1;
  *train = (struct lb_plan_set){.read = true,
                                .steps = 10,
                                .batch = 4,
                                .samples = 85,
                                .file_bytes = 8500,
                                .read_bytes = 100};
  is_int(lb_plan_bytes_met(&p), 8500, "three epochs: all files");
  p.total_steps = 3;
  is_int(lb_plan_bytes_met(&p), 2400, "3 steps x 4 x 2 samples of 100 bytes");
  train->read_bytes = 400;
  is_int(lb_plan_bytes_met(&p), 8500, "files read for each sample: themselves");
  p.total_steps = -1;
  train->read_bytes = 20;
  is_int(lb_plan_bytes_met(&p), 1700, "a fifth of the columns");
  p.eval = true;
  p.set[LB_SET_EVAL] = *train;
  p.set[LB_SET_EVAL].steps = 2;
  p.set[LB_SET_EVAL].read_bytes = 0;
  p.set[LB_SET_EVAL].op_bytes[LB_OP_READ] = 10;
  is_int(lb_plan_bytes_met(&p), 1700 + 160, "and evaluation, however often");
  train->read = false;
  is_int(lb_plan_bytes_met(&p), 160, "what is not read is not met");
}

int main(void)
{
  limits();
  met();
  blocks();
  epoch_rule();
  for (int64_t after = -2; after <= 13; after += 3)
    for (int64_t between = 0; between <= 5; between++)
      evals_walked(after, between);
  for (int64_t steps = 1; steps <= 9; steps += 2)
    for (int64_t every = -1; every <= 9; every += 2)
      checkpoints_walked(steps, steps > 4 ? 2 * steps + 1 : -1, every);
  return done();
}
