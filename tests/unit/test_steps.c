/* SPDX-License-Identifier: GPL-3.0-or-later */
/* steps.h5 read back through HDF5: one node, two nodes as a view, losses, and
 * the size of a million steps. */
#include "lb-config.h"

#include "tap.h"

#ifndef HAVE_HDF5

int main(void)
{
  ok(true, "# SKIP no HDF5 in this build");
  return done();
}

#else

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <hdf5.h>

#include "loadbank/metrics_detail.h"
#include "loadbank/report.h"
#include "report/steps_h5.h"

enum { US = 1000 };

/* The times that the test gives accelerator a's step i, ns. */
static struct lb_step made_up(int a, int64_t i)
{
  return (struct lb_step){.load_ns = (uint64_t)(1000 * (a + 1) + i) * US,
                          .compute_ns = (uint64_t)(5000 + i % 7) * US,
                          .gate_ns = (uint64_t)(a * 10 + i % 3) * US};
}

static struct lb_metrics *recorder(const char *folder, int rank, int k,
                                   int64_t steps)
{
  struct lb_err err = LB_ERR_INIT;
  char spool[512];
  lb_report_spool(spool, sizeof spool, folder, rank);
  struct lb_metrics_config c = {.k = k,
                                .first = rank * k,
                                .exclude_start = 1,
                                .batch = {1, 1},
                                .steps_spool = spool};
  struct lb_metrics *m;
  is_int(lb_metrics_new(&m, &c, &err), 0, "recorder %s", err.msg);
  for (int64_t epoch = 1; epoch <= 2; epoch++) {
    lb_metrics_epoch_begin(m, LB_SET_TRAIN, epoch, 1);
    lb_metrics_block_begin(m, 1, 1);
    for (int64_t i = 0; i < steps / 2; i++) {
      for (int a = 0; a < k; a++) {
        struct lb_step s = made_up(c.first + a, (epoch - 1) * (steps / 2) + i);
        lb_metrics_step(m, a, &s);
      }
      if (i % 256 == 0)
        usleep(1000); /* not faster than the writer */
    }
    lb_metrics_block_end(m, 1000000000);
    lb_metrics_epoch_end(m, 1000000000);
    lb_metrics_epoch_begin(m, LB_SET_EVAL, epoch, 1);
    lb_metrics_block_begin(m, 1, 1);
    for (int a = 0; a < k; a++)
      for (int64_t i = 0; i < 3; i++) {
        struct lb_step s = made_up(c.first + a, 100 + 3 * (epoch - 1) + i);
        lb_metrics_step(m, a, &s);
      }
    lb_metrics_block_end(m, 1000000000);
    lb_metrics_epoch_end(m, 1000000000);
  }
  is_int(lb_spool_finish(lb_metrics_spool(m), &err), 0, "spooled");
  is_int(lb_spool_lost(lb_metrics_spool(m)), 0, "nothing lost");
  return m;
}

static uint32_t *read_all(hid_t file, const char *name, int rows, int64_t steps)
{
  hid_t d = H5Dopen2(file, name, H5P_DEFAULT);
  hsize_t dims[2] = {0, 0};
  hid_t space = d < 0 ? -1 : H5Dget_space(d);
  if (space >= 0)
    H5Sget_simple_extent_dims(space, dims, NULL);
  ok((int)dims[0] == rows && (int64_t)dims[1] == steps, "%s is [%d][%lld]",
     name, rows, (long long)steps);
  uint32_t *v = calloc((size_t)rows * (size_t)steps, sizeof *v);
  ok(d >= 0 && v &&
         H5Dread(d, H5T_NATIVE_UINT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, v) >= 0,
     "%s can be read", name);
  H5Sclose(space);
  H5Dclose(d);
  return v;
}

static void check(const char *path, int rows, int64_t steps)
{
  hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  if (!ok(file >= 0, "%s opens", path))
    return;
  uint32_t *load = read_all(file, "load", rows, steps);
  uint32_t *compute = read_all(file, "compute", rows, steps);
  uint32_t *gate = read_all(file, "gate", rows, steps);
  int64_t right = 0;
  for (int a = 0; a < rows; a++)
    for (int64_t i = 0; i < steps; i++) {
      struct lb_step s = made_up(a, i);
      int64_t at = a * steps + i;
      right += load[at] * 100ull == s.load_ns &&
               compute[at] * 100ull == s.compute_ns &&
               gate[at] * 100ull == s.gate_ns;
    }
  is_int(right, rows * steps, "every step of every accelerator");
  free(load);
  free(compute);
  free(gate);
  load = read_all(file, "eval/load", rows, 6);
  right = 0;
  for (int a = 0; a < rows; a++)
    for (int i = 0; i < 6; i++)
      right += load[a * 6 + i] * 100ull == made_up(a, 100 + i).load_ns;
  is_int(right, rows * 6, "evaluation apart");
  free(load);
  H5Fclose(file);
}

static void one_node(void)
{
  enum { K = 3, STEPS = 10000 };
  char folder[300], path[400];
  snprintf(folder, sizeof folder, "%s/one", tap_tmpdir());
  mkdir(folder, 0777);
  struct lb_metrics *m = recorder(folder, 0, K, STEPS);
  struct lb_steps_rank row = {.k = K, .steps = {STEPS, 6}};
  struct lb_steps_job job = {.folder = folder,
                             .rank = &row,
                             .n_ranks = 1,
                             .n_nodes = 1,
                             .accelerators = K,
                             .steps = {STEPS, 6}};
  struct lb_err err = LB_ERR_INIT;
  is_int(lb_steps_h5_node(&job, 0, m, &err), 0, "written %s", err.msg);
  snprintf(path, sizeof path, "%s/steps.h5", folder);
  check(path, K, STEPS);
  lb_metrics_free(m);
}

