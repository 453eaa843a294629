/* SPDX-License-Identifier: GPL-3.0-or-later */
/* NVIDIA DALI as DLIO uses it.  dali: an external source in Python, whose
 * worker processes share the samples of each batch, prefetch_queue_depth
 * batches ahead; without workers the source runs in the training process,
 * inside the step.  native_dali: a reader of DALI's own, whose threads share
 * each batch, in a pipeline of its own depth. */
#include "lb-config.h"

#include "loader_impl.h"

/* DLIO's depths when prefetch_size is 0. */
enum { DALI_DEPTH = 2, NATIVE_DEPTH = 1 };

static struct lb_loader_pace shared(int64_t readers, int64_t ahead)
{
  return (struct lb_loader_pace){
      .deal = &lb_deal_slices, .readers = readers, .ahead = ahead};
}

static struct lb_loader_pace dali_pace(const struct lb_loader_knobs *k)
{
  if (k->read_threads == 0)
    return shared(1, 0);
  return shared(k->read_threads, k->prefetch > 0 ? k->prefetch : DALI_DEPTH);
}

static struct lb_loader_pace native_dali_pace(const struct lb_loader_knobs *k)
{
  return shared(k->read_threads > 0 ? k->read_threads : 1,
                k->prefetch > 0 ? k->prefetch : NATIVE_DEPTH);
}

const struct lb_loader_kind lb_loader_dali = {
    .name = "dali",
    .doc = "Workers that share each batch, as a parallel external source of "
           "NVIDIA DALI does.",
    .sampler = LB_SAMPLER_INDEX,
    .pace = dali_pace,
};

const struct lb_loader_kind lb_loader_native_dali = {
    .name = "native_dali",
    .doc = "Threads that share each batch, as the readers of NVIDIA DALI do.",
    .sampler = LB_SAMPLER_INDEX,
    .pace = native_dali_pace,
};
