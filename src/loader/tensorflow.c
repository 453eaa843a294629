/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tf.data as DLIO builds it: read_threads readers take files in turn and are
 * interleaved sample by sample, in a fixed order; then a shuffle buffer, the
 * batch, a parallel map of computation_threads, and a prefetch.  DLIO, too,
 * makes 1 of no thread. */
#include "lb-config.h"

#include "loader_impl.h"

static int64_t at_least_one(int64_t n)
{
  return n > 0 ? n : 1;
}

static struct lb_loader_pace tensorflow_pace(const struct lb_loader_knobs *k)
{
  return (struct lb_loader_pace){
      .deal = &lb_deal_interleave,
      .readers = at_least_one(k->read_threads),
      .ahead = k->prefetch,
      /* An index sampler has shuffled already, and knows no files. */
      .buffer = k->iterative ? k->shuffle : 0,
      .computing = at_least_one(k->computation_threads),
      .by_file = k->iterative};
}

const struct lb_loader_kind lb_loader_tensorflow = {
    .name = "tensorflow",
    .doc = "Readers that take files in turn, interleaved sample by sample, and "
           "a shuffle buffer, as tf.data does.",
    .sampler = LB_SAMPLER_ITERATIVE,
    .pace = tensorflow_pace,
};
