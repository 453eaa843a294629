/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See manifest_impl.h: how each type of field is printed, saved and loaded. */
#include "lb-config.h"

#include "dataset/manifest_impl.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loadbank/units.h"

static const void *at(const struct lb_field *f, const struct lb_manifest *m)
{
  return (const char *)m + f->offset;
}

static void *into(const struct lb_field *f, struct lb_manifest *m)
{
  return (char *)m + f->offset;
}

static void print_text(const struct lb_field *f, const struct lb_manifest *m,
                       char out[LB_FIELD_TEXT_SIZE])
{
  snprintf(out, LB_FIELD_TEXT_SIZE, "%s", (const char *)at(f, m));
}

static json_t *save_text(const struct lb_field *f, const struct lb_manifest *m)
{
  return json_string(at(f, m));
}

static bool load_text(const struct lb_field *f, struct lb_manifest *m,
                      const json_t *value)
{
  if (!json_is_string(value) || json_string_length(value) >= f->size)
    return false;
  memcpy(into(f, m), json_string_value(value), json_string_length(value) + 1);
  return true;
}

/* 64 bits without a sign: as decimal text, since JSON readers round numbers
 * above 2^53 and the library's end at 2^63. */
static void print_u64(const struct lb_field *f, const struct lb_manifest *m,
                      char out[LB_FIELD_TEXT_SIZE])
{
  snprintf(out, LB_FIELD_TEXT_SIZE, "%" PRIu64, *(const uint64_t *)at(f, m));
}

static json_t *save_u64(const struct lb_field *f, const struct lb_manifest *m)
{
  char text[LB_FIELD_TEXT_SIZE];
  print_u64(f, m, text);
  return json_string(text);
}

static bool load_u64(const struct lb_field *f, struct lb_manifest *m,
                     const json_t *value)
{
  const char *text = json_string_value(value);
  if (!text || *text < '0' || *text > '9')
    return false;
  char *end;
  errno = 0;
  *(uint64_t *)into(f, m) = strtoull(text, &end, 10);
  return errno == 0 && *end == '\0';
}

static void print_i64(const struct lb_field *f, const struct lb_manifest *m,
                      char out[LB_FIELD_TEXT_SIZE])
{
  snprintf(out, LB_FIELD_TEXT_SIZE, "%" PRId64, *(const int64_t *)at(f, m));
}

static json_t *save_i64(const struct lb_field *f, const struct lb_manifest *m)
{
  return json_integer(*(const int64_t *)at(f, m));
}

static bool load_i64(const struct lb_field *f, struct lb_manifest *m,
                     const json_t *value)
{
  *(int64_t *)into(f, m) = json_integer_value(value);
  return json_is_integer(value) && json_integer_value(value) >= 0;
}

static void print_int(const struct lb_field *f, const struct lb_manifest *m,
                      char out[LB_FIELD_TEXT_SIZE])
{
  snprintf(out, LB_FIELD_TEXT_SIZE, "%d", *(const int *)at(f, m));
}

static json_t *save_int(const struct lb_field *f, const struct lb_manifest *m)
{
  return json_integer(*(const int *)at(f, m));
}

static bool load_int(const struct lb_field *f, struct lb_manifest *m,
                     const json_t *value)
{
  json_int_t x = json_integer_value(value);
  *(int *)into(f, m) = (int)x;
  return json_is_integer(value) && x >= INT_MIN && x <= INT_MAX;
}

static void print_real(const struct lb_field *f, const struct lb_manifest *m,
                       char out[LB_FIELD_TEXT_SIZE])
{
  char text[LB_REAL_LEN];
  lb_format_real(*(const double *)at(f, m), text);
  snprintf(out, LB_FIELD_TEXT_SIZE, "%s", text);
}

static json_t *save_real(const struct lb_field *f, const struct lb_manifest *m)
{
  return json_real(*(const double *)at(f, m)); /* NULL unless finite */
}

static bool load_real(const struct lb_field *f, struct lb_manifest *m,
                      const json_t *value)
{
  *(double *)into(f, m) = json_number_value(value);
  return json_is_number(value);
}

static void print_dims(const struct lb_field *f, const struct lb_manifest *m,
                       char out[LB_FIELD_TEXT_SIZE])
{
  (void)f;
  size_t used = (size_t)snprintf(out, LB_FIELD_TEXT_SIZE, "[");
  for (int i = 0; i < m->n_dims && i < LB_MAX_DIMS; i++)
    used += (size_t)snprintf(out + used, LB_FIELD_TEXT_SIZE - used,
                             "%s%" PRId64, i ? ", " : "", m->dims[i]);
  snprintf(out + used, LB_FIELD_TEXT_SIZE - used, "]");
}

static json_t *save_dims(const struct lb_field *f, const struct lb_manifest *m)
{
  (void)f;
  json_t *list = json_array();
  for (int i = 0; list && i < m->n_dims && i < LB_MAX_DIMS; i++)
    json_array_append_new(list, json_integer(m->dims[i]));
  return list;
}

static bool load_dims(const struct lb_field *f, struct lb_manifest *m,
                      const json_t *value)
{
  (void)f;
  if (!json_is_array(value) || json_array_size(value) > LB_MAX_DIMS)
    return false;
  m->n_dims = (int)json_array_size(value);
  for (int i = 0; i < m->n_dims; i++) {
    const json_t *dim = json_array_get(value, (size_t)i);
    if (!json_is_integer(dim) || json_integer_value(dim) < 1)
      return false;
    m->dims[i] = json_integer_value(dim);
  }
  return true;
}

#define TYPE(t)                                  \
  static const struct lb_field_type type_##t = { \
      .print = print_##t, .save = save_##t, .load = load_##t}
TYPE(text);
TYPE(u64);
TYPE(i64);
TYPE(int);
TYPE(real);
TYPE(dims);

#define ROW(key, t, field, at_least)                     \
  {                                                      \
    key, &type_##t, offsetof(struct lb_manifest, field), \
        sizeof((struct lb_manifest *)0)->field, at_least \
  }
const struct lb_field lb_manifest_fields[] = {
    ROW("format", text, format, false),
    ROW("seed", u64, seed, false),
    ROW("num_files_train", i64, n_files[LB_SET_TRAIN], true),
    ROW("num_files_eval", i64, n_files[LB_SET_EVAL], true),
    ROW("num_subfolders_train", i64, n_folders[LB_SET_TRAIN], false),
    ROW("num_subfolders_eval", i64, n_folders[LB_SET_EVAL], false),
    ROW("num_samples_per_file", i64, samples_per_file, false),
    ROW("record_length_bytes", real, record_bytes, false),
    ROW("record_length_bytes_stdev", real, record_stdev, false),
    ROW("record_element_type", text, dtype, false),
    ROW("record_dims", dims, n_dims, false),
    ROW("compression", text, compression, false),
    ROW("compression_level", int, compression_level, false),
    ROW("file_prefix", text, file_prefix, false),
    ROW("options", text, extra, false),
    {0},
};

struct lb_manifest lb_manifest_canonical(const struct lb_manifest *m)
{
  struct lb_manifest c = *m;
  for (int set = 0; set < LB_N_SETS; set++)
    if (c.n_folders[set] < 1 || c.n_files[set] == 0)
      c.n_folders[set] = 1;
  if (c.compression[0] == '\0')
    snprintf(c.compression, sizeof c.compression, "none");
  if (!strcmp(c.compression, "none"))
    c.compression_level = 0;
  return c;
}
