/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory, threads and open files of a rank.  Bytes go through one reused buffer
 * a pool thread and are dropped, so memory depends neither on the batch nor on
 * what is read ahead, the epochs or the checkpoints.  Not counted: the program
 * itself, MPI, stacks and counters. */
#include "lb-config.h"

#include "plan_impl.h"

#include <inttypes.h>

#include "loadbank/ring.h"

/* a * b, or as large as it gets. */
static uint64_t times(uint64_t a, uint64_t b)
{
  uint64_t product;
  return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

static uint64_t plus(uint64_t a, uint64_t b)
{
  uint64_t sum;
  return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

int lb_plan_memory(const struct lb_memory_in *in, struct lb_plan_memory *out,
                   struct lb_err *err)
{
  uint64_t readers =
      in->reads ? times((uint64_t)in->readers, (uint64_t)in->k) : 0;
  uint64_t threads = in->is_virtual ? 0 : readers;
  uint64_t buffers = times(threads, in->buffer_bytes);
  uint64_t files = plus(threads, times(threads, in->kept_files));
  if (in->ring.depth > 0 && readers > 0) {
    threads = 1;
    buffers = lb_ring_bytes(in->ring.depth, in->buffer_bytes);
  }
  *out = (struct lb_plan_memory){
      .threads = (int64_t)threads,
      .buffer_bytes = in->is_virtual ? 0 : in->buffer_bytes,
      .readers_bytes = times(readers, in->reader_bytes),
      .main_bytes = in->main_bytes,
      .checkpoint_bytes = in->checkpoint_bytes,
      .checkpoint_requests = in->checkpoint_requests,
      .checkpoint_request = in->checkpoint_request,
      .steps_bytes = in->steps_bytes,
      .real_bytes = times(readers, in->real_bytes),
      .real_ahead_bytes =
          in->reads ? times((uint64_t)in->k, times((uint64_t)in->ahead_samples,
                                                   in->sample_bytes))
                    : 0,
      .open_files = files,
      .buffers =
          in->ring.depth > 0 && readers > 0 ? in->ring.depth : (int64_t)threads,
  };
  out->rank_bytes = plus(plus(buffers, out->readers_bytes),
                         plus(out->main_bytes, out->steps_bytes));
  out->rank_bytes = plus(out->rank_bytes, out->checkpoint_bytes);
  if (readers <= INT64_MAX && out->rank_bytes <= INT64_MAX)
    return 0;
  return lb_err_set(err, LB_USAGE,
                    "reader.read_threads: %" PRId64
                    " readers for each accelerator, %d on a rank, are too many",
                    in->readers, in->k);
}

int lb_plan_check_threads(const struct lb_plan *p, int64_t max_threads,
                          struct lb_err *err)
{
  if (p->memory.threads <= max_threads)
    return 0;
  return lb_err_set(err, LB_USAGE,
                    "the accelerators of a rank, %d, take %" PRId64
                    " reading threads, --max-threads allows %" PRId64
                    "; use more ranks, fewer reader.read_threads, or "
                    "storage_type uring, which needs no thread for each read",
                    p->k, p->memory.threads, max_threads);
}

int lb_plan_check_crew(const struct lb_plan *p, int64_t max_threads,
                       struct lb_err *err)
{
  const struct lb_plan_checkpoints *c = &p->checkpoints;
  if (c->threads <= max_threads)
    return 0;
  return lb_err_set(err, LB_USAGE,
                    "checkpoints need %" PRId64
                    " threads of a rank, checkpoint.write_threads for each "
                    "accelerator that has files, --max-threads allows %" PRId64
                    "; use more ranks",
                    c->threads, max_threads);
}

/* What a run opens besides: results, logs, the spool, a checkpoint. */
enum { OTHER_FILES = 16 };

int lb_plan_check_files(const struct lb_plan *p, uint64_t used, uint64_t limit,
                        struct lb_err *err)
{
  uint64_t need = plus(p->memory.open_files, used + OTHER_FILES);
  if (p->memory.open_files == 0 || need <= limit)
    return 0;
  return lb_err_set(
      err, LB_USAGE,
      "the readers of a rank may have %" PRIu64 " files open, and %" PRIu64
      " others are: the limit of open files (ulimit -n) is "
      "%" PRIu64 "; raise it, use more ranks, fewer reader.read_threads, or "
      "not reader.read_type=memory",
      p->memory.open_files, used + OTHER_FILES, limit);
}
