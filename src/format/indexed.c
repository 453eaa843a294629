/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See indexed.h: samples one behind the other in a file, and two index files
 * beside it: where each begins (.off.idx) and how long it is (.sz.idx), as
 * 64-bit integers. */
#include "lb-config.h"

#include "format/indexed.h"
#include "loadbank/units.h"

#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

static const char *const endings[LB_N_INDICES] = {".off.idx", ".sz.idx"};

/* ---- the files ---- */

int lb_indexed_sizes(const struct lb_format_params *p, const struct lb_file *f,
                     struct lb_file_sizes *out, struct lb_err *err)
{
  int64_t dims[LB_MAX_DIMS];
  int n;
  uint64_t payload;
  if (lb_sample_dims(p, f, dims, &n, err) < 0 ||
      lb_payload_bytes(f, &payload, err) < 0)
    return -err->code;
  *out =
      (struct lb_file_sizes){.file_bytes = payload, .payload_bytes = payload};
  return 0;
}

int lb_indexed_make(const struct lb_format_params *p, const struct lb_file *f,
                    struct lb_sink *sink, struct lb_err *err)
{
  uint64_t payload;
  if (lb_payload_bytes(f, &payload, err) < 0)
    return -err->code;
  return lb_payload_write(p, f, sink, 0, payload, NULL, err);
}

uint64_t lb_index_bytes(const struct lb_file *f)
{
  return LB_INDEX_ENTRY * (uint64_t)f->samples;
}

static int index_size(const struct lb_format_params *p, const struct lb_file *f,
                      uint64_t *bytes, struct lb_err *err)
{
  (void)p, (void)err;
  *bytes = lb_index_bytes(f);
  return 0;
}

/* Entry i is first + i x step. */
static int make_index(const struct lb_file *f, uint64_t first, uint64_t step,
                      struct lb_sink *sink, struct lb_err *err)
{
  uint64_t *entry = sink->scratch;
  int64_t room = (int64_t)(sink->scratch_bytes / LB_INDEX_ENTRY);
  for (int64_t done = 0; done < f->samples;) {
    int64_t n = f->samples - done < room ? f->samples - done : room;
    for (int64_t i = 0; i < n; i++)
      entry[i] = htole64(first + (uint64_t)(done + i) * step);
    if (sink->write(sink, LB_INDEX_ENTRY * (uint64_t)done, entry,
                    LB_INDEX_ENTRY * (size_t)n, err) < 0)
      return -err->code;
    done += n;
  }
  return 0;
}

static int make_offsets(const struct lb_format_params *p,
                        const struct lb_file *f, struct lb_sink *sink,
                        struct lb_err *err)
{
  (void)p;
  return make_index(f, 0, (uint64_t)f->sample_bytes, sink, err);
}

static int make_sizes(const struct lb_format_params *p, const struct lb_file *f,
                      struct lb_sink *sink, struct lb_err *err)
{
  (void)p;
  return make_index(f, (uint64_t)f->sample_bytes, 0, sink, err);
}

const struct lb_sidecar lb_indexed_sidecars[LB_N_INDICES] = {
    {.ending = ".off.idx", .size = index_size, .make = make_offsets},
    {.ending = ".sz.idx", .size = index_size, .make = make_sizes},
};

/* ---- reading them ---- */

int lb_index_name(char *path, size_t size, const struct lb_file *f,
                  enum lb_index index, struct lb_err *err)
{
  int n = snprintf(path, size, "%s%s", f->path, endings[index]);
  if (n >= 0 && (size_t)n < size)
    return 0;
  return lb_err_sys(err, LB_FAILED, ENAMETOOLONG, "the index of %s", f->path);
}

int lb_index_check(const char *path, const struct lb_file *f, int64_t size,
                   struct lb_err *err)
{
  if ((uint64_t)size == lb_index_bytes(f))
    return 0;
  return lb_err_set(err, LB_FAILED,
                    "%s: holds %" PRId64 " bytes, an index of %" PRId64
                    " sample%s has %" PRIu64 " (dataset.num_samples_per_file)",
                    path, size, f->samples, lb_plural(f->samples),
                    lb_index_bytes(f));
}

int lb_index_check_entry(const char *path, uint64_t i, uint64_t entry,
                         struct lb_err *err)
{
  if (entry <= INT64_MAX / 2)
    return 0;
  return lb_err_set(err, LB_FAILED,
                    "%s: entry %" PRIu64 " is %" PRIu64
                    ", beyond the end of any file",
                    path, i, entry);
}

int lb_indexed_cut_short(const struct lb_file *f, uint64_t size, uint64_t end,
                         struct lb_err *err)
{
  if (end <= size)
    return 0;
  return lb_err_set(err, LB_FAILED,
                    "%s: cut short: %" PRIu64
                    " bytes, and its index says %" PRIu64,
                    f->path, size, end);
}

bool lb_indexed_list_open(struct lb_iolist *list, int slot, const char *path,
                          unsigned flags)
{
  return lb_iolist_add(list, (struct lb_io){.op = LB_OP_OPEN,
                                            .slot = slot,
                                            .path = path,
                                            .flags = flags}) &&
         lb_iolist_add(list, (struct lb_io){.op = LB_OP_STAT, .slot = slot});
}
