/* SPDX-License-Identifier: GPL-3.0-or-later */
/* provenance.json of a leaf: written, and checked key by key. */
#include "lb-config.h"

#include "mlperf/provenance.h"

#include <stdio.h>
#include <string.h>

#include "loadbank/clock.h"
#include "loadbank/json.h"
#include "mlperf/config.h"
#include "mlperf/image.h"

static const char schema[] = "mlps-run-provenance/1";
static const char unknown[] = "unknown";

/* The stamps, each with a tag that says how it is known. */
static const char *const stamps[] = {
    "rules_edition", "layout_version",  "tool",
    "dlio",          "storage_library", "core_config"};
enum { N_STAMPS = sizeof stamps / sizeof stamps[0] };
static const char *const tags[] = {
    "runtime",    "tool-constant",  "package-metadata",
    "direct-url", "code-hash-json", "uv-lock",
    "declared",   "inferred",       "n/a",
    "unknown"};
enum { N_TAGS = sizeof tags / sizeof tags[0] };

/* ---- writing ---- */

void lb_mlperf_now(char out[LB_CLOCK_ISO_LEN])
{
  lb_clock_utc_iso(lb_clock_utc_ns(), out);
  size_t n = sizeof "2026-11-29T21:21:31" - 1;
  snprintf(out + n, LB_CLOCK_ISO_LEN - n, "Z");
}

/* An object of texts: key, value, key, value ..., NULL. */
static json_t *texts(const char *const *pair)
{
  json_t *o = json_object();
  for (; *pair; pair += 2)
    lb_json_put_text(o, pair[0], pair[1]);
  return o;
}

static json_t *core_config(const struct lb_mlperf_stamp *s)
{
  json_t *o = json_object();
  bool known = s->core_hash != NULL;
  lb_json_put_text(o, "algorithm", LB_MLPERF_HASH_ALGORITHM);
  lb_json_put_text(o, "allowlist", lb_mlperf_hash_allowlist(s->kind));
  lb_json_put_text(o, "hash", known ? s->core_hash : unknown);
  json_object_set_new(o, "keys",
                      known && s->core_keys ? json_deep_copy(s->core_keys)
                                            : json_array());
  return o;
}

static void put_notes(json_t *o, const struct lb_mlperf_stamp *s)
{
  char rehearsal[160], text[320];
  lb_mlperf_rehearsal_text(&s->scale, rehearsal, sizeof rehearsal);
  snprintf(text, sizeof text,
           "MLPerf-style, made by loadbank; an official submission must be "
           "made with the official tool%s%s",
           *rehearsal ? "; " : "", rehearsal);
  lb_json_put_text(o, "notes", text);
}

json_t *lb_mlperf_provenance_json(const struct lb_mlperf_stamp *s)
{
  char now[LB_CLOCK_ISO_LEN], image[LB_MLPERF_IMAGE_ID] = "unknown";
  json_t *o = json_object();
  if (s->code_image)
    lb_mlperf_image_id(s->code_image, image);
  lb_mlperf_now(now);
  lb_json_put_text(o, "schema", schema);
  lb_json_put_text(o, "rules_edition", LB_MLPERF_EDITION);
  lb_json_put_int(o, "layout_version", LB_MLPERF_LAYOUT);
  json_object_set_new(o, "tool",
                      texts((const char *const[]){
                          "name", "loadbank", "version", PACKAGE_VERSION,
                          "git_sha", unknown, "code_image", image, NULL}));
  /* No DLIO runs here. */
  json_object_set_new(
      o, "dlio",
      texts((const char *const[]){"version", unknown, "source", unknown,
                                  "commit", unknown, NULL}));
  json_object_set_new(o, "storage_library",
                      texts((const char *const[]){"name", "none", NULL}));
  json_object_set_new(o, "core_config", core_config(s));
  lb_json_put_text(o, "stamped_at", now);
  lb_json_put_text(o, "stamped_by", "loadbank " PACKAGE_VERSION);
  json_object_set_new(
      o, "provenance",
      texts((const char *const[]){
          "rules_edition", "tool-constant", "layout_version", "tool-constant",
          "tool", "runtime", "dlio", "n/a", "storage_library", "n/a",
          "core_config", s->core_hash ? "runtime" : unknown, NULL}));
  put_notes(o, s);
  return o;
}

int lb_mlperf_provenance_write(const char *leaf,
                               const struct lb_mlperf_stamp *s,
                               struct lb_err *err)
{
  return lb_json_write(leaf, LB_MLPERF_PROVENANCE_NAME,
                       lb_mlperf_provenance_json(s), err);
}

/* ---- checking ---- */

static bool is_text(const json_t *v)
{
  return json_is_string(v) && *json_string_value(v);
}

