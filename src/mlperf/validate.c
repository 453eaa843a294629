/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Walks through a results tree and holds the table of rules against each
 * subject: the tree, organisations, systems, workloads, leaves.  Which rules
 * there are is not known here. */
#include "lb-config.h"

#include "mlperf/rules_impl.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mlperf/config.h"

/* More remarks than that are counted, not kept. */
enum { MAX_REMARKS = 200000, TEXT = 2048 };

static void keep(struct lb_mlperf_validation *v,
                 const struct lb_mlperf_remark *r)
{
  void *array = v->remark;
  bool fits = v->n < MAX_REMARKS && r->path && r->text &&
              lb_mlperf_room(&array, v->n, &v->max, sizeof *v->remark);
  v->failed |= !r->path || !r->text || (!fits && v->n < MAX_REMARKS);
  v->remark = array;
  v->total[r->severity]++;
  if (fits) {
    v->remark[v->n++] = *r;
  } else {
    free(r->path);
    free(r->text);
  }
}

void lb_mlperf_say(struct lb_mlperf_check *c, int severity, const char *base,
                   const char *name, const char *fmt, ...)
{
  char path[TEXT], text[TEXT];
  va_list args;
  va_start(args, fmt);
  vsnprintf(text, sizeof text, fmt, args);
  va_end(args);
  snprintf(path, sizeof path, "%s%s%s", base, *base && name ? "/" : "",
           name ? name : "");
  struct lb_mlperf_remark r = {.rule = c->rule,
                               .severity = severity,
                               .path = strdup(*path ? path : "."),
                               .text = strdup(text)};
  keep(c->out, &r);
}

int lb_mlperf_unless_rehearsal(const struct lb_mlperf_facts *f)
{
  return lb_mlperf_is_rehearsal(&f->scale) ? LB_MLPERF_WAIVED : LB_MLPERF_ERROR;
}

size_t lb_mlperf_next_whole(const struct lb_mlperf_check *c, size_t at,
                            int command)
{
  while (at < c->end &&
         (c->tree->leaf[at].place.command != command || !c->facts[at].whole))
    at++;
  return at;
}

static bool applies(const struct lb_mlperf_rule *r, int scope,
                    const struct lb_mlperf_place *p)
{
  if (r->scope != scope)
    return false;
  if (scope == LB_MLPERF_OF_TREE)
    return true;
  return (r->modes & 1U << p->mode) &&
         (scope < LB_MLPERF_OF_WORKLOAD || !r->kinds ||
          (r->kinds & 1U << p->kind)) &&
         (scope < LB_MLPERF_OF_LEAF || !r->commands ||
          (r->commands & 1U << p->command));
}

static void hold(struct lb_mlperf_check *c, int scope)
{
  for (size_t i = 0; i < lb_mlperf_n_rules; i++) {
    const struct lb_mlperf_rule *r = &lb_mlperf_rules[i];
    if (!applies(r, scope, &c->place) ||
        (scope == LB_MLPERF_OF_LEAF && !r->broken &&
         !lb_mlperf_facts_of(c)->whole))
      continue;
    c->rule = r;
    r->check(c);
  }
}

/* The folder behind all that is in this one. */
static size_t behind(const struct lb_mlperf_tree *t, size_t folder)
{
  while (folder != LB_MLPERF_NOWHERE &&
         t->folder[folder].next == LB_MLPERF_NOWHERE)
    folder = t->folder[folder].parent;
  return folder == LB_MLPERF_NOWHERE ? t->n_folders : t->folder[folder].next;
}

