/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See mark.h.  One table says which fields of a model the mark has: writing,
 * reading and comparing walk it. */
#include "lb-config.h"

#include "loadbank/mark.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "loadbank/buf.h"
#include "loadbank/path.h"
#include "loadbank/slurp.h"
#include "loadbank/wholefile.h"

enum { MARK_VERSION = 1, MOST_BYTES = 256 * 1024, VALUE_SIZE = 4096 };

/* ---- values of fields as JSON ---- */

static json_t *save_int64(const void *v)
{
  return json_integer(*(const int64_t *)v);
}

static bool load_int64(void *v, const json_t *j)
{
  *(int64_t *)v = json_integer_value(j);
  return json_is_integer(j);
}

/* Sizes fit into 63 bits; seeds are kept as the same bits. */
static json_t *save_uint64(const void *v)
{
  return json_integer((json_int_t) * (const uint64_t *)v);
}

static bool load_uint64(void *v, const json_t *j)
{
  *(uint64_t *)v = (uint64_t)json_integer_value(j);
  return json_is_integer(j);
}

static json_t *save_int(const void *v)
{
  return json_integer(*(const int *)v);
}

static bool load_int(void *v, const json_t *j)
{
  json_int_t n = json_integer_value(j);
  *(int *)v = n < INT_MIN || n > INT_MAX ? 0 : (int)n;
  return json_is_integer(j) && n == *(int *)v;
}

static json_t *save_bool(const void *v)
{
  return json_boolean(*(const bool *)v);
}

static bool load_bool(void *v, const json_t *j)
{
  *(bool *)v = json_is_true(j);
  return json_is_boolean(j);
}

static json_t *save_dtype(const void *v)
{
  const struct lb_dtype *d = *(const struct lb_dtype *const *)v;
  return d ? json_string(d->name) : json_null();
}

static bool load_dtype(void *v, const json_t *j)
{
  const struct lb_dtype **to = v;
  const char *name = json_string_value(j);
  *to = name ? lb_model_dtype_find(name) : NULL;
  return *to || json_is_null(j);
}

static json_t *save_ints(const void *v)
{
  const struct lb_ints *list = v;
  json_t *out = json_array();
  for (int i = 0; i < list->n; i++)
    json_array_append_new(out, json_integer(list->v[i]));
  return out;
}

static bool load_ints(void *v, const json_t *j)
{
  struct lb_ints *list = v;
  size_t n = json_array_size(j);
  if (!json_is_array(j) || n > LB_LIST_MAX)
    return false;
  list->n = (int)n;
  for (size_t i = 0; i < n; i++)
    if (!load_int64(&list->v[i], json_array_get(j, i)))
      return false;
  return true;
}

/* ---- the tables ---- */

struct field {
  const char *key;
  size_t offset;
  json_t *(*save)(const void *v);
  bool (*load)(void *v, const json_t *j);
};

#define FIELD(type, name)                                           \
  {                                                                 \
#name, offsetof(struct lb_checkpoint_model, name), save_##type, \
        load_##type                                                 \
  }
static const struct field of_model[] = {
    FIELD(int, accelerators),
    FIELD(uint64, model_bytes),
    FIELD(int64, layers),
    FIELD(int64, hidden),
    FIELD(int64, ffn),
    FIELD(int64, vocab),
    FIELD(int64, heads),
    FIELD(int64, kv_heads),
    FIELD(dtype, weights),
    FIELD(dtype, optimizer),
    FIELD(ints, layer_parameters),
    FIELD(ints, optimization_groups),
    FIELD(int64, tensor),
    FIELD(int64, pipeline),
    FIELD(int64, data),
    FIELD(int, zero),
    FIELD(bool, all_ranks),
    FIELD(bool, subset),
    {NULL, 0, NULL, NULL},
};
#undef FIELD
#define FIELD(type, name)                                           \
  {                                                                 \
#name, offsetof(struct lb_mark, name), save_##type, load_##type \
  }
static const struct field of_mark[] = {
    FIELD(bool, complete), FIELD(int64, number),  FIELD(int64, epoch),
    FIELD(int64, step),    FIELD(uint64, seed),   FIELD(uint64, bytes),
    FIELD(uint64, utc_ns), {NULL, 0, NULL, NULL},
};
#undef FIELD

static int save_fields(json_t *to, const struct field *f, const void *from)
{
  int failed = 0;
  for (; f->key; f++)
    failed |= json_object_set_new(to, f->key,
                                  f->save((const char *)from + f->offset));
  return failed;
}

/* The key that is missing or impossible, or NULL. */
static const char *load_fields(void *to, const struct field *f,
                               const json_t *from)
{
  for (; f->key; f++)
    if (!f->load((char *)to + f->offset, json_object_get(from, f->key)))
      return f->key;
  return NULL;
}

/* ---- text ---- */

char *lb_mark_text(const struct lb_mark *m)
{
  char *text = NULL;
  json_t *root = json_object(), *model = json_object();
  int failed = json_object_set_new(root, "checkpoint_version",
                                   json_integer(MARK_VERSION));
  failed |= json_object_set_new(root, "made_by", json_string(PACKAGE_STRING));
  failed |= save_fields(root, of_mark, m);
  failed |= json_object_set_new(root, "scheme", json_string(m->scheme->name));
  failed |= json_object_set_new(root, "container", json_string(m->container));
  failed |= save_fields(model, of_model, &m->model);
  failed |= json_object_set_new(root, "model", model);
  if (!failed)
    text = json_dumps(root, JSON_INDENT(2));
  json_decref(root);
  return text;
}

/* Are they numbers that the configuration allows?  Sizes are computed of them.
 */
