/* SPDX-License-Identifier: GPL-3.0-or-later */
/* torch.utils.data.DataLoader: read_threads workers, each makes whole batches
 * in turn, prefetch_factor batches ahead per worker; without workers the
 * training process reads the batch itself, when it needs it. */
#include "lb-config.h"

#include "loader_impl.h"

static struct lb_loader_pace pytorch_pace(const struct lb_loader_knobs *k)
{
  struct lb_loader_pace pace = {
      .deal = &lb_deal_batches, .readers = 1, .ahead = 0};
  int64_t workers = k->read_threads;
  if (workers == 0)
    return pace;
  /* DLIO: prefetch_factor = ceil(prefetch_size / workers); torch's own is 2. */
  int64_t factor = k->prefetch > 0 ? (k->prefetch + workers - 1) / workers : 2;
  pace.readers = workers;
  pace.ahead = factor * workers;
  return pace;
}

const struct lb_loader_kind lb_loader_pytorch = {
    .name = "pytorch",
    .doc = "Workers that each read whole batches in turn, as PyTorch's "
           "DataLoader does.",
    .sampler = LB_SAMPLER_INDEX,
    .pace = pytorch_pace,
};
