/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What rules and reports need of a description. */
#include "lb-config.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "mlperf/system_impl.h"

static int64_t integer_or(const struct lb_node *n, int64_t otherwise)
{
  int64_t v;
  return lb_system_integer(n, &v) && v >= 0 ? v : otherwise;
}

/* Power supplies that must be active, at the mean nameplate power of those that
 * are there; NAN: not given. */
static double watts_of(const struct lb_node *power)
{
  const struct lb_node *supplies = lb_system_at(power, "psus_configured");
  int64_t active = integer_or(lb_system_at(power, "min_psus_active"), -1);
  double units = 0, watts = 0;
  for (const struct lb_node *e = supplies ? supplies->first : NULL; e;
       e = e->next) {
    int64_t n = integer_or(lb_system_at(e, "unit_count"), -1);
    int64_t w = integer_or(lb_system_at(e, "nameplate_power_watts"), -1);
    if (n < 0 || w < 0)
      return NAN;
    units += (double)n;
    watts += (double)n * (double)w;
  }
  return active < 0 || units <= 0 ? NAN : (double)active * watts / units;
}

/* Of a list of nodes or switches; NAN: one of them does not say. */
static double watts_of_list(const struct lb_node *list, const char *inside,
                            const char *count)
{
  double sum = 0;
  for (const struct lb_node *e = list ? list->first : NULL; e; e = e->next) {
    const struct lb_node *holder = inside ? lb_system_at(e, inside) : e;
    int64_t n = integer_or(lb_system_at(e, count), -1);
    sum += n < 0 ? NAN : (double)n * watts_of(lb_system_at(holder, "power"));
  }
  return sum;
}

static double watts_of_racks(const struct lb_node *list)
{
  double sum = list && list->first ? 0 : NAN;
  for (const struct lb_node *e = list ? list->first : NULL; e; e = e->next)
    sum += watts_of(e);
  return sum;
}

/* Nodes and switches; the racks' supplies where those have none. */
static double watts_of_system(const struct lb_node *sut)
{
  const struct lb_node *nodes = lb_system_at(sut, "product_nodes");
  const struct lb_node *switches = lb_system_at(sut, "product_switches");
  double watts = watts_of_list(nodes, "chassis", "quantity") +
                 watts_of_list(switches, NULL, "unit_count");
  if (isnan(watts) || watts <= 0)
    watts = watts_of_racks(lb_system_at(sut, "rack_power_supplies"));
  return watts;
}

static void take(const struct lb_node *n, char *out, size_t size)
{
  snprintf(out, size, "%s", lb_system_text(n));
}

static void take_clients(const struct lb_node *list, struct lb_mlperf_system *s)
{
  s->clients = s->client_groups = s->client_memory_gib = -1;
  if (!list || list->kind != LB_NODE_LIST)
    return;
  s->client_groups = (int64_t)list->n;
  s->clients = 0;
  for (const struct lb_node *e = list->first; e; e = e->next) {
    int64_t n = integer_or(lb_system_at(e, "quantity"), -1);
    if (s->clients >= 0 &&
        (n < 0 || __builtin_add_overflow(s->clients, n, &s->clients)))
      s->clients = -1;
  }
  s->client_memory_gib = integer_or(
      lb_system_at(lb_system_at(list->first, "chassis"), "memory_capacity"),
      -1);
}

void lb_system_values(const struct lb_node *sut, struct lb_mlperf_system *s)
{
  const struct lb_node *solution = lb_system_at(sut, "solution");
  const struct lb_node *a = lb_system_at(solution, "architecture");
  const struct lb_node *c = lb_system_at(solution, "capabilities");
  memset(s, 0, sizeof *s);
  take(lb_system_at(solution, "submission_name"), s->submission_name,
       sizeof s->submission_name);
  take(lb_system_at(solution, "friendly_description"), s->friendly_description,
       sizeof s->friendly_description);
  take(lb_system_at(a, "storage_location"), s->storage_location,
       sizeof s->storage_location);
  take(lb_system_at(a, "benchmark_API"), s->benchmark_api,
       sizeof s->benchmark_api);
  take(lb_system_at(a, "product_API"), s->product_api, sizeof s->product_api);
  take(lb_system_at(sut, "deployment"), s->deployment, sizeof s->deployment);
  s->multi_host = lb_system_boolean(lb_system_at(c, "multi_host"));
  s->simultaneous_write =
      lb_system_boolean(lb_system_at(c, "simultaneous_write"));
  s->simultaneous_read =
      lb_system_boolean(lb_system_at(c, "simultaneous_read"));
  s->remap_seconds = integer_or(lb_system_at(c, "remap_time_in_seconds"), -1);
  s->rack_units = integer_or(lb_system_at(sut, "total_rack_units"), -1);
  s->watts = watts_of_system(sut);
  take_clients(lb_system_at(sut, "clients"), s);
}