static bool in_range(const struct lb_checkpoint_model *m)
{
  const int64_t v[] = {m->accelerators, m->hidden,   m->ffn,    m->vocab,
                       m->heads,        m->kv_heads, m->tensor, m->pipeline};
  bool good = m->weights && m->optimizer && m->zero >= 0 && m->zero <= 3 &&
              m->layers <= 1000000 && m->data <= 1000000000;
  for (size_t i = 0; i < sizeof v / sizeof v[0]; i++)
    good = good && v[i] >= 1 && v[i] <= 1000000000;
  for (int i = 0; i < m->layer_parameters.n; i++)
    good = good && m->layer_parameters.v[i] >= 0;
  for (int i = 0; i < m->optimization_groups.n; i++)
    good = good && m->optimization_groups.v[i] >= 0;
  return good;
}

static int take(struct lb_mark *m, const json_t *root, const char *path,
                struct lb_err *err)
{
  const json_t *version = json_object_get(root, "checkpoint_version");
  if (json_integer_value(version) != MARK_VERSION)
    return lb_err_set(err, LB_FAILED,
                      "%s: checkpoint_version is missing or not %d", path,
                      MARK_VERSION);
  const char *scheme = json_string_value(json_object_get(root, "scheme"));
  const char *box = json_string_value(json_object_get(root, "container"));
  m->scheme = scheme ? lb_checkpoint_find(scheme) : NULL;
  const char *bad = load_fields(m, of_mark, root);
  if (!bad)
    bad = load_fields(&m->model, of_model, json_object_get(root, "model"));
  if (!bad && !in_range(&m->model))
    bad = "a number of the model";
  if (!bad && !m->scheme)
    bad = "scheme";
  if (!bad && (!box || strlen(box) >= sizeof m->container))
    bad = "container";
  if (bad)
    return lb_err_set(err, LB_FAILED,
                      "%s: damaged: %s is missing or impossible", path, bad);
  memcpy(m->container, box, strlen(box) + 1);
  struct lb_err why = LB_ERR_INIT;
  if (m->scheme->check(&m->model, &why))
    return lb_err_set(err, LB_FAILED, "%s: damaged: %s", path, why.msg);
  return 0;
}

int lb_mark_parse(struct lb_mark *m, const char *text, const char *path,
                  struct lb_err *err)
{
  json_error_t bad;
  json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, &bad);
  *m = (struct lb_mark){.complete = false};
  if (!root)
    return lb_err_set(err, LB_FAILED, "%s:%d: damaged: %s", path, bad.line,
                      bad.text);
  int rc = take(m, root, path, err);
  json_decref(root);
  return rc;
}

/* ---- files ---- */

int lb_mark_write(const struct lb_mark *m, const char *folder,
                  struct lb_err *err)
{
  char *text = lb_mark_text(m);
  if (!text)
    return lb_err_sys(err, LB_FAILED, ENOMEM, "%s", folder);
  int rc = lb_write_file(folder, LB_MARK_NAME, text, strlen(text), err);
  free(text);
  return rc;
}

int lb_mark_read(struct lb_mark *m, const char *folder, struct lb_err *err)
{
  char path[PATH_MAX], *text;
  size_t len;
  if (lb_path_join(folder, LB_MARK_NAME, path, LB_FAILED, err))
    return -err->code;
  int sys = lb_slurp_plain(path, MOST_BYTES, &text, &len);
  if (sys == ENOENT || sys == ENOTDIR)
    return 0;
  if (sys)
    return lb_err_sys(err, LB_FAILED, sys, "%s: read", path);
  int rc = lb_mark_parse(m, text, path, err) ? -err->code : 1;
  free(text);
  return rc;
}

int lb_mark_remove(const char *folder, struct lb_err *err)
{
  char path[PATH_MAX];
  if (lb_path_join(folder, LB_MARK_NAME, path, LB_FAILED, err))
    return -err->code;
  if (unlink(path) && errno != ENOENT)
    return lb_err_sys(err, LB_FAILED, errno, "%s: unlink", path);
  return 0;
}

/* ---- comparing ---- */

static void print(const struct field *f, const struct lb_checkpoint_model *m,
                  char out[VALUE_SIZE])
{
  json_t *j = f->save((const char *)m + f->offset);
  char *text = json_dumps(j, JSON_ENCODE_ANY);
  snprintf(out, VALUE_SIZE, "%s", text ? text : "?");
  free(text);
  json_decref(j);
}

static void differ(struct lb_buf *out, const char *key, const char *disk,
                   const char *config)
{
  if (strcmp(disk, config) != 0)
    lb_buf_printf(out, "%s%s is %s on disk and %s configured",
                  out->len ? "; " : "", key, disk, config);
}

int lb_mark_compare(const struct lb_mark *disk, const struct lb_mark *config,
                    const char *folder, struct lb_err *err)
{
  struct lb_buf text;
  lb_buf_init(&text, 65536); /* more than the table can say */
  differ(&text, "scheme", disk->scheme->name, config->scheme->name);
  differ(&text, "container", disk->container, config->container);
  for (const struct field *f = of_model; f->key; f++) {
    char on_disk[VALUE_SIZE], wanted[VALUE_SIZE];
    if (f->offset == offsetof(struct lb_checkpoint_model, accelerators) &&
        disk->scheme->any_readers)
      continue;
    print(f, &disk->model, on_disk);
    print(f, &config->model, wanted);
    differ(&text, f->key, on_disk, wanted);
  }
  int rc = 0;
  if (text.len || text.failed)
    rc = lb_err_set(err, LB_USAGE,
                    "%s: the checkpoint is not one of the configured model: "
                    "%.600s",
                    folder, text.data ? text.data : "");
  lb_buf_fini(&text);
  return rc;
}
