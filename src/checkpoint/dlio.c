/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The files that DLIO writes. */
#include "lb-config.h"

#include "loadbank/checkpoint.h"

#include <stdio.h>

static int dlio_check(const struct lb_checkpoint_model *m, struct lb_err *err)
{
  (void)m;
  (void)err;
  return 0;
}

static int64_t dlio_count(const struct lb_checkpoint_model *m, int stage,
                          int accelerator)
{
  (void)stage;
  return m->model_bytes > 0 && (m->all_ranks || accelerator == 0);
}

static void dlio_shard(const struct lb_checkpoint_model *m,
                       const struct lb_shard_ref *ref, struct lb_shard *out)
{
  *out = (struct lb_shard){.bytes = m->model_bytes, .tensors = 1};
  snprintf(out->name, sizeof out->name, "model_states-%d.pt", ref->accelerator);
}

static void dlio_tensor(const struct lb_checkpoint_model *m,
                        const struct lb_shard_ref *ref, int64_t t,
                        struct lb_tensor *out)
{
  (void)ref;
  (void)t;
  *out = (struct lb_tensor){.name = "a",
                            .dtype = lb_model_dtype_find("int8"),
                            .elements = m->model_bytes};
}

const struct lb_checkpoint_scheme lb_checkpoint_dlio = {
    .name = "dlio",
    .doc = "The files that DLIO writes.",
    .stages = 1,
    .check = dlio_check,
    .count = dlio_count,
    .shard = dlio_shard,
    .tensor = dlio_tensor,
};
