/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parquet: the row of the table, its options, what is possible.  Making is in
 * parquet_make.c, reading in parquet_read.c, where everything is in a file in
 * parquet_layout.c. */
#include "lb-config.h"

#include "format/format_impl.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "format/parquet_codec.h"
#include "format/parquet_make.h"
#include "format/parquet_read.h"
#include "loadbank/buf.h"
#include "loadbank/hash.h"

#define OPT(field, ...) LB_OPTION(struct lb_parquet_options, field, __VA_ARGS__)
static const struct lb_option options[] = {
    OPT(columns, .doc = "Columns of a row: maps of name, dtype, size "
                        "(elements, 1) and read (true); none: one of bytes."),
    OPT(row_group_size, .def = "1024", .min = 1, .max = 1e15, .unit = "rows",
        .doc = "Rows of a row group."),
    OPT(read_mode, .def = "default",
        .doc = "What is read at a time: the row group of a sample (default, "
               "row_group)."),
    OPT(partition_by, .doc = "Column that the files are partitioned by."),
    OPT(generation_batch_size, .def = "0", .min = 0, .max = 1e15,
        .unit = "rows",
        .ignored = "files are made a page at a time, whatever their rows",
        .doc = "Rows that are made at a time."),
    OPT(use_s3dlio_gen, .def = "false",
        .ignored = "contents are always made natively, the same for all ranks",
        .doc = "Make the contents with s3dlio."),
};

/* ---- what is possible ---- */

static int check_names(const struct lb_columns *c, struct lb_err *err)
{
  for (int64_t i = 0; i < c->n; i++)
    for (int64_t k = 0; k < i; k++)
      if (!strcmp(c->v[i].name, c->v[k].name))
        return lb_err_set(err, LB_USAGE,
                          "dataset.parquet.columns: '%s' comes twice",
                          c->v[i].name);
  return 0;
}

static int check_codec(const struct lb_format_params *p, struct lb_err *err)
{
  const struct pq_codec *codec = pq_codec_find(p->compression);
  if (!codec)
    return lb_err_set(err, LB_USAGE,
                      "dataset.compression: '%s' is not supported with format "
                      "parquet; allowed: none, snappy, gzip, zstd, lz4",
                      p->compression);
  if (codec->unavailable)
    return lb_err_set(err, LB_USAGE, "dataset.compression: '%s': %s",
                      p->compression, codec->unavailable);
  return 0;
}

static int pq_check(const struct lb_format_params *p, struct lb_err *err)
{
  const struct lb_parquet_options *o = p->options;
  if (check_codec(p, err) < 0)
    return -err->code;
  if (!o)
    return 0;
  if (o->partition_by[0])
    return lb_err_set(err, LB_USAGE,
                      "dataset.parquet.partition_by: '%s': a file for each "
                      "value would not be the files that were planned",
                      o->partition_by);
  if (!strcmp(o->read_mode, "table"))
    return lb_err_set(err, LB_USAGE,
                      "dataset.parquet.read_mode: 'table' is not supported; "
                      "row groups are read as samples need them");
  if (lb_parquet_row_bytes(o, err) < 0)
    return -err->code;
  return check_names(&o->columns, err);
}

static int pq_sizes(const struct lb_format_params *p, const struct lb_file *f,
                    struct lb_file_sizes *out, struct lb_err *err)
{
  struct pq_layout l;
  int rc = pq_layout_init(&l, p, err);
  rc = rc ? rc : pq_layout_file(&l, p, f, err);
  if (!rc)
    *out =
        (struct lb_file_sizes){.file_bytes = l.file_bytes,
                               .payload_bytes = l.row_bytes * (uint64_t)l.rows,
                               .estimated = l.codec != 0};
  pq_layout_fini(&l);
  return rc;
}

/* A manifest has no room for hundreds of columns. */
static void pq_describe(const struct lb_format_params *p, struct lb_buf *out)
{
  const struct lb_parquet_options *o = p->options;
  uint64_t h = LB_HASH_START;
  for (int64_t i = 0; i < o->columns.n; i++) {
    const struct lb_column *c = &o->columns.v[i];
    char text[160];
    snprintf(text, sizeof text, "%s:%s:%" PRId64 ";", c->name, c->dtype,
             c->size);
    h = lb_hash(h, text, strlen(text));
  }
  lb_buf_printf(out, "row_group_size=%" PRId64 ";", o->row_group_size);
  if (o->columns.n)
    lb_buf_printf(out, "columns=%" PRId64 ":%016" PRIx64 ";", o->columns.n, h);
}

const struct lb_format lb_format_parquet = {
    .name = "parquet",
    .doc = "Columns in row groups; only the chosen columns are read.",
    .extension = "parquet",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .options_size = sizeof(struct lb_parquet_options),
    .check = pq_check,
    .sizes = pq_sizes,
    .make = pq_make,
    .describe = pq_describe,
    .has_lean = true,
    .reader_size = sizeof(struct pq_reader),
    .reader_init = pq_reader_init,
    .reader_fini = pq_reader_fini,
    .reader_reset = pq_reader_reset,
    .reader_notes = pq_reader_notes,
    .keeps_open = pq_keeps_open,
    .plan = pq_plan,
    .parse = pq_parse,
    .inspect = pq_inspect,
};
