/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See gates.h.  Folders that do not exist yet are represented by the nearest
 * one above them that does. */
#include "lb-config.h"

#include "mlperf/gates.h"

#include <errno.h>
#include <ftw.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "loadbank/bench.h"
#include "loadbank/clock.h"
#include "loadbank/dataset.h"
#include "loadbank/json.h"
#include "loadbank/path.h"
#include "mlperf/probe.h"

enum { N_FOLDERS = 3, WAIT_S = 5, MAX_OPEN = 16 };

static const char *folder_of(const struct lb_gates *g, int i)
{
  const char *const all[N_FOLDERS] = {g->results, g->data, g->checkpoint};
  return all[i];
}

static void put(json_t *o, const char *key, json_t *v)
{
  if (o)
    json_object_set_new(o, key, v);
  else
    json_decref(v);
}

/* ---- CAP-01: room; rank 0 ---- */

/* nftw has no argument for its caller. */
static _Thread_local uint64_t bytes_seen;

static int add_file(const char *path, const struct stat *st, int type,
                    struct FTW *at)
{
  (void)path;
  (void)at;
  bytes_seen += type == FTW_F ? (uint64_t)st->st_size : 0;
  return 0;
}

/* Of all files below a folder; 0: there is none. */
static uint64_t bytes_below(const char *folder)
{
  bytes_seen = 0;
  nftw(folder, add_file, MAX_OPEN, FTW_PHYS | FTW_MOUNT);
  return bytes_seen;
}

/* What is there of an earlier try is kept or replaced: it needs no new room. */
static json_t *check_room(const char *folder, uint64_t need, struct lb_err *err)
{
  uint64_t available, there;
  if (!folder || !need)
    return NULL;
  if (lb_free_bytes(folder, &available, err)) {
    lb_err_wrap(err, "CAP-01");
    return NULL;
  }
  there = available < need ? bytes_below(folder) : 0;
  if (available < need && available + there < need)
    lb_err_set(err, LB_FAILED,
               "CAP-01: %s: no room: %" PRIu64
               " bytes are to be written, %" PRIu64 " are free and %" PRIu64
               " there already",
               folder, need, available, there);
  json_t *o = json_object();
  lb_json_put_text(o, "folder", folder);
  put(o, "required_bytes", lb_json_count(need));
  put(o, "free_bytes",
      available < UINT64_MAX ? lb_json_count(available) : json_null());
  put(o, "there_bytes", available < need ? lb_json_count(there) : json_null());
  return o;
}

static json_t *pass_room(const struct lb_gates *g, struct lb_err *err)
{
  const uint64_t need[N_FOLDERS] = {0, g->data_bytes, g->checkpoint_bytes};
  json_t *list = json_array();
  for (int i = 0; i < N_FOLDERS && !lb_err_is_set(err); i++) {
    json_t *o = check_room(folder_of(g, i), need[i], err);
    if (o)
      json_array_append_new(list, o);
  }
  return list;
}

/* ---- CAP-02: the same folders everywhere ---- */

/* Collective.  Does every rank see what rank 0 sees in this folder? */
static json_t *share(const struct lb_world *w, const char *folder,
                     struct lb_err *err)
{
  struct lb_probe_mark m = {.token = ""};
  char nearest[PATH_MAX];
  if (w->rank == 0 && !lb_probe_nearest(folder, nearest, err))
    lb_probe_mark(nearest, &m, err);
  if (lb_bench_agree(w, err))
    return NULL;
  lb_world_bcast(w, &m, sizeof m);
  if (w->rank && lb_probe_find(&m, WAIT_S, err))
    lb_err_wrap(err,
                "CAP-02: %.300s is not the folder that rank 0 has: all hosts "
                "must mount the same",
                folder);
  lb_bench_agree(w, err);
  if (w->rank)
    return NULL;
  lb_probe_unmark(&m);
  json_t *o = json_object();
  lb_json_put_text(o, "folder", folder);
  lb_json_put_text(o, "by", *m.token ? "file" : "folder");
  lb_json_put_int(o, "ranks", w->n_ranks);
  return o;
}

/* Collective. */
static json_t *pass_shared(const struct lb_world *w, const struct lb_gates *g,
                           struct lb_err *err)
{
  json_t *list = w->rank == 0 ? json_array() : NULL;
  for (int i = 0; i < N_FOLDERS && !lb_err_is_set(err); i++) {
    json_t *o = folder_of(g, i) ? share(w, folder_of(g, i), err) : NULL;
    if (o)
      json_array_append_new(list, o);
  }
  return list;
}

/* ---- CAP-03: results on a file system of their own ---- */

/* What a host found, sent to rank 0. */
struct separation {
  struct lb_probe_pair pair;
  int rank, of; /* of: index of the folder */
  char host[256];
  char path[PATH_MAX], results_path[PATH_MAX];
  char real[PATH_MAX], results_real[PATH_MAX];
};

/* Of the folders that are under test the first that is on the results' file
 * system, else the first at all. */
