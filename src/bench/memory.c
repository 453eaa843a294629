/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory and threads of a rank.  Bytes go through one reused buffer a pool
 * thread and are dropped, so memory depends neither on the batch nor on what
 * is read ahead, the dataset, the epochs or the checkpoints. */
#include "lb-config.h"

#include "plan_impl.h"

#include <inttypes.h>

int lb_plan_memory(const struct lb_memory_in *in, struct lb_plan_memory *out,
                   struct lb_err *err)
{
  int64_t readers = in->readers > 0 ? in->readers : 1;
  uint64_t buffers, notes, all_bytes, real;
  int64_t all;
  if (__builtin_mul_overflow(readers, (int64_t)in->k, &all) ||
      __builtin_mul_overflow((uint64_t)all, in->buffer_bytes, &buffers) ||
      __builtin_mul_overflow((uint64_t)all, in->notes_bytes, &notes) ||
      __builtin_add_overflow(buffers, notes, &all_bytes))
    return lb_err_set(err, LB_USAGE,
                      "reader.read_threads: %" PRId64
                      " readers for each of %d accelerators are too many",
                      readers, in->k);
  if (__builtin_mul_overflow((uint64_t)all, in->real_bytes, &real))
    real = UINT64_MAX;
  *out = (struct lb_plan_memory){
      .threads = in->is_virtual ? 0 : all,
      .buffer_bytes = in->is_virtual ? 0 : in->buffer_bytes,
      .notes_bytes = notes,
      .rank_bytes = in->is_virtual ? notes : all_bytes,
      .real_bytes = real,
  };
  return 0;
}

int lb_plan_check_threads(const struct lb_plan *p, int64_t max_threads,
                          struct lb_err *err)
{
  if (p->memory.threads <= max_threads)
    return 0;
  return lb_err_set(err, LB_USAGE,
                    "%d accelerators of a rank need %" PRId64
                    " reading threads, --max-threads allows %" PRId64
                    "; use more ranks, fewer reader.read_threads, or a "
                    "storage_type that needs no thread for each read",
                    p->k, p->memory.threads, max_threads);
}