/* Ranks 0 and 2 on node 0, rank 1 on node 1. */
static void two_nodes(void)
{
  enum { K = 2, STEPS = 500, RANKS = 3 };
  char folder[300], path[400];
  snprintf(folder, sizeof folder, "%s/two", tap_tmpdir());
  mkdir(folder, 0777);
  struct lb_metrics *m[RANKS];
  struct lb_steps_rank rows[RANKS];
  for (int r = 0; r < RANKS; r++) {
    m[r] = recorder(folder, r, K, STEPS);
    rows[r] = (struct lb_steps_rank){.node = r % 2,
                                     .node_rank = r / 2,
                                     .k = K,
                                     .first = r * K,
                                     .steps = {STEPS, 6}};
  }
  struct lb_steps_job job = {.folder = folder,
                             .rank = rows,
                             .n_ranks = RANKS,
                             .n_nodes = 2,
                             .accelerators = RANKS * K,
                             .steps = {STEPS, 6}};
  struct lb_err err = LB_ERR_INIT;
  is_int(lb_steps_h5_node(&job, 0, m[0], &err), 0, "node 0 %s", err.msg);
  is_int(lb_steps_h5_node(&job, 1, m[1], &err), 0, "node 1 %s", err.msg);
  is_int(lb_steps_h5_join(&job, m[0], &err), 0, "joined %s", err.msg);
  snprintf(path, sizeof path, "%s/steps.h5", folder);
  /* From another folder: the view's sources are found next to it. */
  ok(chdir("/") == 0, "elsewhere");
  check(path, RANKS * K, STEPS);
  for (int r = 0; r < RANKS; r++)
    lb_metrics_free(m[r]);
}

/* A spool with holes, and one that belongs to another run. */
static void holes(void)
{
  char folder[300], path[400];
  snprintf(folder, sizeof folder, "%s/holes", tap_tmpdir());
  mkdir(folder, 0777);
  struct lb_metrics *m = recorder(folder, 0, 1, 2);
  lb_report_spool(path, sizeof path, folder, 0);
  FILE *f = fopen(path, "wb");
  for (uint32_t i = 0; f && i < 100; i++) {
    struct lb_spool_record r = {0, i, {i, i, i}};
    if (i % 10 != 3)
      fwrite(&r, sizeof r, 1, f);
  }
  if (f)
    fclose(f);
  struct lb_steps_rank row = {.k = 1, .steps = {100, 0}, .lost = 10};
  struct lb_steps_job job = {.folder = folder,
                             .rank = &row,
                             .n_ranks = 1,
                             .n_nodes = 1,
                             .accelerators = 1,
                             .steps = {100, 0}};
  struct lb_err err = LB_ERR_INIT;
  is_int(lb_steps_h5_node(&job, 0, m, &err), 0, "written %s", err.msg);
  snprintf(path, sizeof path, "%s/steps.h5", folder);
  hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  uint32_t *v = read_all(file, "load", 1, 100);
  int right = 0;
  for (uint32_t i = 0; i < 100; i++)
    right += v[i] == (i % 10 == 3 ? LB_STEP_MISSING : i);
  is_int(right, 100, "lost steps are missing, the others in their place");
  free(v);
  H5Fclose(file);
  row.steps[0] = 50;
  job.steps[0] = 50;
  is_int(lb_steps_h5_node(&job, 0, m, &err), -LB_FAILED,
         "records beyond the steps are refused");
  lb_metrics_free(m);
}

/* 64 accelerators x 15625 steps of noisy times. */
static void million(void)
{
  enum { K = 64, STEPS = 15625 };
  char folder[300], path[400];
  snprintf(folder, sizeof folder, "%s/million", tap_tmpdir());
  mkdir(folder, 0777);
  struct lb_metrics *m = recorder(folder, 0, 1, 2);
  lb_report_spool(path, sizeof path, folder, 0);
  FILE *f = fopen(path, "wb");
  uint32_t x = 12345;
  for (uint32_t i = 0; f && i < STEPS; i++)
    for (uint32_t a = 0; a < K; a++) {
      x = x * 1664525 + 1013904223;
      uint32_t compute = 100000 + (x >> 24);
      struct lb_spool_record r = {
          2 * a, i, {x >> 12, compute, x >> 16, compute, (x >> 8) % 100, 0}};
      fwrite(&r, sizeof r, 1, f);
    }
  if (f)
    fclose(f);
  struct lb_steps_rank row = {.k = K, .steps = {STEPS, 0}};
  struct lb_steps_job job = {.folder = folder,
                             .rank = &row,
                             .n_ranks = 1,
                             .n_nodes = 1,
                             .accelerators = K,
                             .steps = {STEPS, 0}};
  struct lb_err err = LB_ERR_INIT;
  is_int(lb_steps_h5_node(&job, 0, m, &err), 0, "written %s", err.msg);
  snprintf(path, sizeof path, "%s/steps.h5", folder);
  struct stat st;
  ok(stat(path, &st) == 0 && st.st_size > 1000000 && st.st_size < 16 << 20,
     "10^6 steps take %lld bytes", (long long)st.st_size);
  lb_metrics_free(m);
}

int main(void)
{
  one_node();
  two_nodes();
  holes();
  million();
  return done();
}

#endif
