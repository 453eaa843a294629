/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Comparisons with known answers: sets that are drawn around a real result with
 * a fixed seed, so that it is known which verdict is right. */
#include "lb-config.h"

#include "loadbank/compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loadbank/dist.h"
#include "result_rig.h"
#include "results/results_impl.h"
#include "tap.h"

static struct lb_world world;
static json_t *model;     /* the summary that all are made from */
static struct lb_rng rng; /* of all that is drawn */

/* ---- sets in memory ---- */

/* What differs from the model: factors. */
struct made {
  double bandwidth; /* of training: throughput, AU */
  double load;      /* of loads: duration, and the latency of opens */
  double spread;    /* from run to run, standard deviation */
};

static void scale(json_t *v, const char *path, double factor)
{
  char key[128];
  const char *dot;
  for (; (dot = strchr(path, '.')); path = dot + 1) {
    snprintf(key, sizeof key, "%.*s", (int)(dot - path), path);
    v = json_object_get(v, key);
  }
  json_t *old = json_object_get(v, path);
  if (json_is_array(old)) {
    for (size_t i = 0; i < json_array_size(old); i++)
      json_array_set_new(
          old, i,
          json_real(factor * json_number_value(json_array_get(old, i))));
    return;
  }
  json_object_set_new(v, path, json_real(factor * json_number_value(old)));
}

static double near_one(double spread)
{
  struct lb_dist d = {.kind = lb_dist_find("normal"), .p = {1, spread}};
  return lb_dist_sample(&d, &rng);
}

static json_t *draw(const struct made *m)
{
  static const char *const rates[] = {
      "metric.train_au_mean_percentage",
      "metric.train_au_percentage",
      "metric.train_throughput_mean_samples_per_second",
      "metric.train_throughput_samples_per_second",
      "loadbank.train_throughput_wall_mean_samples_per_second",
      "loadbank.train_throughput_wall_samples_per_second"};
  json_t *v = json_deep_copy(model);
  double rate = m->bandwidth * near_one(m->spread);
  double load = m->load * near_one(m->spread);
  for (size_t i = 0; i < sizeof rates / sizeof *rates; i++)
    scale(v, rates[i], rate);
  scale(v, "loadbank.io.train.read.mean_seconds", 1 / rate);
  scale(v, "loadbank.steps.train.load.mean_seconds", 1 / rate);
  scale(v, "metric.save_checkpoint_duration_mean_seconds", near_one(m->spread));
  scale(v, "metric.load_checkpoint_duration_mean_seconds", load);
  scale(v, "loadbank.load_checkpoint_duration_seconds", load);
  scale(v, "metric.eval_throughput_mean_samples_per_second",
        near_one(m->spread));
  scale(v, "metric.eval_au_mean_percentage", near_one(m->spread));
  return v;
}

/* n runs of one configuration, in memory; each with a path of its own. */
static struct lb_results make_set(const char *name, const struct made *m, int n)
{
  struct lb_results s = {.result = calloc((size_t)n, sizeof *s.result),
                         .n = (size_t)n};
  struct lb_err err = LB_ERR_INIT;
  for (int i = 0; i < n; i++) {
    static uint64_t inode;
    struct lb_result *r = &s.result[i];
    *r = (struct lb_result){.path = calloc(1, 64), .summary = draw(m)};
    snprintf(r->path, 64, "%s/%d", name, i);
    r->name = r->path + strlen(name) + 1;
    r->inode = ++inode;
    if (lb_result_take(r, &err) || r->state != LB_RESULT_COMPLETE)
      ok(false, "%s: %s", r->path, r->reason ? r->reason : err.msg);
  }
  return s;
}

static const struct lb_compare_options by_5 = {.tolerance = 0.05};

static struct lb_comparison compare(const struct lb_results *a,
                                    const struct lb_results *b)
{
  struct lb_err err = LB_ERR_INIT;
  struct lb_comparison c;
  if (lb_compare(a, b, &by_5, &c, &err))
    ok(false, "compared: %s", err.msg);
  return c;
}

