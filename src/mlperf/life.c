/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See life.h. */
#include "lb-config.h"

#include "mlperf/life.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "loadbank/bench.h"
#include "loadbank/json.h"
#include "loadbank/log.h"
#include "loadbank/path.h"
#include "loadbank/wholefile.h"
#include "mlperf/forewarn.h"
#include "mlperf/leaf.h"
#include "mlperf/origin.h"
#include "mlperf/system.h"

/* ---- the folder and its logs ---- */

static int make_log(const char *path, struct lb_err *err)
{
  int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (fd < 0)
    return lb_err_sys(err, LB_FAILED, errno, "%s: open", path);
  close(fd);
  return 0;
}

static int name_logs(struct lb_life *l, struct lb_err *err)
{
  static const char *const streams[] = {"stdout", "stderr"};
  char stem[LB_LEAF_STEM];
  lb_leaf_stem(&l->leaf, stem);
  for (int i = 0; i < 2; i++)
    if (snprintf(l->log[i], PATH_MAX, "%s/%s.%s.log", l->leaf.path, stem,
                 streams[i]) >= PATH_MAX)
      return lb_err_sys(err, LB_FAILED, ENAMETOOLONG, "%s", l->leaf.path);
  return 0;
}

int lb_life_open(const struct lb_world *w, struct lb_life *l,
                 struct lb_err *err)
{
  if (w->rank == 0 &&
      !lb_leaf_make(l->leaf.args->results_dir, &l->leaf.place, l->leaf.path,
                    err) &&
      !name_logs(l, err) && !make_log(l->log[0], err))
    make_log(l->log[1], err);
  int rc = lb_bench_agree(w, err);
  if (rc)
    return rc;
  lb_world_bcast(w, &l->leaf.place, sizeof l->leaf.place);
  lb_world_bcast(w, l->leaf.path, sizeof l->leaf.path);
  lb_world_bcast(w, l->log, sizeof l->log);
  lb_log_copy(l->log[1], w->rank == 0);
  return 0;
}

void lb_life_keep(const struct lb_life *l, const char *text)
{
  int fd = open(l->log[0], O_WRONLY | O_APPEND | O_CLOEXEC);
  if (fd >= 0) {
    lb_write_all(fd, text, strlen(text));
    close(fd);
  }
}

void lb_life_say(const struct lb_life *l, const char *text)
{
  lb_life_keep(l, text);
  if (l->leaf.args->quiet)
    return;
  fputs(text, stdout);
  fflush(stdout);
}

/* ---- the beginning; rank 0 ---- */

/* Hosts that are not what the description says: other hardware. */
static int compare_system(const char *folder, const struct lb_life *l,
                          struct lb_err *err)
{
  char path[PATH_MAX], name[LB_MLPERF_NAME + 8];
  struct lb_mlperf_flaws flaws = {.n = 0};
  snprintf(name, sizeof name, "%s.yaml", l->leaf.place.system);
  int rc = lb_path_join(folder, name, path, LB_FAILED, err);
  if (!rc)
    rc = lb_mlperf_system_compare(path, l->hosts.host, l->hosts.n, &flaws, err);
  if (!rc && flaws.n)
    rc = lb_err_set(err, LB_USAGE,
                    "%.700s%s; what runs here must be what is described: "
                    "choose another --systemname, or mend the file",
                    flaws.flaw[0].text,
                    flaws.n > 1 ? " (and more differs)" : "");
  lb_mlperf_flaws_fini(&flaws);
  return rc;
}

/* Written by the first run, compared by the later ones. */
static int describe_system(const struct lb_life *l, struct lb_err *err)
{
  char below[PATH_MAX], folder[PATH_MAX], note[200];
  bool made = false;
  lb_mlperf_rehearsal_text(&l->leaf.scale, note, sizeof note);
  if (lb_mlperf_systems_path(&l->leaf.place, below, err) ||
      lb_path_join(l->leaf.args->results_dir, below, folder, LB_FAILED, err) ||
      lb_mlperf_system_write(folder, l->leaf.place.system, l->hosts.host,
                             l->hosts.n, *note ? note : NULL, &made, err))
    return -err->code;
  return made ? 0 : compare_system(folder, l, err);
}

int lb_life_write_origin(const struct lb_leaf *l, struct lb_err *err)
{
  const struct lb_mlperf_config *c = l->config;
  const struct lb_origin o = {.mode = l->place.mode,
                              .kind = l->place.kind,
                              .results = l->args->results_dir,
                              .leaf = l->path,
                              .workload = c->row->workload,
                              .text = c->text,
                              .len = c->len,
                              .core_hash = c->hash,
                              .core_keys = c->hash_keys,
                              .scale = l->scale};
  return lb_origin_write(&o, err);
}

static int write_separation(const struct lb_leaf *l, json_t *separation,
                            struct lb_err *err)
{
  if (!separation)
    return 0;
  if (lb_mlperf_is_rehearsal(&l->scale))
    json_object_set_new(separation, "rehearsal",
                        lb_mlperf_rehearsal_json(&l->scale));
  return lb_json_write(l->path, LB_MLPERF_SEPARATION_NAME,
                       json_incref(separation), err);
}

