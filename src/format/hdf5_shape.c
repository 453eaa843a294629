/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See hdf5_shape.h.  Chunks are numbered row by row of their grid; a chunk at
 * the edge has its whole size, and padding where the dataset has ended. */
#include "lb-config.h"

#include "format/hdf5_shape.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "loadbank/content.h"

/* The library counts a chunk's bytes in 32 bits. */
enum { CHUNK_LIMIT_BITS = 32 };

static int64_t product(const int64_t *v, int from, int to)
{
  int64_t n = 1;
  for (int i = from; i < to; i++)
    n *= v[i];
  return n;
}

static int64_t grid(const struct lb_h5_shape *s, int i)
{
  return (s->dims[i] + s->chunk[i] - 1) / s->chunk[i];
}

uint64_t lb_h5_row_bytes(const struct lb_h5_shape *s)
{
  return (uint64_t)product(s->dims, 1, s->rank) * (uint64_t)s->element;
}

uint64_t lb_h5_chunk_bytes(const struct lb_h5_shape *s)
{
  return (uint64_t)product(s->chunk, 0, s->rank) * (uint64_t)s->element;
}

int64_t lb_h5_chunks_of_row(const struct lb_h5_shape *s)
{
  int64_t n = 1;
  for (int i = 1; i < s->rank; i++)
    n *= grid(s, i);
  return n;
}

int64_t lb_h5_chunks(const struct lb_h5_shape *s)
{
  return grid(s, 0) * lb_h5_chunks_of_row(s);
}

int64_t lb_h5_chunk_of_row(const struct lb_h5_shape *s, int64_t row, int64_t i)
{
  return row / s->chunk[0] * lb_h5_chunks_of_row(s) + i;
}

void lb_h5_origin(const struct lb_h5_shape *s, int64_t chunk,
                  int64_t origin[LB_H5_DIMS])
{
  for (int i = s->rank - 1; i >= 0; i--) {
    int64_t n = grid(s, i);
    origin[i] = chunk % n * s->chunk[i];
    chunk /= n;
  }
}

uint64_t lb_h5_chunk_inside(const struct lb_h5_shape *s, int64_t chunk)
{
  int64_t origin[LB_H5_DIMS];
  uint64_t bytes = (uint64_t)s->element;
  lb_h5_origin(s, chunk, origin);
  for (int i = 0; i < s->rank; i++)
    bytes *=
        lb_min_u64((uint64_t)s->chunk[i], (uint64_t)(s->dims[i] - origin[i]));
  return bytes;
}

void lb_h5_row_in_chunk(const struct lb_h5_shape *s, int64_t row,
                        uint64_t *from, uint64_t *to)
{
  uint64_t bytes =
      (uint64_t)product(s->chunk, 1, s->rank) * (uint64_t)s->element;
  *from = (uint64_t)(row % s->chunk[0]) * bytes;
  *to = *from + bytes;
}

/* The first dimension of those, up to the last, in which elements that follow
 * each other in a chunk do so in the payload.  Rows of several datasets lie
 * apart. */
static int run_from(const struct lb_h5_shape *s)
{
  int least = s->n_sets > 1 ? 1 : 0, d = s->rank - 1;
  if (d < least)
    return s->rank;
  while (d > least && s->chunk[d] == s->dims[d])
    d--;
  return d;
}

static uint64_t payload_of(const struct lb_h5_shape *s, int set, uint64_t at)
{
  uint64_t row = lb_h5_row_bytes(s);
  return s->n_sets == 1
             ? at
             : (at / row * (uint64_t)s->n_sets + (uint64_t)set) * row +
                   at % row;
}

