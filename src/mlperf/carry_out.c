/* SPDX-License-Identifier: GPL-3.0-or-later */
/* datagen and run: the loops, and in each the order of things.  Nothing of size
 * is written, and no leaf made, before the gates were passed. */
#include "lb-config.h"

#include "mlperf/run.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loadbank/bench.h"
#include "loadbank/clock.h"
#include "loadbank/config.h"
#include "loadbank/log.h"
#include "loadbank/plan.h"
#include "loadbank/point.h"
#include "mlperf/dataset_there.h"
#include "mlperf/forewarn.h"
#include "mlperf/leaf.h"
#include "mlperf/life.h"
#include "mlperf/run_overrides.h"

enum { MAX_THREADS = 512, MAX_TEXT = 1 << 20 };

struct carry {
  struct lb_world *w;
  const struct lb_mlperf_args *args;
  const struct lb_mlperf_config *config;
  const char *command_line;
  const char *org;
  int64_t loop; /* from 0 */
  /* What the run will be, without a folder: for gates and people. */
  struct lb_workload *workload;
  struct lb_plan plan;
  struct lb_rehearsal rehearsal;
};

/* ---- before all loops ---- */

static int check_args(const struct carry *c, struct lb_err *err)
{
  if (c->args->drop_caches_timeout_seconds)
    return lb_err_set(err, LB_USAGE,
                      "--drop-caches-timeout-seconds: a host's cache is "
                      "dropped by one write to the kernel, which cannot be cut "
                      "short; leave it out");
  return lb_mlperf_config_check(c->args, c->config, err);
}

/* Rank-local. */
static int load(struct carry *c, struct lb_err *err)
{
  const struct lb_mlperf_config *m = c->config;
  struct lb_run_overrides o;
  int rc = lb_run_overrides_make(m->override, m->n_overrides, NULL, &o, err);
  if (!rc)
    rc = lb_workload_load(m->text, m->len, m->path, (const char *const *)o.line,
                          o.n, &c->workload, err);
  if (!rc)
    rc = lb_workload_check_run(c->workload, err);
  if (!rc)
    rc = lb_plan_make(c->workload, c->w->n_ranks, m->accelerators, &c->plan,
                      err);
  lb_run_overrides_fini(&o);
  return rc;
}

/* Collective. */
static int prepare(struct carry *c, struct lb_err *err)
{
  const struct lb_mlperf_scale s = lb_mlperf_scale_of(c->args);
  c->rehearsal = (struct lb_rehearsal){s.files, s.bytes, s.time};
  int rc = check_args(c, err);
  if (!rc)
    rc = load(c, err);
  int agreed = lb_bench_agree(c->w, err);
  return agreed ? agreed : rc;
}

/* ---- a loop ---- */

static struct lb_gates gates_of(const struct carry *c)
{
  const struct lb_workload *w = c->workload;
  const struct lb_plan *p = &c->plan;
  bool training = c->args->kind == LB_MLPERF_TRAINING;
  bool real = !w->derived.backend->is_virtual;
  bool saves = real && w->workflow.checkpoint && p->checkpoints.scheme;
  struct lb_gates g = {
      .results = c->args->results_dir,
      .data = real && training ? w->derived.data_folder : NULL,
      .checkpoint = saves ? w->derived.checkpoint_folder : NULL,
      .checkpoint_bytes = saves ? p->checkpoints.total_bytes : 0,
      .separate = c->args->command == LB_MLPERF_RUN,
      .same_is_allowed = c->args->mode == LB_MLPERF_WHATIF ||
                         c->args->skip_fs_separation_gate ||
                         lb_mlperf_is_rehearsal(&c->args->scale),
      .same_rule = training ? "3.4.2" : "4.4.2"};
  for (int set = 0; g.data && set < LB_N_SETS; set++)
    g.data_bytes += p->set[set].written ? p->set[set].file_bytes : 0;
  return g;
}

