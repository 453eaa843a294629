/* SPDX-License-Identifier: GPL-3.0-or-later */
/* reader.call_profile lean: the calls of each format that has such a list, that
 * a plan without bytes has the same, that samples are verified, and what is
 * said of files that are cut, damaged, or not as planned. */
#include "lb-config.h"

#include "loadbank/format.h"
#include "loadbank/format_cost.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format_fixture.h"
#include "loadbank/parquet.h"
#include "tap.h"

static struct fixture x;
static struct lb_column columns[] = {{"a", "uint8", 1000, true},
                                     {"b", "uint8", 2000, true},
                                     {"c", "uint8", 500, false},
                                     {"d", "uint8", 500, true}};
static struct lb_parquet_options parquet = {
    .columns = {columns, 4}, .row_group_size = 10, .read_mode = "default"};

/* A file, and what reading its first sample costs lean. */
struct row {
  const struct lb_format *format;
  int64_t samples, sample_bytes;
  const char *compression;
  uint64_t stats, reads, closes;
  uint64_t bytes; /* 0: as long as the file */
  const char *what;
};

static const struct row rows[] = {
    {&lb_format_npy, 3, 100000, "none", 0, 2, 1, 0, "two requests"},
    {&lb_format_npy, 1, 1000, "none", 0, 1, 1, 0, "one request"},
    {&lb_format_npz, 3, 100000, "none", 0, 2, 1, 35 + 128 + 300000,
     "member x, two requests"},
    {&lb_format_npz, 1, 1000, "none", 0, 1, 1, 35 + 128 + 1000,
     "member x, one request"},
    {&lb_format_jpeg, 1, 300000, "none", 1, 2, 1, 0, "two requests"},
    {&lb_format_jpeg, 1, 3000, "none", 1, 1, 1, 0, "one request"},
    {&lb_format_png, 1, 200000, "none", 1, 1, 1, 0, "one request"},
    {&lb_format_png, 1, 600000, "none", 1, 3, 1, 0, "three requests"},
    {&lb_format_csv, 1, 1000, "none", 1, 1, 1, 0, "one request"},
    {&lb_format_csv, 2, 5000, "gzip", 1, 1, 1, 0, "one request, not 4096"},
    {&lb_format_parquet, 20, 4000, "none", 1, 3, 0, UINT64_MAX,
     "the footer, two columns in one read, another one"},
};

static struct lb_format_params params_of(const struct row *row)
{
  struct lb_format_params p = fixture_params(row->samples);
  snprintf(p.compression, sizeof p.compression, "%s", row->compression);
  p.compression_level = 4;
  p.lean = true;
  if (row->format == &lb_format_parquet)
    p.options = &parquet;
  return p;
}

/* Longer than what is read of it? */
static uint64_t length_of(const char *path)
{
  size_t n = 0;
  free(fixture_slurp(path, &n));
  return n;
}

static void read_first(const struct row *row, const struct lb_format_params *p,
                       const struct lb_file *f, struct cost *c,
                       struct lb_err *err)
{
  struct lb_reader r;
  struct lb_sample s = {.file = *f};
  *c = (struct cost){.stages = 0};
  if (lb_reader_init(&r, row->format, p, err) < 0)
    return;
  fixture_read(&x, &r, &s, c, err);
  lb_storage_release(x.storage, r.fd);
  lb_reader_fini(&r);
}

static void check_row(const struct row *row)
{
  struct lb_format_params p = params_of(row);
  struct lb_file f = fixture_file(&x, "lean", row->samples, row->sample_bytes);
  struct lb_err err = LB_ERR_INIT;
  struct cost c;
  const char *name = row->format->name;
  if (row->format->unavailable || row->format->check(&p, &err)) {
    ok(true, "%s is not in this build", name);
    return;
  }
  fixture_make(row->format, &p, &f, &err);
  read_first(row, &p, &f, &c, &err);
  is_str(err.msg, "", "%s of %lld samples of %lld bytes", name,
         (long long)row->samples, (long long)row->sample_bytes);
  is_int(c.count[LB_OP_OPEN], 1, "%s: one open", name);
  is_int(c.count[LB_OP_STAT], row->stats, "%s: stats", name);
  is_int(c.count[LB_OP_READ], row->reads, "%s: %s", name, row->what);
  is_int(c.count[LB_OP_CLOSE], row->closes, "%s: closes", name);
  if (row->bytes != UINT64_MAX)
    is_int(c.bytes[LB_OP_READ], row->bytes ? row->bytes : length_of(f.path),
           "%s: bytes", name);
  else
    ok(c.bytes[LB_OP_READ] > 10 * 3500, "%s: bytes", name);

  uint64_t count[LB_N_OPS] = {0}, bytes[LB_N_OPS] = {0};
  struct lb_sample s = {.file = f};
  p.has_bytes = false;
  lb_format_cost(row->format, &p, &s, count, bytes, &err);
  ok(!memcmp(count, c.count, sizeof count), "%s: as planned without bytes",
     name);
  p.has_bytes = true;
  fixture_verify(&x, row->format, &p, &f, &err);
  is_str(err.msg, "", "%s: is verified", name);
}

