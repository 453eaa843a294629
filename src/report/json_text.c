/* SPDX-License-Identifier: GPL-3.0-or-later */
/* JSON values to text. */
#include "lb-config.h"

#include "report/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loadbank/clock.h"
#include "loadbank/units.h"
#include "loadbank/wholefile.h"

static const size_t max_text = (size_t)1 << 30;
enum { LONGEST_KEY = 120 };

json_t *lb_json_number(double v)
{
  return isfinite(v) ? json_real(v) : json_null();
}

json_t *lb_json_count(uint64_t v)
{
  return json_integer(v > INT64_MAX ? INT64_MAX : (json_int_t)v);
}

/* Paths and messages may hold bytes that are not UTF-8: each becomes '?'. */
json_t *lb_json_string(const char *text)
{
  if (!text)
    return json_null();
  json_t *v = json_string(text);
  if (v)
    return v;
  char *copy = strdup(text);
  for (char *p = copy; p && *p; p++)
    if ((unsigned char)*p >= 0x80)
      *p = '?';
  v = copy ? json_string(copy) : NULL;
  free(copy);
  return v;
}

json_t *lb_json_filled(const char *text)
{
  return lb_json_string(text && *text ? text : NULL);
}

json_t *lb_json_time(uint64_t utc_ns)
{
  char text[LB_CLOCK_ISO_LEN];
  lb_clock_utc_iso(utc_ns, text);
  return json_string(text);
}

void lb_json_put_number(json_t *o, const char *key, double v)
{
  json_object_set_new(o, key, lb_json_number(v));
}

void lb_json_put_int(json_t *o, const char *key, int64_t v)
{
  json_object_set_new(o, key, json_integer(v));
}

void lb_json_put_text(json_t *o, const char *key, const char *v)
{
  json_object_set_new(o, key, lb_json_string(v));
}

void lb_json_put_bool(json_t *o, const char *key, bool v)
{
  json_object_set_new(o, key, json_boolean(v));
}

const json_t *lb_json_at(const json_t *v, const char *path)
{
  char key[LONGEST_KEY + 1];
  while (v && *path) {
    size_t n = strcspn(path, ".");
    if (n > LONGEST_KEY)
      return NULL;
    memcpy(key, path, n);
    key[n] = '\0';
    v = json_object_get(v, key);
    path += n + (path[n] == '.');
  }
  return v;
}

const char *lb_json_text_at(const json_t *v, const char *path)
{
  return json_string_value(lb_json_at(v, path));
}

