/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How many files a dataset must have, of every workload: the exact quotient,
 * rounded up. */
#include "lb-config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loadbank/json.h"
#include "mlperf/config.h"
#include "mlperf_args.h"
#include "tap.h"

/* Worked out by hand in whole numbers: ceil(5 hosts GiB 2^30 / (samples
 * bytes)), ceil(500 batch accelerators / samples).  The first eight are the
 * examples of the rules' text. */
static const struct {
  const char *model, *accelerator;
  int accelerators, hosts, gib;
  int64_t memory, steps, bytes;
} cases[] = {
    {"unet3d", "b200", 8, 3, 768, 84376, 28000, 12369574588128},
    {"unet3d", "b200", 8, 1, 768, 28126, 28000, 4123289263128},
    {"unet3d", "b200", 8, 1, 64, 2344, 28000, 4104817584000},
    {"retinanet", "b200", 16, 2, 128, 4255643, 192000, 1374389696351},
    {"dlrm", "b200", 8, 1, 64, 294, 32, 343655424000},
    {"flux", "b200", 8, 1, 64, 552, 667, 415855567872},
    {"resnet50", "h100", 8, 1, 64, 2396, 1279, 343681425360},
    {"cosmoflow", "h100", 8, 1, 64, 121478, 4000, 343598822308},
    {"unet3d", "b200", 8, 2, 256, 18751, 28000, 4104817584000},
    {"unet3d", "h100", 8, 2, 256, 18751, 28000, 4104817584000},
    {"unet3d", "a100", 8, 2, 256, 18751, 28000, 4104817584000},
    {"retinanet", "b200", 8, 2, 256, 8511285, 96000, 2748779069745},
    {"retinanet", "mi355", 8, 2, 256, 8511285, 144000, 2748779069745},
    {"dlrm", "b200", 8, 2, 256, 2352, 32, 2749243392000},
    {"dlrm", "mi355", 8, 2, 256, 2352, 48, 2749243392000},
    {"flux", "b200", 8, 2, 256, 4409, 667, 2748886354944},
    {"flux", "mi355", 8, 2, 256, 4409, 1000, 2748886354944},
    {"cosmoflow", "h100", 8, 2, 256, 971820, 4000, 2748779264520},
    {"cosmoflow", "a100", 8, 2, 256, 971820, 4000, 2748779264520},
    {"resnet50", "h100", 8, 2, 256, 19164, 1279, 2748877644240},
    {"resnet50", "a100", 8, 2, 256, 19164, 1279, 2748877644240},
};

static void test_table(void)
{
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    struct lb_mlperf_args a =
        args_of(LB_MLPERF_TRAINING, cases[i].model, LB_MLPERF_DATASIZE);
    struct lb_mlperf_config c;
    struct lb_err err = LB_ERR_INIT;
    char name[64];
    a.mode = LB_MLPERF_WHATIF;
    snprintf(a.accelerator_type, sizeof a.accelerator_type, "%s",
             cases[i].accelerator);
    a.max_accelerators = cases[i].accelerators;
    a.num_client_hosts = cases[i].hosts;
    a.client_host_memory_in_gb = cases[i].gib;
    snprintf(name, sizeof name, "%s %s, %d x %d GiB", cases[i].model,
             cases[i].accelerator, cases[i].hosts, cases[i].gib);
    is_int(lb_mlperf_config_make(&a, &c, &err), 0, "%s: %s", name, err.msg);
    const struct lb_mlperf_datasize *d = &c.datasize;
    int64_t files =
        cases[i].memory > cases[i].steps ? cases[i].memory : cases[i].steps;
    is_int(d->files_memory, cases[i].memory, "%s: for memory", name);
    is_int(d->files_steps, cases[i].steps, "%s: for steps", name);
    is_int(d->files, files, "%s: files", name);
    is_int(d->total_bytes, cases[i].bytes, "%s: bytes", name);
    is_int(d->advised_subfolders, files > 10000 ? (files + 9999) / 10000 : 0,
           "%s: folders", name);
    lb_mlperf_config_fini(&c);
  }
}

static struct lb_mlperf_need need(void)
{
  return (struct lb_mlperf_need){.samples_per_file = 1,
                                 .record_bytes = 1000,
                                 .batch_size = 1,
                                 .accelerators = 1,
                                 .hosts = 1,
                                 .host_memory_bytes = 200000,
                                 .scale = {1, 1, 1}};
}

static void test_edges(void)
{
  struct lb_err err = LB_ERR_INIT;
  struct lb_mlperf_datasize d;
  struct lb_mlperf_need n = need();
  is_int(lb_mlperf_datasize(&n, &d, &err), 0, "an exact quotient");
  is_int(d.files_memory, 1000, "is not rounded");
  n.host_memory_bytes++;
  is_int(lb_mlperf_datasize(&n, &d, &err), 0, "a byte more");
  is_int(d.files_memory, 1001, "is a file more");
  n.hosts = 3;
  is_int(lb_mlperf_datasize(&n, &d, &err), 0, "three hosts");
  is_int(d.memory_bytes, 600003, "three times the memory");
  n = need();
  n.samples_per_file = 3;
  n.accelerators = 2;
  is_int(lb_mlperf_datasize(&n, &d, &err), 0, "files of 3 samples");
  is_int(d.files_steps, 334, "ceil(1000 / 3)");
  n.host_memory_bytes = UINT64_C(1) << 62;
  is_int(lb_mlperf_datasize(&n, &d, &err), -LB_USAGE, "more than 2^63 bytes");
  is_int(d.files, 0, "and no answer");
  is_int(lb_mlperf_gib_bytes(64), INT64_C(68719476736), "64 GiB");
  is_int(lb_mlperf_gib_bytes(0.5), 536870912, "half a GiB");
  is_int(lb_mlperf_gib_bytes(0.1), 107374183, "0.1 GiB, rounded up");
  is_int(lb_mlperf_gib_bytes(-1), 0, "less than nothing");
  is_int(lb_mlperf_gib_bytes(1e300), 0, "too much");
}