/* Every leaf has the plan; people get it once, however many loops there are. */
static void say_plan(const struct carry *c, const struct lb_life *l)
{
  struct lb_buf which, plan;
  char rehearsal[200];
  lb_buf_init(&which, MAX_TEXT);
  lb_buf_init(&plan, MAX_TEXT);
  if (c->args->loops > 1)
    lb_plan_row(&which, c->loop ? "\nrun" : "run", "%" PRId64 " of %" PRId64,
                c->loop + 1, c->args->loops);
  lb_plan_row(&which, "leaf", "%s", l->leaf.path);
  lb_mlperf_rehearsal_text(&l->leaf.scale, rehearsal, sizeof rehearsal);
  if (*rehearsal)
    lb_buf_printf(&plan, "%s\n", rehearsal);
  lb_plan_text(&c->plan, c->workload, &plan);
  lb_life_say(l, which.data ? which.data : "");
  (c->loop ? lb_life_keep : lb_life_say)(l, plan.data ? plan.data : "");
  lb_buf_fini(&which);
  lb_buf_fini(&plan);
}

/* What the run itself has to say. */
static void say_results(const struct carry *c, const struct lb_life *l,
                        const char *text, const struct lb_point_result *r)
{
  lb_life_say(l, text);
  if (c->args->command == LB_MLPERF_DATAGEN && r->code == 0 &&
      r->summary.cost.generated_files == 0)
    lb_life_say(l, "The dataset was complete already: nothing was made.  Of "
                   "datagen a submission has one leaf (rule 2.1.13).\n");
}

/* Collective.  The exit status of the job: 0, a signal's, or negative. */
static int run_point(struct carry *c, const struct lb_life *l,
                     struct lb_point_result *result, struct lb_err *err)
{
  const struct lb_mlperf_config *m = c->config;
  struct lb_run_overrides o;
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  lb_run_overrides_make(m->override, m->n_overrides, l->leaf.path, &o, err);
  if (!out)
    lb_err_set(err, LB_FAILED, "no memory for the results' text");
  int rc = lb_bench_agree(c->w, err);
  const struct lb_point p = {
      .yaml = m->text,
      .name = m->path,
      .yaml_len = m->len,
      .overrides = (const char *const *)o.line,
      .n_overrides = o.n,
      .accelerators = m->accelerators,
      .aloud = true,
      .run = {.command_line = c->command_line,
              .progress = c->args->quiet ? LB_PROGRESS_NEVER : LB_PROGRESS_AUTO,
              .max_threads = MAX_THREADS,
              .mismatch_advice = lb_mlperf_other_data,
              .rehearsal = lb_mlperf_is_rehearsal(&c->args->scale)
                               ? &c->rehearsal
                               : NULL,
              .out = out}};
  if (!rc)
    rc = lb_point_run(c->w, &p, result, err);
  if (out)
    fclose(out);
  if (rc >= 0 && c->w->rank == 0)
    say_results(c, l, text ? text : "", result);
  free(text);
  lb_run_overrides_fini(&o);
  return rc;
}

static const char *status_of(int code)
{
  return code == 0 ? "complete" : code < 128 ? "failed" : "interrupted";
}

static const char *reason_of(int code, const struct lb_err *err)
{
  return code > 128 ? strsignal(code - 128) : err->msg;
}

/* Collective.  The leaf exists: whatever happens, its metadata say so. */
static int live(struct carry *c, struct lb_life *l,
                const struct lb_gates_found *found, struct lb_err *err)
{
  struct lb_point_result result = {.code = LB_FAILED, .seconds = NAN};
  int rc = lb_life_begin(c->w, l, found, err);
  if (rc) {
    lb_life_end(c->w, l, "failed", err->msg, NAN, true, err);
    return rc;
  }
  if (c->w->rank == 0)
    say_plan(c, l);
  rc = run_point(c, l, &result, err);
  if (rc >= 0 && result.code && result.code < 128) {
    rc = lb_err_set(err, (enum lb_code)result.code, "%s", result.reason);
    err->named = true;
  }
  int code = rc < 0 ? err->code : result.code;
  int ended = lb_life_end(c->w, l, status_of(code), reason_of(code, err),
                          result.seconds, rc >= 0 || result.code != 0, err);
  lb_point_result_fini(&result);
  return rc ? rc : ended;
}

