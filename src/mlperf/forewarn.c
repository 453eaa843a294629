/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See forewarn.h. */
#include "lb-config.h"

#include "mlperf/forewarn.h"

#include <inttypes.h>
#include <stdio.h>

#include "loadbank/log.h"
#include "loadbank/units.h"

/* Of all hosts; 0: one does not tell. */
static uint64_t memory_of(const struct lb_cluster *hosts)
{
  uint64_t sum = 0;
  for (size_t i = 0; i < hosts->n; i++) {
    if (!hosts->host[i].memory_bytes)
      return 0;
    sum += hosts->host[i].memory_bytes;
  }
  return sum;
}

/* Rule 3.1.2 goes by the memory that the hosts have, not by what was said of
 * it: a dataset that was sized for less is too small.  0: it is not, or they do
 * not tell. */
static int64_t files_missing(const struct lb_mlperf_config *c, uint64_t memory)
{
  struct lb_mlperf_need need = c->need;
  struct lb_mlperf_datasize real;
  struct lb_err err = LB_ERR_INIT;
  need.hosts = 1;
  need.host_memory_bytes = memory;
  if (!c->has_datasize || !memory || lb_mlperf_datasize(&need, &real, &err))
    return 0;
  return c->files < real.files ? real.files - c->files : 0;
}

/* The files are enough: false. */
static bool is_short(const struct lb_mlperf_config *c,
                     const struct lb_cluster *hosts, char text[300])
{
  uint64_t memory = memory_of(hosts);
  int64_t missing = files_missing(c, memory);
  snprintf(text, 300,
           "the hosts have %.2f GiB of memory, --client-host-memory-in-gb says "
           "%.2f: rule 3.1.2 goes by what they have and wants %" PRId64
           " files, this run has %" PRId64,
           (double)memory / LB_GIB, (double)c->datasize.memory_bytes / LB_GIB,
           c->files + missing, c->files);
  return missing > 0;
}

/* A run of which rules are asked. */
static bool is_judged(const struct lb_leaf *l)
{
  return l->place.mode != LB_MLPERF_WHATIF && l->place.command == LB_MLPERF_RUN;
}

int lb_forewarn_size(const struct lb_leaf *l, const struct lb_cluster *hosts,
                     struct lb_err *err)
{
  char text[300];
  if (!is_judged(l) || l->place.kind != LB_MLPERF_TRAINING ||
      l->args->allow_invalid_params || lb_mlperf_is_rehearsal(&l->scale) ||
      !is_short(l->config, hosts, text))
    return 0;
  return lb_err_set(err, LB_USAGE, "%s", text);
}

void lb_forewarn(const struct lb_leaf *l, const struct lb_cluster *hosts)
{
  char text[300];
  if (!is_judged(l))
    return;
  if (l->place.kind == LB_MLPERF_TRAINING) {
    if (is_short(l->config, hosts, text))
      lb_warn("%s", text);
  } else if (!*l->args->accelerator_type) {
    lb_warn("without --accelerator-type the run does not record its "
            "accelerator: rule 4.3.4 needs it");
  }
}
