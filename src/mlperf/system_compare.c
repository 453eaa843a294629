/* SPDX-License-Identifier: GPL-3.0-or-later */
/* clients[] of a description against the hosts that are there.  Each host is
 * held against the entry that it differs least from. */
#include "lb-config.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mlperf/slurp.h"
#include "mlperf/system_impl.h"

/* Memory that the kernel counts is less than what is built in. */
static const double memory_tolerance = 0.1;

struct compare {
  const char *file;
  struct lb_mlperf_flaws *flaws; /* NULL: only counted */
  const struct lb_mlperf_host *host;
  int group; /* index in clients[] */
  int differences;
};

__attribute__((format(printf, 4, 5))) static void
differs(struct compare *c, const struct lb_node *n, const char *key,
        const char *fmt, ...)
{
  char path[LB_KEY_LEN], text[400];
  va_list ap;
  c->differences++;
  if (!c->flaws)
    return;
  va_start(ap, fmt);
  vsnprintf(text, sizeof text, fmt, ap);
  va_end(ap);
  snprintf(path, sizeof path, "clients[%d].%.200s", c->group, key);
  lb_mlperf_flaw(c->flaws, c->file, n->line, path, "%s", text);
}

/* ---- single values: blank ones and missing facts are not compared ---- */

static void text(struct compare *c, const struct lb_node *map, const char *key,
                 const char *path, const char *found)
{
  const struct lb_node *n = lb_system_at(map, key);
  const char *said = lb_system_text(n);
  if (*said && *found && strcmp(said, found) != 0)
    differs(c, n, path, "'%.100s', but host %.60s has '%.100s'", said,
            c->host->name, found);
}

static void count(struct compare *c, const struct lb_node *map, const char *key,
                  const char *path, int64_t found)
{
  const struct lb_node *n = lb_system_at(map, key);
  int64_t said;
  if (found && lb_system_integer(n, &said) && said != found)
    differs(c, n, path, "%" PRId64 ", but host %.60s has %" PRId64, said,
            c->host->name, found);
}

static void memory(struct compare *c, const struct lb_node *chassis)
{
  const struct lb_node *n = lb_system_at(chassis, "memory_capacity");
  int64_t said, found = lb_mlperf_host_memory_gib(c->host);
  if (found && lb_system_integer(n, &said) &&
      ((double)found < (double)said * (1 - memory_tolerance) ||
       (double)found > (double)said * (1 + memory_tolerance)))
    differs(c, n, "chassis.memory_capacity",
            "%" PRId64 " GiB, but host %.60s has %" PRId64
            " GiB; 10 %% more or less are the same",
            said, c->host->name, found);
}

/* Nothing is known of what a list has to say. */
static bool is_missing(const struct lb_mlperf_host *h, const char *fact)
{
  for (int i = 0; i < h->n_missing; i++)
    if (!strcmp(h->missing[i].fact, fact))
      return true;
  return false;
}

/* ---- ports ---- */

struct ports {
  const char *type;
  int64_t speed; /* 0: of any */
  int64_t said, found;
};

static bool is_port(const struct lb_node *e, const struct ports *p)
{
  int64_t speed;
  return !strcmp(lb_system_text(lb_system_at(e, "state")), "up") &&
         !strcmp(lb_system_text(lb_system_at(e, "type")), p->type) &&
         (!p->speed || !lb_system_integer(lb_system_at(e, "speed"), &speed) ||
          speed == p->speed);
}

static void count_ports(const struct compare *c, const struct lb_node *list,
                        struct ports *p)
{
  int64_t n;
  p->said = p->found = 0;
  for (const struct lb_node *e = list->first; e; e = e->next)
    if (is_port(e, p) && lb_system_integer(lb_system_at(e, "unit_count"), &n) &&
        __builtin_add_overflow(p->said, n, &p->said))
      p->said = INT64_MAX;
  for (int i = 0; i < c->host->n_ports; i++) {
    const struct lb_mlperf_port *h = &c->host->port[i];
    if (h->up && !strcmp(h->type, p->type) &&
        (!p->speed || !h->speed || h->speed == p->speed))
      p->found += h->count;
  }
}

