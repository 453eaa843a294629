/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The manifest: what decides a dataset's bytes, as JSON beside it.  It is read
 * and written through the mounted file system: a virtual backend has none. */
#include "lb-config.h"

#include "loadbank/manifest.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dataset/manifest_impl.h"
#include "loadbank/buf.h"
#include "loadbank/hash.h"
#include "loadbank/path.h"
#include "loadbank/slurp.h"
#include "loadbank/wholefile.h"

enum {
  MANIFEST_VERSION = 1,  /* of the manifest */
  MOST_BYTES = 64 * 1024 /* of its file */
};

static uint64_t hash(uint64_t h, const char *text)
{
  return lb_hash(h, text, strlen(text));
}

/* The hash of a line "key: value" for each field, in the table's order. */
void lb_manifest_fingerprint(const struct lb_manifest *m,
                             char out[LB_FINGERPRINT_LEN])
{
  struct lb_manifest c = lb_manifest_canonical(m);
  uint64_t h = LB_HASH_START;
  for (const struct lb_field *f = lb_manifest_fields; f->key; f++) {
    char value[LB_FIELD_TEXT_SIZE];
    f->type->print(f, &c, value);
    h = hash(hash(hash(hash(h, f->key), ": "), value), "\n");
  }
  snprintf(out, LB_FINGERPRINT_LEN, "%016" PRIx64, h);
}

/* The text of the file, to be freed; NULL: no memory, or a number that JSON
 * does not have. */
static char *to_json(const struct lb_manifest *m)
{
  char print[LB_FINGERPRINT_LEN], *text = NULL;
  lb_manifest_fingerprint(m, print);
  struct lb_manifest c = lb_manifest_canonical(m);
  json_t *root = json_object();
  int failed = json_object_set_new(root, "manifest_version",
                                   json_integer(MANIFEST_VERSION));
  failed |= json_object_set_new(root, "made_by", json_string(PACKAGE_STRING));
  failed |= json_object_set_new(root, "fingerprint", json_string(print));
  failed |= json_object_set_new(root, "complete", json_boolean(m->complete));
  for (const struct lb_field *f = lb_manifest_fields; f->key; f++)
    failed |= json_object_set_new(root, f->key, f->type->save(f, &c));
  if (!failed)
    text = json_dumps(root, JSON_INDENT(2) | JSON_REAL_PRECISION(17));
  json_decref(root);
  return text;
}

int lb_manifest_write(const struct lb_manifest *m, const char *root,
                      struct lb_err *err)
{
  char *text = to_json(m);
  if (!text)
    return lb_err_set(err, LB_FAILED, "%s: no memory for the manifest", root);
  int rc = lb_write_file(root, LB_MANIFEST_NAME, text, strlen(text), err);
  free(text);
  return rc;
}

static int take_fields(struct lb_manifest *m, const json_t *root,
                       const char *path, struct lb_err *err)
{
  const json_t *version = json_object_get(root, "manifest_version");
  if (!json_is_integer(version))
    return lb_err_set(err, LB_FAILED,
                      "%s: damaged: no manifest_version (is it a manifest?)",
                      path);
  if (json_integer_value(version) != MANIFEST_VERSION)
    return lb_err_set(err, LB_FAILED,
                      "%s: manifest_version is %" JSON_INTEGER_FORMAT
                      ", this program knows %d",
                      path, json_integer_value(version), MANIFEST_VERSION);
  for (const struct lb_field *f = lb_manifest_fields; f->key; f++)
    if (!f->type->load(f, m, json_object_get(root, f->key)))
      return lb_err_set(err, LB_FAILED,
                        "%s: damaged: %s is missing or impossible", path,
                        f->key);
  m->complete = json_is_true(json_object_get(root, "complete"));
  char print[LB_FINGERPRINT_LEN];
  lb_manifest_fingerprint(m, print);
  const char *said = json_string_value(json_object_get(root, "fingerprint"));
  if (!said || strcmp(said, print) != 0)
    return lb_err_set(err, LB_FAILED,
                      "%s: damaged: the fingerprint is %s, its fields make %s",
                      path, said ? said : "missing", print);
  return 0;
}

