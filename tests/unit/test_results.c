/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Results read back: what report wrote; and broken and foreign ones of each
 * kind, which are named and kept apart. */
#include "lb-config.h"

#include "loadbank/results.h"

#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "loadbank/metric_table.h"
#include "loadbank/report.h"
#include "result_rig.h"
#include "tap.h"

static struct lb_world world; /* of one rank */

/* The only result below the folder. */
static struct lb_result *read_one(struct lb_results *s, const char *name)
{
  struct lb_err err = LB_ERR_INIT;
  *s = (struct lb_results){.n = 0};
  is_int(lb_results_read(s, rig_path(name, NULL), &err), 0, "%s: read %s", name,
         err.msg);
  is_int(s->n, 1, "%s: one result", name);
  return s->n ? &s->result[0] : NULL;
}

static void whole(void)
{
  struct lb_results s;
  struct lb_result *r = read_one(&s, "whole");
  if (!r)
    return;
  ok(r->state == LB_RESULT_COMPLETE && !r->reason, "complete: %s",
     r->reason ? r->reason : "-");
  is_str(r->name, ".", "named itself");
  is_str(r->version, "0", "version");
  ok(r->workload && r->config_hash && r->model && r->start, "its texts");
  ok(r->accelerators == 3 && r->ranks == 1 && r->nodes == 1, "its numbers");
  /* 100 reads of 1 ms: run_cost. */
  const struct lb_result_op *op = lb_result_find_op(r, "train", "read");
  ok(op && op->count == 100 && op->bytes == 409600 && op->errors == 0,
     "an operation");
  is_near(op ? op->mean_s : 0, 1e-3, 1e-9, "its mean");
  ok(!lb_result_find_op(r, "train", "rmdir"), "one that was not made");
  double v[2] = {0, 0},
         all = lb_result_number(r, "metric.train_au_mean_percentage");
  is_int(lb_result_list(r, "metric.train_au_percentage", v, 2), 2, "2 epochs");
  is_near((v[0] + v[1]) / 2, all, 1e-9, "whose mean is the mean");
  is_int(lb_result_list(r, "metric.train_au_mean_percentage", v, 2), 0,
         "a number is no list");
  ok(isnan(lb_result_number(r, "metric.nothing.below")), "no such number");
  lb_results_fini(&s);
}

/* Every row of the table must be found in a run that has a bit of all, with the
 * unit that metrics have. */
static void quantities(void)
{
  struct lb_results s;
  struct lb_result *r = read_one(&s, "whole");
  for (const struct lb_quantity *q = lb_quantities; r && q->path; q++) {
    double v[4] = {0}, sum = 0, one = lb_result_number(r, q->path);
    ok(isfinite(one), "%s is there", q->path);
    for (const struct lb_metric *m = lb_metrics_table; m->key; m++)
      if (!strcmp(strchr(q->path, '.') + 1, m->key))
        is_str(q->unit, m->unit, "%s: unit", q->path);
    bool phase = !q->phase;
    for (int i = 0; !phase && i < LB_N_PHASES; i++)
      phase = !strcmp(q->phase, lb_phases[i].name);
    ok(phase, "%s: a phase", q->path);
    if (!q->parts)
      continue;
    size_t n = lb_result_list(r, q->parts, v, 4);
    for (size_t i = 0; i < n && i < 4; i++)
      sum += v[i];
    is_near(sum / (double)n, one, 1e-9 * one, "%s: the mean of its parts",
            q->path);
  }
  lb_results_fini(&s);
}

/* ---- what is wrong with a summary ---- */