static int by_text(const void *a, const void *b)
{
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

const char **lb_json_sorted_keys(const json_t *o)
{
  const char **key = calloc(json_object_size(o) + 1, sizeof *key), *name;
  json_t *v;
  size_t n = 0;
  json_object_foreach((json_t *)o, name, v) if (key) key[n++] = name;
  if (n)
    qsort(key, n, sizeof *key, by_text);
  return key;
}

double lb_json_real(const json_t *v)
{
  return json_is_number(v) ? json_number_value(v) : NAN;
}

static void put_real(struct lb_buf *b, double v)
{
  char text[LB_REAL_LEN];
  lb_format_real(v, text);
  lb_buf_puts(b, text);
  if (!strpbrk(text, ".e"))
    lb_buf_puts(b, ".0");
}

static void put_string(struct lb_buf *b, const char *s, size_t n)
{
  lb_buf_puts(b, "\"");
  for (size_t i = 0; i < n; i++) {
    unsigned char c = (unsigned char)s[i];
    if (c == '"' || c == '\\')
      lb_buf_printf(b, "\\%c", c);
    else if (c < 0x20 || c == 0x7f)
      lb_buf_printf(b, "\\u%04x", c);
    else
      lb_buf_add(b, &s[i], 1);
  }
  lb_buf_puts(b, "\"");
}

static void new_line(struct lb_buf *b, int depth)
{
  lb_buf_printf(b, "\n%*s", 2 * depth, "");
}

static void put(struct lb_buf *b, const json_t *v, int depth);

static void put_object(struct lb_buf *b, const json_t *v, int depth)
{
  /* jansson iterates in the order of insertion; its iterators want a mutable
   * object but do not change it. */
  json_t *object = (json_t *)(uintptr_t)v;
  const char *comma = "";
  lb_buf_puts(b, "{");
  for (void *i = json_object_iter(object); i;
       i = json_object_iter_next(object, i)) {
    const char *key = json_object_iter_key(i);
    lb_buf_puts(b, comma);
    new_line(b, depth + 1);
    put_string(b, key, strlen(key));
    lb_buf_puts(b, ": ");
    put(b, json_object_iter_value(i), depth + 1);
    comma = ",";
  }
  if (*comma)
    new_line(b, depth);
  lb_buf_puts(b, "}");
}

static void put_array(struct lb_buf *b, const json_t *v, int depth)
{
  size_t n = json_array_size(v);
  lb_buf_puts(b, "[");
  for (size_t i = 0; i < n; i++) {
    const json_t *one = json_array_get(v, i);
    bool flat = !json_is_object(one) && !json_is_string(one);
    lb_buf_puts(b, i ? "," : "");
    if (flat)
      lb_buf_puts(b, i ? " " : "");
    else
      new_line(b, depth + 1);
    put(b, one, depth + 1);
    if (!flat && i + 1 == n)
      new_line(b, depth);
  }
  lb_buf_puts(b, "]");
}

static void put(struct lb_buf *b, const json_t *v, int depth)
{
  if (json_is_object(v))
    put_object(b, v, depth);
  else if (json_is_array(v))
    put_array(b, v, depth);
  else if (json_is_string(v))
    put_string(b, json_string_value(v), json_string_length(v));
  else if (json_is_integer(v))
    lb_buf_printf(b, "%" JSON_INTEGER_FORMAT, json_integer_value(v));
  else if (json_is_real(v))
    put_real(b, json_real_value(v));
  else
    lb_buf_puts(b, json_is_true(v)    ? "true"
                   : json_is_false(v) ? "false"
                                      : "null");
}

void lb_json_text(struct lb_buf *b, const json_t *v)
{
  put(b, v, 0);
  lb_buf_puts(b, "\n");
}

int lb_json_write(const char *folder, const char *name, json_t *v,
                  struct lb_err *err)
{
  struct lb_buf b;
  lb_buf_init(&b, max_text);
  if (v)
    lb_json_text(&b, v);
  json_decref(v);
  int rc = !v || b.failed
               ? lb_err_set(err, LB_FAILED, "%s: no memory for it", name)
               : lb_write_file(folder, name, b.data, b.len, err);
  lb_buf_fini(&b);
  return rc;
}

static void add_compact(struct lb_buf *out, const json_t *v)
{
  char *text = v ? json_dumps(v, JSON_COMPACT | JSON_ENCODE_ANY) : NULL;
  lb_buf_printf(out, "%.150s%s", text ? text : "unknown",
                text && strlen(text) > 150 ? "..." : "");
  free(text);
}

void lb_json_differences(const json_t *there, json_t *here, struct lb_buf *out)
{
  const char *key;
  json_t *v;
  json_object_foreach(here, key, v)
  {
    const json_t *other = json_object_get(there, key);
    if (json_equal(other, v))
      continue;
    lb_buf_printf(out, "%s%s is ", out->len ? "; " : "", key);
    add_compact(out, other);
    lb_buf_puts(out, " there and ");
    add_compact(out, v);
    lb_buf_puts(out, " here");
  }
}

static json_t *value(const struct lb_metric *row, double v)
{
  if (isfinite(v) && v >= 0 && row->whole)
    return lb_json_count((uint64_t)v);
  return lb_json_number(v);
}

json_t *lb_json_metric(const struct lb_metric *row, const struct lb_summary *s)
{
  enum lb_set set = lb_metric_set(row);
  if (!row->count)
    return value(row, row->get(s, set, 0));
  json_t *list = json_array();
  for (size_t i = 0; i < row->count(s, set); i++)
    json_array_append_new(list, value(row, row->get(s, set, i)));
  return list;
}