int lb_manifest_read(struct lb_manifest *m, const char *root,
                     struct lb_err *err)
{
  char path[PATH_MAX];
  char *text;
  size_t len;
  json_t *json = NULL;
  json_error_t bad;
  int rc = lb_path_join(root, LB_MANIFEST_NAME, path, LB_FAILED, err);
  if (rc)
    return rc;
  int sys = lb_slurp_plain(path, MOST_BYTES, &text, &len);
  if (sys == ENOENT)
    return 0;
  if (sys == EFBIG)
    return lb_err_set(err, LB_FAILED, "%s: damaged: more than %d bytes", path,
                      MOST_BYTES);
  if (sys == EINVAL)
    return lb_err_set(err, LB_FAILED, "%s: damaged: no plain file", path);
  if (sys)
    return lb_err_sys(err, LB_FAILED, sys, "%s: read", path);
  json = json_loads(text, JSON_REJECT_DUPLICATES, &bad);
  if (!json) {
    rc = lb_err_set(err, LB_FAILED, "%s:%d: damaged: %s", path, bad.line,
                    bad.text);
    goto out;
  }
  *m = (struct lb_manifest){0};
  rc = take_fields(m, json, path, err);
  rc = rc ? rc : 1;
out:
  json_decref(json);
  free(text);
  return rc;
}

/* May a run that is configured with c use what is on disk, as far as this
 * field goes?  Unless all must be equal, files beyond those that the run uses
 * do not matter. */
static bool agrees(const struct lb_field *f, bool equal,
                   const struct lb_manifest *disk, const struct lb_manifest *c,
                   char on_disk[LB_FIELD_TEXT_SIZE],
                   char wanted[LB_FIELD_TEXT_SIZE])
{
  f->type->print(f, disk, on_disk);
  f->type->print(f, c, wanted);
  if (!strcmp(on_disk, wanted))
    return true;
  return !equal && f->at_least &&
         *(const int64_t *)((const char *)disk + f->offset) >=
             *(const int64_t *)((const char *)c + f->offset);
}

/* d, c: canonical. */
static void list_differences(const struct lb_manifest *d,
                             const struct lb_manifest *c, bool equal,
                             struct lb_buf *out)
{
  for (const struct lb_field *f = lb_manifest_fields; f->key; f++) {
    char on_disk[LB_FIELD_TEXT_SIZE], wanted[LB_FIELD_TEXT_SIZE];
    if (!agrees(f, equal, d, c, on_disk, wanted))
      lb_buf_printf(out, "%s%s is '%s' on disk and '%s' configured",
                    out->len ? "; " : "", f->key, on_disk, wanted);
  }
}

void lb_manifest_differences(const struct lb_manifest *disk,
                             const struct lb_manifest *config,
                             struct lb_buf *out)
{
  struct lb_manifest d = lb_manifest_canonical(disk);
  struct lb_manifest c = lb_manifest_canonical(config);
  list_differences(&d, &c, true, out);
}

int lb_manifest_compare(const struct lb_manifest *disk,
                        const struct lb_manifest *config, struct lb_err *err)
{
  struct lb_manifest d = lb_manifest_canonical(disk);
  struct lb_manifest c = lb_manifest_canonical(config);
  for (int set = 0; set < LB_N_SETS; set++)
    if (c.n_files[set] == 0) /* the run does not look at this set */
      c.n_folders[set] = d.n_folders[set];
  char prints[2][LB_FINGERPRINT_LEN];
  lb_manifest_fingerprint(disk, prints[0]);
  lb_manifest_fingerprint(config, prints[1]);
  struct lb_buf text;
  lb_buf_init(&text, 32768); /* more than the table can say */
  list_differences(&d, &c, false, &text);
  int rc = 0;
  if (text.len || text.failed)
    rc = lb_err_set(err, LB_USAGE,
                    "the dataset on disk (fingerprint %s) is not the "
                    "configured one (%s): %s",
                    prints[0], prints[1], text.data ? text.data : "");
  lb_buf_fini(&text);
  return rc;
}