uint64_t lb_h5_run(const struct lb_h5_shape *s, int set, int64_t chunk,
                   uint64_t at, uint64_t *payload)
{
  int64_t origin[LB_H5_DIMS] = {0};
  int d = run_from(s);
  int64_t unit = product(s->chunk, d, s->rank), valid = unit, place = 0;
  uint64_t element = (uint64_t)s->element;
  int64_t i = (int64_t)(at / element), outer = i / unit, inner = i % unit;
  bool inside = true;
  lb_h5_origin(s, chunk, origin);
  if (d < s->rank) {
    int64_t below = product(s->dims, d + 1, s->rank);
    int64_t left = s->dims[d] - origin[d];
    valid = (left < s->chunk[d] ? left : s->chunk[d]) * below;
    place = origin[d] * below;
  }
  int64_t stride = product(s->dims, d, s->rank);
  for (int k = d - 1; k >= 0; k--) {
    int64_t x = origin[k] + outer % s->chunk[k];
    outer /= s->chunk[k];
    inside = inside && x < s->dims[k];
    place += x * stride;
    stride *= s->dims[k];
  }
  *payload = UINT64_MAX;
  if (!inside || inner >= valid)
    return (uint64_t)(unit - inner) * element - at % element;
  *payload =
      payload_of(s, set, (uint64_t)(place + inner) * element + at % element);
  return (uint64_t)(valid - inner) * element - at % element;
}

void lb_h5_chunk_fill(const struct lb_h5_shape *s,
                      const struct lb_format_params *p, const struct lb_file *f,
                      int set, int64_t chunk, uint64_t at, void *out, size_t n)
{
  unsigned char *to = out;
  while (n > 0) {
    uint64_t from;
    size_t m = (size_t)lb_min_u64(n, lb_h5_run(s, set, chunk, at, &from));
    if (from == UINT64_MAX)
      memset(to, 0, m);
    else
      lb_content_fill(p->content_seed, f->set, f->index, from, to, m);
    to += m;
    at += m;
    n -= m;
  }
}

/* ---- what was configured ---- */

/* A target that grows slowly with the dataset, from 8 KiB to 1 MiB; then the
 * dimensions are halved, the first first, until the chunk is about that large.
 * It is h5py's rule: files must have the chunks that they would have there. */
void lb_h5_guess_chunk(struct lb_h5_shape *s)
{
  const double least = 8192, most = LB_H5_GUESS_MOST, base = 16384;
  double all = s->element;
  for (int i = 0; i < s->rank; i++) {
    s->chunk[i] = s->dims[i];
    all *= (double)s->dims[i];
  }
  double target = base * pow(2, log10(all / most));
  target = target > most ? most : target < least ? least : target;
  for (int i = 0;; i++) {
    double bytes = (double)lb_h5_chunk_bytes(s);
    bool near = bytes < target || fabs(bytes - target) / target < 0.5;
    if ((near && bytes < most) || product(s->chunk, 0, s->rank) == 1)
      return;
    int64_t *c = &s->chunk[i % s->rank];
    *c = (*c + 1) / 2;
  }
}

/* One sample, and of its last dimensions as much as fits. */
static void chunk_by_size(struct lb_h5_shape *s, int64_t bytes)
{
  int64_t room = bytes / s->element;
  for (int i = s->rank - 1; i > 0; i--) {
    int64_t n = room < 1 ? 1 : room < s->dims[i] ? room : s->dims[i];
    s->chunk[i] = n;
    room /= n;
  }
  s->chunk[0] = 1;
}

/* A flat sample may be configured as (L, 1), its shape in other programs. */
static int listed(const struct lb_ints *v, const struct lb_format_params *p)
{
  bool flat = p->n_dims == 0 && v->n > 1 && v->v[v->n - 1] == 1;
  return flat ? v->n - 1 : v->n;
}

static int take_chunk_dims(struct lb_h5_shape *s, const struct lb_ints *v,
                           const struct lb_format_params *p, struct lb_err *err)
{
  int n = v->n == s->rank ? v->n : listed(v, p);
  if (n != s->rank)
    return lb_err_set(err, LB_USAGE,
                      "dataset.hdf5.chunk_dims: has %d dimensions, the "
                      "datasets have %d (samples, then those of a sample)",
                      v->n, s->rank);
  for (int i = 0; i < n; i++) {
    bool clip = p->n_dims == 0 && i > 0; /* flat samples vary in length */
    if (v->v[i] > s->dims[i] && !clip)
      return lb_err_set(err, LB_USAGE,
                        "dataset.hdf5.chunk_dims: %" PRId64
                        " in dimension %d is more than the %" PRId64
                        " of the datasets",
                        v->v[i], i + 1, s->dims[i]);
    s->chunk[i] = v->v[i] < s->dims[i] ? v->v[i] : s->dims[i];
  }
  return 0;
}