/* Two sets, drawn and compared. */
struct trial {
  struct lb_results a, b;
  struct lb_comparison c;
};

static struct trial try_one(const struct made *a, int na, const struct made *b,
                            int nb)
{
  struct trial t = {.a = make_set("a", a, na), .b = make_set("b", b, nb)};
  t.c = compare(&t.a, &t.b);
  return t;
}

static void release(struct trial *t)
{
  lb_comparison_fini(&t->c);
  lb_results_fini(&t->a);
  lb_results_fini(&t->b);
}

/* The row of a quantity, of the only match. */
static const struct lb_judgement *row_of(const struct trial *t,
                                         const char *path)
{
  for (size_t i = 0; t->c.n == 1 && i < t->c.match[0].n; i++)
    if (!strcmp(t->c.match[0].judgement[i].quantity->path, path))
      return &t->c.match[0].judgement[i];
  ok(false, "%s is judged", path);
  static const struct lb_judgement none;
  return &none;
}

static const struct made as_is = {1, 1, 0.02}, exact = {1, 1, 0};
static const char *const au = "metric.train_au_mean_percentage";
static const char *const loads = "metric.load_checkpoint_duration_mean_seconds";

/* ---- how often verdicts are right ---- */

/* Verdicts on the whole, and on AU alone. */
struct counts {
  int whole[LB_N_VERDICTS], au[LB_N_VERDICTS];
};

static struct counts count(const struct made *b, int runs, int trials)
{
  struct counts n = {.whole = {0}};
  const struct made a = {1, 1, b->spread};
  for (int i = 0; i < trials; i++) {
    struct trial t = try_one(&a, runs, b, runs);
    n.whole[t.c.verdict]++;
    n.au[row_of(&t, au)->verdict]++;
    release(&t);
  }
  return n;
}

static void verdicts(void)
{
  struct counts n = count(&as_is, 10, 20);
  ok(n.whole[LB_VERDICT_SAME] >= 19,
     "the same, spread 2 %%: said %d times of 20", n.whole[LB_VERDICT_SAME]);
  n = count(&(struct made){0.9, 1, 0.02}, 10, 20);
  ok(n.whole[LB_VERDICT_WORSE] >= 19, "10 %% less: worse, said %d times of 20",
     n.whole[LB_VERDICT_WORSE]);
  n = count(&(struct made){1.1, 1, 0.02}, 10, 20);
  ok(n.whole[LB_VERDICT_BETTER] >= 19,
     "10 %% more: better, said %d times of 20", n.whole[LB_VERDICT_BETTER]);
  /* Exactly on the border none of the three is right: each at 5 % of 150 times
   * at most, and 13 or more would be a chance of 4 % (the seed is fixed). */
  n = count(&(struct made){0.95, 1, 0.01}, 4, 150);
  int wrong = n.whole[LB_VERDICT_WORSE] + n.whole[LB_VERDICT_BETTER];
  ok(wrong <= 12, "on the border: worse or better, said %d times of 150",
     wrong);
  ok(n.au[LB_VERDICT_SAME] <= 12 && n.au[LB_VERDICT_SAME] > 0,
     "on the border: same, of AU alone, said %d times of 150",
     n.au[LB_VERDICT_SAME]);
  n = count(&(struct made){1, 1, 0.3}, 3, 20);
  ok(n.whole[LB_VERDICT_UNDECIDED] >= 19,
     "few runs that vary by 30 %%: undecided, said %d times of 20",
     n.whole[LB_VERDICT_UNDECIDED]);
}

/* ---- rows ---- */