static void test_rehearsal(void)
{
  struct lb_err err = LB_ERR_INIT;
  struct lb_mlperf_datasize d;
  struct lb_mlperf_need n = need();
  n.host_memory_bytes = 2000000; /* 10000 files */
  n.scale.files = 0.001;
  is_int(lb_mlperf_datasize(&n, &d, &err), 0, "a thousandth");
  is_int(d.full_files, 10000, "of the bound");
  is_int(d.files, 10, "is 10 files, not 11");
  is_int(d.total_bytes, 10000, "of the whole record");
  n.scale.bytes = 0.0105;
  is_int(lb_mlperf_datasize(&n, &d, &err), 0, "and less of a record");
  is_int(d.files, 10, "files for the memory are those of the whole record");
  is_int(d.file_bytes, 11, "10.5 bytes, rounded up");
  n.batch_size = 3;
  n.accelerators = 2;
  is_int(lb_mlperf_datasize(&n, &d, &err), 0, "never less");
  is_int(d.files, 30, "than 5 steps of all accelerators");
}

static void test_text(void)
{
  struct lb_mlperf_args a =
      args_of(LB_MLPERF_TRAINING, "unet3d", LB_MLPERF_DATASIZE);
  struct lb_mlperf_config c;
  struct lb_err err = LB_ERR_INIT;
  struct lb_buf b;
  static const char *params[] = {"reader.read_threads=8"};
  snprintf(a.accelerator_type, sizeof a.accelerator_type, "b200");
  snprintf(a.hosts, sizeof a.hosts, "n1,n2,n3");
  snprintf(a.data_dir, sizeof a.data_dir, "/mnt/my data");
  a.max_accelerators = 8;
  a.client_host_memory_in_gb = 768;
  a.params = params;
  a.n_params = 1;
  lb_buf_init(&b, 1 << 16);
  is_int(lb_mlperf_config_make(&a, &c, &err), 0, "datasize: %s", err.msg);
  lb_mlperf_datasize_text(&a, &c, &b);
  ok(strstr(b.data, "3 x 768 GiB = 2473901162496 bytes"), "the memory");
  ok(strstr(b.data, "84376: the memory decides"), "what decides");
  ok(strstr(b.data, "dataset.num_subfolders_train=9 "), "the advice");
  ok(strstr(b.data,
            "loadbank mlperf closed training unet3d datagen file --hosts "
            "n1,n2,n3 --num-processes 8 --results-dir r --data-dir '/mnt/my "
            "data' --systemname s --params dataset.num_files_train=84376 "
            "reader.read_threads=8\n"),
     "the next command");
  json_t *p = lb_mlperf_datasize_parameters(&c);
  is_int(json_integer_value(lb_json_at(p, "dataset.num_files_train")), 84376,
         "metadata: files");
  is_int(json_integer_value(lb_json_at(p, "dataset.total_disk_bytes")),
         12369574588128, "metadata: bytes");
  ok(json_is_integer(lb_json_at(p, "dataset.num_subfolders_train")),
     "metadata: folders");
  json_decref(p);
  lb_mlperf_config_fini(&c);
  lb_buf_fini(&b);
}

static void test_checkpoint_text(void)
{
  struct lb_mlperf_args a =
      args_of(LB_MLPERF_CHECKPOINTING, "llama3-1t", LB_MLPERF_DATASIZE);
  struct lb_mlperf_config c;
  struct lb_err err = LB_ERR_INIT;
  struct lb_buf b;
  a.num_processes = 1024;
  a.num_client_hosts = 8;
  a.client_host_memory_in_gb = 600;
  lb_buf_init(&b, 1 << 16);
  is_int(lb_mlperf_config_make(&a, &c, &err), 0, "datasize: %s", err.msg);
  lb_mlperf_datasize_text(&a, &c, &b);
  ok(strstr(b.data, "15426.59 GiB (16564174094592 bytes) in 2072 files"),
     "its bytes");
  ok(strstr(b.data, "model 2203.66 + optimizer 13222.93 GiB"), "its parts");
  ok(strstr(b.data, "12.91 to 17.97 GiB in its"), "of a process");
  ok(strstr(b.data, "18000 GB in the rules"), "beside the published size");
  ok(!strstr(b.data, "caches"), "1928 GiB of a host are more than 3 x 600");
  lb_mlperf_config_fini(&c);
  a.client_host_memory_in_gb = 700;
  lb_buf_reset(&b);
  is_int(lb_mlperf_config_make(&a, &c, &err), 0, "datasize: %s", err.msg);
  lb_mlperf_datasize_text(&a, &c, &b);
  ok(strstr(b.data, "less than 3 x the memory"), "less than 3 x 700");
  lb_mlperf_config_fini(&c);
  lb_buf_fini(&b);
}

int main(void)
{
  use_builtin_workloads();
  test_table();
  test_edges();
  test_rehearsal();
  test_text();
  test_checkpoint_text();
  return done();
}
