/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Demand and memory against values worked out by hand. */
#include "lb-config.h"

#include "bench/plan_impl.h"

#include <string.h>

#include "tap.h"

#define GIB 1073741824.0

static const struct lb_demand_in unet3d_h100 = {
    .compute_s = 0.323,
    .au = 0.9,
    .sample_bytes = 146600628,
    .batch = 7,
    .pace = {.readers = 4, .ahead = 8},
    .accelerators = 8};

static void unet3d(void)
{
  struct lb_plan_demand d;
  lb_plan_demand(&unet3d_h100, &d);
  is_near(d.step_bytes, 1026204396, 0, "a step is 7 x 146600628 bytes");
  is_near(d.accelerator_bytes_per_s[LB_AT_FULL] / GIB, 2.96, 0.005,
          "U-Net3D on an H100 asks for 2.96 GiB/s");
  is_near(d.accelerator_bytes_per_s[LB_AT_AU] / GIB, 2.66, 0.005,
          "and for 2.66 GiB/s at 90 %%");
  is_near(d.job_bytes_per_s[LB_AT_FULL], 8 * 1026204396.0 / 0.323, 1,
          "eight ask for eight times as much");
  is_near(d.read_s[LB_AT_FULL], 4 * 0.323 / 7, 1e-12,
          "four readers, seven samples a step: 0.1846 s a sample");
  is_near(d.read_s[LB_AT_AU], 4 * 0.323 / 0.9 / 7, 1e-12,
          "0.2051 s a sample at 90 %%");
}

/* The largest of n, from textbooks: exponential H_n x scale; uniform n/(n+1);
 * normal, of 8: 1.42360 stdev above the mean. */
static void spread(void)
{
  struct lb_plan_spread s;
  struct lb_err err = LB_ERR_INIT;
  struct lb_dist d = lb_dist_constant(0.02);
  is_int(lb_plan_spread(&d, 8, &s, &err), 0, "constant computes");
  is_near(s.best_au, 1, 0, "can be busy all the time");
  d = (struct lb_dist){.kind = lb_dist_find("exponential"), .p = {0.02}};
  lb_plan_spread(&d, 1, &s, &err);
  is_near(s.best_au, 1, 0, "one waits for nobody");
  lb_plan_spread(&d, 8, &s, &err);
  is_near(s.best_au, 280.0 / 761, 0.005, "exponential, 8: 1 / H_8");
  is_near(s.step_s, 0.02 * 761 / 280, 0.001, "a step lasts H_8 as long");
  double h = 0;
  for (int i = 1; i <= 1024; i++)
    h += 1.0 / i;
  lb_plan_spread(&d, 1024, &s, &err);
  is_near(s.best_au, 1 / h, 0.005, "exponential, 1024: 1 / H_1024");
  d = (struct lb_dist){.kind = lb_dist_find("uniform"), .p = {0, 1}};
  lb_plan_spread(&d, 9, &s, &err);
  is_near(s.best_au, 0.5 / 0.9, 0.005, "uniform, 9: 10 / 18");
  d = (struct lb_dist){.kind = lb_dist_find("normal"), .p = {0.02, 0.005}};
  if (!d.kind || d.kind->unavailable)
    return;
  lb_plan_spread(&d, 8, &s, &err);
  is_near(s.best_au, 0.02 / (0.02 + 1.4236 * 0.005), 0.005,
          "normal, 8: 73.8 %%");
}