static void rows(void)
{
  struct trial t = try_one(&exact, 2, &(struct made){0.8, 5, 0}, 2);
  const struct lb_judgement *j = row_of(&t, au);
  is_near(j->ratio, 0.8, 1e-9, "ratio");
  is_near(j->ends[0], 0.8, 1e-9, "without spread its interval is a point");
  ok(j->basis == LB_BASIS_RUNS && j->counts, "by runs; it counts");
  is_str(lb_verdict_names[j->verdict], "worse", "less AU is worse");
  j = row_of(&t, loads);
  is_near(j->ratio, 5, 1e-9, "loads take five times as long");
  is_str(lb_verdict_names[j->verdict], "worse", "which is worse, too");
  j = row_of(&t, "metric.eval_au_mean_percentage");
  is_str(lb_verdict_names[j->verdict], "same", "evaluation did not change");
  ok(j->cause.phase == NULL, "and has no cause");
  j = row_of(&t, "loadbank.steps.train.load.mean_seconds");
  ok(!j->counts && j->verdict == LB_VERDICT_WORSE,
     "load times show it and do not count");
  release(&t);
  t = try_one(&exact, 2, &(struct made){1.2, 1, 0}, 2);
  is_str(lb_verdict_names[t.c.verdict], "better", "one better, none worse");
  release(&t);
  t = try_one(&exact, 2, &(struct made){1.2, 2, 0}, 2);
  is_str(lb_verdict_names[t.c.verdict], "worse", "worse is not made up for");
  release(&t);
}

/* p of the rows that count, as Holm adjusts them: none below its own, the
 * smallest times the number of rows. */
static void holm(void)
{
  struct trial t = try_one(&as_is, 5, &(struct made){0.93, 1, 0.02}, 5);
  const struct lb_match *m = &t.c.match[0];
  double least = 1, adjusted = 1;
  size_t n = 0;
  bool above = true;
  for (size_t i = 0; i < m->n; i++) {
    const struct lb_judgement *j = &m->judgement[i];
    if (!j->counts)
      continue;
    double own = fmin(1, 2 * fmin(j->p_worse, j->p_better));
    n++;
    least = fmin(least, own);
    adjusted = fmin(adjusted, j->p);
    above &= j->p >= own;
  }
  is_int(n, 6, "AU and throughput of two sets, saves, loads");
  ok(above, "no p is smaller than before");
  is_near(adjusted, fmin(1, 6 * least), 1e-12, "the smallest, times six");
  release(&t);
}

/* ---- few runs ---- */

static void few_runs(void)
{
  struct trial t = try_one(&as_is, 10, &(struct made){0.7, 1, 0}, 1);
  ok(row_of(&t, au)->basis == LB_BASIS_ONE, "one run against ten");
  is_str(lb_verdict_names[t.c.verdict], "worse", "30 %% less is worse");
  release(&t);
  /* Two epochs, two saves, a load: the model's. */
  t = try_one(&exact, 1, &(struct made){0.8, 1, 0}, 1);
  const struct lb_judgement *j = row_of(&t, au);
  ok(j->basis == LB_BASIS_PARTS && j->a.n == 2, "single runs: by epochs");
  j = row_of(&t, loads);
  ok(j->basis == LB_BASIS_NONE && j->verdict == LB_VERDICT_UNDECIDED,
     "a single load says nothing of how much loads vary");
  release(&t);
}

/* ---- causes ---- */

static void causes(void)
{
  struct trial t = try_one(&exact, 2, &(struct made){0.8, 5, 0}, 2);
  const struct lb_cause *c = &row_of(&t, au)->cause;
  is_str(c->phase, "train", "training's phase");
  is_str(c->operation ? c->operation : "", "read", "reads took longer");
  ok(!c->files, "of files that were not told apart");
  is_near(c->latency_s[0], 1e-3, 1e-9, "1 ms each");
  is_near(c->latency_s[1], 1.25e-3, 1e-9, "now a quarter longer");
  is_near(c->count_ratio, 1, 1e-9, "as many");
  is_near(c->share, 1, 1e-9, "nothing else did");
  /* 100 reads of 1 ms. */
  is_near(c->extra_s, 0.025, 1e-9, "by 25 ms in a run");
  c = &row_of(&t, loads)->cause;
  is_str(c->phase, "checkpoint_load", "loads' phase");
  ok(!c->operation, "no operation of it is known to have taken longer");
  release(&t);
}

