/* SPDX-License-Identifier: GPL-3.0-or-later */
/* NumPy's .npz: samples in member x.npy, labels in y.npy, stored or deflated.
 * The row of the table and the making; reading is in npz_read.c. */
#include "lb-config.h"

#include <string.h>

#include "format/npz_read.h"

static int npz_check(const struct lb_format_params *p, struct lb_err *err)
{
  if (lb_npz_deflates(p) || !p->compression[0] ||
      !strcmp(p->compression, "none"))
    return 0;
  return lb_err_set(err, LB_USAGE,
                    "dataset.compression: '%s' with format npz; allowed: none, "
                    "zip, gzip (the same)",
                    p->compression);
}

static int npz_sizes(const struct lb_format_params *p, const struct lb_file *f,
                     struct lb_file_sizes *out, struct lb_err *err)
{
  struct lb_npz_layout l;
  if (lb_npz_lay_out(p, f, &l, err) < 0)
    return -err->code;
  *out = (struct lb_file_sizes){.file_bytes = l.file_bytes,
                                .payload_bytes = l.x_array.bytes,
                                .memory_bytes = l.x_array.bytes,
                                .estimated = lb_npz_deflates(p)};
  return 0;
}

/* The .npy header of a member at its place; *crc begins with it. */
static int write_npy_header(const struct lb_npy_array *a, struct lb_sink *sink,
                            uint64_t at, uint32_t *crc, struct lb_err *err)
{
  char header[LB_NPY_HEADER_MAX];
  lb_npy_header_make(a, header);
  *crc = lb_crc32(0, header, a->header_bytes);
  return sink->write(sink, at, header, a->header_bytes, err);
}

static int write_local(const struct lb_zip_member *m, const char *name,
                       struct lb_sink *sink, struct lb_err *err)
{
  unsigned char local[80];
  size_t n = lb_zip_local(m, name, local);
  return sink->write(sink, m->at, local, n, err);
}

/* The checksum of a member stands before it and is known after it. */
static int npz_make(const struct lb_format_params *p, const struct lb_file *f,
                    struct lb_sink *sink, struct lb_err *err)
{
  struct lb_npz_layout l;
  unsigned char directory[400];
  if (lb_npz_deflates(p))
    return lb_npz_make_deflated(p, f, sink, err);
  if (lb_npz_lay_out(p, f, &l, err) < 0)
    return -err->code;
  uint64_t x = l.x_local, y = l.y.at + l.y_local;
  uint64_t x_data = x + l.x_array.header_bytes;
  uint64_t y_data = y + l.y_array.header_bytes;
  if (write_npy_header(&l.x_array, sink, x, &l.x.crc, err) < 0 ||
      lb_payload_write(p, f, sink, x_data, l.x_array.bytes, &l.x.crc, err) <
          0 ||
      write_npy_header(&l.y_array, sink, y, &l.y.crc, err) < 0 ||
      lb_zeros_write(sink, y_data, l.y_array.bytes, &l.y.crc, err) < 0 ||
      write_local(&l.x, "x.npy", sink, err) < 0 ||
      write_local(&l.y, "y.npy", sink, err) < 0)
    return -err->code;
  size_t n = lb_npz_directory(&l, directory);
  return sink->write(sink, l.directory, directory, n, err);
}

const struct lb_format lb_format_npz = {
    .name = "npz",
    .doc = "NumPy archives: samples in member x, labels in y.",
    .extension = "npz",
    .check = npz_check,
    .sizes = npz_sizes,
    .make = npz_make,
    .has_lean = true,
    .reader_size = sizeof(struct lb_npz_reader),
    .reader_init = lb_npz_reader_init,
    .reader_fini = lb_npz_reader_fini,
    .reader_reset = lb_npz_reader_reset,
    .reader_notes = lb_npz_reader_notes,
    .plan = lb_npz_plan,
    .parse = lb_npz_parse,
    .inspect = lb_npz_inspect,
};
