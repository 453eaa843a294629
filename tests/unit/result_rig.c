/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See result_rig.h. */
#include "lb-config.h"

#include "result_rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "report_run.h"
#include "tap.h"

enum { K = 3, PATH_LEN = 700 };

const char *rig_path(const char *name, const char *file)
{
  static char text[4][PATH_LEN];
  static int next;
  char *out = text[next++ % 4];
  snprintf(out, PATH_LEN, "%s/%s%s%s", tap_tmpdir(), name, file ? "/" : "",
           file ? file : "");
  return out;
}

static void make_folders(const char *name)
{
  char path[PATH_LEN];
  snprintf(path, sizeof path, "%s", rig_path(name, NULL));
  for (char *p = path + strlen(tap_tmpdir()) + 1; *p; p++)
    if (*p == '/') {
      *p = '\0';
      mkdir(path, 0777);
      *p = '/';
    }
  mkdir(path, 0777);
}

void rig_write(const struct lb_world *world, const char *name)
{
  char spool[PATH_LEN];
  struct lb_err err = LB_ERR_INIT;
  struct lb_world w = *world;
  char *folder;
  struct lb_metrics *m;
  struct lb_iostats io;
  struct lb_rank_cost cost = run_cost(&io);
  struct lb_summary s;
  lb_world_accelerators(&w, K, &err);
  is_int(lb_results_folder(&folder, rig_path(name, NULL), "w", 0, &err), 0,
         "%s: a folder", name);
  lb_report_spool(spool, sizeof spool, folder, 0);
  struct lb_metrics_config c = {.k = K,
                                .exclude_start = 1,
                                .batch = {4, 2},
                                .steps_spool = spool,
                                .detail = lb_report_detail(&w, false)};
  is_int(lb_metrics_new(&m, &c, &err), 0, "%s: a recorder", name);
  run_steps(m, K);
  is_int(lb_metrics_reduce(m, &w, &cost, 1024, &s, &err), 0, "%s: reduced",
         name);
  struct lb_report r = run_report(folder);
  is_int(lb_report_write(&w, m, &r, &s, &err), 0, "%s: written %s", name,
         err.msg);
  lb_metrics_free(m);
  lb_summary_fini(&s);
  lb_iostats_fini(&io);
  free(folder);
}

json_t *rig_summary(const char *name)
{
  json_error_t bad;
  return json_load_file(rig_path(name, "summary.json"), 0, &bad);
}

void rig_set(json_t *v, const char *path, json_t *value)
{
  char key[128];
  for (size_t n; n = strcspn(path, "."), path[n]; path += n + 1) {
    snprintf(key, sizeof key, "%.*s", (int)n, path);
    v = json_object_get(v, key);
  }
  if (json_object_set_new(v, path, value))
    ok(false, "%s is set", path);
}

void rig_text(const char *name, const char *file, const char *text)
{
  make_folders(name);
  FILE *f = fopen(rig_path(name, file), "we");
  if (f) {
    fputs(text, f);
    fclose(f);
  }
}

void rig_copy(const char *name, const json_t *summary)
{
  json_t *copy = json_deep_copy(summary);
  json_t *ours = json_object_get(copy, "loadbank");
  json_object_set_new(ours, "accelerators", json_integer(1));
  json_object_set_new(ours, "steps_file", json_null());
  rig_text(name, "0_output.json", "{}");
  rig_text(name, "0_per_epoch_stats.json", "{}");
  if (json_dump_file(copy, rig_path(name, "summary.json"), JSON_INDENT(2)))
    ok(false, "%s: a summary", name);
  json_decref(copy);
}