/* Ports that are up, by type and, where both sides know it, speed. */
static void ports(struct compare *c, const struct lb_node *client)
{
  const struct lb_node *list = lb_system_at(client, "networking");
  static const char *const types[] = {"ethernet", "infiniband", "other"};
  char speed[40] = "";
  if (!list || list->kind != LB_NODE_LIST || !list->first ||
      is_missing(c->host, "networking"))
    return;
  for (size_t t = 0; t < sizeof types / sizeof types[0]; t++) {
    struct ports p = {.type = types[t]};
    count_ports(c, list, &p);
    for (int i = 0; i < c->host->n_ports && p.said == p.found; i++) {
      const struct lb_mlperf_port *h = &c->host->port[i];
      if (!h->up || !h->speed || strcmp(h->type, p.type) != 0)
        continue;
      p.speed = h->speed;
      count_ports(c, list, &p);
    }
    if (p.said == p.found)
      continue;
    if (p.speed)
      snprintf(speed, sizeof speed, " of %" PRId64 " Gbit/s", p.speed);
    differs(c, list, "networking",
            "%" PRId64 " %s ports up%s, but host %.60s has %" PRId64, p.said,
            p.type, speed, c->host->name, p.found);
  }
}

/* ---- drives and settings: what the file names must be there ---- */

static bool agrees(const char *said, const char *found)
{
  return !*said || !*found || !strcmp(said, found);
}

static bool is_drive(const struct lb_node *e, const struct lb_mlperf_drive *d)
{
  int64_t capacity;
  return agrees(lb_system_text(lb_system_at(e, "model_name")), d->model) &&
         agrees(lb_system_text(lb_system_at(e, "interface")), d->interface) &&
         (!lb_system_integer(lb_system_at(e, "capacity_in_GB"), &capacity) ||
          capacity == d->capacity);
}

static void drives(struct compare *c, const struct lb_node *client)
{
  const struct lb_node *list = lb_system_at(client, "drives");
  char path[64];
  int i = 0;
  if (!list || list->kind != LB_NODE_LIST || is_missing(c->host, "drives"))
    return;
  for (const struct lb_node *e = list->first; e; e = e->next, i++) {
    int64_t said, found = 0;
    if (!lb_system_integer(lb_system_at(e, "unit_count"), &said))
      continue;
    for (int j = 0; j < c->host->n_drives; j++)
      found += is_drive(e, &c->host->drive[j]) ? c->host->drive[j].count : 0;
    snprintf(path, sizeof path, "drives[%d]", i);
    if (found < said)
      differs(c, e, path, "%" PRId64 " drives, but host %.60s has %" PRId64,
              said, c->host->name, found);
  }
}

static void settings(struct compare *c, const struct lb_node *client)
{
  const struct lb_node *list = lb_system_at(client, "sysctl");
  char path[64];
  int i = 0;
  if (!list || list->kind != LB_NODE_LIST)
    return;
  for (const struct lb_node *e = list->first; e; e = e->next, i++) {
    const char *name = lb_system_text(lb_system_at(e, "name"));
    snprintf(path, sizeof path, "sysctl[%d].value", i);
    for (int j = 0; j < c->host->n_sysctls; j++)
      if (!strcmp(name, c->host->sysctl[j].name))
        text(c, e, "value", path, c->host->sysctl[j].value);
  }
}