/* Largest shape of a sample in one dataset; the sample count stays. */
static int take_max_shape(struct lb_h5_shape *s, const struct lb_ints *v,
                          const struct lb_format_params *p, struct lb_err *err)
{
  int n = v->n == s->rank - 1 ? v->n : listed(v, p);
  if (n != s->rank - 1)
    return lb_err_set(err, LB_USAGE,
                      "dataset.hdf5.max_shape: has %d dimensions, a sample "
                      "has %d in each dataset",
                      v->n, s->rank - 1);
  for (int i = 0; i < n; i++) {
    if (v->v[i] != -1 && v->v[i] < s->dims[i + 1])
      return lb_err_set(err, LB_USAGE,
                        "dataset.hdf5.max_shape: %" PRId64
                        " in dimension %d is less than the %" PRId64
                        " that a sample has there (-1: no limit)",
                        v->v[i], i + 1, s->dims[i + 1]);
    s->max[i + 1] = v->v[i];
    s->resizable |= v->v[i] != s->dims[i + 1];
  }
  return 0;
}

/* A leading dimension of 1 is left out, as DLIO does. */
static int divide(struct lb_h5_shape *s, const struct lb_format_params *p,
                  int64_t sets, struct lb_err *err)
{
  if (s->dims[1] % sets)
    return lb_err_set(err, LB_USAGE,
                      "dataset.hdf5.num_dset_per_record: %" PRId64
                      " does not divide %" PRId64 ", %s",
                      sets, s->dims[1],
                      p->n_dims ? "the first of dataset.record_dims"
                                : "the elements of a sample");
  s->n_sets = (int)sets;
  s->dims[1] /= sets;
  if (p->n_dims > 0 && s->dims[1] == 1) {
    memmove(s->dims + 1, s->dims + 2, (size_t)(s->rank - 2) * sizeof *s->dims);
    s->rank--;
  }
  return 0;
}

static int choose_chunk(struct lb_h5_shape *s, const struct lb_h5_options *o,
                        const struct lb_format_params *p, struct lb_err *err)
{
  s->chunked =
      o->chunk_dims.n > 0 || p->chunking || s->resizable || s->n_filters > 0;
  memcpy(s->chunk, s->dims, sizeof s->chunk);
  if (!s->chunked)
    return 0;
  if (o->chunk_dims.n > 0) {
    if (take_chunk_dims(s, &o->chunk_dims, p, err))
      return -err->code;
  } else if (p->chunking && p->chunk_size > 0) {
    chunk_by_size(s, p->chunk_size);
  } else {
    lb_h5_guess_chunk(s);
  }
  int64_t bytes = s->element;
  for (int i = 0; i < s->rank; i++)
    if (__builtin_mul_overflow(bytes, s->chunk[i], &bytes) ||
        bytes >> CHUNK_LIMIT_BITS)
      return lb_err_set(err, LB_USAGE,
                        "an HDF5 chunk must be smaller than 4 GiB "
                        "(dataset.hdf5.chunk_dims, dataset.chunk_size)");
  return 0;
}

int lb_h5_shape_of(const struct lb_format_params *p, const struct lb_file *f,
                   struct lb_h5_shape *s, struct lb_err *err)
{
  static const struct lb_h5_options none = {.num_dset_per_record = 1};
  const struct lb_h5_options *o = p->options ? p->options : &none;
  int n;
  *s = (struct lb_h5_shape){.element = p->dtype->bytes};
  if (lb_sample_dims(p, f, s->dims + 1, &n, err))
    return -err->code;
  s->dims[0] = f->samples;
  s->rank = n + 1;
  if (divide(s, p, o->num_dset_per_record > 1 ? o->num_dset_per_record : 1,
             err))
    return -err->code;
  memcpy(s->max, s->dims, sizeof s->max);
  if (o->max_shape.n > 0 && take_max_shape(s, &o->max_shape, p, err))
    return -err->code;
  if (!strcmp(p->compression, "gzip"))
    s->filter[s->n_filters++] = (struct lb_h5_filter){
        .id = LB_H5_DEFLATE, .arg = (unsigned)p->compression_level};
  else if (!strcmp(p->compression, "lzf"))
    s->filter[s->n_filters++] = (struct lb_h5_filter){.id = LB_H5_LZF};
  return choose_chunk(s, o, p, err);
}
