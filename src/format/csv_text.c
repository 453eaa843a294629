/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See csv_text.h.  No printf for each value: values of one byte come from a
 * table, others are written digit by digit. */
#include "lb-config.h"

#include "format/csv_text.h"

#include <endian.h>
#include <inttypes.h>
#include <string.h>

#include "loadbank/content.h"

/* A number's text at to, which has room for 20 digits; its length. */
static size_t put_number(char *to, uint64_t v)
{
  char digits[20];
  size_t n = 0;
  do {
    digits[n++] = (char)('0' + v % 10);
    v /= 10;
  } while (v);
  for (size_t i = 0; i < n; i++)
    to[i] = digits[n - 1 - i];
  return n;
}

/* ---- element types ---- */

enum kind { UNSIGNED, SIGNED, BOOL };

static int kind_of(const struct lb_dtype *d, enum kind *kind)
{
  *kind = !strcmp(d->name, "bool") ? BOOL
          : d->name[0] == 'u'      ? UNSIGNED
                                   : SIGNED;
  return *kind == BOOL || !strncmp(d->name + (d->name[0] == 'u'), "int", 3)
             ? 0
             : -1;
}

int lb_csv_text_check(const struct lb_dtype *dtype, struct lb_err *err)
{
  enum kind kind;
  if (kind_of(dtype, &kind) == 0)
    return 0;
  return lb_err_set(err, LB_USAGE,
                    "dataset.record_element_type: %s cannot be written as "
                    "text here; format csv has bool, int8 to int64 and uint8 "
                    "to uint64",
                    dtype->name);
}

size_t lb_csv_text_parse(const struct lb_dtype *dtype, const char *text,
                         size_t n, void *out, size_t room)
{
  size_t done = 0, bytes = (size_t)dtype->bytes, at = 0;
  enum kind kind;
  if (kind_of(dtype, &kind) || kind == BOOL)
    return 0;
  while (at < n && text[at] == ',' && room - done >= bytes) {
    bool minus = ++at < n && text[at] == '-';
    uint64_t v = 0;
    size_t from = at += minus;
    for (; at < n && text[at] >= '0' && text[at] <= '9'; at++)
      v = 10 * v + (uint64_t)(text[at] - '0');
    if (at == from || at == n)
      break;
    v = htole64(minus ? 0 - v : v);
    memcpy((char *)out + done, &v, bytes);
    done += bytes;
  }
  return done;
}

static size_t put_value(char *to, uint64_t v, int bytes, enum kind kind)
{
  size_t n = 0;
  to[n++] = ',';
  if (kind == BOOL) {
    const char *word = v & 1 ? "True" : "False";
    size_t len = strlen(word);
    memcpy(to + n, word, len);
    return n + len;
  }
  if (kind == SIGNED && v >> (8 * bytes - 1) & 1) {
    to[n++] = '-';
    v = ~v + 1;
    if (bytes < 8)
      v &= (UINT64_C(1) << 8 * bytes) - 1;
  }
  return n + put_number(to + n, v);
}

/* ---- sizes ---- */

/* Digits of all numbers below n (>= 1) together. */
static double digits_below(double n)
{
  double sum = 0, from = 0, to = 10;
  for (int digits = 1; from < n; digits++) {
    sum += digits * ((n < to ? n : to) - from);
    from = to;
    to *= 10;
  }
  return sum;
}

/* Expected and longest text of a value, without its comma. */
static void value_text(const struct lb_dtype *d, double *expected,
                       double *longest)
{
  char text[LB_CSV_TOKEN];
  enum kind kind;
  kind_of(d, &kind);
  double all = 1;
  for (int i = 0; i < d->bytes; i++)
    all *= 256;
  if (kind == BOOL) {
    *expected = 4.5;
    *longest = 5;
  } else if (kind == UNSIGNED) {
    *expected = digits_below(all) / all;
    *longest = (double)put_value(text, UINT64_MAX >> (64 - 8 * d->bytes),
                                 d->bytes, kind) -
               1;
  } else {
    double half = all / 2; /* -half .. half-1 */
    *expected = (digits_below(half) + digits_below(half + 1) - 1 + half) / all;
    *longest = (double)put_value(text, UINT64_C(1) << (8 * d->bytes - 1),
                                 d->bytes, kind) -
               1;
  }
}

/* Columns of the table: elements of a sample. */
static int columns_of(const struct lb_format_params *p, const struct lb_file *f,
                      int64_t *columns, struct lb_err *err)
{
  int64_t dims[LB_MAX_DIMS];
  int n;
  if (lb_csv_text_check(p->dtype, err) < 0 ||
      lb_sample_dims(p, f, dims, &n, err) < 0)
    return -err->code;
  *columns = f->sample_bytes / p->dtype->bytes;
  return 0;
}

uint64_t lb_csv_text_header(int64_t columns)
{
  return (uint64_t)((double)columns + digits_below((double)columns) + 1);
}