/* An object of non-empty texts; keys: "a b? c", b may be missing. */
static int check_texts(const json_t *v, const char *section, const char *keys,
                       struct lb_err *err)
{
  char key[32];
  size_t known = 0;
  if (!json_is_object(v))
    return lb_err_set(err, LB_USAGE, "%s: no object", section);
  for (const char *p = keys; *p;) {
    size_t n = strcspn(p, " ");
    bool may = p[n - 1] == '?';
    snprintf(key, sizeof key, "%.*s", (int)(n - may), p);
    const json_t *text = json_object_get(v, key);
    known += text != NULL;
    if (!is_text(text) && (text || !may))
      return lb_err_set(err, LB_USAGE, "%s.%s: allowed is a text", section,
                        key);
    p += n + (p[n] == ' ');
  }
  if (json_object_size(v) != known)
    return lb_err_set(err, LB_USAGE, "%s: allowed are exactly the keys %s",
                      section, keys);
  return 0;
}

static int check_core(const json_t *v, struct lb_err *err)
{
  const char *hash = json_string_value(json_object_get(v, "hash"));
  const char *algorithm = json_string_value(json_object_get(v, "algorithm"));
  const json_t *keys = json_object_get(v, "keys"), *key;
  size_t i;
  if (!json_is_object(v) || json_object_size(v) != 4 || !hash || !algorithm ||
      !keys || !is_text(json_object_get(v, "allowlist")))
    return lb_err_set(err, LB_USAGE,
                      "core_config: allowed are exactly the keys algorithm, "
                      "allowlist, hash and keys");
  if (strcmp(algorithm, LB_MLPERF_HASH_ALGORITHM) != 0)
    return lb_err_set(err, LB_USAGE,
                      "core_config.algorithm: '%.60s': allowed "
                      "is %s",
                      algorithm, LB_MLPERF_HASH_ALGORITHM);
  if (!*hash)
    return lb_err_set(err, LB_USAGE, "core_config.hash: allowed is a text");
  if (!json_is_array(keys))
    return lb_err_set(err, LB_USAGE,
                      "core_config.keys: allowed is a list of texts");
  json_array_foreach(keys, i, key) if (!json_is_string(key)) return lb_err_set(
      err, LB_USAGE, "core_config.keys: allowed is a list of texts");
  return 0;
}

static int check_tags(const json_t *v, struct lb_err *err)
{
  if (!json_is_object(v) || json_object_size(v) != N_STAMPS)
    return lb_err_set(err, LB_USAGE,
                      "provenance: allowed is one tag for each of the %d "
                      "stamps",
                      N_STAMPS);
  for (size_t i = 0; i < N_STAMPS; i++) {
    const char *tag = json_string_value(json_object_get(v, stamps[i]));
    if (lb_mlperf_word(tags, N_TAGS, tag) < 0)
      return lb_err_set(err, LB_USAGE, "provenance.%s: '%.60s' is no tag",
                        stamps[i], tag ? tag : "");
  }
  return 0;
}

static int check_keys(const json_t *v, struct lb_err *err)
{
  static const char *const more[] = {"schema", "stamped_at", "stamped_by",
                                     "provenance"};
  enum { N_MORE = sizeof more / sizeof more[0] };
  bool notes = json_object_get(v, "notes") != NULL;
  for (size_t i = 0; i < N_STAMPS + N_MORE; i++) {
    const char *key = i < N_STAMPS ? stamps[i] : more[i - N_STAMPS];
    if (!json_object_get(v, key))
      return lb_err_set(err, LB_USAGE, "%s: missing", key);
  }
  if (json_object_size(v) != (size_t)N_STAMPS + N_MORE + notes)
    return lb_err_set(err, LB_USAGE, "keys that nobody knows");
  for (size_t i = 1; i < N_MORE - 1; i++)
    if (!is_text(json_object_get(v, more[i])))
      return lb_err_set(err, LB_USAGE, "%s: allowed is a text", more[i]);
  if (notes && !json_is_string(json_object_get(v, "notes")))
    return lb_err_set(err, LB_USAGE, "notes: allowed is a text");
  return 0;
}

static int check_library(const json_t *v, struct lb_err *err)
{
  const char *name = json_string_value(json_object_get(v, "name"));
  bool none = name && !strcmp(name, "none");
  return check_texts(v, "storage_library",
                     none ? "name version?" : "name version", err);
}

int lb_mlperf_provenance_check(const json_t *v, struct lb_err *err)
{
  const char *said = json_string_value(json_object_get(v, "schema"));
  const json_t *layout = json_object_get(v, "layout_version");
  if (!json_is_object(v))
    return lb_err_set(err, LB_USAGE, "no object");
  if (!said || strcmp(said, schema) != 0)
    return lb_err_set(err, LB_USAGE, "schema: '%.60s': allowed is %s",
                      said ? said : "", schema);
  if (check_keys(v, err))
    return -err->code;
  if (!is_text(json_object_get(v, "rules_edition")))
    return lb_err_set(err, LB_USAGE, "rules_edition: allowed is a text");
  if (!json_is_integer(layout) || json_integer_value(layout) < 1)
    return lb_err_set(err, LB_USAGE,
                      "layout_version: allowed is an integer, at least 1");
  if (check_texts(json_object_get(v, "tool"), "tool",
                  "name version git_sha code_image", err) ||
      check_texts(json_object_get(v, "dlio"), "dlio", "version source commit",
                  err) ||
      check_library(json_object_get(v, "storage_library"), err) ||
      check_core(json_object_get(v, "core_config"), err))
    return -err->code;
  return check_tags(json_object_get(v, "provenance"), err);
}
