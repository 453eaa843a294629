/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which results are repeats of each other, and which are held against which. */
#include "lb-config.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "loadbank/limit.h"
#include "results/compare_impl.h"

static bool alike(const struct lb_result *a, const struct lb_result *b)
{
  return !strcmp(a->config_hash, b->config_hash) &&
         a->accelerators == b->accelerators && a->ranks == b->ranks &&
         a->nodes == b->nodes;
}

/* Two versions may measure differently: they have no mean in common. */
static bool repeats(const struct lb_result *a, const struct lb_result *b)
{
  return alike(a, b) && !strcmp(a->version, b->version);
}

static bool groups_repeat(const struct lb_group *a, const struct lb_group *b)
{
  return repeats(a->run[0], b->run[0]);
}

static bool groups_alike(const struct lb_group *a, const struct lb_group *b)
{
  return alike(a->run[0], b->run[0]);
}

/* In the same place of their sets: points of a sweep, on two storages.  One of
 * the repeats will do, for others may be missing. */
static bool same_place(const struct lb_group *a, const struct lb_group *b)
{
  for (size_t i = 0; i < a->n; i++)
    for (size_t k = 0; k < b->n; k++)
      if (!strcmp(a->run[i]->name, b->run[k]->name) &&
          strcmp(a->run[i]->name, ".") != 0)
        return true;
  return false;
}

/* The group of r, a new one if need be. */
static struct lb_group *group_of(struct lb_groups *g, const struct lb_result *r)
{
  for (size_t i = 0; i < g->n; i++)
    if (repeats(g->group[i].run[0], r))
      return &g->group[i];
  return &g->group[g->n++];
}

/* Rooms for the worst cases: as many groups as results, and each as large. */
int lb_groups_of(const struct lb_results *s, struct lb_groups *out,
                 struct lb_err *err)
{
  *out = (struct lb_groups){.group = calloc(s->n + 1, sizeof *out->group)};
  for (size_t i = 0; out->group && i < s->n && i < INT_MAX; i++) {
    const struct lb_result *r = &s->result[i];
    if (r->state != LB_RESULT_COMPLETE)
      continue;
    struct lb_group *g = group_of(out, r);
    void *more = realloc(g->run, (g->n + 1) * sizeof(void *));
    if (!more)
      return lb_err_set(err, LB_FAILED, "no memory to compare results");
    g->run = more;
    g->run[g->n++] = r;
  }
  return out->group
             ? 0
             : lb_err_set(err, LB_FAILED, "no memory to compare results");
}

void lb_groups_fini(struct lb_groups *g)
{
  for (size_t i = 0; i < g->n; i++)
    free(g->group[i].run);
  free(g->group);
  *g = (struct lb_groups){.n = 0};
}

size_t lb_group_client_bound(const struct lb_group *g)
{
  size_t n = 0;
  for (size_t i = 0; i < g->n; i++) {
    const char *by = lb_result_text(g->run[i], "loadbank.limited_by");
    n += by && !strcmp(by, lb_limit_names[LB_LIMIT_CLIENT]);
  }
  return n;
}

static bool taken(const int *of_a, size_t n, int b)
{
  for (size_t i = 0; i < n; i++)
    if (of_a[i] == b)
      return true;
  return false;
}

/* Gives those that have none yet one that `fits'. */
static void
match_by(const struct lb_groups *a, const struct lb_groups *b, int *of_a,
         bool (*fits)(const struct lb_group *, const struct lb_group *))
{
  for (size_t i = 0; i < a->n; i++)
    for (size_t k = 0; of_a[i] == LB_NO_GROUP && k < b->n; k++)
      if (!taken(of_a, a->n, (int)k) && fits(&a->group[i], &b->group[k]))
        of_a[i] = (int)k;
}

void lb_groups_match(const struct lb_groups *a, const struct lb_groups *b,
                     int *of_a)
{
  for (size_t i = 0; i < a->n; i++)
    of_a[i] = LB_NO_GROUP;
  match_by(a, b, of_a, groups_repeat);
  match_by(a, b, of_a, groups_alike);
  match_by(a, b, of_a, same_place);
  /* One thing against one thing: that is what is asked. */
  if (a->n == 1 && b->n == 1)
    of_a[0] = 0;
}
