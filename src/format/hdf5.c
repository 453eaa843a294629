/* SPDX-License-Identifier: GPL-3.0-or-later */
/* HDF5 files: datasets records_0 ... with a row a sample, and labels.  The
 * library writes the metadata (hdf5_lib.c).  Samples are written at their known
 * offsets, outside of the library's lock; only where a chunk's place depends on
 * the size of those before it the library writes them, chunk by chunk. */
#include "lb-config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "format/hdf5_read.h"
#include "loadbank/buf.h"

#define OPT(field, ...) LB_OPTION(struct lb_h5_options, field, __VA_ARGS__)
static const struct lb_option hdf5_options[] = {
    OPT(chunk_dims, .min = 1, .max = 1e15, .unit = "elements",
        .doc = "Chunk of a dataset along each of its dimensions, the samples "
               "first."),
    OPT(num_dset_per_record, .def = "1", .min = 1, .max = 1e6,
        .unit = "datasets", .doc = "Datasets that one sample is divided into."),
    OPT(max_shape, .min = -1, .max = 1e15, .unit = "elements",
        .doc = "Largest shape that a sample may be resized to in each dataset; "
               "-1 is without a limit."),
};

/* With record_dims all is known of a file; of flat samples when its size is. */
static int hdf5_check(const struct lb_format_params *p, struct lb_err *err)
{
  bool gzip = !strcmp(p->compression, "gzip");
  bool lzf = !strcmp(p->compression, "lzf");
  if (!gzip && !lzf && p->compression[0] && strcmp(p->compression, "none") != 0)
    return lb_err_set(err, LB_USAGE,
                      "dataset.compression: '%s' with format hdf5: its chunks "
                      "are compressed with gzip or lzf",
                      p->compression);
  if (lzf && lb_h5_lzf_absent())
    return lb_err_set(err, LB_USAGE, "dataset.compression: lzf is %s",
                      lb_h5_lzf_absent());
  if (p->n_dims == 0)
    return 0;
  struct lb_file f = {.samples = p->samples_per_file,
                      .sample_bytes = p->dtype->bytes};
  struct lb_h5_shape s;
  for (int i = 0; i < p->n_dims; i++)
    if (__builtin_mul_overflow(f.sample_bytes, p->dims[i], &f.sample_bytes))
      return lb_err_set(err, LB_USAGE,
                        "record_dims: the product is beyond 2^63");
  return lb_h5_shape_of(p, &f, &s, err);
}

/* Bytes of metadata, about: what is not there in a plain file. */
enum { FILE_META = 1024, SET_META = 300, CHUNK_META = 16 };

static int hdf5_sizes(const struct lb_format_params *p, const struct lb_file *f,
                      struct lb_file_sizes *out, struct lb_err *err)
{
  struct lb_h5_shape s;
  uint64_t payload, labels = 8 * (uint64_t)f->samples;
  if (lb_payload_bytes(f, &payload, err) < 0 ||
      lb_h5_shape_of(p, f, &s, err) < 0)
    return -err->code;
  *out = (struct lb_file_sizes){
      .file_bytes = LB_H5_RECORDS_AT + payload + LB_H5_LABELS_BEHIND + labels,
      .payload_bytes = payload,
      .memory_bytes = 0, /* handles, no samples */
      .estimated = !lb_h5_plain(&s),
  };
  if (lb_h5_plain(&s))
    return 0;
  uint64_t sets = (uint64_t)s.n_sets, chunks = (uint64_t)lb_h5_chunks(&s);
  uint64_t index = lb_h5_regular(&s) ? 0 : CHUNK_META, all;
  uint64_t inside = payload / (sets * chunks);
  if (__builtin_mul_overflow(sets * chunks,
                             lb_h5_packed_estimate(&s, inside) + index, &all) ||
      all > INT64_MAX / 2)
    return lb_err_set(err, LB_USAGE,
                      "a file of %" PRIu64 " chunks of %" PRIu64
                      " bytes: must be below 2^62 bytes",
                      sets * chunks, lb_h5_chunk_bytes(&s));
  out->file_bytes = FILE_META + sets * SET_META + all + labels;
  return 0;
}

