/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A made-up run: its steps by the second and by accelerator against its
 * summary, and its report; files that are broken. */
#include "lb-config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "digest/seconds.h"
#include "digest/steps.h"
#include "loadbank/clock.h"
#include "loadbank/digest.h"
#include "loadbank/stamp.h"
#include "loadbank/wholefile.h"
#include "report_run.h"
#include "tap.h"

enum { K = 3 };
static struct lb_world world; /* of one rank */
static char folder[512];

static void make_result(void)
{
  char spool[600];
  struct lb_err err = LB_ERR_INIT;
  char *made;
  lb_world_accelerators(&world, K, &err);
  is_int(lb_results_folder(&made, folder, "w", 0, &err), 0, "folder");
  free(made);
  lb_report_spool(spool, sizeof spool, folder, 0);
  struct lb_metrics_config c = {.k = K,
                                .exclude_start = 1,
                                .batch = {4, 2},
                                .steps_spool = spool,
                                .detail = K};
  struct lb_metrics *m;
  is_int(lb_metrics_new(&m, &c, &err), 0, "recorder");
  run_steps(m, K);
  struct lb_iostats io;
  struct lb_rank_cost cost = run_cost(&io);
  struct lb_summary s;
  is_int(lb_metrics_reduce(m, &world, &cost, 1024, &s, &err), 0, "reduced");
  struct lb_report r = run_report(folder);
  /* the steps begin a second after the clock did */
  r.start_utc_ns = lb_clock_utc_ns() - lb_clock_ns();
  /* 3 s after the start: 4 requests of 1 KiB */
  uint64_t start = io.pace.base_s * UINT64_C(1000000000);
  r.start_ns = start;
  r.pace = &io.pace;
  for (int i = 0; i < 4; i++)
    lb_pace_add(&io.pace, LB_PACE_READ, start + UINT64_C(3500000000), 1024);
  lb_pace_add(&io.pace, LB_PACE_OTHER, start, 0);
  is_int(lb_report_write(&world, m, &r, &s, &err), 0, "written %s", err.msg);
  lb_metrics_free(m);
  lb_summary_fini(&s);
  lb_iostats_fini(&io);
}

static void seconds(void)
{
  struct lb_err err = LB_ERR_INIT;
  struct lb_seconds s;
  is_int(lb_seconds_read(&s, folder, &err), 0, "seconds %s", err.msg);
  is_int(s.n, 4, "four of them");
  ok(s.n == 4 && s.count[LB_PACE_READ][3] == 4 &&
         s.bytes[LB_PACE_READ][3] == 4096 && s.count[LB_PACE_READ][0] == 0 &&
         s.count[LB_PACE_OTHER][0] == 1,
     "with what was counted");
  lb_seconds_fini(&s);
  is_int(lb_seconds_read(&s, "/nonexistent", &err), 0, "no file is no error");
  is_int(s.n, 0, "and no second");
  static const char *const bad[] = {
      "second\n0,1,2,3,4,5\n", "second\n1,1,2,3,4,5,6\n",
      "second\n0,1,2,3,4,5,-6\n", "second\n0,1,2,3,4,5,6", "second\nx\n"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    err = (struct lb_err)LB_ERR_INIT;
    lb_write_file(tap_tmpdir(), LB_PACE_FILE, bad[i], strlen(bad[i]), &err);
    is_int(lb_seconds_read(&s, tap_tmpdir(), &err), -LB_FAILED, "%s", err.msg);
  }
}

static void stamps(void)
{
  static const struct {
    const char *text;
    double s;
  } row[] = {
      {"1970-01-01T00:00:00Z", 0},
      {"1970-01-01T00:00:01", 1},
      {"1970-01-01T02:00:01+02:00", 1},
      {"1970-01-01 00:00:01.25", 1.25},
      {"1970-01-02T00:00:01.5+00:00", 86401.5},
      {"2000-03-01T00:00:00.0+00:00", 951868800},
      {"2025-11-29T21:21:31.123456+00:00", 1764451291.123456},
      {"2026-11-30T18:35:56.5+00:00", 1796063756.5},
      {"2026-11-30T20:05:56+01:30", 1796063756},
      {"2026-11-30T13:35:56-0500", 1796063756},
      {NULL, NAN},
      {"", NAN},
      {"yesterday", NAN},
      {"2025-11-29T21:21:31.1+0:00", NAN},
      {"2025-11-29T21:21:31x", NAN},
      {"2026-13-30T18:35:56Z", NAN},
      {"2026-12-32T18:35:56Z", NAN},
      {"2026-12-30T24:35:56Z", NAN},
      {"2026-11-30", NAN},
      {"2026-11-30T18:35", NAN},
      {"2026-11-30T18:35:nan", NAN},
      {"2026-11-30T18:35:56 UTC", NAN},
      {"2026-11-30T18:35:56+1", NAN},
  };
  for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
    double got = lb_stamp_seconds(row[i].text);
    ok(fabs(got - row[i].s) < 1e-5 || (isnan(got) && isnan(row[i].s)),
       "time '%s': %.6f", row[i].text ? row[i].text : "(none)", got);
  }
}

