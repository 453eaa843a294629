/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How many files a dataset must have: five times the hosts' memory, and 500
 * steps an epoch.  Both are rounded up, in whole numbers: a dataset that is one
 * file short does not satisfy the rule. */
#include "lb-config.h"

#include "mlperf/datasize.h"

#include <inttypes.h>
#include <math.h>

#include "loadbank/units.h"
#include "mlperf/overrides.h"

enum {
  MEMORIES = 5,
  STEPS = 500,
  REHEARSAL_STEPS = 5, /* of all accelerators */
  FILES_IN_FOLDER = 10000,
};

/* False: it does not fit into 63 bits. */
static bool times(uint64_t a, uint64_t b, uint64_t *out)
{
  return !__builtin_mul_overflow(a, b, out) && *out <= INT64_MAX;
}

static uint64_t up(uint64_t a, uint64_t b)
{
  return a / b + (a % b != 0);
}

uint64_t lb_mlperf_gib_bytes(double gib)
{
  double bytes = ceil(gib * LB_GIB);
  return bytes >= 1 && bytes < 9223372036854775808.0 ? (uint64_t)bytes : 0;
}

/* Rounded up, but for what the factor's own rounding to a double adds. */
static uint64_t shrink(uint64_t n, double factor)
{
  double v = ceil((double)n * factor * (1 - 1e-12));
  return factor < 1 ? v < 1 ? 1 : (uint64_t)v : n;
}

/* Files that this many steps of all accelerators read. */
static bool files_of_steps(const struct lb_mlperf_need *in, uint64_t steps,
                           uint64_t *out)
{
  uint64_t samples;
  if (!times(steps, (uint64_t)in->batch_size, &samples) ||
      !times(samples, (uint64_t)in->accelerators, &samples))
    return false;
  *out = up(samples, (uint64_t)in->samples_per_file);
  return true;
}

int64_t lb_rehearsal_files(const struct lb_mlperf_need *in, int64_t full)
{
  uint64_t least = 0, files = shrink((uint64_t)full, in->scale.files);
  if (!files_of_steps(in, REHEARSAL_STEPS, &least))
    return full;
  return (int64_t)(files < least ? least : files);
}

int lb_mlperf_datasize(const struct lb_mlperf_need *in,
                       struct lb_mlperf_datasize *out, struct lb_err *err)
{
  uint64_t memory, memories, bytes, memory_files, steps_files, total;
  const struct lb_mlperf_scale *s = &in->scale;
  *out = (struct lb_mlperf_datasize){0};
  uint64_t record = shrink((uint64_t)in->record_bytes, s->bytes);
  bool fits = times(in->host_memory_bytes, (uint64_t)in->hosts, &memory) &&
              times(memory, MEMORIES, &memories) &&
              times((uint64_t)in->samples_per_file, (uint64_t)in->record_bytes,
                    &bytes) &&
              files_of_steps(in, STEPS, &steps_files);
  if (!fits)
    return lb_err_set(
        err, LB_USAGE,
        "the size of the dataset is beyond 2^63: %" PRId64 " hosts of %" PRIu64
        " bytes, %" PRId64 " accelerators, batches of %" PRId64,
        in->hosts, in->host_memory_bytes, in->accelerators, in->batch_size);
  memory_files = up(memories, bytes);
  uint64_t full = memory_files > steps_files ? memory_files : steps_files;
  uint64_t files =
      s->files < 1 ? (uint64_t)lb_rehearsal_files(in, (int64_t)full) : full;
  bytes = (uint64_t)in->samples_per_file * record;
  if (!times(files, bytes, &total))
    return lb_err_set(err, LB_USAGE,
                      "the size of the dataset is beyond 2^63: %" PRIu64
                      " files of %" PRIu64 " bytes",
                      files, bytes);
  *out = (struct lb_mlperf_datasize){
      .memory_bytes = memory,
      .file_bytes = bytes,
      .files_memory = (int64_t)memory_files,
      .files_steps = (int64_t)steps_files,
      .full_files = (int64_t)full,
      .files = (int64_t)files,
      .total_bytes = total,
      .advised_subfolders =
          files > FILES_IN_FOLDER ? (int64_t)up(files, FILES_IN_FOLDER) : 0,
  };
  return 0;
}