/* ---- making ---- */

/* Fills the buffer with the datasets' bytes from `at' of all chunks in a row on
 * (padding and all), of dataset `set'. */
static void fill(const struct lb_h5_shape *s, const struct lb_format_params *p,
                 const struct lb_file *f, int set, uint64_t at,
                 unsigned char *out, size_t n)
{
  uint64_t bytes = lb_h5_chunk_bytes(s);
  while (n > 0) {
    size_t m = (size_t)lb_min_u64(n, bytes - at % bytes);
    lb_h5_chunk_fill(s, p, f, set, (int64_t)(at / bytes), at % bytes, out, m);
    out += m;
    at += m;
    n -= m;
  }
}

/* Datasets that are each one piece: streamed, ends of pieces on pages. */
static int make_regular(const struct lb_h5_shape *s,
                        const struct lb_format_params *p,
                        const struct lb_file *f, struct lb_sink *sink,
                        const uint64_t *base, struct lb_err *err)
{
  uint64_t bytes = lb_h5_chunk_bytes(s) * (uint64_t)lb_h5_chunks(s);
  for (int set = 0; set < s->n_sets; set++)
    for (uint64_t done = 0; done < bytes;) {
      uint64_t at = base[set] + done;
      size_t n = sink->scratch_bytes - (at + sink->scratch_bytes) % LB_PAGE;
      n = (size_t)lb_min_u64(n, bytes - done);
      fill(s, p, f, set, done, sink->scratch, n);
      if (sink->write(sink, at, sink->scratch, n, err) < 0)
        return -err->code;
      done += n;
    }
  return 0;
}

static int make_chunk(const struct lb_h5_shape *s,
                      const struct lb_format_params *p, const struct lb_file *f,
                      struct lb_h5_writer *w, struct lb_h5_zlib *z, int set,
                      int64_t chunk, unsigned char *buf, const char *path,
                      struct lb_err *err)
{
  size_t bytes = (size_t)lb_h5_chunk_bytes(s), n = bytes;
  unsigned char *packed = buf + bytes;
  uint32_t skipped = 0;
  lb_h5_chunk_fill(s, p, f, set, chunk, 0, buf, bytes);
  if (s->n_filters > 0 &&
      lb_h5_pack(s, z, buf, bytes, packed, lb_h5_packed_room(bytes), &n,
                 &skipped, err))
    return -err->code;
  return lb_h5_write_chunk(w, s, set, chunk, s->n_filters > 0 ? packed : buf, n,
                           skipped, path, err);
}

/* One chunk at a time, compressed outside of the library's lock. */
static int make_chunks(const struct lb_h5_shape *s,
                       const struct lb_format_params *p,
                       const struct lb_file *f, struct lb_sink *sink,
                       struct lb_h5_writer *w, struct lb_err *err)
{
  size_t bytes = (size_t)lb_h5_chunk_bytes(s);
  size_t room = s->n_filters > 0 ? lb_h5_packed_room(bytes) : 0;
  unsigned char *buf = malloc(bytes + room);
  if (!buf)
    return lb_err_set(err, LB_FAILED, "%s: no memory for a chunk of %zu",
                      sink->path, bytes);
  int64_t chunks = lb_h5_chunks(s);
  struct lb_h5_zlib z = {.z = NULL};
  int rc = 0;
  for (int set = 0; !rc && set < s->n_sets; set++)
    for (int64_t i = 0; !rc && i < chunks; i++) {
      rc = make_chunk(s, p, f, w, &z, set, i, buf, sink->path, err);
      if (!rc) /* nothing to write: may it go on? */
        rc = sink->write(sink, 0, NULL, 0, err);
    }
  lb_h5_zlib_fini(&z);
  free(buf);
  return rc;
}