/* What is at the file's half is changed, then the file is cut there. */
static void damage(const struct row *row)
{
  struct lb_format_params p = params_of(row);
  struct lb_file f =
      fixture_file(&x, "spoilt", row->samples, row->sample_bytes);
  struct lb_err err = LB_ERR_INIT;
  struct cost c;
  const char *name = row->format->name;
  size_t n = 0;
  if (row->format->unavailable || row->format->check(&p, &err))
    return;
  fixture_make(row->format, &p, &f, &err);
  unsigned char *bytes = fixture_slurp(f.path, &n);
  if (!bytes)
    return;
  bytes[n / 2] ^= 0x10;
  fixture_spit(f.path, bytes, n);
  fixture_verify(&x, row->format, &p, &f, &err);
  ok(strstr(err.msg, "byte ") || strstr(err.msg, "stream is damaged"),
     "%s: a changed byte: %s", name, err.msg);
  fixture_spit(f.path, bytes, n / 2);
  err = (struct lb_err)LB_ERR_INIT;
  read_first(row, &p, &f, &c, &err);
  ok(strstr(err.msg, "cut short") || strstr(err.msg, "end with PAR1"),
     "%s: cut: %s", name, err.msg);
  free(bytes);
}

/* A file of others, whose samples are shorter or longer than planned. */
static void other_sizes(const struct lb_format *format)
{
  static const int64_t lengths[] = {10, 99000, 100000, 100001, 300000};
  for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
    struct lb_format_params p = fixture_params(2);
    struct lb_file f = fixture_file(&x, "other", 2, lengths[i]);
    struct lb_err err = LB_ERR_INIT;
    struct lb_reader r;
    struct cost c = {.stages = 0};
    fixture_make(format, &p, &f, &err);
    f.sample_bytes = 100000;
    p.lean = true;
    struct lb_sample s = {.file = f};
    if (lb_reader_init(&r, format, &p, &err) < 0)
      return;
    fixture_read(&x, &r, &s, &c, &err);
    is_str(err.msg, "", "%s: samples of %lld bytes where 100000 were planned",
           format->name, (long long)lengths[i]);
    is_int(r.sample_bytes_seen, lengths[i], "... are seen");
    is_int(c.payload, 2 * lengths[i], "... and read");
    lb_reader_fini(&r);
  }
}

/* An archive whose member x is not where it is looked for: here because its
 * header says that the sizes follow.  It is found by the directory. */
static void by_directory(void)
{
  struct lb_format_params p = fixture_params(2);
  struct lb_file f = fixture_file(&x, "sizes.npz", 2, 5000);
  struct lb_err err = LB_ERR_INIT;
  struct cost c;
  size_t n = 0;
  fixture_make(&lb_format_npz, &p, &f, &err);
  unsigned char *bytes = fixture_slurp(f.path, &n);
  bytes[6] |= 8;
  fixture_spit(f.path, bytes, n);
  free(bytes);
  p.lean = true;
  fixture_read_once(&x, &lb_format_npz, &p, &f, &c, &err);
  is_str(err.msg, "", "a member whose header has no sizes");
  is_int(c.count[LB_OP_STAT], 1, "its file is looked at");
  is_int(c.count[LB_OP_READ], 5, "end, directory, header and rest are read");
  fixture_verify(&x, &lb_format_npz, &p, &f, &err);
  is_str(err.msg, "", "it is verified, too");
}

int main(void)
{
  if (!fixture_init(&x))
    return 99;
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
    check_row(&rows[i]);
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
    damage(&rows[i]);
  other_sizes(&lb_format_npy);
  other_sizes(&lb_format_npz);
  by_directory();
  fixture_fini(&x);
  return done();
}
