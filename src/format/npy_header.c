/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See npy_header.h.  A header is magic, version, length and the text of a
 * Python dictionary, padded with spaces so that the array begins at a multiple
 * of 64. */
#include "lb-config.h"

#include "format/npy_header.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loadbank/units.h"

#define MAGIC "\x93NUMPY"
enum {
  MAGIC_BYTES = 6,
  PREFIX_BYTES = MAGIC_BYTES + 2 + 2, /* with version 1.0 and length */
  ALIGN = 64,
  /* NumPy leaves room for the growing dimension to get this many digits. */
  GROWTH_DIGITS = 21,
};

/* Without making the text: sizes are asked for of millions of files. */
static uint32_t header_bytes(const struct lb_npy_array *a)
{
  static const char fixed[] = "{'descr': '', 'fortran_order': , 'shape': (), }";
  size_t n = sizeof fixed - 1 + strlen(a->descr) + (a->fortran ? 4 : 5);
  for (int i = 0; i < a->n_dims; i++)
    n += (size_t)lb_digits(a->dims[i]) + (i ? 2 : 0);
  n += a->n_dims == 1;
  n += GROWTH_DIGITS -
       (size_t)lb_digits(a->dims[a->fortran ? a->n_dims - 1 : 0]);
  return (uint32_t)(((PREFIX_BYTES + n + 1) / ALIGN + 1) * ALIGN);
}

int lb_npy_describe(const struct lb_format_params *p, const struct lb_file *f,
                    struct lb_npy_array *a, struct lb_err *err)
{
  *a = (struct lb_npy_array){.fortran = true};
  if (lb_sample_dims(p, f, a->dims, &a->n_dims, err) < 0 ||
      lb_payload_bytes(f, &a->bytes, err) < 0)
    return -err->code;
  memcpy(a->descr, p->dtype->descr, strlen(p->dtype->descr) + 1);
  if (p->n_dims == 0)
    a->dims[a->n_dims++] = 1;
  a->dims[a->n_dims++] = f->samples;
  a->header_bytes = header_bytes(a);
  return 0;
}

void lb_npy_describe_labels(const struct lb_file *f, struct lb_npy_array *a)
{
  *a = (struct lb_npy_array){.descr = "<i8",
                             .n_dims = 1,
                             .dims = {f->samples},
                             .bytes = 8 * (uint64_t)f->samples};
  a->header_bytes = header_bytes(a);
}

/* "(3, 4)", and "(3,)" for one dimension. */
static int shape_text(const int64_t *dims, int n_dims, char *out, size_t size)
{
  size_t n = (size_t)snprintf(out, size, "(");
  for (int i = 0; i < n_dims && n < size; i++)
    n += (size_t)snprintf(out + n, size - n, "%s%" PRId64, i ? ", " : "",
                          dims[i]);
  if (n < size)
    n += (size_t)snprintf(out + n, size - n, n_dims == 1 ? ",)" : ")");
  return (int)n;
}

void lb_npy_header_make(const struct lb_npy_array *a,
                        char out[LB_NPY_HEADER_MAX])
{
  size_t total = a->header_bytes;
  char shape[(LB_NPY_DIMS + 1) * 22], text[LB_NPY_HEADER_MAX];
  shape_text(a->dims, a->n_dims, shape, sizeof shape);
  int n = snprintf(text, sizeof text,
                   "{'descr': '%s', 'fortran_order': %s, 'shape': %s, }",
                   a->descr, a->fortran ? "True" : "False", shape);
  memset(out, ' ', total);
  memcpy(out, MAGIC "\1\0", MAGIC_BYTES + 2);
  out[MAGIC_BYTES + 2] = (char)((total - PREFIX_BYTES) & 0xff);
  out[MAGIC_BYTES + 3] = (char)((total - PREFIX_BYTES) >> 8);
  memcpy(out + PREFIX_BYTES, text, (size_t)n);
  out[total - 1] = '\n';
}

static int damaged(const char *path, const char *what, struct lb_err *err)
{
  return lb_err_set(err, LB_FAILED, "%s: not a NumPy array: %s", path, what);
}

/* The text behind "'key':", without the spaces before it. */
static const char *value_of(const char *text, const char *key)
{
  const char *at = strstr(text, key);
  if (!at)
    return NULL;
  at += strlen(key);
  return at + strspn(at, " ");
}

static int parse_shape(struct lb_npy_array *a, const char *text)
{
  if (*text++ != '(')
    return -1;
  while (*(text += strspn(text, " ,")) != ')') {
    char *end;
    errno = 0;
    long long v = strtoll(text, &end, 10);
    if (end == text || errno || v < 0 || a->n_dims == LB_NPY_DIMS)
      return -1;
    a->dims[a->n_dims++] = v;
    text = end;
  }
  return 0;
}