static void client(struct compare *c, const struct lb_node *e)
{
  const struct lb_node *chassis = lb_system_at(e, "chassis");
  const struct lb_node *os = lb_system_at(e, "operating_system");
  const struct lb_mlperf_host *h = c->host;
  text(c, chassis, "model_name", "chassis.model_name", h->model);
  text(c, chassis, "cpu_model", "chassis.cpu_model", h->cpu_model);
  count(c, chassis, "cpu_qty", "chassis.cpu_qty", h->cpu_qty);
  count(c, chassis, "cpu_cores", "chassis.cpu_cores", h->cpu_cores);
  memory(c, chassis);
  ports(c, e);
  drives(c, e);
  text(c, os, "name", "operating_system.name", h->os);
  text(c, os, "version", "operating_system.version", h->os_version);
  settings(c, e);
}

/* ---- all hosts ---- */

static int differences(struct compare *c, const struct lb_node *e, int group)
{
  c->group = group;
  c->differences = 0;
  client(c, e);
  return c->differences;
}

/* The entry that a host differs least from; of several the first that has room
 * left.  taken: hosts of each so far. */
static const struct lb_node *nearest(struct compare *c,
                                     const struct lb_node *list,
                                     const int64_t *taken, int *group)
{
  const struct lb_node *best = NULL;
  long least = 0;
  int i = 0;
  for (const struct lb_node *e = list->first; e; e = e->next, i++) {
    int64_t quantity;
    bool full = lb_system_integer(lb_system_at(e, "quantity"), &quantity) &&
                taken[i] >= quantity;
    long n = 2L * differences(c, e, i) + full;
    if (best && n >= least)
      continue;
    best = e;
    least = n;
    *group = i;
  }
  return best;
}

static void check_quantities(const char *file, const struct lb_node *list,
                             const int64_t *taken,
                             struct lb_mlperf_flaws *flaws)
{
  char path[64];
  int i = 0;
  for (const struct lb_node *e = list->first; e; e = e->next, i++) {
    const struct lb_node *n = lb_system_at(e, "quantity");
    int64_t quantity;
    snprintf(path, sizeof path, "clients[%d].quantity", i);
    if (lb_system_integer(n, &quantity) && quantity != taken[i])
      lb_mlperf_flaw(flaws, file, n->line, path,
                     "%" PRId64 ", but %" PRId64 " of the hosts %s like that",
                     quantity, taken[i], taken[i] == 1 ? "is" : "are");
  }
}

static int compare(const char *file, const struct lb_node *list,
                   const struct lb_mlperf_host *hosts, size_t n,
                   struct lb_mlperf_flaws *flaws)
{
  int64_t *taken = calloc(list->n, sizeof *taken);
  if (!taken)
    return -1;
  for (size_t i = 0; i < n; i++) {
    struct compare c = {.file = file, .host = &hosts[i]};
    int group = 0;
    const struct lb_node *e = nearest(&c, list, taken, &group);
    c.flaws = flaws;
    differences(&c, e, group);
    taken[group]++;
  }
  check_quantities(file, list, taken, flaws);
  free(taken);
  return 0;
}

int lb_mlperf_system_compare(const char *path,
                             const struct lb_mlperf_host *hosts, size_t n,
                             struct lb_mlperf_flaws *flaws, struct lb_err *err)
{
  struct lb_arena arena = {0};
  struct lb_err bad = LB_ERR_INIT;
  const struct lb_source from = {.file = path};
  struct lb_node *root = NULL;
  char *file_text;
  size_t len;
  *flaws = (struct lb_mlperf_flaws){0};
  int rc = lb_mlperf_slurp(path, LB_FAILED, &file_text, &len, err);
  if (rc)
    return rc;
  rc = lb_yaml_parse(&arena, file_text, len, &from, &root, &bad);
  if (rc) {
    lb_mlperf_flaw_of(flaws, &bad);
  } else {
    const struct lb_node *list =
        lb_system_at(lb_system_at(root, "system_under_test"), "clients");
    if (list && list->kind == LB_NODE_LIST && list->first)
      flaws->failed = compare(path, list, hosts, n, flaws) != 0;
  }
  lb_arena_fini(&arena);
  free(file_text);
  return flaws->failed ? lb_err_set(err, LB_FAILED, "%s: no memory", path) : 0;
}
