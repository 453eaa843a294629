/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Carries out one self test, by lb_bench_measure like any other run.  What the
 * tests are: selftest_cases.c. */
#include "lb-config.h"

#include "loadbank/selftest.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lines.h"
#include "loadbank/config.h"
#include "loadbank/scratch.h"

enum { TRIES = 3, MAX_LINES = 32, MAX_TEXT = 1 << 16 };
/* More of the time than that without a processor can cost a good part of the
 * tolerance. */
static const double busy_from = 0.002;

/* The case's changes of the workload, one a line. */
static void write_overrides(const struct lb_trial *t, const char *folder,
                            struct lb_buf *out)
{
  const struct lb_selftest_case *c = t->what;
  lb_buf_printf(out, "output.folder='%s'\n", folder);
  lb_buf_printf(out, "reader.batch_size=%lld\n", (long long)c->batch);
  lb_buf_printf(out, "dataset.num_files_train=%lld\n",
                (long long)c->steps * c->batch * t->accelerators);
  if (c->bandwidth > 0) {
    bool node = false;
    for (int i = 0; c->overrides[i]; i++)
      node |= strstr(c->overrides[i], "scope=node") != NULL;
    int sharing = node ? t->node_accelerators : t->accelerators;
    lb_buf_printf(out, "storage.storage_options.read_bandwidth=%lld\n",
                  (long long)c->bandwidth * sharing);
  }
  if (c->set)
    c->set(t, out);
  for (int i = 0; c->overrides[i]; i++)
    lb_buf_printf(out, "%s\n", c->overrides[i]);
}

static int load(struct lb_world *world, const struct lb_trial *t,
                char *overrides, struct lb_workload **w, struct lb_plan *plan,
                struct lb_err *err)
{
  const char *line[MAX_LINES];
  int n = lb_split_lines(overrides, line, 0, MAX_LINES);
  int rc = lb_world_accelerators(world, t->accelerators, err);
  if (!rc)
    rc = lb_workload_load(lb_selftest_yaml, strlen(lb_selftest_yaml),
                          "selftest.yaml", line, n, w, err);
  if (!rc)
    rc = lb_workload_check_run(*w, err);
  if (!rc)
    rc = lb_plan_make(*w, world->n_ranks, t->accelerators, plan, err);
  return rc;
}

static double busy(const struct lb_world *world, const struct lb_summary *s)
{
  double all = (double)s->cost.wall_ns * world->n_ranks;
  return all > 0 ? (double)s->cost.conductor_delay_ns / all : 0;
}

/* Collective.  One run; 0 and the figures, the same on all ranks. */
static int measure(struct lb_world *world, struct lb_trial *t,
                   struct lb_workload *w, const char *folder,
                   struct lb_selftest_result *out, struct lb_err *err)
{
  struct lb_summary s;
  struct lb_run_options o = {.plan = t->plan,
                             .command_line = "loadbank selftest",
                             .progress = LB_PROGRESS_NEVER,
                             .output = LB_OUTPUT_NONE,
                             .force = true,
                             .scale = t->what->scale};
  int rc = lb_bench_measure(world, w, &o, &s, err);
  if (!rc && world->rank == 0) {
    out->measured = t->what->measure(t, &s);
    out->busy = busy(world, &s);
  }
  lb_summary_fini(&s);
  if (world->rank == 0)
    lb_scratch_clear(folder);
  return rc;
}

static void judge(const struct lb_trial *t, struct lb_selftest_result *out)
{
  out->expected = t->what->expect(t);
  out->tolerance =
      t->what->tolerance * (t->what->relative ? fabs(out->expected) : 1);
  out->good = fabs(out->measured - out->expected) <= out->tolerance;
}

/* The most accelerators of any node. */
static int on_a_node(struct lb_world *world, int accelerators)
{
  uint64_t n =
      (uint64_t)(accelerators / world->n_ranks) * (uint64_t)world->node_ranks;
  lb_world_max_u64(world, &n, 1);
  return (int)n;
}

int lb_selftest_try(struct lb_world *world, const struct lb_selftest_case *what,
                    int accelerators, const char *folder,
                    struct lb_selftest_result *out, struct lb_err *err)
{
  struct lb_plan plan;
  struct lb_workload *w = NULL;
  struct lb_buf text;
  struct lb_trial t = {.what = what,
                       .accelerators = accelerators,
                       .node_accelerators = on_a_node(world, accelerators)};
  *out = (struct lb_selftest_result){.tries = 0};
  lb_buf_init(&text, MAX_TEXT);
  write_overrides(&t, folder, &text);
  if (text.failed)
    lb_err_set(err, LB_FAILED, "out of memory");
  else
    load(world, &t, text.data, &w, &plan, err);
  int rc = lb_bench_agree(world, err);
  t.workload = w;
  t.plan = &plan;
  while (!rc && !out->good && out->tries < TRIES &&
         (out->tries == 0 || out->busy > busy_from)) {
    rc = measure(world, &t, w, folder, out, err);
    if (!rc)
      judge(&t, out);
    out->tries++;
    lb_world_bcast(world, out, sizeof *out);
  }
  lb_workload_free(w);
  lb_buf_fini(&text);
  return rc;
}
