/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lb-config.h"

#include "loadbank/cpus.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

void lb_cpus_mine(cpu_set_t *out)
{
  CPU_ZERO(out);
  if (!sched_getaffinity(0, sizeof *out, out))
    return;
  long n = sysconf(_SC_NPROCESSORS_ONLN);
  for (int i = 0; i < n && i < CPU_SETSIZE; i++)
    CPU_SET(i, out);
}

void lb_cpu_map_parts(const struct lb_cpu_map *map, const cpu_set_t *set,
                      enum lb_cpu_part part, cpu_set_t *out)
{
  CPU_ZERO(out);
  for (int i = 0; i < CPU_SETSIZE; i++)
    if (map->known && CPU_ISSET(i, set) && CPU_ISSET(i, &map->allowed))
      CPU_SET(map->part[i][part], out);
}

int lb_cpu_map_count(const struct lb_cpu_map *map, const cpu_set_t *set,
                     enum lb_cpu_part part)
{
  cpu_set_t parts;
  lb_cpu_map_parts(map, set, part, &parts);
  return CPU_COUNT(&parts);
}

/* The first processor after a run of them that starts at i. */
static int end_of_run(const cpu_set_t *set, int i)
{
  while (i < CPU_SETSIZE && CPU_ISSET(i, set))
    i++;
  return i;
}

void lb_cpus_text(const cpu_set_t *set, char *text, size_t size)
{
  size_t at = 0;
  text[0] = '\0';
  for (int i = 0; i < CPU_SETSIZE; i++) {
    if (!CPU_ISSET(i, set))
      continue;
    char item[32];
    int last = end_of_run(set, i) - 1;
    int n = snprintf(item, sizeof item, "%s%d", at ? "," : "", i);
    if (last > i)
      n += snprintf(item + n, sizeof item - (size_t)n, "-%d", last);
    /* Room for the mark that something is missing is always left. */
    if (at + (size_t)n + sizeof ",..." > size) {
      snprintf(text + at, size - at, "%s", at ? ",..." : "...");
      return;
    }
    memcpy(text + at, item, (size_t)n + 1);
    at += (size_t)n;
    i = last;
  }
}
