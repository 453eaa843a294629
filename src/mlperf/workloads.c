/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of workloads: what is run under which name, on what, in which
 * division.  The workloads themselves are files, workloads/NAME.yaml. */
#include "lb-config.h"

#include "mlperf/workload.h"

#include <stdio.h>
#include <string.h>

#include "loadbank/buf.h"

enum {
  ALL = 1u << LB_MLPERF_CLOSED | 1u << LB_MLPERF_OPEN | 1u << LB_MLPERF_WHATIF,
  WHATIF = 1u << LB_MLPERF_WHATIF,
};

#define TRAIN(m, a, where, class_hash, in_class)                  \
  {                                                               \
    .kind = LB_MLPERF_TRAINING, .model = (m), .accelerator = (a), \
    .workload = m "_" a, .modes = (where), .hash = class_hash,    \
    .is_class = (in_class)                                        \
  }
#define SAVE(m, file, class_hash, ...)                                 \
  {                                                                    \
    .kind = LB_MLPERF_CHECKPOINTING, .model = (m), .workload = (file), \
    .modes = ALL, .hash = class_hash, .is_class = true, __VA_ARGS__    \
  }

/* A model's first row is the one that generates its dataset. */
const struct lb_mlperf_workload lb_mlperf_workloads[] = {
    TRAIN("unet3d", "b200", ALL, "0d3ad0dec188becd", true),
    TRAIN("unet3d", "h100", WHATIF, "", false),
    TRAIN("unet3d", "a100", WHATIF, "", false),
    TRAIN("retinanet", "b200", ALL, "20c73f53486caba0", true),
    TRAIN("retinanet", "mi355", ALL, "66c43604eb650987", true),
    TRAIN("dlrm", "b200", WHATIF, "844d7654f6cc8af5", false),
    TRAIN("dlrm", "mi355", WHATIF, "87d4928cdb468a7f", false),
    TRAIN("flux", "b200", WHATIF, "6ed017e93211fc2a", false),
    TRAIN("flux", "mi355", WHATIF, "6922bdb04d612efa", false),
    TRAIN("cosmoflow", "h100", WHATIF, "4b7b36339a2a5b0d", true),
    TRAIN("cosmoflow", "a100", WHATIF, "b49b896e947a408b", true),
    TRAIN("resnet50", "h100", WHATIF, "03a7be3df904e1e7", true),
    TRAIN("resnet50", "a100", WHATIF, "4a03838105aa5808", true),
    SAVE("llama3-8b", "llama3_8b", "68df04b7240e3fb0", .processes = 8,
         .group = 1, .published_gib = 105, .model_gib = 15,
         .optimizer_gib = 90),
    SAVE("llama3-70b", "llama3_70b", "3c53fe70d64f91d4", .processes = 64,
         .group = 8, .published_gib = 912, .model_gib = 130,
         .optimizer_gib = 781),
    SAVE("llama3-405b", "llama3_405b", "7adcfa87a5c4c8e6", .processes = 512,
         .group = 256, .published_gib = 5290, .model_gib = 755,
         .optimizer_gib = 4533),
    SAVE("llama3-1t", "llama3_1t", "45fd627ad9dc5f4c", .processes = 1024,
         .group = 512, .published_gib = 18000, .model_gib = 2571,
         .optimizer_gib = 15426),
};
const size_t lb_mlperf_n_workloads =
    sizeof lb_mlperf_workloads / sizeof lb_mlperf_workloads[0];

static const struct {
  const char *name;
  double gib;
} accelerators[] = {{"b200", 180}, {"mi355", 288}, {"h100", 80}, {"a100", 80}};

double lb_mlperf_accelerator_gib(const char *accelerator)
{
  for (size_t i = 0; i < sizeof accelerators / sizeof accelerators[0]; i++)
    if (accelerator && !strcmp(accelerators[i].name, accelerator))
      return accelerators[i].gib;
  return 0;
}

static void add_name(char out[LB_MLPERF_LIST], const char *name)
{
  size_t n = strlen(out);
  snprintf(out + n, LB_MLPERF_LIST - n, "%s%s", n ? ", " : "", name);
}

void lb_mlperf_accelerator_names(char out[LB_MLPERF_LIST])
{
  *out = '\0';
  for (size_t i = 0; i < sizeof accelerators / sizeof accelerators[0]; i++)
    add_name(out, accelerators[i].name);
}

static bool is_of(const struct lb_mlperf_workload *w, int mode, int kind)
{
  return w->kind == kind && (w->modes & 1u << mode);
}

bool lb_mlperf_is_workload(int mode, int kind, const char *model)
{
  for (size_t i = 0; i < lb_mlperf_n_workloads; i++)
    if (is_of(&lb_mlperf_workloads[i], mode, kind) &&
        !strcmp(lb_mlperf_workloads[i].model, model))
      return true;
  return false;
}

/* Rows of a model stand together. */
void lb_mlperf_model_names(int mode, int kind, char out[LB_MLPERF_LIST])
{
  const char *last = "";
  *out = '\0';
  for (size_t i = 0; i < lb_mlperf_n_workloads; i++) {
    const struct lb_mlperf_workload *w = &lb_mlperf_workloads[i];
    if (!is_of(w, mode, kind) || !strcmp(w->model, last))
      continue;
    last = w->model;
    add_name(out, last);
  }
}

/* "unet3d on b200, unet3d on h100 ..." of a kind and mode, for messages. */
static void name_all(int mode, int kind, struct lb_buf *out)
{
  const char *between = "";
  for (size_t i = 0; i < lb_mlperf_n_workloads; i++) {
    const struct lb_mlperf_workload *w = &lb_mlperf_workloads[i];
    if (!is_of(w, mode, kind))
      continue;
    lb_buf_printf(out, "%s%s", between, w->model);
    if (w->accelerator)
      lb_buf_printf(out, " on %s", w->accelerator);
    between = ", ";
  }
}

static int refuse(int mode, int kind, const char *model,
                  const char *accelerator, const char *why, struct lb_err *err)
{
  struct lb_buf all;
  lb_buf_init(&all, 4096);
  name_all(mode, kind, &all);
  bool on = accelerator && *accelerator;
  int rc = lb_err_set(err, LB_USAGE, "%s %s: '%s%s%s' %s; allowed: %s",
                      lb_mlperf_mode_names[mode], lb_mlperf_kind_names[kind],
                      model, on ? " on " : "", on ? accelerator : "", why,
                      all.data ? all.data : "none");
  lb_buf_fini(&all);
  return rc;
}

int lb_mlperf_workload_find(int mode, int kind, const char *model,
                            const char *accelerator,
                            const struct lb_mlperf_workload **row,
                            struct lb_err *err)
{
  const struct lb_mlperf_workload *elsewhere = NULL;
  for (size_t i = 0; i < lb_mlperf_n_workloads; i++) {
    const struct lb_mlperf_workload *w = &lb_mlperf_workloads[i];
    if (w->kind != kind || strcmp(w->model, model) != 0 ||
        (accelerator && *accelerator && w->accelerator &&
         strcmp(w->accelerator, accelerator) != 0))
      continue;
    if (w->modes & 1u << mode) {
      *row = w;
      return 0;
    }
    elsewhere = w;
  }
  return refuse(mode, kind, model, accelerator,
                elsewhere ? "is no submission, it runs in whatif only"
                          : "is no workload",
                err);
}