static void wrong_summaries(void)
{
  const struct {
    const char *path;
    json_t *value;
    enum lb_result_state state;
    const char *reason;
  } rows[] = {
      {"loadbank.status", json_string("interrupted"), LB_RESULT_INTERRUPTED,
       "summary.json has no reason"},
      {"loadbank.status", json_string("failed"), LB_RESULT_FAILED,
       "summary.json has no reason"},
      {"loadbank.status", json_string("fine"), LB_RESULT_BROKEN,
       "summary.json: loadbank.status is none of complete, interrupted, "
       "failed"},
      {"loadbank.schema_version", json_integer(LB_REPORT_SCHEMA + 1),
       LB_RESULT_FOREIGN,
       "summary.json: schema_version is 2, this program "
       "knows 1"},
      {"loadbank.schema_version", json_null(), LB_RESULT_BROKEN,
       "summary.json: loadbank.schema_version is no number"},
      {"loadbank.config_hash", json_null(), LB_RESULT_BROKEN,
       "summary.json: no text loadbank.config_hash"},
      {"loadbank.ranks", json_string("4"), LB_RESULT_BROKEN,
       "summary.json: loadbank.ranks is no number > 0"},
      {"metric", json_array(), LB_RESULT_BROKEN,
       "summary.json: no object 'metric'"},
      {"metric.train_au_mean_percentage", json_string("90"), LB_RESULT_BROKEN,
       "summary.json: metric.train_au_mean_percentage is no number >= 0"},
      {"metric.train_au_mean_percentage", json_real(-1), LB_RESULT_BROKEN,
       "summary.json: metric.train_au_mean_percentage is no number >= 0"},
      {"metric.train_au_percentage", json_real(90), LB_RESULT_BROKEN,
       "summary.json: metric.train_au_percentage is no list of numbers >= 0"},
      {"loadbank.io.train.read.count", json_true(), LB_RESULT_BROKEN,
       "summary.json: loadbank.io.train.read.count is no number >= 0"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct lb_results s;
    json_t *v = rig_summary("whole");
    rig_set(v, rows[i].path, rows[i].value);
    rig_copy("wrong", v);
    json_decref(v);
    struct lb_result *r = read_one(&s, "wrong");
    is_int(r ? (int)r->state : -1, rows[i].state, "%s: state", rows[i].path);
    is_str(r ? r->reason : "", rows[i].reason, "%s: reason", rows[i].path);
    lb_results_fini(&s);
  }
  json_t *v = rig_summary("whole");
  json_object_del(v, "loadbank");
  rig_copy("wrong", v);
  json_decref(v);
  struct lb_results s;
  struct lb_result *r = read_one(&s, "wrong");
  ok(r && r->state == LB_RESULT_FOREIGN && strstr(r->reason, "another program"),
     "DLIO's own is foreign");
  lb_results_fini(&s);
}

/* ---- files ---- */

static void becomes(const char *what, enum lb_result_state state,
                    const char *reason)
{
  struct lb_results s;
  struct lb_result *r = read_one(&s, "wrong");
  is_int(r ? (int)r->state : -1, state, "%s: state", what);
  ok(r && r->reason && strstr(r->reason, reason), "%s: %s", what,
     r && r->reason ? r->reason : "-");
  lb_results_fini(&s);
}

static void wrong_files(void)
{
  json_t *v = rig_summary("whole");
  rig_copy("wrong", v);
  rig_text("wrong", "summary.json", "{\"metric\": {");
  becomes("cut off", LB_RESULT_BROKEN, "summary.json:1: ");
  rig_text("wrong", "summary.json", "{\"a\": 1, \"a\": 2}");
  becomes("a key twice", LB_RESULT_BROKEN, "duplicate");
  rig_text("wrong", "summary.json", "[]");
  becomes("a list", LB_RESULT_BROKEN, "not an object");
  rig_text("wrong", "summary.json", "");
  becomes("empty", LB_RESULT_BROKEN, "summary.json:");
  unlink(rig_path("wrong", "summary.json"));
  becomes("no summary", LB_RESULT_MISSING, "the run goes on, or was killed");
  mkfifo(rig_path("wrong", "summary.json"), 0600);
  becomes("a pipe does not hang", LB_RESULT_BROKEN, "not a file");
  unlink(rig_path("wrong", "summary.json"));
  rig_copy("wrong", v);
  unlink(rig_path("wrong", "0_output.json"));
  becomes("no 0_output.json", LB_RESULT_BROKEN,
          "0_output.json: No such file or directory");
  rig_copy("wrong", v);
  rig_text("wrong", "0_per_epoch_stats.json", "{\"1\": ");
  becomes("half a file", LB_RESULT_BROKEN, "0_per_epoch_stats.json:1: ");
  rig_copy("wrong", v);
  json_t *named = rig_summary("wrong");
  rig_set(named, "loadbank.steps_file", json_string("steps.h5"));
  json_dump_file(named, rig_path("wrong", "summary.json"), 0);
  becomes("no steps.h5", LB_RESULT_BROKEN, "steps.h5: No such file");
  rig_text("wrong", "steps.h5", "\x89HDF");
  becomes("half of steps.h5", LB_RESULT_BROKEN, "steps.h5: not an HDF5 file");
  unlink(rig_path("wrong", "steps.h5"));
  json_decref(named);
  json_decref(v);
}

/* ---- sets ---- */

static void sets(void)
{
  struct lb_results s = {.n = 0};
  struct lb_err err = LB_ERR_INIT;
  json_t *v = rig_summary("whole");
  rig_copy("set/b", v);
  rig_copy("set/deep/er/a", v);
  rig_copy("set/.hidden/c", v);
  rig_text("set/cut", "0_output.json", "{}");
  rig_text("set/other", "notes.txt", "of a user");
  ok(symlink(rig_path("whole", NULL), rig_path("set/link", NULL)) == 0,
     "a link");
  is_int(lb_results_read(&s, rig_path("set/", NULL), &err), 0, "a set %s",
         err.msg);
  is_int(s.n, 3, "hidden folders and links are not entered");
  is_str(s.n == 3 ? s.result[0].name : "", "b", "sorted by path");
  is_str(s.n == 3 ? s.result[1].name : "", "cut", "the one that was cut");
  is_int(s.n == 3 ? (int)s.result[1].state : -1, LB_RESULT_MISSING, "is in it");
  is_str(s.n == 3 ? s.result[2].name : "", "deep/er/a", "at any depth");
  is_int(lb_results_read(&s, rig_path("set/../set/b", NULL), &err), 0,
         "one of them again");
  is_int(s.n, 3, "is no second run");
  is_int(lb_results_read(&s, rig_path("whole", "summary.json"), &err), 0,
         "a summary stands for its folder");
  is_int(s.n, 4, "and is added");
  is_int(lb_results_read(&s, rig_path("set/other", NULL), &err), -LB_USAGE,
         "no results there");
  ok(strstr(err.msg, "set/other: no results in it"), "says so: %s", err.msg);
  err = (struct lb_err)LB_ERR_INIT;
  is_int(lb_results_read(&s, rig_path("nowhere", NULL), &err), -LB_USAGE,
         "no such folder");
  err = (struct lb_err)LB_ERR_INIT;
  is_int(lb_results_read(&s, rig_path("set/other", "notes.txt"), &err),
         -LB_USAGE, "a file of another kind");
  lb_results_fini(&s);
  json_decref(v);
}

int main(int argc, char **argv)
{
  struct lb_err err = LB_ERR_INIT;
  is_int(lb_world_init(&world, &argc, &argv, &err), 0, "a world %s", err.msg);
  rig_write(&world, "whole");
  whole();
  quantities();
  wrong_summaries();
  wrong_files();
  sets();
  lb_world_fini(&world);
  return done();
}