static void variations(void)
{
  struct lb_demand_in in = unet3d_h100;
  struct lb_plan_demand d;
  in.preprocess_s = 0.1;
  lb_plan_demand(&in, &d);
  is_near(d.read_s[LB_AT_FULL], 4 * 0.323 / 7 - 0.1, 1e-12,
          "preprocessing is the reader's time");
  in.preprocess_s = 1;
  lb_plan_demand(&in, &d);
  is_near(d.read_s[LB_AT_FULL], 0, 0, "too much of it: cannot be held");
  in.preprocess_s = 0;
  in.pace = (struct lb_loader_pace){.readers = 1, .ahead = 0};
  lb_plan_demand(&in, &d);
  is_near(d.read_s[LB_AT_FULL], 0, 0, "nothing ahead: never 100 %%");
  is_near(d.read_s[LB_AT_AU], 0.323 * (1 / 0.9 - 1) / 7, 1e-12,
          "at 90 %% a tenth of the step is for reading");
  in.pace.readers = 4;
  lb_plan_demand(&in, &d);
  is_near(d.read_s[LB_AT_AU], 4 * 0.323 * (1 / 0.9 - 1) / 7, 1e-12,
          "four readers share a batch that is asked for when it is needed");
  in.pace = (struct lb_loader_pace){.readers = 64, .ahead = 2};
  lb_plan_demand(&in, &d);
  is_near(d.read_s[LB_AT_FULL], 14 * 0.323 / 7, 1e-12,
          "of 64 readers 14 have work in two batches of 7");
  in.pace = (struct lb_loader_pace){.readers = 4, .ahead = 8, .computing = 2};
  in.preprocess_s = 0.09;
  lb_plan_demand(&in, &d);
  is_near(d.read_s[LB_AT_FULL], 4 * 0.323 / 7, 1e-12,
          "others preprocess: the readers' time is their own");
  in.preprocess_s = 0.1;
  lb_plan_demand(&in, &d);
  is_near(d.read_s[LB_AT_FULL], 0, 0, "two threads, 0.7 s a batch: too slow");
  in.compute_s = 0;
  lb_plan_demand(&in, &d);
  is_near(d.accelerator_bytes_per_s[LB_AT_FULL], 0, 0,
          "no compute: as fast as the storage can, no figure");
  is_near(d.read_s[LB_AT_AU], 0, 0, "nor a time of a read");
}

static void memory(void)
{
  struct lb_memory_in in = {
      .reads = true, .k = 8, .readers = 4, .buffer_bytes = 262144};
  struct lb_err err = LB_ERR_INIT;
  struct lb_plan p = {.k = 8};
  is_int(lb_plan_memory(&in, &p.memory, &err), 0, "8 accelerators, 4 readers");
  is_int(p.memory.threads, 32, "32 threads");
  is_int(p.memory.rank_bytes, 8388608, "of 256 KiB: 8 MiB");
  is_int(p.memory.open_files, 32, "each with a file open");
  is_int(lb_plan_check_threads(&p, 32, &err), 0, "32 are allowed");
  is_int(lb_plan_check_threads(&p, 31, &err), -LB_USAGE, "31 are too few");
  ok(strstr(err.msg, "32") && strstr(err.msg, "31"), "with both numbers");
  in.reader_bytes = 1000;
  in.main_bytes = 20000;
  in.steps_bytes = 300000;
  in.real_bytes = UINT64_MAX / 2;
  err = (struct lb_err)LB_ERR_INIT;
  lb_plan_memory(&in, &p.memory, &err);
  is_int(p.memory.readers_bytes, 32000, "what readers note");
  ok(p.memory.real_bytes == UINT64_MAX, "real readers: as large as it gets");
  is_int(p.memory.rank_bytes, 8388608 + 32000 + 320000,
         "readers, the main thread's buffer and raw steps are part of it");
  in.is_virtual = true;
  lb_plan_memory(&in, &p.memory, &err);
  is_int(p.memory.threads, 0, "a virtual backend needs no thread");
  is_int(p.memory.rank_bytes, 32000 + 320000, "nor their buffers");
  is_int(p.memory.open_files, 0, "nor files");
  in.reads = false;
  lb_plan_memory(&in, &p.memory, &err);
  is_int(p.memory.rank_bytes, 320000, "without training there are no readers");
  in.reads = true;
  in.readers = INT64_MAX;
  is_int(lb_plan_memory(&in, &p.memory, &err), -LB_USAGE,
         "absurd numbers are refused");
}

static void files(void)
{
  struct lb_memory_in in = {
      .reads = true, .k = 4, .readers = 2, .kept_files = 1000};
  struct lb_err err = LB_ERR_INIT;
  struct lb_plan p = {.k = 4};
  lb_plan_memory(&in, &p.memory, &err);
  is_int(p.memory.open_files, 8 * 1001, "8 readers keep 1000 files each");
  is_int(lb_plan_check_files(&p, 10, 8008 + 26, &err), 0, "just enough");
  is_int(lb_plan_check_files(&p, 10, 8008 + 25, &err), -LB_USAGE, "one less");
  ok(strstr(err.msg, "8008") && strstr(err.msg, "8033") &&
         strstr(err.msg, "ulimit"),
     "is told with the numbers: %s", err.msg);
  in.is_virtual = true;
  lb_plan_memory(&in, &p.memory, &err);
  is_int(lb_plan_check_files(&p, 10, 5, &err), 0, "no files, no limit");
}

int main(void)
{
  unet3d();
  spread();
  variations();
  memory();
  files();
  return done();
}
