/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See forewarn.h. */
#include "lb-config.h"

#include "mlperf/forewarn.h"

#include <inttypes.h>

#include "loadbank/log.h"

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
 * it: a dataset that was sized for less is too small. */
static void warn_of_size(const struct lb_mlperf_config *c,
                         const struct lb_cluster *hosts)
{
  const double gib = 1024.0 * 1024.0 * 1024.0;
  struct lb_mlperf_need need = c->need;
  struct lb_mlperf_datasize real;
  struct lb_err err = LB_ERR_INIT;
  need.hosts = 1;
  need.host_memory_bytes = memory_of(hosts);
  if (c->has_datasize && need.host_memory_bytes &&
      !lb_mlperf_datasize(&need, &real, &err) && c->files < real.files)
    lb_warn("the hosts have %.2f GiB of memory, --client-host-memory-in-gb "
            "says %.2f: rule 3.1.2 goes by what they have and wants %" PRId64
            " files, this run has %" PRId64,
            (double)need.host_memory_bytes / gib,
            (double)c->datasize.memory_bytes / gib, real.files, c->files);
}

void lb_forewarn(const struct lb_leaf *l, const struct lb_cluster *hosts)
{
  if (l->place.mode == LB_MLPERF_WHATIF || l->place.command != LB_MLPERF_RUN)
    return;
  if (l->place.kind == LB_MLPERF_TRAINING)
    warn_of_size(l->config, hosts);
  else if (!*l->args->accelerator_type)
    lb_warn("without --accelerator-type the run does not record its "
            "accelerator: rule 4.3.4 needs it");
}