static void set_leaf(const struct carry *c, struct lb_leaf *l)
{
  *l = (struct lb_leaf){.args = c->args,
                        .config = c->config,
                        .command_line = c->command_line,
                        .scale = lb_mlperf_scale_of(c->args),
                        .place = {.mode = c->args->mode,
                                  .kind = c->args->kind,
                                  .command = c->args->command},
                        .begin_utc_ns = lb_clock_utc_ns()};
  snprintf(l->place.org, LB_MLPERF_NAME, "%s", c->org);
  memcpy(l->place.system, c->args->systemname, LB_MLPERF_NAME);
  snprintf(l->place.model, LB_MLPERF_NAME, "%s", c->config->row->model);
}

/* Collective. */
static int one_loop(struct carry *c, struct lb_err *err)
{
  const struct lb_gates gates = gates_of(c);
  struct lb_gates_found found;
  struct lb_life l = {.metadata = NULL};
  lb_log_copy("", false); /* what comes before the leaf is in no leaf */
  set_leaf(c, &l.leaf);
  l.leaf.ranks = c->w->n_ranks;
  int rc = lb_gates_pass(c->w, &gates, &found, err);
  if (!rc)
    rc = lb_cluster_gather(c->w, &l.hosts, err);
  if (!rc && c->w->rank == 0 && !lb_forewarn_size(&l.leaf, &l.hosts, err))
    lb_mlperf_dataset_there(c->args, &l.leaf.place, c->workload, err);
  if (!rc)
    rc = lb_bench_agree(c->w, err);
  if (!rc)
    rc = lb_life_open(c->w, &l, err);
  if (!rc)
    rc = live(c, &l, &found, err);
  lb_gates_fini(&found);
  lb_life_fini(&l);
  return rc;
}

int lb_mlperf_carry_out(struct lb_world *w, const struct lb_mlperf_args *args,
                        const struct lb_mlperf_config *config, const char *org,
                        const char *command_line, struct lb_err *err)
{
  struct carry c = {.w = w,
                    .args = args,
                    .config = config,
                    .org = org,
                    .command_line = command_line};
  int rc = prepare(&c, err);
  if (args->loops > 1)
    lb_log_once();
  for (; !rc && (c.loop == 0 || c.loop < args->loops); c.loop++)
    rc = one_loop(&c, err);
  if (!rc && w->rank == 0 && ferror(stdout))
    lb_err_set(err, LB_FAILED, "stdout: not all could be written");
  if (!rc)
    rc = lb_bench_agree(w, err);
  lb_workload_free(c.workload);
  return rc;
}

/* ---- datasize ---- */

int lb_mlperf_datasize_leaf(const struct lb_mlperf_args *args,
                            const struct lb_mlperf_config *config,
                            const char *org, const char *command_line,
                            char path[PATH_MAX], struct lb_err *err)
{
  const struct carry c = {
      .args = args, .config = config, .org = org, .command_line = command_line};
  struct lb_leaf l;
  set_leaf(&c, &l);
  if (lb_leaf_make(args->results_dir, &l.place, l.path, err))
    return -err->code;
  json_t *metadata = lb_metadata_new(&l);
  lb_metadata_end(metadata, "complete", NULL, NAN);
  int rc = lb_metadata_write(&l, metadata, err);
  if (!rc)
    rc = lb_life_write_origin(&l, err);
  memcpy(path, l.path, sizeof l.path);
  json_decref(metadata);
  return rc;
}