int lb_csv_text_sizes(const struct lb_format_params *p, const struct lb_file *f,
                      uint64_t *expected, uint64_t *longest, struct lb_err *err)
{
  int64_t columns = 0;
  uint64_t payload;
  double mean, most;
  if (columns_of(p, f, &columns, err) < 0 ||
      lb_payload_bytes(f, &payload, err) < 0)
    return -err->code;
  value_text(p->dtype, &mean, &most);
  double c = (double)columns, s = (double)f->samples;
  double rest = c + digits_below(c) + 1 + digits_below(s) + s;
  double want = rest + s * c * (mean + 1), limit = rest + s * c * (most + 1);
  if (limit >= 0x1p62)
    return lb_err_set(err, LB_USAGE,
                      "a file of %" PRId64 " samples of %" PRId64
                      " bytes would be of 2^62 bytes of text or more",
                      f->samples, f->sample_bytes);
  *expected = (uint64_t)want;
  *longest = (uint64_t)limit;
  return 0;
}

/* ---- text ---- */

int lb_csv_text_begin(struct lb_csv_text *t, const struct lb_format_params *p,
                      const struct lb_file *f, struct lb_err *err)
{
  enum kind kind;
  if (columns_of(p, f, &t->columns, err) < 0 ||
      lb_payload_bytes(f, &t->payload, err) < 0)
    return -err->code;
  t->params = p;
  t->file = *f;
  t->line = 0;
  t->column = -1;
  t->content_at = 0;
  t->used = t->have = 0;
  kind_of(p->dtype, &kind);
  if (p->dtype->bytes > 1)
    return 0;
  for (unsigned v = 0; v < 256; v++) {
    char text[LB_CSV_TOKEN];
    t->byte[v].n = (uint8_t)put_value(text, v, 1, kind);
    memcpy(t->byte[v].text, text, t->byte[v].n);
  }
  return 0;
}

/* At least one value of content that was not used yet. */
static void need_content(struct lb_csv_text *t)
{
  if (t->used < t->have)
    return;
  t->content_at += t->have;
  t->have = (size_t)lb_min_u64(LB_CSV_CONTENT, t->payload - t->content_at);
  t->used = 0;
  lb_content_fill(t->params->content_seed, t->file.set, t->file.index,
                  t->content_at, t->content, t->have);
}

/* Values of one byte.  Whole entries are copied: what is behind a value's text
 * is overwritten by the next. */
static size_t put_bytes(struct lb_csv_text *t, char *out, size_t room)
{
  char *to = out;
  size_t entry = sizeof t->byte[0];
  while (t->column < t->columns && room - (size_t)(to - out) >= LB_CSV_TOKEN) {
    need_content(t);
    size_t n = (room - (size_t)(to - out)) / entry;
    n = (size_t)lb_min_u64(n, t->have - t->used);
    n = (size_t)lb_min_u64(n, (uint64_t)(t->columns - t->column));
    const unsigned char *from = t->content + t->used;
    for (size_t i = 0; i < n; i++) {
      memcpy(to, &t->byte[from[i]], entry);
      to += t->byte[from[i]].n;
    }
    t->used += n;
    t->column += (int64_t)n;
  }
  return (size_t)(to - out);
}

static size_t put_values(struct lb_csv_text *t, char *out, size_t room)
{
  enum kind kind;
  size_t n = 0;
  int bytes = t->params->dtype->bytes;
  kind_of(t->params->dtype, &kind);
  while (t->column < t->columns && room - n >= LB_CSV_TOKEN) {
    need_content(t);
    uint64_t v = 0;
    for (int i = bytes; i-- > 0;)
      v = v << 8 | t->content[t->used + (size_t)i];
    n += put_value(out + n, v, bytes, kind);
    t->used += (size_t)bytes;
    t->column++;
  }
  return n;
}

static size_t put_header(struct lb_csv_text *t, char *out, size_t room)
{
  size_t n = 0;
  for (; t->column < t->columns && room - n >= LB_CSV_TOKEN; t->column++) {
    out[n++] = ',';
    n += put_number(out + n, (uint64_t)t->column);
  }
  return n;
}

size_t lb_csv_text_fill(struct lb_csv_text *t, char *out, size_t room)
{
  size_t n = 0;
  while (t->line <= t->file.samples && room - n >= LB_CSV_TOKEN) {
    if (t->column < 0) {
      if (t->line > 0)
        n += put_number(out + n, (uint64_t)t->line - 1);
      t->column = 0;
    } else if (t->column == t->columns) {
      out[n++] = '\n';
      t->line++;
      t->column = -1;
    } else if (t->line == 0) {
      n += put_header(t, out + n, room - n);
    } else if (t->params->dtype->bytes == 1) {
      n += put_bytes(t, out + n, room - n);
    } else {
      n += put_values(t, out + n, room - n);
    }
  }
  return n;
}