/* Opens of loads: 4 of the metadata file and 4 of data; the former stall. */
static void metadata(void)
{
  json_t *io = json_object_get(json_object_get(model, "loadbank"), "io");
  for (int stalled = 0; stalled < 2; stalled++) {
    json_t *was = json_incref(json_object_get(io, "checkpoint_load"));
    json_object_set_new(io, "checkpoint_load",
                        json_pack("{s:{s:i, s:f}, s:{s:i, s:f}, s:{s:i, s:f}}",
                                  "open", "count", 8, "mean_seconds", 0.001,
                                  "open_metadata", "count", 4, "mean_seconds",
                                  0.001, "read", "count", 100, "mean_seconds",
                                  0.001));
    struct lb_results a = make_set("a", &exact, 2);
    const char *which = stalled ? "open_metadata" : "open";
    scale(io, "checkpoint_load.open.mean_seconds", 51);
    if (stalled)
      scale(io, "checkpoint_load.open_metadata.mean_seconds", 101);
    struct lb_results b = make_set("b", &(struct made){1, 5, 0}, 2);
    struct trial t = {.a = a, .b = b, .c = compare(&a, &b)};
    const struct lb_cause *c = &row_of(&t, loads)->cause;
    is_str(c->operation ? c->operation : "", "open", "%s: opens", which);
    is_str(c->files ? c->files : "", stalled ? "metadata" : "data",
           "%s: of these files", which);
    release(&t);
    json_object_set_new(io, "checkpoint_load", was);
    if (!was)
      json_object_del(io, "checkpoint_load");
  }
}

/* Only data was generated. */
static void forget_the_rest(struct lb_result *r)
{
  json_t *metric = json_object_get(r->summary, "metric");
  json_object_clear(metric);
  for (const struct lb_quantity *q = lb_quantities; q->path; q++)
    if (!strcmp(q->phase, "train") || !strcmp(q->phase, "eval")) {
      json_object_del(json_object_get(r->summary, "loadbank"), "steps");
      json_object_del(json_object_get(r->summary, "loadbank"),
                      strrchr(q->path, '.') + 1);
    }
  r->config_hash = "generation";
}

static void generation(void)
{
  struct lb_results a = make_set("a", &exact, 4), b = make_set("b", &exact, 4);
  for (int i = 0; i < 2; i++) {
    forget_the_rest(&a.result[i]);
    forget_the_rest(&b.result[i]);
    scale(b.result[i].summary, "loadbank.generate.MiB_per_second", 0.5);
  }
  struct lb_comparison c = compare(&a, &b);
  is_int(c.n, 2, "two groups");
  is_int(c.n == 2 ? (int)c.match[0].n : 0, 1, "one of generation alone");
  ok(c.n == 2 && !c.match[0].judgement[0].counts &&
         c.match[0].judgement[0].verdict == LB_VERDICT_WORSE,
     "which is slower and does not count");
  is_str(lb_verdict_names[c.verdict], "same", "beside what does");
  lb_comparison_fini(&c);
  a.n = b.n = 2;
  c = compare(&a, &b);
  is_str(lb_verdict_names[c.verdict], "worse", "alone, it counts");
  lb_comparison_fini(&c);
  a.n = b.n = 4;
  lb_results_fini(&a);
  lb_results_fini(&b);
}

static void clients(void)
{
  struct lb_results s = make_set("a", &exact, 3);
  const struct lb_result *run[] = {&s.result[0], &s.result[1], &s.result[2]};
  const struct lb_group g = {run, 3};
  for (int i = 0; i < 3; i++)
    rig_set(s.result[i].summary, "loadbank.limited_by",
            json_string(i == 1 ? "client" : "storage"));
  is_int(lb_group_client_bound(&g), 1, "one run was limited by the client");
  lb_results_fini(&s);
}

