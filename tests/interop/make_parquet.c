/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes or reads a Parquet file of any columns, for checks against other
 * programs' writers and readers.
 *
 *   make_parquet make|read|verify PATH ROWS ROW_GROUP COMPRESSION
 *                [NAME:DTYPE:SIZE[:skip]...]
 *   make_parquet make|read|verify PATH ROWS ROW_GROUP COMPRESSION BYTES
 *
 * The second form has one column of strings of bytes.  make prints the planned
 * size, and whether it is an estimate; read and verify, what reading all rows
 * has cost.  Exit status 77: the compression is not in this build. */
#include "lb-config.h"

#include "loadbank/format.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loadbank/parquet.h"
#include "unit/format_fixture.h"

enum { COLUMNS_MAX = 1000 };

static const struct lb_format *const format = &lb_format_parquet;

/* "NAME:DTYPE:SIZE[:skip]" */
static bool read_column(char *text, struct lb_column *c)
{
  char *dtype = strchr(text, ':'),
       *size = dtype ? strchr(dtype + 1, ':') : NULL;
  if (!size)
    return false;
  snprintf(c->name, sizeof c->name, "%.*s", (int)(dtype - text), text);
  snprintf(c->dtype, sizeof c->dtype, "%.*s", (int)(size - dtype - 1),
           dtype + 1);
  c->size = strtoll(size + 1, NULL, 10);
  c->read = !strchr(size + 1, ':');
  return true;
}

static int make(const struct lb_format_params *p, const struct lb_file *f,
                struct lb_err *err)
{
  struct lb_file_sizes sizes;
  if (format->sizes(p, f, &sizes, err) < 0 ||
      fixture_make(format, p, f, err) < 0)
    return -err->code;
  printf("%" PRIu64 " %s\n", sizes.file_bytes,
         sizes.estimated ? "estimated" : "exact");
  return 0;
}

static int read_all(const struct lb_format_params *p, const struct lb_file *f,
                    bool verify, struct lb_err *err)
{
  struct fixture x;
  struct lb_reader r;
  struct cost c = {.stages = 0};
  struct lb_sample s = {.file = *f, .verify = verify};
  if (!fixture_init(&x))
    return lb_err_set(err, LB_FAILED, "no storage");
  if (lb_reader_init(&r, format, p, err) == 0) {
    for (; s.in_file < f->samples && !err->code; s.in_file++)
      fixture_read(&x, &r, &s, &c, err);
    lb_storage_release(x.storage, r.fd);
    if (!err->code)
      printf("open %" PRIu64 " read %" PRIu64 " bytes %" PRIu64
             " payload %" PRIu64 " sample %" PRIu64 "\n",
             c.count[LB_OP_OPEN], c.count[LB_OP_READ], c.bytes[LB_OP_READ],
             c.payload, r.sample_bytes_seen / (uint64_t)f->samples);
    lb_reader_fini(&r);
  }
  fixture_fini(&x);
  return -err->code;
}

int main(int argc, char **argv)
{
  struct lb_err err = LB_ERR_INIT;
  if (argc < 7 || argc > 6 + COLUMNS_MAX) {
    fprintf(stderr, "see the comment in make_parquet.c\n");
    return 2;
  }
  int64_t rows = strtoll(argv[3], NULL, 10);
  struct lb_parquet_options o = {
      .columns = {.v = calloc((size_t)argc, sizeof *o.columns.v)},
      .row_group_size = strtoll(argv[4], NULL, 10),
      .read_mode = "default"};
  struct lb_format_params p = fixture_params(rows);
  struct lb_file f = {.samples = rows, .path = argv[2]};
  snprintf(p.compression, sizeof p.compression, "%s", argv[5]);
  p.compression_level = 4;
  p.options = &o;
  for (int i = 6; i < argc && o.columns.v; i++)
    o.columns.n += read_column(argv[i], &o.columns.v[o.columns.n]);
  f.sample_bytes =
      o.columns.n ? lb_parquet_row_bytes(&o, &err) : strtoll(argv[6], NULL, 10);
  if (!err.code && format->check(&p, &err) == 0) {
    if (!strcmp(argv[1], "make"))
      make(&p, &f, &err);
    else
      read_all(&p, &f, !strcmp(argv[1], "verify"), &err);
  }
  free(o.columns.v);
  if (err.code)
    fprintf(stderr, "%s\n", err.msg);
  return strstr(err.msg, "not in this build") ? 77 : (int)err.code;
}
