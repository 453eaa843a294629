/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From two sets of results to matches and their verdicts. */
#include "lb-config.h"

#include "loadbank/compare.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "loadbank/units.h"
#include "results/compare_impl.h"

enum { NAMED = 3 }; /* as many of what is wrong are named in a message */

static int no_memory(struct lb_err *err)
{
  return lb_err_set(err, LB_FAILED, "no memory to compare results");
}

static size_t n_quantities(void)
{
  size_t n = 0;
  while (lb_quantities[n].path)
    n++;
  return n;
}

/* ---- what may be compared ---- */

int lb_results_need_complete(const struct lb_results *s, struct lb_err *err)
{
  struct lb_buf text;
  for (size_t i = 0; i < s->n; i++)
    if (s->result[i].state == LB_RESULT_COMPLETE)
      return 0;
  lb_buf_init(&text, 4096);
  for (size_t i = 0; i < s->n && i < NAMED; i++)
    lb_buf_printf(&text, "%s%s is %s (%s)", i ? "; " : "", s->result[i].path,
                  lb_result_state_names[s->result[i].state],
                  s->result[i].reason ? s->result[i].reason : "");
  lb_err_set(err, LB_USAGE, "no complete result: %s%s", text.data,
             s->n > NAMED ? "; ..." : "");
  lb_buf_fini(&text);
  return -LB_USAGE;
}

static bool same_text(const char *a, const char *b)
{
  return a && b ? !strcmp(a, b) : a == b;
}

static int mismatch(const struct lb_result *a, const struct lb_result *b,
                    struct lb_err *err)
{
  static const char hint[] = "--allow-mismatch compares them all the same";
  if (!same_text(a->workload, b->workload))
    return lb_err_set(err, LB_USAGE, "%s is of workload %s, %s of %s; %s",
                      a->path, a->workload, b->path, b->workload, hint);
  if (!same_text(a->fingerprint, b->fingerprint))
    return lb_err_set(err, LB_USAGE,
                      "%s is of dataset %s (its fingerprint), %s of %s; %s",
                      a->path, a->fingerprint ? a->fingerprint : "none",
                      b->path, b->fingerprint ? b->fingerprint : "none", hint);
  if (a->accelerators != b->accelerators)
    return lb_err_set(err, LB_USAGE,
                      "%s has %" PRId64 " accelerator%s, %s %" PRId64 "; %s",
                      a->path, a->accelerators, lb_plural(a->accelerators),
                      b->path, b->accelerators, hint);
  return 0;
}

/* A run against itself is the same, whatever it measured. */
static int overlap(const struct lb_results *a, const struct lb_results *b,
                   struct lb_err *err)
{
  for (size_t i = 0; i < a->n; i++)
    for (size_t k = 0; k < b->n; k++)
      if (a->result[i].inode == b->result[k].inode &&
          a->result[i].device == b->result[k].device)
        return lb_err_set(err, LB_USAGE, "%s is on both sides",
                          b->result[k].path);
  return 0;
}

/* ---- matches ---- */

static int add_match(struct lb_match *m, struct lb_group *a, struct lb_group *b,
                     const struct lb_compare_options *o, struct lb_err *err)
{
  m->a = *a;
  m->b = *b;
  *a = *b = (struct lb_group){.n = 0}; /* its now */
  if (!o->allow_mismatch && mismatch(m->a.run[0], m->b.run[0], err))
    return -err->code;
  m->judgement = calloc(n_quantities() + 1, sizeof *m->judgement);
  if (!m->judgement)
    return no_memory(err);
  if (strcmp(m->a.run[0]->config_hash, m->b.run[0]->config_hash) != 0 &&
      lb_differences_of(m->a.run[0], m->b.run[0], m, err))
    return -err->code;
  lb_judge(m, o->tolerance);
  return 0;
}

/* What is left in the groups has no counterpart. */
static int take_alone(struct lb_comparison *c, int side,
                      const struct lb_groups *g, size_t results,
                      struct lb_err *err)
{
  c->alone[side] = calloc(results + 1, sizeof(void *));
  if (!c->alone[side])
    return no_memory(err);
  for (size_t i = 0; i < g->n; i++)
    for (size_t k = 0; k < g->group[i].n; k++)
      c->alone[side][c->n_alone[side]++] = g->group[i].run[k];
  return 0;
}

static int make_matches(struct lb_groups *a, struct lb_groups *b,
                        const struct lb_compare_options *o,
                        struct lb_comparison *c, struct lb_err *err)
{
  int rc = 0, *of_a = calloc(a->n + 1, sizeof *of_a);
  c->match = calloc(a->n + 1, sizeof *c->match);
  if (!of_a || !c->match) {
    free(of_a);
    return no_memory(err);
  }
  lb_groups_match(a, b, of_a);
  for (size_t i = 0; rc == 0 && i < a->n; i++)
    if (of_a[i] != LB_NO_GROUP)
      rc = add_match(&c->match[c->n++], &a->group[i], &b->group[of_a[i]], o,
                     err);
  free(of_a);
  return rc;
}

static int judge_all(struct lb_comparison *c, struct lb_err *err)
{
  struct lb_judgement **row = calloc(c->n * n_quantities() + 1, sizeof(void *));
  if (!row)
    return no_memory(err);
  c->verdict = lb_judge_together(c->match, c->n, row);
  free(row);
  return 0;
}

int lb_compare(const struct lb_results *a, const struct lb_results *b,
               const struct lb_compare_options *o, struct lb_comparison *out,
               struct lb_err *err)
{
  struct lb_groups ga = {.n = 0}, gb = {.n = 0};
  *out = (struct lb_comparison){.tolerance = o->tolerance};
  int rc = overlap(a, b, err);
  rc = rc ? rc : lb_results_need_complete(a, err);
  rc = rc ? rc : lb_results_need_complete(b, err);
  rc = rc ? rc : lb_groups_of(a, &ga, err);
  rc = rc ? rc : lb_groups_of(b, &gb, err);
  rc = rc ? rc : make_matches(&ga, &gb, o, out, err);
  rc = rc ? rc : take_alone(out, 0, &ga, a->n, err);
  rc = rc ? rc : take_alone(out, 1, &gb, b->n, err);
  if (rc == 0 && out->n == 0)
    rc = lb_err_set(err, LB_USAGE,
                    "no result of the one set is of the same configuration, or "
                    "in the same place, as one of the other");
  rc = rc ? rc : judge_all(out, err);
  lb_groups_fini(&ga);
  lb_groups_fini(&gb);
  return rc;
}

static void match_fini(struct lb_match *m)
{
  for (size_t i = 0; i < m->n_differs; i++) {
    free(m->differs[i].key);
    free(m->differs[i].a);
    free(m->differs[i].b);
  }
  free(m->differs);
  free(m->judgement);
  free(m->a.run);
  free(m->b.run);
}

void lb_comparison_fini(struct lb_comparison *c)
{
  for (size_t i = 0; i < c->n; i++)
    match_fini(&c->match[i]);
  free(c->match);
  free(c->alone[0]);
  free(c->alone[1]);
  *c = (struct lb_comparison){.n = 0};
}
