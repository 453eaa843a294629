/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The one file that sees hwloc. */
#include "lb-config.h"

#include "loadbank/cpus.h"

#include <string.h>
#include <unistd.h>

#include "loadbank/versions.h"

static void start(struct lb_cpu_map *map)
{
  memset(map, 0, sizeof *map);
  long online = sysconf(_SC_NPROCESSORS_ONLN);
  for (int i = 0; i < online && i < CPU_SETSIZE; i++)
    CPU_SET(i, &map->allowed);
}

#ifdef HAVE_HWLOC

#include <hwloc.h>
#include <stdio.h>

const char *lb_hwloc_version(void)
{
  static char text[32];
  unsigned v = hwloc_get_api_version();
  snprintf(text, sizeof text, "%u.%u.%u (interface)", v >> 16, v >> 8 & 0xff,
           v & 0xff);
  return text;
}

/* Numbers an object of this type at each of its processors: NUMA nodes as
 * numactl does, the others in hwloc's order. */
static void number(struct lb_cpu_map *map, hwloc_topology_t t,
                   hwloc_obj_type_t type, enum lb_cpu_part part)
{
  int n = hwloc_get_nbobjs_by_type(t, type);
  for (int i = 0; i < n; i++) {
    hwloc_obj_t o = hwloc_get_obj_by_type(t, type, (unsigned)i);
    unsigned name = part == LB_CPU_NUMA ? o->os_index : (unsigned)i;
    int cpu = -1;
    while ((cpu = hwloc_bitmap_next(o->cpuset, cpu)) >= 0 && cpu < CPU_SETSIZE)
      map->part[cpu][part] = (uint16_t)(name % CPU_SETSIZE);
  }
}

static void read_map(struct lb_cpu_map *map, hwloc_topology_t t)
{
  hwloc_const_bitmap_t allowed = hwloc_topology_get_allowed_cpuset(t);
  int cpu = -1;
  CPU_ZERO(&map->allowed);
  while ((cpu = hwloc_bitmap_next(allowed, cpu)) >= 0 && cpu < CPU_SETSIZE)
    CPU_SET(cpu, &map->allowed);
  number(map, t, HWLOC_OBJ_CORE, LB_CPU_CORE);
  number(map, t, HWLOC_OBJ_PACKAGE, LB_CPU_PACKAGE);
  number(map, t, HWLOC_OBJ_NUMANODE, LB_CPU_NUMA);
  map->known = CPU_COUNT(&map->allowed) > 0;
}

void lb_cpu_map_probe(struct lb_cpu_map *map)
{
  hwloc_topology_t t;
  start(map);
  if (hwloc_topology_init(&t))
    return;
  if (!hwloc_topology_load(t))
    read_map(map, t);
  hwloc_topology_destroy(t);
}

#else

const char *lb_hwloc_version(void)
{
  return "not in this build (no libhwloc-dev)";
}

void lb_cpu_map_probe(struct lb_cpu_map *map)
{
  start(map);
}

#endif