static int check_places(const struct lb_h5_shape *s, uint64_t payload,
                        uint64_t records_at, uint64_t labels_at,
                        const char *path, struct lb_err *err)
{
  uint64_t labels_want = LB_H5_RECORDS_AT + payload + LB_H5_LABELS_BEHIND;
  if (!lb_h5_plain(s) ||
      (records_at == LB_H5_RECORDS_AT && labels_at == labels_want))
    return 0;
  return lb_err_set(err, LB_FAILED,
                    "%s: this HDF5 library puts the data at %" PRIu64
                    " and %" PRIu64 ", not at %d and %" PRIu64,
                    path, records_at, labels_at, LB_H5_RECORDS_AT, labels_want);
}

static int make_parts(const struct lb_h5_shape *s,
                      const struct lb_format_params *p, const struct lb_file *f,
                      struct lb_sink *sink, uint64_t *base, struct lb_err *err)
{
  uint64_t payload, labels_at;
  struct lb_h5_writer w;
  if (lb_payload_bytes(f, &payload, err) < 0 ||
      lb_h5_create(sink->path, p->dtype, s, base, &labels_at, &w, err) < 0 ||
      check_places(s, payload, base[0], labels_at, sink->path, err) < 0)
    return -err->code;
  int rc = lb_h5_plain(s)
               ? lb_payload_write(p, f, sink, base[0], payload, NULL, err)
           : lb_h5_regular(s) ? make_regular(s, p, f, sink, base, err)
                              : make_chunks(s, p, f, sink, &w, err);
  if (lb_h5_writer_close(&w, sink->path, err) || rc)
    return -err->code;
  return lb_zeros_write(sink, labels_at, 8 * (uint64_t)f->samples, NULL, err);
}

static int hdf5_make(const struct lb_format_params *p, const struct lb_file *f,
                     struct lb_sink *sink, struct lb_err *err)
{
  struct lb_h5_shape s;
  if (lb_h5_shape_of(p, f, &s, err) < 0)
    return -err->code;
  uint64_t *base = malloc((size_t)s.n_sets * sizeof *base);
  if (!base)
    return lb_err_set(err, LB_FAILED, "no memory for %d datasets", s.n_sets);
  int rc = make_parts(&s, p, f, sink, base, err);
  free(base);
  return rc;
}

/* ---- the manifest ---- */

static void describe_ints(const char *key, const struct lb_ints *v,
                          struct lb_buf *out)
{
  for (int i = 0; i < v->n; i++)
    lb_buf_printf(out, "%s%" PRId64, i ? "," : key, v->v[i]);
  if (v->n)
    lb_buf_printf(out, ";");
}

static void hdf5_describe(const struct lb_format_params *p, struct lb_buf *out)
{
  const struct lb_h5_options *o = p->options;
  if (o && o->num_dset_per_record > 1)
    lb_buf_printf(out, "num_dset_per_record=%" PRId64 ";",
                  o->num_dset_per_record);
  if (o)
    describe_ints("chunk_dims=", &o->chunk_dims, out);
  if (o)
    describe_ints("max_shape=", &o->max_shape, out);
  if (p->chunking && !(o && o->chunk_dims.n))
    lb_buf_printf(out, "chunk_size=%" PRId64 ";", p->chunk_size);
}

const struct lb_format lb_format_hdf5 = {
    .name = "hdf5",
    .doc = "HDF5 files: datasets records_0 ... with a row a sample, and "
           "labels.",
    .unavailable = LB_HDF5_UNAVAILABLE,
    .extension = "hdf5",
    .options = hdf5_options,
    .n_options = sizeof hdf5_options / sizeof hdf5_options[0],
    .options_size = sizeof(struct lb_h5_options),
    .check = hdf5_check,
    .sizes = hdf5_sizes,
    .make = hdf5_make,
    .describe = hdf5_describe,
    .calls_library = true,
    .reader_size = sizeof(struct lb_h5_reader),
    .reader_init = lb_h5_reader_init,
    .reader_fini = lb_h5_reader_fini,
    .reader_reset = lb_h5_reader_reset,
    .reader_notes = lb_h5_reader_notes,
    .keeps_open = lb_h5_keeps_open,
    .plan = lb_h5_plan,
    .append = lb_h5_append,
    .parse = lb_h5_parse,
    .inspect = lb_h5_inspect,
};
