/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the tests of system descriptions share. */
#ifndef SYSTEM_RIG_H
#define SYSTEM_RIG_H

#include <stdio.h>
#include <string.h>

#include "mlperf/system.h"
#include "tap.h"

/* The caller's flaws of a description. */
static inline struct lb_mlperf_flaws check(const char *text,
                                           struct lb_mlperf_system *s)
{
  struct lb_mlperf_flaws flaws;
  struct lb_err err = LB_ERR_INIT;
  is_int(lb_mlperf_system_check("x.yaml", text, strlen(text), s, &flaws, &err),
         0, "checked");
  return flaws;
}

/* One that says nothing of its own but the name. */
static inline void make_host(struct lb_mlperf_host *h, const char *name)
{
  *h = (struct lb_mlperf_host){.model = "C-1",
                               .cpu_model = "CPU",
                               .cpu_qty = 1,
                               .cpu_cores = 32,
                               .memory_bytes = UINT64_C(251) << 30,
                               .os = "Os",
                               .os_version = "9.5",
                               .n_ports = 1};
  snprintf(h->name, sizeof h->name, "%s", name);
  h->port[0] = (struct lb_mlperf_port){.names = "eth0",
                                       .type = "ethernet",
                                       .up = true,
                                       .speed = 100,
                                       .count = 1};
}

#endif
