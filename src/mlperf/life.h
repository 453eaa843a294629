/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A leaf from its folder to its last metadata, but for the run in between.
 * Where it says collective all ranks call it, and get the same. */
#ifndef LB_MLPERF_LIFE_H
#define LB_MLPERF_LIFE_H

#include <jansson.h>

#include "loadbank/point.h"
#include "mlperf/cluster.h"
#include "mlperf/gates.h"
#include "mlperf/metadata.h"
#include "mlperf/series.h"

struct lb_life {
  struct lb_leaf leaf;   /* set args, config, command_line, begin, ranks, place
                          * but for the stamp */
  char log[2][PATH_MAX]; /* of stdout, of stderr */
  json_t *metadata;      /* rank 0; owned */
  struct lb_cluster hosts; /* set it: rank 0, at the beginning; owned */
  struct lb_series *series;
};

/* Collective.  Makes the folder and its logs. */
int lb_life_open(const struct lb_world *w, struct lb_life *l,
                 struct lb_err *err);
/* Collective.  Writes everything that can be known before the run: facts of
 * the hosts, description of the system, code image, provenance, what the gates
 * found; the metadata say "running".  Time series begin. */
int lb_life_begin(const struct lb_world *w, struct lb_life *l,
                  const struct lb_gates_found *found, struct lb_err *err);
/* Code image and provenance.  Rank 0. */
int lb_life_write_origin(const struct lb_leaf *l, struct lb_err *err);
/* Adds to the leaf's log of stdout; prints on stdout as well.  Rank 0. */
void lb_life_keep(const struct lb_life *l, const char *text);
void lb_life_say(const struct lb_life *l, const char *text);
/* Collective.  status: "complete" ...; reason "" or why; seconds NAN: it did
 * not come to a run.  whole false: the job is at its end, nothing collective is
 * tried, rank 0 writes what it has. */
int lb_life_end(const struct lb_world *w, struct lb_life *l, const char *status,
                const char *reason, double seconds, bool whole,
                struct lb_err *err);
void lb_life_fini(struct lb_life *l); /* a zeroed one is fine */

#endif
