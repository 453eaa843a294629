/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See csv_scan.h.  Values are not parsed: that they are numbers is not
 * looked at unless they are compared. */
#include "lb-config.h"

#include "format/csv_scan.h"
#include "loadbank/content.h"
#include "loadbank/units.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

int lb_csv_scan_begin(struct lb_csv_scan *s, const struct lb_format_params *p,
                      const struct lb_file *f, bool compares,
                      struct lb_err *err)
{
  s->params = p;
  s->file = *f;
  s->at = s->lines = s->commas = 0;
  s->indexed = false;
  s->last = '\0';
  s->compares = compares;
  s->want_at = s->want_n = 0;
  return compares ? lb_csv_text_begin(&s->text, p, f, err) : 0;
}

static void count_commas(struct lb_csv_scan *s, const char *text, size_t n)
{
  uint64_t commas = 0;
  for (size_t i = 0; i < n; i++)
    commas += text[i] == ',';
  s->commas += commas;
}

static void count(struct lb_csv_scan *s, const char *text, size_t n)
{
  if (s->at == 0)
    s->indexed = text[0] == ',';
  const char *end = text + n, *from = text;
  while (from < end) {
    const char *line = memchr(from, '\n', (size_t)(end - from));
    const char *to = line ? line : end;
    if (s->lines == 0)
      count_commas(s, from, (size_t)(to - from));
    s->lines += line != NULL;
    from = to + 1;
  }
  s->last = text[n - 1];
}

/* What the values are that follow byte `i': those of the same place if only
 * that one is wrong.  Behind the next comma, for its own is cut in two. */
static void say_values(const struct lb_csv_scan *s, uint64_t i,
                       const char *found, size_t n,
                       char text[2 + LB_CONTENT_TEXT])
{
  const struct lb_format_params *p = s->params;
  const char *comma = memchr(found + i, ',', n - i);
  unsigned char values[LB_CONTENT_LOOK];
  size_t have = 0;
  if (comma)
    have = lb_csv_text_parse(p->dtype, comma, n - (size_t)(comma - found),
                             values, sizeof values);
  *text = '\0';
  if (have < LB_CONTENT_TRACE_BYTES)
    return;
  struct lb_content_trace t =
      lb_content_trace(p->content_seed, p->n_files, values, have);
  memcpy(text, ": ", 3);
  if (t.kind == LB_CONTENT_MISPLACED && t.set == s->file.set &&
      t.file == s->file.index)
    snprintf(text + 2, LB_CONTENT_TEXT, "damaged; what follows is right");
  else
    lb_content_say(p->content_seed, p->n_files, values, have, text + 2);
}

/* The first byte that differs is `i' behind what has been compared, of n. */
static int differs(const struct lb_csv_scan *s, uint64_t i, const char *found,
                   size_t n, struct lb_err *err)
{
  uint64_t at = s->at + i, line = s->lines;
  char what[2 + LB_CONTENT_TEXT], sample[32] = "";
  unsigned char is = (unsigned char)found[i];
  if (s->want_at == s->want_n)
    return lb_err_set(err, LB_FAILED,
                      "%s: offset %" PRIu64 ": goes on behind the text that "
                      "dataset.seed makes",
                      s->file.path, at);
  for (uint64_t k = 0; k < i; k++)
    line += found[k] == '\n';
  say_values(s, i, found, n, what);
  if (line > 0) /* the first has the column numbers */
    snprintf(sample, sizeof sample, ", sample %" PRIu64, line - 1);
  return lb_err_set(
      err, LB_FAILED,
      "%s: line %" PRIu64 ", offset %" PRIu64
      " of its text%s: byte 0x%02x, and dataset.seed makes 0x%02x "
      "('%c')%s",
      s->file.path, line + 1, at, sample, is,
      (unsigned char)s->want[s->want_at], s->want[s->want_at], what);
}

static int compare(struct lb_csv_scan *s, const char *text, size_t n,
                   struct lb_err *err)
{
  for (size_t done = 0; done < n;) {
    if (s->want_at == s->want_n) {
      s->want_n = lb_csv_text_fill(&s->text, s->want, sizeof s->want);
      s->want_at = 0;
      if (s->want_n == 0)
        return differs(s, done, text, n, err);
    }
    size_t m = (size_t)lb_min_u64(n - done, s->want_n - s->want_at), i = 0;
    if (memcmp(text + done, s->want + s->want_at, m) != 0) {
      while (text[done + i] == s->want[s->want_at])
        i++, s->want_at++;
      return differs(s, done + i, text, n, err);
    }
    done += m;
    s->want_at += m;
  }
  return 0;
}

int lb_csv_scan_take(void *arg, const void *bytes, size_t n, struct lb_err *err)
{
  struct lb_csv_scan *s = arg;
  if (n == 0)
    return 0;
  if (s->compares && compare(s, bytes, n, err) < 0)
    return -err->code;
  count(s, bytes, n);
  s->at += n;
  return 0;
}

/* A table without line numbers may have a line of names before its samples. */
static int check_lines(const struct lb_csv_scan *s, struct lb_err *err)
{
  uint64_t samples = (uint64_t)s->file.samples;
  if (s->lines == samples + 1 || (!s->indexed && s->lines == samples))
    return 0;
  return lb_err_set(
      err, LB_FAILED,
      "%s: has %" PRIu64 " line%s, and %" PRIu64 " sample%s %s configured%s",
      s->file.path, s->lines, lb_plural((int64_t)s->lines), samples,
      lb_plural((int64_t)samples), lb_are((int64_t)samples),
      s->indexed ? ", a line each behind that of the column "
                   "numbers"
                 : "");
}

static int check_columns(const struct lb_csv_scan *s, uint64_t *sample_bytes,
                         struct lb_err *err)
{
  const struct lb_format_params *p = s->params;
  uint64_t columns = s->indexed ? s->commas : s->commas + 1;
  *sample_bytes = columns * (uint64_t)p->dtype->bytes;
  if (p->n_dims == 0 || *sample_bytes == (uint64_t)s->file.sample_bytes)
    return 0;
  return lb_err_set(err, LB_FAILED,
                    "%s: its first line has %" PRIu64
                    " columns, and record_dims make %" PRId64,
                    s->file.path, columns,
                    s->file.sample_bytes / p->dtype->bytes);
}

int lb_csv_scan_end(struct lb_csv_scan *s, uint64_t *sample_bytes,
                    struct lb_err *err)
{
  if (s->last != '\n')
    return lb_err_set(err, LB_FAILED,
                      "%s: cut short: its last line has no end, after %" PRIu64
                      " bytes of text",
                      s->file.path, s->at);
  return check_lines(s, err) < 0 ? -err->code
                                 : check_columns(s, sample_bytes, err);
}
