/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pure: who shares which processors, and what is worth a warning. */
#include "lb-config.h"

#include "loadbank/placement.h"
#include "loadbank/units.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static struct lb_binding *find_binding(struct lb_host_place *h,
                                       const cpu_set_t *cpus)
{
  for (size_t i = h->n_bindings; i-- > 0;)
    if (CPU_EQUAL(&h->binding[i].cpus, cpus))
      return &h->binding[i];
  return NULL;
}

static struct lb_binding *add_binding(struct lb_host_place *h, int rank,
                                      const cpu_set_t *cpus)
{
  size_t n = h->n_bindings;
  if ((n & (n - 1)) == 0) { /* a power of 2: full */
    void *more = realloc(h->binding, (n ? 2 * n : 1) * sizeof *h->binding);
    if (!more)
      return NULL;
    h->binding = (struct lb_binding *)more;
  }
  h->n_bindings++;
  h->binding[n] = (struct lb_binding){.cpus = *cpus, .first_rank = rank};
  return &h->binding[n];
}

int lb_placement_sort(struct lb_placement *p, const struct lb_place *all,
                      int n_ranks, struct lb_err *err)
{
  for (int i = 0; i < n_ranks; i++) {
    const struct lb_place *r = &all[i];
    struct lb_host_place *h = &p->host[r->host];
    struct lb_binding *b = find_binding(h, &r->cpus);
    if (!b)
      b = add_binding(h, i, &r->cpus);
    if (!b)
      return lb_err_sys(err, LB_FAILED, ENOMEM, "where %d ranks run", n_ranks);
    if (!h->ranks)
      snprintf(h->name, sizeof h->name, "%s", r->name);
    h->ranks++;
    h->threads += r->threads;
    CPU_OR(&h->cpus, &h->cpus, &r->cpus);
    b->ranks++;
    if (r->threads > b->threads)
      b->threads = r->threads;
  }
  return 0;
}

/* Ranks for each processor from which on sleeping in time is seen to suffer:
 * docs/accuracy.md, "Ranks and processors". */
enum { MOST_RANKS = 4 };

typedef void place_rule(const struct lb_host_place *h, char *text, size_t size);

static void too_many_ranks(const struct lb_host_place *h, char *text,
                           size_t size)
{
  int cpus = CPU_COUNT(&h->cpus);
  if (h->ranks > MOST_RANKS * cpus)
    snprintf(text, size,
             "host %s: %d ranks share %d processor%s, and wake each other up: "
             "start fewer, a rank hosts any number of accelerators "
             "(--accelerators)",
             h->name, h->ranks, cpus, lb_plural(cpus));
}

/* Less than its share of what the host allows, and fewer than it has threads:
 * readers of fast storage would wait for each other. */
static void bound_narrowly(const struct lb_host_place *h, char *text,
                           size_t size)
{
  int allowed = CPU_COUNT(h->map.known ? &h->map.allowed : &h->cpus);
  for (size_t i = 0; i < h->n_bindings; i++) {
    const struct lb_binding *b = &h->binding[i];
    int cpus = CPU_COUNT(&b->cpus);
    if (cpus >= b->threads || cpus >= allowed / h->ranks)
      continue;
    char list[64];
    lb_cpus_text(&b->cpus, list, sizeof list);
    snprintf(text, size,
             "host %s: rank %d has %d thread%s and is bound to %d of %d "
             "processors (%s): let it run on more, as with mpiexec --bind-to "
             "none or srun --cpu-bind=none",
             h->name, b->first_rank, b->threads, lb_plural(b->threads), cpus,
             allowed, list);
    return;
  }
}

static place_rule *const rules[] = {too_many_ranks, bound_narrowly};

void lb_placement_warnings(const struct lb_placement *p,
                           void (*each)(void *arg, const char *text), void *arg)
{
  /* What is so on many hosts is said of the first. */
  for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
    char text[400] = "";
    for (size_t host = 0; host < p->n_hosts && !text[0]; host++)
      rules[i](&p->host[host], text, sizeof text);
    if (text[0])
      each(arg, text);
  }
}

const struct lb_host_place *lb_placement_crowded(const struct lb_placement *p)
{
  const struct lb_host_place *worst = NULL;
  double most = 1;
  for (size_t i = 0; i < p->n_hosts; i++) {
    const struct lb_host_place *h = &p->host[i];
    double each = (double)h->threads / CPU_COUNT(&h->cpus);
    if (each > most) {
      most = each;
      worst = h;
    }
  }
  return worst;
}