/* ---- what may be compared ---- */

static void refused(const char *path, json_t *value, const char *part)
{
  struct lb_results a = make_set("a", &exact, 2);
  struct lb_err err = LB_ERR_INIT;
  struct lb_comparison c;
  json_t *was = model;
  model = json_deep_copy(was);
  rig_set(model, path, value);
  struct lb_results b = make_set("b", &exact, 2);
  is_int(lb_compare(&a, &b, &by_5, &c, &err), -LB_USAGE, "%s: refused", path);
  ok(strstr(err.msg, part) && strstr(err.msg, "--allow-mismatch"), "%s: %s",
     path, err.msg);
  lb_comparison_fini(&c);
  const struct lb_compare_options all = {.tolerance = 0.05,
                                         .allow_mismatch = true};
  err = (struct lb_err)LB_ERR_INIT;
  is_int(lb_compare(&a, &b, &all, &c, &err), 0, "%s: compared when asked %s",
         path, err.msg);
  is_str(lb_verdict_names[c.verdict], "same", "%s: verdict", path);
  lb_comparison_fini(&c);
  lb_results_fini(&a);
  lb_results_fini(&b);
  json_decref(model);
  model = was;
}

static void left_out(void)
{
  struct lb_results a = make_set("a", &exact, 3);
  struct lb_results b = make_set("b", &exact, 3);
  struct lb_err err = LB_ERR_INIT;
  scale(b.result[1].summary, au, 0.1);
  b.result[1].state = LB_RESULT_INTERRUPTED;
  b.result[1].reason = strdup("Terminated");
  struct lb_comparison c = compare(&a, &b);
  is_int(c.n == 1 ? (int)c.match[0].b.n : 0, 2, "two of three are averaged");
  is_str(lb_verdict_names[c.verdict], "same", "the third is not");
  lb_comparison_fini(&c);
  is_int(lb_compare(&a, &a, &by_5, &c, &err), -LB_USAGE,
         "a set against itself");
  ok(strstr(err.msg, "is on both sides"), "says so: %s", err.msg);
  lb_comparison_fini(&c);
  for (size_t i = 0; i < 3; i++)
    b.result[i].state = LB_RESULT_FAILED;
  err = (struct lb_err)LB_ERR_INIT;
  is_int(lb_compare(&a, &b, &by_5, &c, &err), -LB_USAGE, "none is complete");
  ok(strstr(err.msg, "b/1 is failed (Terminated)"), "says which: %s", err.msg);
  lb_comparison_fini(&c);
  lb_results_fini(&a);
  lb_results_fini(&b);
}

/* Points of sweeps: by configuration, else by the place of any repeat. */
static void sweeps(void)
{
  enum { N = 4 };
  static const char *const hashes[2][N] = {{"one", "one", "two", "only"},
                                           {"two", "uno", "solo", "solo"}};
  static const char *const names[2][N] = {{"p1/1", "p1/2", "p2/1", "p3/1"},
                                          {"p2/1", "p1/2", "p4/1", "p4/2"}};
  struct lb_results s[2] = {make_set("a", &exact, N), make_set("b", &exact, N)};
  for (int side = 0; side < 2; side++)
    for (int i = 0; i < N; i++) {
      s[side].result[i].config_hash = hashes[side][i];
      s[side].result[i].name = names[side][i];
    }
  struct lb_comparison c = compare(&s[0], &s[1]);
  is_int(c.n, 2, "two points have a counterpart");
  ok(c.n == 2 && c.match[0].a.n == 2 && c.match[0].b.run[0] == &s[1].result[1],
     "one of another configuration in the same place");
  ok(c.n == 2 && c.match[1].b.run[0] == &s[1].result[0],
     "one of the same configuration");
  ok(c.n_alone[0] == 1 && c.alone[0][0] == &s[0].result[3] &&
         c.n_alone[1] == 2 && c.alone[1][0] == &s[1].result[2],
     "the others have none");
  lb_comparison_fini(&c);
  lb_results_fini(&s[0]);
  lb_results_fini(&s[1]);
}