/* Bytes of an element from the digits of its descr; 0: not a plain type. */
static int64_t descr_bytes(const char *descr)
{
  if (!strchr("<>|=", descr[0]) || !strchr("biufc", descr[1]))
    return 0;
  char *end;
  long n = strtol(descr + 2, &end, 10);
  return *end == '\0' && n > 0 && n <= 32 ? n : 0;
}

static int parse_text(struct lb_npy_array *a, const char *text,
                      const char *path, struct lb_err *err)
{
  const char *descr = value_of(text, "'descr':");
  const char *order = value_of(text, "'fortran_order':");
  const char *shape = value_of(text, "'shape':");
  if (!descr || !order || !shape)
    return damaged(path, "descr, fortran_order or shape is missing", err);
  if (*descr != '\'')
    return damaged(path, "its elements are records, not numbers", err);
  size_t n = strcspn(++descr, "'");
  if (n < 3 || n >= sizeof a->descr)
    return damaged(path, "its element type is unknown", err);
  memcpy(a->descr, descr, n);
  a->descr[n] = '\0';
  int64_t bytes = descr_bytes(a->descr);
  if (!bytes)
    return damaged(path, "its element type is unknown", err);
  a->fortran = !strncmp(order, "True", 4);
  if (parse_shape(a, shape) < 0)
    return damaged(path, "its shape is not a list of up to 10 sizes", err);
  for (int i = 0; i < a->n_dims; i++)
    if (__builtin_mul_overflow(bytes, a->dims[i], &bytes))
      return damaged(path, "its shape is too large", err);
  a->bytes = (uint64_t)bytes;
  return 0;
}

int lb_npy_header_parse(struct lb_npy_array *a, const void *bytes, size_t n,
                        const char *path, struct lb_err *err)
{
  const unsigned char *b = bytes;
  *a = (struct lb_npy_array){.n_dims = 0};
  if (n < PREFIX_BYTES + 2 || memcmp(b, MAGIC, MAGIC_BYTES) != 0)
    return damaged(path, "the magic number is missing", err);
  bool wide = b[MAGIC_BYTES] > 1; /* versions 2 and 3: 4 bytes of length */
  size_t at = wide ? PREFIX_BYTES + 2 : PREFIX_BYTES;
  uint64_t len = b[8] | (uint64_t)b[9] << 8;
  if (wide)
    len |= (uint64_t)b[10] << 16 | (uint64_t)b[11] << 24;
  if (len > n - at)
    return damaged(path, "its header is cut short or too long", err);
  char text[LB_PAGE + 1];
  if (len > LB_PAGE)
    return damaged(path, "its header is longer than 4096 bytes", err);
  memcpy(text, b + at, (size_t)len);
  text[len] = '\0';
  a->header_bytes = (uint32_t)(at + len);
  return parse_text(a, text, path, err);
}

/* "|" and "=" say no byte order; one byte has none. */
static bool same_descr(const char *a, const char *b)
{
  if (strcmp(a + 1, b + 1) != 0)
    return false;
  return a[0] == b[0] || !strcmp(a + 2, "1");
}

static int check_dims(const struct lb_npy_array *a,
                      const struct lb_format_params *p, const struct lb_file *f,
                      struct lb_err *err)
{
  if (p->n_dims == 0)
    return 0;
  if (a->n_dims == p->n_dims + 1 &&
      !memcmp(a->dims, p->dims, sizeof p->dims[0] * (size_t)p->n_dims))
    return 0;
  char found[(LB_NPY_DIMS + 1) * 22], want[(LB_NPY_DIMS + 1) * 22];
  shape_text(a->dims, a->n_dims - 1, found, sizeof found);
  shape_text(p->dims, p->n_dims, want, sizeof want);
  return lb_err_set(err, LB_FAILED,
                    "%s: its samples have the shape %s, dataset.record_dims "
                    "is %s",
                    f->path, found, want);
}

int lb_npy_check(const struct lb_npy_array *a, const struct lb_format_params *p,
                 const struct lb_file *f, uint64_t *sample_bytes,
                 struct lb_err *err)
{
  if (!same_descr(a->descr, p->dtype->descr))
    return lb_err_set(err, LB_FAILED,
                      "%s: its elements are '%s', dataset.record_element_type "
                      "is %s ('%s')",
                      f->path, a->descr, p->dtype->name, p->dtype->descr);
  int64_t samples = a->n_dims ? a->dims[a->n_dims - 1] : 0;
  if (samples != f->samples || samples <= 0)
    return lb_err_set(err, LB_FAILED,
                      "%s: holds %" PRId64
                      " sample%s, dataset.num_samples_per_file is %" PRId64,
                      f->path, samples, lb_plural(samples), f->samples);
  if (check_dims(a, p, f, err) < 0)
    return -err->code;
  *sample_bytes = a->bytes / (uint64_t)samples;
  return 0;
}