#ifdef HAVE_HDF5
/* Steps of 27 ms (5 + a load, 20 compute, the rest gate); AU of each: 5 steps
 * in the window, 100 / (6 x 27 - 25 - a). */
static void steps(const struct lb_result *r)
{
  struct lb_err err = LB_ERR_INIT;
  struct lb_step_digest d;
  double mean = 0, compute = 0, inside = 0, loads = 0;
  is_int(lb_step_digest_read(&d, r, &err), 0, "steps %s", err.msg);
  is_int(d.n_steps, 24, "2 epochs of 2 blocks of 6");
  is_int(d.n_accelerators, K, "accelerators");
  if (d.n_steps != 24)
    return;
  for (int a = 0; a < K; a++) {
    is_near(d.au[a], 100 * 100.0 / (6 * 27 - 25 - a), 1e-6, "AU of %d", a);
    mean += d.au[a] / K;
  }
  is_near(mean, lb_result_number(r, "metric.train_au_mean_percentage"), 1e-6,
          "their mean is the summary's");
  for (size_t i = 0; i < d.n_steps; i++) {
    is_near(d.step_s[i], 0.027, 1e-9, "step %zu", i);
    is_near(d.load_s[i], 0.007, 1e-9, "its longest load");
  }
  is_near(d.end_s[5] - d.end_s[0], 5 * 0.027, 1e-9, "steps follow each other");
  for (size_t i = 0; i < d.n_seconds; i++) {
    compute += d.compute_s[i];
    inside += d.inside_s[i];
  }
  is_near(compute, 24 * K * 0.020, 1e-9, "all compute is in some second");
  is_near(inside, 24 * 0.027, 1e-9, "and so are all steps");
  for (int i = 0; i < LB_LOAD_BINS; i++) {
    loads += d.bin[i];
    if (d.bin[i] > 0)
      ok(d.edge_s[i] < 0.0071 && d.edge_s[i + 1] > 0.0049, "bins near 5 ms");
  }
  is_near(loads, 24 * K, 0, "every load");
  lb_step_digest_fini(&d);
}

static void broken(struct lb_result *r)
{
  struct lb_err err = LB_ERR_INIT;
  struct lb_step_digest d;
  char path[600];
  snprintf(path, sizeof path, "%s/steps.h5", folder);
  is_int(truncate(path, 3000), 0, "cut off");
  ok(lb_step_digest_read(&d, r, &err) < 0 && strstr(err.msg, "steps.h5"), "%s",
     err.msg);
  is_int(d.n_steps, 0, "nothing is known");
}
#endif

static char *report(const char *name, struct lb_results *all)
{
  const char *named[] = {folder};
  struct lb_err err = LB_ERR_INIT;
  struct lb_page *p = lb_page_new("t");
  struct lb_buf b;
  lb_buf_init(&b, 1 << 22);
  is_int(lb_digest(p, all, named, 1, &err), 0, "digest %s", err.msg);
  is_int(lb_page_write(p, lb_page_format_of(name), &b, &err), 0, "page");
  lb_page_free(p);
  return lb_buf_take(&b);
}

static void has(const char *text, const char *what)
{
  ok(text && strstr(text, what), "%s", what);
}

static void pages(struct lb_results *all)
{
  char *html = report("x.html", all), *csv = report("x.csv", all);
  static const char *const ids[] = {
      "r1-au-epochs",       "r1-bytes",         "r1-requests",
      "r1-checkpoint-save", "r1-straggle-save", "r1-checkpoint-load",
#ifdef HAVE_HDF5
      "r1-au-accelerators", "r1-load-times",    "r1-steps",
      "r1-au-time",
#endif
  };
  for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
    char id[60];
    snprintf(id, sizeof id,
             "<svg xmlns=\"http://www.w3.org/2000/svg\" id=\"%s\"", ids[i]);
    has(html, id);
  }
  has(csv, "Over time,\"Bursts, by the second\",1,burst factor,,1\n");
  has(csv, "Checkpoints,Checkpoints,1,duration,s,0.5\n");
  has(html, "workload: {}"); /* the configuration */
  free(html);
  free(csv);
}

int main(int argc, char **argv)
{
  struct lb_err err = LB_ERR_INIT;
  struct lb_results all = {0};
  snprintf(folder, sizeof folder, "%s/run", tap_tmpdir());
  is_int(lb_world_init(&world, &argc, &argv, &err), 0, "a world %s", err.msg);
  make_result();
  is_int(lb_results_read(&all, folder, &err), 0, "read back %s", err.msg);
  is_int(all.n, 1, "one result");
  seconds();
  stamps();
  pages(&all);
#ifdef HAVE_HDF5
  steps(&all.result[0]);
  broken(&all.result[0]);
  char *text = report("x.txt", &all);
  has(text, "No pictures of single accelerators and steps: ");
  free(text);
#endif
  lb_results_fini(&all);
  lb_world_fini(&world);
  return done();
}