static int probe(const struct lb_world *w, const struct lb_gates *g,
                 struct separation *s, struct lb_err *err)
{
  bool first = true;
  *s = (struct separation){.rank = w->rank};
  snprintf(s->host, sizeof s->host, "%s", w->node_name);
  snprintf(s->results_path, PATH_MAX, "%s", g->results);
  for (int i = 1; i < N_FOLDERS && !s->pair.same; i++) {
    const char *folder = folder_of(g, i);
    struct lb_probe_pair pair;
    char nearest[PATH_MAX];
    if (!folder)
      continue;
    if (lb_probe_nearest(folder, nearest, err) ||
        lb_probe_separate(nearest, g->results, &pair, err))
      return lb_err_wrap(err, "CAP-03");
    if (!first && !pair.same)
      continue;
    first = false;
    s->pair = pair;
    s->of = i;
    snprintf(s->path, PATH_MAX, "%s", folder);
    if (lb_path_resolve(folder, s->real) ||
        lb_path_resolve(g->results, s->results_real))
      return lb_err_sys(err, LB_FAILED, ENAMETOOLONG, "CAP-03: %s", folder);
  }
  return 0;
}

/* The report of the first host, until one comes that found the same. */
struct verdict {
  struct separation worst, one;
  int hosts;
};

static int take(void *arg, int rank, const void *bytes, size_t n,
                struct lb_err *err)
{
  struct verdict *v = arg;
  (void)rank;
  (void)err;
  if (n != sizeof v->worst) /* not its host's first rank */
    return 0;
  memcpy(&v->one, bytes, n);
  if (!v->hosts++ || (v->one.pair.same && !v->worst.pair.same))
    v->worst = v->one;
  return 0;
}

static json_t *sidecar(const struct separation *s)
{
  json_t *o = json_object();
  lb_json_put_int(o, "version", 1);
  lb_json_put_text(o, "method", s->pair.by_device ? "st_dev" : "link_exdev");
  lb_json_put_text(o, "data_or_chkpt_path", s->path);
  lb_json_put_text(o, "results_path", s->results_path);
  lb_json_put_text(o, "data_or_chkpt_realpath", s->real);
  lb_json_put_text(o, "results_realpath", s->results_real);
  lb_json_put_bool(o, "same_filesystem", s->pair.same);
  put(o, "probed_at", lb_json_time(lb_clock_utc_ns()));
  lb_json_put_int(o, "probed_by_rank", s->rank);
  lb_json_put_text(o, "probed_by_host", s->host);
  return o;
}

static void judge(const struct lb_gates *g, const struct separation *s,
                  char warning[LB_GATE_WARNING], struct lb_err *err)
{
  char text[LB_GATE_WARNING];
  if (!s->pair.same)
    return;
  snprintf(text, sizeof text,
           "CAP-03, rule %s: the results folder %.200s is on the file system "
           "under test, that of %.200s (host %.60s, by %s)",
           g->same_rule, s->results_path, s->path, s->host,
           s->pair.by_device ? "their device numbers" : "a hard link");
  if (g->same_is_allowed)
    memcpy(warning, text, sizeof text);
  else
    lb_err_set(err, LB_USAGE,
               "%s; choose another, or --skip-fs-separation-gate for a run "
               "that is not to be submitted",
               text);
}

/* Collective. */
static int pass_separation(const struct lb_world *w, const struct lb_gates *g,
                           struct lb_gates_found *out, struct lb_err *err)
{
  struct verdict v = {.hosts = 0};
  struct separation *mine = calloc(1, sizeof *mine);
  if (!mine)
    lb_err_set(err, LB_FAILED, "no memory");
  else if (w->host_first)
    probe(w, g, mine, err);
  if (!lb_bench_agree(w, err))
    lb_world_collect(w, mine, w->host_first ? sizeof *mine : 0, take, &v, err);
  free(mine);
  if (!lb_err_is_set(err) && w->rank == 0) {
    json_t *o = json_object();
    out->separation = sidecar(&v.worst);
    lb_json_put_bool(o, "same_filesystem", v.worst.pair.same);
    lb_json_put_int(o, "hosts", v.hosts);
    if (v.worst.pair.by_device)
      lb_json_put_text(o, "why_no_link", v.worst.pair.why);
    put(out->gates, "CAP-03", o);
    judge(g, &v.worst, out->warning, err);
  }
  return lb_bench_agree(w, err);
}

int lb_gates_pass(const struct lb_world *w, const struct lb_gates *g,
                  struct lb_gates_found *out, struct lb_err *err)
{
  *out = (struct lb_gates_found){.gates = w->rank == 0 ? json_object() : NULL};
  for (int i = 0; i < N_FOLDERS && w->host_first; i++)
    if (folder_of(g, i))
      lb_probe_sweep(folder_of(g, i));
  if (w->rank == 0)
    put(out->gates, "CAP-01", pass_room(g, err));
  int rc = lb_bench_agree(w, err);
  if (!rc && w->n_nodes > 1) {
    put(out->gates, "CAP-02", pass_shared(w, g, err));
    rc = -err->code;
  }
  if (!rc && g->separate && (g->data || g->checkpoint))
    rc = pass_separation(w, g, out, err);
  return rc;
}

void lb_gates_fini(struct lb_gates_found *f)
{
  json_decref(f->gates);
  json_decref(f->separation);
  *f = (struct lb_gates_found){.warning = ""};
}
