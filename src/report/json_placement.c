/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the ranks of a host run, into that host's object. */
#include "lb-config.h"

#include "report/json.h"

/* A set of numbers as text; null when it is not known. */
static json_t *numbers(const cpu_set_t *set)
{
  char text[4 * CPU_SETSIZE];
  lb_cpus_text(set, text, sizeof text);
  return lb_json_string(text[0] ? text : NULL);
}

static json_t *count(const struct lb_cpu_map *map, const cpu_set_t *set,
                     enum lb_cpu_part part)
{
  int n = lb_cpu_map_count(map, set, part);
  return n ? json_integer(n) : json_null();
}

static json_t *binding(const struct lb_host_place *h,
                       const struct lb_binding *b)
{
  json_t *o = json_object();
  cpu_set_t nodes;
  lb_cpu_map_parts(&h->map, &b->cpus, LB_CPU_NUMA, &nodes);
  lb_json_put_int(o, "first_rank", b->first_rank);
  lb_json_put_int(o, "ranks", b->ranks);
  lb_json_put_int(o, "threads", b->threads);
  json_object_set_new(o, "cpus", numbers(&b->cpus));
  json_object_set_new(o, "cores", count(&h->map, &b->cpus, LB_CPU_CORE));
  json_object_set_new(o, "numa_nodes", numbers(&nodes));
  return o;
}

void lb_json_placement(json_t *o, const struct lb_host_place *h)
{
  json_t *list = json_array();
  const cpu_set_t *all = &h->map.allowed;
  lb_json_put_int(o, "ranks", h->ranks);
  lb_json_put_int(o, "threads", h->threads);
  lb_json_put_int(o, "cpus_of_ranks", CPU_COUNT(&h->cpus));
  json_object_set_new(o, "cores", count(&h->map, all, LB_CPU_CORE));
  json_object_set_new(o, "packages", count(&h->map, all, LB_CPU_PACKAGE));
  json_object_set_new(o, "numa_nodes", count(&h->map, all, LB_CPU_NUMA));
  for (size_t i = 0; i < h->n_bindings; i++)
    json_array_append_new(list, binding(h, &h->binding[i]));
  json_object_set_new(o, "bindings", list);
}