static char *text_of(const struct lb_comparison *c, const struct lb_results *a,
                     const struct lb_results *b)
{
  struct lb_buf text;
  const struct lb_compared of = {
      .name = {"a", "b"}, .set = {a, b}, .result = c};
  lb_buf_init(&text, 1 << 16);
  lb_comparison_text(&of, &text);
  return lb_buf_take(&text);
}

/* Runs of two versions have no mean in common, but can be compared. */
static void versions(void)
{
  struct lb_results a = make_set("a", &exact, 4);
  struct lb_results b = make_set("b", &exact, 3);
  a.result[0].version = a.result[1].version = "0.0.9";
  struct lb_comparison c = compare(&a, &b);
  ok(c.n == 1 && c.match[0].a.n == 2 && c.match[0].a.run[0] == &a.result[2],
     "runs of this version are compared");
  ok(c.n_alone[0] == 2 && c.alone[0][0] == &a.result[0],
     "those of another are named, not averaged in");
  lb_comparison_fini(&c);
  a.result[2].version = a.result[3].version = "0.0.9";
  c = compare(&a, &b);
  char *text = text_of(&c, &a, &b), want[80];
  snprintf(want, sizeof want, "loadbank is 0.0.9 in A, %s in B\n",
           b.result[0].version);
  ok(c.n == 1 && c.match[0].a.n == 4, "two versions are compared");
  ok(strstr(text, want), "which is said");
  free(text);
  lb_comparison_fini(&c);
  lb_results_fini(&a);
  lb_results_fini(&b);
}

/* The column in which a line's verdict begins. */
static size_t verdict_column(const char *line, size_t n)
{
  while (n > 0 && line[n - 1] != ' ')
    n--;
  return n;
}

/* However long what stands in them. */
static void columns(void)
{
  struct lb_results a = make_set("a", &as_is, 3);
  struct lb_results b = make_set("b", &as_is, 3);
  for (int i = 0; i < 3; i++) {
    scale(a.result[i].summary, loads, 1e12);
    scale(b.result[i].summary, loads, 1e12);
  }
  struct lb_comparison c = compare(&a, &b);
  char *text = text_of(&c, &a, &b);
  size_t want = 0, lines = 0, wrong = 0;
  for (const char *p = text, *end; (end = strchr(p, '\n')); p = end + 1) {
    bool head = end - p > 7 && !strncmp(end - 7, "verdict", 7);
    bool row = !strncmp(p, "  ", 2) && p[2] != ' ' && memchr(p, '(', 50);
    size_t at = verdict_column(p, (size_t)(end - p));
    want = head && !want ? at : want;
    lines += want && (head || row);
    wrong += want && (head || row) && at != want;
  }
  ok(strstr(text, "e+"), "a mean that is long");
  ok(lines >= 8 && wrong == 0, "%zu lines, %zu of them shifted", lines, wrong);
  free(text);
  lb_comparison_fini(&c);
  lb_results_fini(&a);
  lb_results_fini(&b);
}

int main(int argc, char **argv)
{
  struct lb_err err = LB_ERR_INIT;
  is_int(lb_world_init(&world, &argc, &argv, &err), 0, "a world %s", err.msg);
  rng = (struct lb_rng){.key = 20261130};
  rig_write(&world, "model");
  model = rig_summary("model");
  verdicts();
  rows();
  holm();
  few_runs();
  causes();
  metadata();
  generation();
  clients();
  refused("loadbank.workload", json_string("other"), "of workload");
  refused("loadbank.dataset_fingerprint", json_string("0"), "its fingerprint");
  refused("loadbank.accelerators", json_integer(4), "accelerators");
  left_out();
  sweeps();
  versions();
  columns();
  json_decref(model);
  lb_world_fini(&world);
  return done();
}