/* The first leaf whose folder is `folder' or stands behind it. */
static size_t leaf_from(const struct lb_mlperf_tree *t, size_t folder)
{
  size_t low = 0, high = t->n;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (t->leaf[middle].folder < folder)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static void enter(struct lb_mlperf_check *c, size_t folder)
{
  c->folder = folder;
  c->first = leaf_from(c->tree, folder);
  c->end = leaf_from(c->tree, behind(c->tree, folder));
}

static void name(char out[LB_MLPERF_NAME], const char *text)
{
  snprintf(out, LB_MLPERF_NAME, "%s", text);
}

static void add(size_t into[LB_MLPERF_N_SEVERITIES],
                const size_t more[LB_MLPERF_N_SEVERITIES],
                const size_t less[LB_MLPERF_N_SEVERITIES])
{
  for (int s = 0; s < LB_MLPERF_N_SEVERITIES; s++)
    into[s] += more[s] - less[s];
}

/* above: remarks about what the workload stands in. */
static void workload(struct lb_mlperf_check *c,
                     const size_t above[LB_MLPERF_N_SEVERITIES])
{
  static const size_t none[LB_MLPERF_N_SEVERITIES];
  struct lb_mlperf_validation *v = c->out;
  size_t before[LB_MLPERF_N_SEVERITIES], first = c->first, end = c->end;
  void *array = v->submission;
  if (!lb_mlperf_room(&array, v->n_submissions, &v->max_submissions,
                      sizeof *v->submission)) {
    v->failed = true;
    return;
  }
  v->submission = array;
  struct lb_mlperf_submission *s = &v->submission[v->n_submissions++];
  *s = (struct lb_mlperf_submission){.place = c->place,
                                     .name = lb_mlperf_here(c)->name,
                                     .leaves = end - first};
  memcpy(before, v->total, sizeof before);
  hold(c, LB_MLPERF_OF_WORKLOAD);
  for (size_t i = first; i < end; i++) {
    enter(c, c->tree->leaf[i].folder);
    c->place = c->tree->leaf[i].place;
    hold(c, LB_MLPERF_OF_LEAF);
    s->rehearsal |= lb_mlperf_is_rehearsal(&c->facts[i].scale);
  }
  add(s->n, v->total, before);
  add(s->n, above, none);
}

static void system_of(struct lb_mlperf_check *c, size_t folder,
                      const size_t above[LB_MLPERF_N_SEVERITIES])
{
  const struct lb_mlperf_tree *t = c->tree;
  size_t all[LB_MLPERF_N_SEVERITIES], before[LB_MLPERF_N_SEVERITIES];
  memcpy(all, above, sizeof all);
  memcpy(before, c->out->total, sizeof before);
  name(c->place.system, t->folder[folder].base);
  enter(c, folder);
  lb_mlperf_describe(c);
  hold(c, LB_MLPERF_OF_SYSTEM);
  add(all, c->out->total, before);
  for (int kind = 0; kind < LB_MLPERF_N_KINDS; kind++)
    for (LB_MLPERF_EACH(
             i, t, lb_mlperf_folder_in(t, folder, lb_mlperf_kind_names[kind])))
      if (lb_mlperf_is_workload(c->place.mode, kind, t->folder[i].base)) {
        c->place.kind = kind;
        name(c->place.model, t->folder[i].base);
        enter(c, i);
        workload(c, all);
      }
}

static void organisation(struct lb_mlperf_check *c, size_t folder,
                         const size_t above[LB_MLPERF_N_SEVERITIES])
{
  const struct lb_mlperf_tree *t = c->tree;
  size_t all[LB_MLPERF_N_SEVERITIES], before[LB_MLPERF_N_SEVERITIES];
  memcpy(all, above, sizeof all);
  memcpy(before, c->out->total, sizeof before);
  name(c->place.org, t->folder[folder].base);
  enter(c, folder);
  hold(c, LB_MLPERF_OF_ORG);
  add(all, c->out->total, before);
  for (LB_MLPERF_EACH(i, t, lb_mlperf_folder_in(t, folder, "results")))
    if (lb_mlperf_is_name(t->folder[i].base))
      system_of(c, i, all);
}

static void whole_tree(struct lb_mlperf_check *c)
{
  const struct lb_mlperf_tree *t = c->tree;
  size_t above[LB_MLPERF_N_SEVERITIES];
  enter(c, 0);
  hold(c, LB_MLPERF_OF_TREE);
  memcpy(above, c->out->total, sizeof above);
  for (int mode = 0; mode < LB_MLPERF_N_MODES; mode++)
    for (LB_MLPERF_EACH(i, t,
                        lb_mlperf_folder_in(t, 0, lb_mlperf_mode_names[mode])))
      if (lb_mlperf_is_name(t->folder[i].base)) {
        c->place = (struct lb_mlperf_place){.mode = mode};
        organisation(c, i, above);
      }
}

int lb_mlperf_validate(const struct lb_mlperf_tree *t,
                       const struct lb_mlperf_validate_options *o,
                       struct lb_mlperf_validation *v, struct lb_err *err)
{
  struct lb_mlperf_facts *facts = calloc(t->n + 1, sizeof *facts);
  *v = (struct lb_mlperf_validation){.tree = t};
  if (!facts)
    return lb_err_set(err, LB_FAILED, "%s: no memory", t->root);
  for (size_t i = 0; i < t->n; i++)
    lb_mlperf_facts(&t->leaf[i], &facts[i]);
  struct lb_mlperf_check c = {
      .tree = t, .options = o, .facts = facts, .out = v};
  whole_tree(&c);
  free(facts);
  return v->failed ? lb_err_set(err, LB_FAILED, "%s: no memory", t->root) : 0;
}

void lb_mlperf_validation_fini(struct lb_mlperf_validation *v)
{
  for (size_t i = 0; i < v->n; i++) {
    free(v->remark[i].path);
    free(v->remark[i].text);
  }
  free(v->remark);
  free(v->submission);
  *v = (struct lb_mlperf_validation){0};
}
