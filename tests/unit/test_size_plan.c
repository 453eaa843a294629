/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Steps and files of a sizing's points: cases worked out by hand. */
#include "lb-config.h"

#include "loadbank/size_plan.h"

#include "loadbank/windows.h"
#include "tap.h"

static void steps(void)
{
  struct lb_size_steps s;
  struct lb_err err = LB_ERR_INIT;
  struct lb_size_wish w = {
      .compute_s = 0.3,
      .min_seconds = 10,
      .min_steps = 16,
      .warm_up = 1,
      .batch = 7,
      .pace = {.deal = &lb_deal_batches, .readers = 4, .ahead = 8}};
  /* 34 steps, in 8 windows of 5, rounded up to rounds of 4 readers: 8. */
  is_int(lb_size_steps_make(&w, &s, &err), 0, "10 s of 0.3 s");
  is_int(s.window, 8, "a window is whole rounds");
  is_int(s.warm_up, 8, "one more before them");
  is_int(s.all, 72, "nine of them");
  is_int(s.read, 80, "and what readers are ahead");
  w.min_seconds = 0;
  w.warm_up = 30;
  lb_size_steps_make(&w, &s, &err);
  is_int(s.window, 4, "16 steps: one round a window");
  is_int(s.all, 62, "after as many steps as are not to count");
  w.pace.deal = &lb_deal_interleave;
  w.pace.buffer = 100;
  lb_size_steps_make(&w, &s, &err);
  is_int(s.window, 2, "no rounds where readers share batches");
  is_int(s.read, 30 + 16 + 8 + 15, "a shuffle buffer is filled, too");
  w.min_seconds = 1e10;
  is_int(lb_size_steps_make(&w, &s, &err), -LB_USAGE, "too many");
}

static void files(void)
{
  /* 100 files of one sample, an accelerator needs 7. */
  struct lb_size_files f = {
      .files = 100, .samples_per_file = 1, .batch_reads = 7};
  is_int(lb_size_fits(&f), 14, "14 x 7 of 100");
  struct lb_run_part p = lb_size_take(&f, 6);
  ok(p.first == 0 && p.files == 42, "the first 42");
  p = lb_size_take(&f, 8);
  ok(p.first == 42 && p.files == 56 && !f.again, "the next 56");
  p = lb_size_take(&f, 1);
  ok(p.first == 0 && p.files == 7 && f.again, "2 are too few: once more");
  p = lb_size_take(&f, 2);
  ok(p.first == 7 && f.again, "and on from there");
  /* 12 large files: a point has one for each accelerator. */
  f = (struct lb_size_files){
      .files = 12, .samples_per_file = 1000, .batch_reads = 7};
  is_int(lb_size_fits(&f), 12, "one file for each accelerator");
  is_int(lb_size_need(&f, 5), 5, "5 files for 5");
  f.batch_reads = 5000;
  is_int(lb_size_need(&f, 2), 10, "as many as hold the samples");
  is_int(lb_size_fits(&f), 2, "that is all");
  f.batch_reads = 12001;
  is_int(lb_size_fits(&f), 0, "not even one");
  is_int(lb_size_need(&f, INT64_MAX), INT64_MAX, "too many to count");
}

int main(void)
{
  steps();
  files();
  return done();
}
