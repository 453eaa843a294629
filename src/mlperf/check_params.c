/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rules about what was set: parameters by division, and what a run of
 * checkpointing must be. */
#include "lb-config.h"

#include "mlperf/checks.h"

#include <math.h>
#include <string.h>
#include <strings.h>

#include "loadbank/json.h"
#include "loadbank/units.h"
#include "mlperf/config.h"
#include "mlperf/provenance.h"

/* The workload's row; NULL: of no such accelerator. */
static const struct lb_mlperf_workload *row_of(const struct lb_mlperf_check *c)
{
  const struct lb_mlperf_workload *row = NULL;
  struct lb_err err = LB_ERR_INIT;
  const char *accelerator = c->place.kind == LB_MLPERF_TRAINING
                                ? lb_mlperf_facts_of(c)->accelerator
                                : NULL;
  return lb_mlperf_workload_find(c->place.mode, c->place.kind, c->place.model,
                                 accelerator, &row, &err)
             ? NULL
             : row;
}

/* ---- 3.6.2, 3.6.3, 4.6.3 ---- */

/* What the run said of itself must be what the division needs. */
static void check_verification(struct lb_mlperf_check *c)
{
  const char *said = lb_mlperf_facts_of(c)->verification;
  bool closed = !strcasecmp(said, "closed");
  if (!closed &&
      (c->place.mode == LB_MLPERF_CLOSED || strcasecmp(said, "open") != 0))
    lb_mlperf_say(c, LB_MLPERF_ERROR, lb_mlperf_here(c)->name, NULL,
                  "its verification is '%.40s', in this division %s", said,
                  c->place.mode == LB_MLPERF_CLOSED
                      ? "'closed' is needed"
                      : "'closed' and 'open' are allowed");
}

void lb_mlperf_check_parameters(struct lb_mlperf_check *c)
{
  struct lb_mlperf_findings found = {.n = 0};
  size_t said = 0;
  const json_t *set =
      lb_json_at(lb_mlperf_metadata_of(c), "override_parameters");
  if (set && !json_is_null(set) && !json_is_object(set)) {
    lb_mlperf_say(c, LB_MLPERF_ERROR, lb_mlperf_here(c)->name, NULL,
                  "override_parameters is no object in its metadata");
    return;
  }
  if (json_is_object(set))
    lb_mlperf_check_params(c->place.kind, c->place.model, set, &found);
  for (int i = 0; i < found.n; i++) {
    const struct lb_mlperf_finding *f = &found.f[i];
    if ((f->verdict != LB_MLPERF_IS_INVALID &&
         c->place.mode != LB_MLPERF_CLOSED) ||
        !strcmp(f->key, "checkpoint.mode")) /* 4.3.5 */
      continue;
    lb_mlperf_say(c, LB_MLPERF_ERROR, lb_mlperf_here(c)->name, NULL, "%s: %s",
                  f->key, f->message);
    said++;
  }
  if (!said)
    check_verification(c);
}

/* ---- 4.3.x ---- */

/* 4.3.1 */
void lb_mlperf_check_cached(struct lb_mlperf_check *c)
{
  const struct lb_mlperf_facts *f = lb_mlperf_facts_of(c);
  double node = f->checkpoint_gib * (double)f->writes / (double)f->hosts;
  double memory = f->memory_gib / (double)f->hosts * f->scale.bytes;
  if (f->writes > 0 && isnan(memory))
    lb_mlperf_say(c, LB_MLPERF_WARNING, lb_mlperf_here(c)->name, NULL,
                  "host_memory_GB is not known of every host: whether caches "
                  "hold the checkpoints cannot be told");
  else if (f->writes > 0 && node <= LB_MLPERF_CACHED * memory)
    lb_mlperf_say(c, LB_MLPERF_WARNING, lb_mlperf_here(c)->name, NULL,
                  "%.2f GiB were written by each host, no more than %d x its "
                  "memory (%.2f GiB%s): drop the caches before reading",
                  node, LB_MLPERF_CACHED, memory,
                  f->scale.bytes < 1 ? ", scaled as the checkpoints" : "");
}

/* 4.3.2 */
void lb_mlperf_check_fsync(struct lb_mlperf_check *c)
{
  const json_t *fsync =
      lb_json_at(lb_mlperf_metadata_of(c), "parameters.checkpoint.fsync");
  if (lb_mlperf_truth(fsync) != 1)
    lb_mlperf_say(c, LB_MLPERF_ERROR, lb_mlperf_here(c)->name, NULL,
                  "parameters.checkpoint.fsync is %s, true is needed",
                  !fsync                        ? "missing"
                  : lb_mlperf_truth(fsync) == 0 ? "false"
                                                : "no truth value");
}

/* 4.3.3 */
void lb_mlperf_check_model(struct lb_mlperf_check *c)
{
  const char *model = lb_mlperf_facts_of(c)->model;
  if (strcmp(model, c->place.model) != 0)
    lb_mlperf_say(c, LB_MLPERF_ERROR, lb_mlperf_here(c)->name, NULL,
                  "its metadata are those of model '%.60s', it stands among "
                  "runs of %s",
                  model, c->place.model);
}

