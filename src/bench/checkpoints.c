/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A run without training: checkpoints are saved, all of them, and then read. */
#include "lb-config.h"

#include <inttypes.h>

#include "background.h"
#include "loadbank/clock.h"
#include "loadbank/log.h"

/* checkpoint.time_between_checkpoints; when it is over.  It stands for training
 * beside which a save goes on: to its end, if that comes later. */
static uint64_t wait_between(struct lb_bench *b)
{
  double s = b->w->checkpoint.time_between_checkpoints;
  const uint64_t look_ns = LB_NS_PER_S / 10;
  uint64_t now = lb_clock_ns();
  uint64_t until = s > 0 ? now + (uint64_t)(s * 1e9) : now;
  lb_background_settle(b);
  if (b->stop != LB_STOP_NONE)
    return until;
  now = lb_clock_ns();
  while (now < until && lb_bench_look_round(b)) {
    lb_bench_progress_wait(b, until);
    lb_clock_sleep_until(until - now > look_ns ? now + look_ns : until);
    now = lb_clock_ns();
  }
  lb_bench_stopped(b, lb_gate_meet(b->gate).stop);
  return until;
}

static int save_all(struct lb_bench *b, struct lb_err *err)
{
  int rc = 0;
  for (int64_t i = 1; i <= b->plan.checkpoints.count && !rc; i++) {
    uint64_t end_ns = lb_clock_ns();
    if (i > 1)
      end_ns = wait_between(b);
    if (b->stop != LB_STOP_NONE)
      break;
    rc = lb_bench_save(b, 1, i, &end_ns, err);
  }
  return rc;
}

static int load_all(struct lb_bench *b, struct lb_err *err)
{
  struct lb_bench_loads loads = {.next = 0};
  int64_t n = b->plan.checkpoints.reads;
  int rc = n > 0 ? lb_bench_find_checkpoints(b, n, &loads, err) : 0;
  for (int64_t i = 1; i <= n && !rc; i++) {
    if (i > 1 || b->plan.checkpoints.count > 0)
      wait_between(b);
    if (b->stop != LB_STOP_NONE)
      break;
    rc = lb_bench_load(b, i, &loads, err);
  }
  lb_found_fini(&loads.found);
  return rc;
}

int lb_bench_checkpoints(struct lb_bench *b, struct lb_err *err)
{
  lb_bench_make_metrics(b, err);
  int rc = lb_bench_agree(b->world, err);
  if (!rc)
    rc = lb_bench_saver_new(b, err);
  if (rc)
    return rc;
  lb_clock_precise_thread();
  lb_bench_cost_begin(b);
  uint64_t end_ns = 0;
  int rc_saves = save_all(b, err);
  int rc_end = lb_background_finish(b, &end_ns, err);
  if (!rc_saves && !rc_end && b->stop == LB_STOP_NONE)
    load_all(b, err);
  if (b->stop == LB_STOP_FAILED && !lb_err_is_set(err))
    lb_gate_reason(b->gate, err);
  lb_bench_cost_end(b);
  return -err->code;
}
