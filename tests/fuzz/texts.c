/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Targets that are no format's: what is read as a text.  See targets.h. */
#include "lb-config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loadbank/config.h"
#include "loadbank/layout.h"
#include "loadbank/manifest.h"
#include "loadbank/mark.h"
#include "mlperf/system.h"
#include "targets.h"
#include "unit/record_fixture.h"

/* Aborts, so that it is a finding. */
static void must(bool good, const char *what)
{
  if (good)
    return;
  fprintf(stderr, "%s\n", what);
  __builtin_trap();
}

/* ---- the manifest of a dataset ---- */

static bool make_manifest(const char *folder)
{
  struct lb_manifest m = fixture_manifest();
  struct lb_err err = LB_ERR_INIT;
  return lb_manifest_write(&m, folder, &err) == 0;
}

static void read_manifest(const char *folder, const uint8_t *bytes, size_t n)
{
  struct lb_manifest m, config = fixture_manifest();
  struct lb_layout layout;
  struct lb_err err = LB_ERR_INIT;
  (void)bytes, (void)n;
  if (lb_manifest_read(&m, folder, &err) <= 0)
    return;
  lb_manifest_compare(&m, &config, &err);
  lb_layout_of_manifest(&layout, &m, folder);
}

const struct fuzz_text fuzz_manifest = {".loadbank.json", make_manifest,
                                        read_manifest};

/* ---- the mark of a checkpoint ---- */

static bool make_mark(const char *folder)
{
  struct lb_mark m = fixture_mark(1);
  struct lb_err err = LB_ERR_INIT;
  return lb_mark_write(&m, folder, &err) == 0;
}

/* Those files that a removal would name first. */
static void name_shards(const struct lb_mark *m)
{
  enum { SOME = 4 };
  for (int a = 0; a < m->model.accelerators && a < SOME; a++)
    for (int stage = 0; stage < m->scheme->stages; stage++) {
      int64_t n = m->scheme->count(&m->model, stage, a);
      for (int64_t i = 0; i < n && i < SOME; i++) {
        const struct lb_shard_ref ref = {
            .stage = stage, .accelerator = a, .i = i};
        struct lb_shard shard;
        m->scheme->shard(&m->model, &ref, &shard);
      }
    }
}

static void read_mark(const char *folder, const uint8_t *bytes, size_t n)
{
  struct lb_mark m, config = fixture_mark(1);
  struct lb_err err = LB_ERR_INIT;
  (void)bytes, (void)n;
  if (lb_mark_read(&m, folder, &err) <= 0)
    return;
  name_shards(&m);
  lb_mark_compare(&m, &config, folder, &err);
}

const struct fuzz_text fuzz_mark = {LB_MARK_NAME, make_mark, read_mark};

/* ---- workloads ---- */

/* What loads is printed, and that loads too. */
static void load(const char *text, size_t n, const char *override)
{
  struct lb_err err = LB_ERR_INIT;
  struct lb_workload *w = NULL, *again = NULL;
  struct lb_buf out;
  if (lb_workload_load(text, n, "fuzz.yaml", &override, override != NULL, &w,
                       &err) < 0) {
    must(!w && err.code == LB_USAGE && err.msg[0], "refused, but how?");
    return;
  }
  lb_buf_init(&out, 4 << 20);
  lb_workload_print(w, &out);
  must(lb_workload_load(out.data, out.len, "again", NULL, 0, &again, &err) == 0,
       err.msg);
  lb_workload_check_run(w, &err);
  lb_workload_free(again);
  lb_workload_free(w);
  lb_buf_fini(&out);
}

static bool leave(const char *folder, const char *file, const char *text)
{
  char path[700];
  snprintf(path, sizeof path, "%s/%s", folder, file);
  return fixture_spit(path, text, strlen(text));
}

static bool make_config(const char *folder)
{
  return leave(folder, fuzz_config.file,
               "model: {name: m, model_size: 5, num_layers: 2}\n"
               "framework: pytorch\n"
               "workflow: {generate_data: True, train: yes}\n"
               "dataset:\n"
               "  format: parquet\n"
               "  record_dims: [2, 3]\n"
               "  record_length_bytes: 1 MiB # 6\n"
               "  parquet: {columns: [{name: a, dtype: int8, size: 2}]}\n"
               "reader: {batch_size: \"4\", file_shuffle: off}\n"
               "train:\n"
               "  computation_time: {mean: 1.0e-1, stdev: 0.1, type: normal}\n"
               "storage: {storage_type: simulated, storage_root: [a, b]}\n");
}

static void read_config(const char *folder, const uint8_t *bytes, size_t n)
{
  (void)folder;
  load((const char *)bytes, n, NULL);
}

const struct fuzz_text fuzz_config = {"config.yaml", make_config, read_config};

static bool make_override(const char *folder)
{
  return leave(folder, fuzz_override.file,
               "++workload.train.computation_time={mean: 1.0, stdev: 0.1}");
}

static void read_override(const char *folder, const uint8_t *bytes, size_t n)
{
  char text[4096];
  (void)folder;
  snprintf(text, sizeof text, "%.*s", (int)(n < 4096 ? n : 4096),
           (const char *)bytes);
  load("{}", 2, text);
}

const struct fuzz_text fuzz_override = {"override", make_override,
                                        read_override};

/* ---- descriptions of systems ---- */

static struct lb_mlperf_host host_of(void)
{
  struct lb_mlperf_host h = {.name = "n0",
                             .model = "M",
                             .cpu_model = "C",
                             .cpu_qty = 1,
                             .cpu_cores = 2,
                             .memory_bytes = UINT64_C(64) << 30,
                             .os = "Os",
                             .os_version = "1",
                             .n_ports = 1,
                             .n_drives = 1,
                             .n_sysctls = 1};
  h.port[0] = (struct lb_mlperf_port){
      .names = "eth0", .type = "ethernet", .up = true, .speed = 9, .count = 1};
  h.drive[0] = (struct lb_mlperf_drive){
      .names = "sda", .model = "D", .interface = "sas", .count = 1};
  h.sysctl[0] = (struct lb_mlperf_sysctl){"vm.dirty_ratio", "20"};
  return h;
}

static bool make_system(const char *folder)
{
  struct lb_mlperf_host h = host_of();
  struct lb_buf text;
  lb_buf_init(&text, 1 << 20);
  lb_mlperf_system_text(&text, "box", &h, 1, NULL);
  bool made = leave(folder, fuzz_system.file, text.data);
  lb_buf_fini(&text);
  return made;
}

/* Every flaw has a text, in the order of lines; hosts are compared. */
static void read_system(const char *folder, const uint8_t *bytes, size_t n)
{
  struct lb_mlperf_host h = host_of();
  struct lb_mlperf_system s;
  struct lb_mlperf_flaws flaws;
  struct lb_err err = LB_ERR_INIT;
  char path[700];
  must(!lb_mlperf_system_check("fuzz.yaml", (const char *)bytes, n, &s, &flaws,
                               &err),
       err.msg);
  for (size_t i = 0; i < flaws.n; i++)
    must(flaws.flaw[i].text && *flaws.flaw[i].text &&
             (!i || flaws.flaw[i].line >= flaws.flaw[i - 1].line),
         "a flaw without a text, or out of order");
  lb_mlperf_flaws_fini(&flaws);
  snprintf(path, sizeof path, "%s/%s", folder, fuzz_system.file);
  must(!lb_mlperf_system_compare(path, &h, 1, &flaws, &err), err.msg);
  lb_mlperf_flaws_fini(&flaws);
}

const struct fuzz_text fuzz_system = {"system.yaml", make_system, read_system};