/* 4.3.4 */
void lb_mlperf_check_accelerator_memory(struct lb_mlperf_check *c)
{
  const struct lb_mlperf_facts *f = lb_mlperf_facts_of(c);
  const double oldest = 80; /* GiB: of h100, where none is recorded */
  const char *name = f->accelerator ? f->accelerator : "";
  double each = *name ? lb_mlperf_accelerator_gib(name) : oldest;
  char known[LB_MLPERF_LIST];
  lb_mlperf_accelerator_names(known);
  if (each <= 0)
    lb_mlperf_say(c, LB_MLPERF_ERROR, lb_mlperf_here(c)->name, NULL,
                  "its accelerator '%.40s' is not known; allowed are: %s", name,
                  known);
  else if (!*name && f->provenance)
    lb_mlperf_say(c, LB_MLPERF_WARNING, lb_mlperf_here(c)->name, NULL,
                  "its accelerator is not recorded: the newest release of the "
                  "benchmark's own checker fails such a run; "
                  "--accelerator-type records it");
  else if ((double)f->accelerators * each < f->checkpoint_gib)
    lb_mlperf_say(
        c, LB_MLPERF_ERROR, lb_mlperf_here(c)->name, NULL,
        "%lld accelerator%s of %.0f GiB%s cannot hold a checkpoint of "
        "%.2f GiB",
        (long long)f->accelerators, lb_plural(f->accelerators), each,
        *name ? "" : " (none is recorded)", f->checkpoint_gib);
}

static bool is_subset(const struct lb_mlperf_check *c)
{
  const json_t *meta = lb_mlperf_metadata_of(c);
  const char *mode = json_string_value(json_object_get(
      lb_json_at(meta, "override_parameters"), "checkpoint.mode"));
  return (mode && !strcasecmp(mode, "subset")) ||
         lb_mlperf_truth(lb_json_at(meta, "args.checkpoint_subset")) == 1;
}

/* 4.3.5 */
void lb_mlperf_check_subset(struct lb_mlperf_check *c)
{
  enum { SUBSET = 8 };
  const struct lb_mlperf_facts *f = lb_mlperf_facts_of(c);
  if (is_subset(c) &&
      (strcmp(c->place.model, "llama3-8b") != 0 || f->accelerators != SUBSET))
    lb_mlperf_say(
        c, LB_MLPERF_ERROR, lb_mlperf_here(c)->name, NULL,
        "a subset of %s on %lld accelerator%s; only llama3-8b on %d is "
        "allowed",
        c->place.model, (long long)f->accelerators, lb_plural(f->accelerators),
        SUBSET);
}

/* ---- 4.6.x ---- */

/* 4.6.1 */
void lb_mlperf_check_processes(struct lb_mlperf_check *c)
{
  const struct lb_mlperf_facts *f = lb_mlperf_facts_of(c);
  const struct lb_mlperf_workload *row = row_of(c);
  if (row && f->processes != row->processes && !is_subset(c)) /* 4.3.5 */
    lb_mlperf_say(c, LB_MLPERF_ERROR, lb_mlperf_here(c)->name, NULL,
                  "%lld process%s; CLOSED wants %lld for %s",
                  (long long)f->processes, f->processes == 1 ? "" : "es",
                  (long long)row->processes, c->place.model);
}

/* 4.6.2 */
void lb_mlperf_check_per_host(struct lb_mlperf_check *c)
{
  const struct lb_mlperf_facts *f = lb_mlperf_facts_of(c);
  if ((double)f->accelerators <= LB_MLPERF_PER_HOST * (double)f->hosts)
    lb_mlperf_say(c, LB_MLPERF_ERROR, lb_mlperf_here(c)->name, NULL,
                  "%lld accelerator%s on %lld host%s; more than %d on each are "
                  "needed",
                  (long long)f->accelerators, lb_plural(f->accelerators),
                  (long long)f->hosts, lb_plural(f->hosts), LB_MLPERF_PER_HOST);
}

/* 4.6.4 */
void lb_mlperf_check_groups(struct lb_mlperf_check *c)
{
  const struct lb_mlperf_facts *f = lb_mlperf_facts_of(c);
  const struct lb_mlperf_workload *row = row_of(c);
  if (row && row->group > 0 && f->processes % row->group)
    lb_mlperf_say(c, LB_MLPERF_ERROR, lb_mlperf_here(c)->name, NULL,
                  "%lld processes; OPEN wants a multiple of TP x PP = %lld for "
                  "%s",
                  (long long)f->processes, (long long)row->group,
                  c->place.model);
}

/* ---- EDN-02 ---- */

void lb_mlperf_check_class(struct lb_mlperf_check *c)
{
  const json_t *stamp = lb_mlperf_leaf_of(c)->file[LB_MLPERF_PROVENANCE].json;
  const char *hash = lb_json_text_at(stamp, "core_config.hash");
  const struct lb_mlperf_workload *row = row_of(c);
  const char *class = hash ? lb_mlperf_class(hash) : NULL;
  const char *edition =
      json_string_value(json_object_get(stamp, "rules_edition"));
  const char *on =
      c->place.kind == LB_MLPERF_TRAINING && lb_mlperf_facts_of(c)->accelerator
          ? lb_mlperf_facts_of(c)->accelerator
          : "";
  bool closed = c->place.mode == LB_MLPERF_CLOSED;
  if (!edition ||
      strcmp(edition, LB_MLPERF_EDITION) != 0) /* EDN-01, or another's */
    return;
  if (!hash || !strcmp(hash, "unknown") ||
      (class && row && !strcmp(class, row->workload)))
    return;
  lb_mlperf_say(
      c,
      closed ? lb_mlperf_unless_rehearsal(lb_mlperf_facts_of(c))
             : LB_MLPERF_INFO,
      lb_mlperf_here(c)->name, LB_MLPERF_PROVENANCE_NAME,
      "the core configuration %.20s is that of %s; for %s%s%.40s it must be %s",
      hash, class ? class : "no class", c->place.model, *on ? " on " : "", on,
      row ? row->hash : "one of the division's workloads");
}
