/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Collects where the ranks may run; what follows from it: placement_rule.c. */
#include "lb-config.h"

#include "loadbank/placement.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a rank sends: itself; the first of a host its map, too. */
struct message {
  struct lb_place place;
  struct lb_cpu_map map;
};

static void describe(struct message *m, const struct lb_world *w, int threads)
{
  memset(m, 0, sizeof *m);
  m->place.host = w->host;
  m->place.threads = threads;
  lb_cpus_mine(&m->place.cpus);
  snprintf(m->place.name, sizeof m->place.name, "%.63s", w->node_name);
  if (w->host_first)
    lb_cpu_map_probe(&m->map);
}

/* Rank 0: takes the messages apart. */
static int unpack(struct lb_placement *p, const char *all,
                  const uint64_t *sizes, const struct lb_world *w,
                  struct lb_err *err)
{
  struct lb_place *place =
      (struct lb_place *)calloc((size_t)w->n_ranks, sizeof *place);
  p->n_hosts = (size_t)w->n_hosts;
  p->host = (struct lb_host_place *)calloc(p->n_hosts, sizeof *p->host);
  if (!place || !p->host) {
    free(place);
    return lb_err_sys(err, LB_FAILED, ENOMEM, "where %d ranks run", w->n_ranks);
  }
  for (int i = 0; i < w->n_ranks; i++) {
    memcpy(&place[i], all, sizeof place[i]);
    if (sizes[i] == sizeof(struct message))
      memcpy(&p->host[place[i].host].map, all + offsetof(struct message, map),
             sizeof p->host->map);
    all += sizes[i];
  }
  lb_placement_sort(p, place, w->n_ranks, err);
  free(place);
  return -err->code;
}

int lb_placement_new(struct lb_placement *p, const struct lb_world *w,
                     int threads, struct lb_err *err)
{
  struct message m;
  void *all = NULL;
  uint64_t *sizes = NULL;
  *p = (struct lb_placement){0};
  describe(&m, w, threads);
  if (!lb_world_gather(w, &m, w->host_first ? sizeof m : sizeof m.place, &all,
                       &sizes, err) &&
      w->rank == 0)
    unpack(p, (const char *)all, sizes, w, err);
  free(all);
  free(sizes);
  return lb_err_agree(w, err, NULL);
}

void lb_placement_free(struct lb_placement *p)
{
  for (size_t i = 0; p->host && i < p->n_hosts; i++)
    free(p->host[i].binding);
  free(p->host);
  *p = (struct lb_placement){0};
}
