/* SPDX-License-Identifier: GPL-3.0-or-later */
/* torch.utils.data.DataLoader: read_threads workers, each makes whole batches
 * in turn, prefetch_factor batches ahead per worker; without workers the
 * training process reads the batch itself, when it needs it. */
#include "lb-config.h"

#include "loader_impl.h"

static struct lb_loader_pace pytorch_pace(int64_t read_threads,
                                          int64_t prefetch)
{
  if (read_threads == 0)
    return (struct lb_loader_pace){.readers = 1, .ahead = 0};
  /* DLIO: prefetch_factor = ceil(prefetch_size / workers); torch's own is 2. */
  int64_t factor =
      prefetch > 0 ? (prefetch + read_threads - 1) / read_threads : 2;
  return (struct lb_loader_pace){.readers = read_threads,
                                 .ahead = factor * read_threads};
}

const struct lb_loader_kind lb_loader_pytorch = {
    .name = "pytorch",
    .doc = "Workers that each read whole batches in turn, as PyTorch's "
           "DataLoader does.",
    .sampler = LB_SAMPLER_INDEX,
    .pace = pytorch_pace,
};