/* The metadata come first: a leaf says what it is as long as it is there. */
static int write_first(struct lb_life *l, const struct lb_gates_found *found,
                       struct lb_err *err)
{
  json_t *hosts = lb_cluster_json(&l->hosts);
  json_t *snapshots = json_object();
  l->metadata = lb_metadata_new(&l->leaf);
  json_object_set(l->metadata, "gates", found->gates);
  json_object_set(l->metadata, "system_info", hosts);
  lb_json_put_text(snapshots, "collection_method", "mpi");
  json_object_set_new(snapshots, "start", hosts);
  json_object_set_new(snapshots, "end", json_null());
  json_object_set_new(l->metadata, "cluster_snapshots", snapshots);
  int rc = lb_metadata_write(&l->leaf, l->metadata, err);
  lb_cluster_warn(&l->hosts);
  lb_forewarn(&l->leaf, &l->hosts);
  if (*found->warning)
    lb_warn("%s", found->warning);
  if (!rc)
    rc = write_separation(&l->leaf, found->separation, err);
  if (!rc && l->leaf.place.command == LB_MLPERF_RUN)
    rc = describe_system(l, err);
  return rc ? rc : lb_life_write_origin(&l->leaf, err);
}

static int start_series(const struct lb_world *w, struct lb_life *l,
                        struct lb_err *err)
{
  const struct lb_mlperf_args *a = l->leaf.args;
  if (a->skip_timeseries || l->leaf.place.command != LB_MLPERF_RUN ||
      !w->host_first)
    return 0;
  return lb_series_start(&l->series, (double)a->timeseries_interval,
                         a->max_timeseries_samples, err);
}

int lb_life_begin(const struct lb_world *w, struct lb_life *l,
                  const struct lb_gates_found *found, struct lb_err *err)
{
  if (w->rank == 0)
    write_first(l, found, err);
  if (!lb_err_is_set(err))
    start_series(w, l, err);
  return lb_bench_agree(w, err);
}

/* ---- the end ---- */

static int write_series(struct lb_life *l, json_t *series, struct lb_err *err)
{
  const struct lb_mlperf_args *a = l->leaf.args;
  char name[LB_LEAF_FILE];
  json_t *told = json_object();
  double every_s = (double)a->timeseries_interval;
  lb_leaf_file(&l->leaf, "timeseries", name);
  lb_json_put_number(series, "interval_seconds", every_s);
  if (lb_mlperf_is_rehearsal(&l->leaf.scale))
    json_object_set_new(series, "rehearsal",
                        lb_mlperf_rehearsal_json(&l->leaf.scale));
  lb_json_put_text(told, "file", name);
  lb_json_put_number(told, "interval_seconds", every_s);
  json_object_set_new(l->metadata, "timeseries_data", told);
  return lb_json_write(l->leaf.path, name, json_incref(series), err);
}

/* Collective. */
static void end_series(const struct lb_world *w, struct lb_life *l,
                       struct lb_err *err)
{
  json_t *series = NULL;
  lb_series_stop(l->series);
  if (l->leaf.args->skip_timeseries || l->leaf.place.command != LB_MLPERF_RUN)
    return;
  lb_series_gather(w, l->series, &series, err);
  if (series && l->metadata && !lb_err_is_set(err))
    write_series(l, series, err);
  json_decref(series);
}

/* Collective.  Facts of the hosts once more. */
static void end_hosts(const struct lb_world *w, struct lb_life *l,
                      struct lb_err *err)
{
  struct lb_cluster end = {.n = 0};
  if (!lb_cluster_gather(w, &end, err) && l->metadata)
    json_object_set_new(json_object_get(l->metadata, "cluster_snapshots"),
                        "end", lb_cluster_json(&end));
  lb_cluster_fini(&end);
}

int lb_life_end(const struct lb_world *w, struct lb_life *l, const char *status,
                const char *reason, double seconds, bool whole,
                struct lb_err *err)
{
  struct lb_err mine = LB_ERR_INIT;
  if (whole) {
    end_series(w, l, &mine);
    if (!lb_bench_agree(w, &mine))
      end_hosts(w, l, &mine);
  }
  if (l->metadata) {
    struct lb_err e = LB_ERR_INIT;
    lb_metadata_take_summary(l->metadata, &l->leaf);
    lb_metadata_end(l->metadata, status, reason, seconds);
    if (lb_metadata_write(&l->leaf, l->metadata, &e) && !lb_err_is_set(&mine))
      mine = e;
  }
  if (whole)
    lb_bench_agree(w, &mine);
  if (lb_err_is_set(&mine) && !lb_err_is_set(err))
    *err = mine;
  return -err->code;
}

void lb_life_fini(struct lb_life *l)
{
  lb_series_free(l->series);
  lb_cluster_fini(&l->hosts);
  json_decref(l->metadata);
  *l = (struct lb_life){.metadata = NULL};
}
