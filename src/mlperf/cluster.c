/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See cluster.h. */
#include "lb-config.h"

#include "mlperf/cluster.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "loadbank/clock.h"
#include "loadbank/json.h"
#include "loadbank/log.h"

static int take(void *arg, int rank, const void *bytes, size_t n,
                struct lb_err *err)
{
  struct lb_cluster *h = arg;
  (void)rank;
  if (n != sizeof *h->host) /* not the first rank of its host */
    return 0;
  void *more = realloc(h->host, (h->n + 1) * sizeof *h->host);
  if (!more)
    return lb_err_set(err, LB_FAILED, "no memory for the facts of hosts");
  h->host = more;
  memcpy(&h->host[h->n++], bytes, n);
  return 0;
}

int lb_cluster_gather(const struct lb_world *w, struct lb_cluster *out,
                      struct lb_err *err)
{
  const char *root = getenv("LB_TEST_HOST_ROOT");
  struct lb_mlperf_host *mine = NULL;
  *out = (struct lb_cluster){.utc_ns = lb_clock_utc_ns()};
  if (w->host_first && !(mine = calloc(1, sizeof *mine)))
    lb_err_set(err, LB_FAILED, "no memory for the facts of a host");
  if (mine)
    lb_mlperf_host_gather(root ? root : "", mine);
  if (!lb_err_agree(w, err, NULL))
    lb_world_collect(w, mine, mine ? sizeof *mine : 0, take, out, err);
  free(mine);
  return -err->code;
}

void lb_cluster_fini(struct lb_cluster *h)
{
  free(h->host);
  *h = (struct lb_cluster){.n = 0};
}

static json_t *count(uint64_t v, bool known)
{
  return known ? lb_json_count(v) : json_null();
}

json_t *lb_cluster_json(const struct lb_cluster *h)
{
  uint64_t memory = 0, cores = 0;
  bool all_memory = true, all_cores = true;
  json_t *o = json_object(), *list = json_array();
  for (size_t i = 0; i < h->n; i++) {
    const struct lb_mlperf_host *one = &h->host[i];
    memory += one->memory_bytes;
    cores += (uint64_t)one->cpu_cores;
    all_memory = all_memory && one->memory_bytes;
    all_cores = all_cores && one->cpu_cores;
    json_array_append_new(list, lb_mlperf_host_json(one));
  }
  json_object_set_new(o, "collected_at", lb_json_time(h->utc_ns));
  lb_json_put_int(o, "num_hosts", (int64_t)h->n);
  json_object_set_new(o, "total_memory_bytes", count(memory, all_memory));
  json_object_set_new(o, "total_cores", count(cores, all_cores));
  json_object_set_new(o, "hosts", list);
  return o;
}

void lb_cluster_warn(const struct lb_cluster *h)
{
  for (size_t i = 0; i < h->n; i++)
    if (!h->host[i].memory_bytes)
      lb_warn("host %.100s does not tell how much memory it has: rules that "
              "need it cannot be checked with the host's own figure",
              h->host[i].name);
}
