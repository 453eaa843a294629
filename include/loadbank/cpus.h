/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Processors of a host: which core, package and NUMA node each belongs to
 * (asked of hwloc), and sets of them as text.  Linux numbers them; a set holds
 * the first CPU_SETSIZE (1024). */
#ifndef LOADBANK_CPUS_H
#define LOADBANK_CPUS_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum lb_cpu_part { LB_CPU_CORE, LB_CPU_PACKAGE, LB_CPU_NUMA, LB_N_CPU_PARTS };

/* Plain bytes: it travels between ranks. */
struct lb_cpu_map {
  bool known;        /* false: this build has no hwloc, or hwloc failed */
  cpu_set_t allowed; /* to processes of this control group; online ones when
                      * not known */
  /* Of each allowed processor, numbered from 0 over the host. */
  uint16_t part[CPU_SETSIZE][LB_N_CPU_PARTS];
};

/* Rank-local; some milliseconds on a large host. */
void lb_cpu_map_probe(struct lb_cpu_map *map);

/* Those this process may run on; all online ones when that is not known. */
void lb_cpus_mine(cpu_set_t *out);

/* Pure: how many parts of a kind the set touches; 0: not known. */
int lb_cpu_map_count(const struct lb_cpu_map *map, const cpu_set_t *set,
                     enum lb_cpu_part part);
/* Pure: the set of the numbers of these parts. */
void lb_cpu_map_parts(const struct lb_cpu_map *map, const cpu_set_t *set,
                      enum lb_cpu_part part, cpu_set_t *out);
/* Pure: "0-3,8", as taskset and numactl write it; "..." at the end when it does
 * not fit. */
void lb_cpus_text(const cpu_set_t *set, char *text, size_t size);

#endif
