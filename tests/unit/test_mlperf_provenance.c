/* SPDX-License-Identifier: GPL-3.0-or-later */
/* provenance.json and submission.yaml. */
#include "lb-config.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "loadbank/json.h"
#include "mlperf/provenance.h"
#include "mlperf/slurp.h"
#include "mlperf/system_impl.h"
#include "tap.h"

static const char code_image[] = "0123456789abcdef0123456789abcdef";

static json_t *stamp(double files)
{
  json_t *keys = json_pack("[ss]", "framework", "model.name");
  const struct lb_mlperf_stamp s = {.kind = LB_MLPERF_TRAINING,
                                    .code_image = code_image,
                                    .core_hash = "0d3ad0dec188becd",
                                    .core_keys = keys,
                                    .scale = {files, 1, 1}};
  json_t *o = lb_mlperf_provenance_json(&s);
  json_decref(keys);
  return o;
}

static void test_stamp(void)
{
  static const char *const keys[] = {
      "schema",     "rules_edition",   "layout_version", "tool",
      "dlio",       "storage_library", "core_config",    "stamped_at",
      "stamped_by", "provenance",      "notes"};
  static const struct {
    const char *path, *text;
  } values[] = {
      {"schema", "mlps-run-provenance/1"},
      {"rules_edition", "3.0"},
      {"tool.name", "loadbank"},
      {"tool.version", PACKAGE_VERSION},
      {"tool.git_sha", "unknown"},
      {"tool.code_image", "md5-tree-v2:0123456789abcdef0123456789abcdef"},
      {"dlio.commit", "unknown"},
      {"storage_library.name", "none"},
      {"core_config.algorithm", "core-config-v1"},
      {"core_config.allowlist", "training@1"},
      {"core_config.hash", "0d3ad0dec188becd"},
      {"provenance.dlio", "n/a"},
      {"provenance.core_config", "runtime"}};
  struct lb_err err = LB_ERR_INIT;
  json_t *o = stamp(1);
  is_int((long long)json_object_size(o), sizeof keys / sizeof keys[0],
         "exactly its keys");
  for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
    ok(json_object_get(o, keys[i]) != NULL, "%s", keys[i]);
  for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
    is_str(json_string_value(lb_json_at(o, values[i].path)), values[i].text,
           "%s", values[i].path);
  is_int(json_integer_value(json_object_get(o, "layout_version")), 3, "layout");
  is_int((long long)json_array_size(lb_json_at(o, "core_config.keys")), 2,
         "keys of the hash");
  is_int((long long)strlen(json_string_value(json_object_get(o, "stamped_at"))),
         20, "seconds, and a Z");
  ok(strstr(json_string_value(json_object_get(o, "notes")), "official tool") &&
         !strstr(json_string_value(json_object_get(o, "notes")), "rehearsal"),
     "notes");
  is_int(lb_mlperf_provenance_check(o, &err), 0, "it checks: %s", err.msg);
  json_decref(o);
  o = stamp(0.001);
  ok(strstr(json_string_value(json_object_get(o, "notes")), "files x 0.001"),
     "a rehearsal says so");
  json_decref(o);
}

/* Nothing is known: no nulls all the same. */
static void test_unknown(void)
{
  struct lb_err err = LB_ERR_INIT;
  const struct lb_mlperf_stamp s = {.kind = LB_MLPERF_CHECKPOINTING,
                                    .scale = {1, 1, 1}};
  json_t *o = lb_mlperf_provenance_json(&s);
  is_str(json_string_value(lb_json_at(o, "tool.code_image")), "unknown",
         "no image");
  is_str(json_string_value(lb_json_at(o, "core_config.hash")), "unknown",
         "no hash");
  is_int(lb_mlperf_provenance_check(o, &err), 0, "it checks: %s", err.msg);
  json_decref(o);
}

static const struct {
  const char *section, *key; /* of the stamp, or of a section of it */
  const char *value;         /* NULL: taken away */
  const char *flaw;
} wrong[] = {
    {NULL, "schema", "\"mlps-run-provenance/2\"", "schema: "},
    {NULL, "stamped_at", NULL, "stamped_at: missing"},
    {NULL, "stamped_by", "\"\"", "stamped_by: allowed is a text"},
    {NULL, "more", "1", "keys that nobody knows"},
    {NULL, "rules_edition", "3.0", "rules_edition: "},
    {NULL, "layout_version", "true", "layout_version: "},
    {NULL, "layout_version", "0", "layout_version: "},
    {NULL, "notes", "null", "notes: "},
    {NULL, "tool", "[]", "tool: no object"},
    {"tool", "git_sha", "null", "tool.git_sha: "},
    {"tool", "git_sha", NULL, "tool.git_sha: "},
    {"tool", "color", "\"red\"", "tool: allowed are exactly"},
    {"dlio", "commit", "[]", "dlio.commit: "},
    {"storage_library", "name", "\"s3dlio\"", "storage_library.version: "},
    {"core_config", "algorithm", "\"v2\"", "core_config.algorithm: "},
    {"core_config", "keys", "[1]", "core_config.keys: "},
    {"core_config", "keys", "{}", "core_config.keys: "},
    {"core_config", "hash", "\"\"", "core_config.hash: "},
    {"core_config", "allowlist", NULL, "core_config: "},
    {"provenance", "dlio", "\"guess\"", "provenance.dlio: 'guess'"},
    {"provenance", "dlio", NULL, "provenance: "},
};

static void test_wrong(void)
{
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    struct lb_err err = LB_ERR_INIT;
    json_t *o = stamp(1);
    json_t *at = wrong[i].section ? json_object_get(o, wrong[i].section) : o;
    if (wrong[i].value)
      json_object_set_new(at, wrong[i].key,
                          json_loads(wrong[i].value, JSON_DECODE_ANY, NULL));
    else
      json_object_del(at, wrong[i].key);
    is_int(lb_mlperf_provenance_check(o, &err), -LB_USAGE, "%s.%s",
           wrong[i].section ? wrong[i].section : "", wrong[i].key);
    ok(!strncmp(err.msg, wrong[i].flaw, strlen(wrong[i].flaw)), "%s", err.msg);
    json_decref(o);
  }
  struct lb_err err = LB_ERR_INIT;
  is_int(lb_mlperf_provenance_check(NULL, &err), -LB_USAGE, "nothing at all");
}

/* ---- a tree ---- */

static const char run0[] =
    "closed/acme/results/box/training/unet3d/run/20261130_120000";
static const char run1[] =
    "closed/acme/results/box/training/unet3d/run/20261130_130000";
static const char save[] =
    "open/acme/results/box/checkpointing/llama3-8b/20261130_120000";

static void make(const char *path)
{
  char out[PATH_MAX];
  snprintf(out, sizeof out, "%s/%s/", tap_tmpdir(), path);
  for (char *p = out + strlen(tap_tmpdir()) + 1; *p; p++)
    if (*p == '/') {
      *p = '\0';
      mkdir(out, 0777);
      *p = '/';
    }
}

static void put(const char *path, const char *text)
{
  char full[PATH_MAX];
  snprintf(full, sizeof full, "%s/%s", tap_tmpdir(), path);
  FILE *f = fopen(full, "w");
  if (!f || fputs(text, f) < 0 || fclose(f) != 0)
    ok(false, "%s is written", full);
}

static void make_leaf(const char *leaf, bool stamped)
{
  char path[PATH_MAX];
  struct lb_err err = LB_ERR_INIT;
  make(leaf);
  snprintf(path, sizeof path, "%s/x_metadata.json", leaf);
  put(path, "{\"accelerator\": \"b200\", \"rehearsal\": {\"files\": 0.1}}");
  snprintf(path, sizeof path, "%s/%s", tap_tmpdir(), leaf);
  const struct lb_mlperf_stamp s = {.code_image = code_image,
                                    .core_hash = "0d3ad0dec188becd",
                                    .scale = {1, 1, 1}};
  if (stamped)
    is_int(lb_mlperf_provenance_write(path, &s, &err), 0, "a stamp");
}

static void read_tree(struct lb_mlperf_tree *t)
{
  struct lb_err err = LB_ERR_INIT;
  is_int(lb_mlperf_tree_read(tap_tmpdir(), t, &err), 0, "a tree: %s", err.msg);
}

/* Flaws of closed/acme, and the text of the first. */
static size_t flaws_of(const struct lb_mlperf_tree *t, char text[800])
{
  struct lb_err err = LB_ERR_INIT;
  struct lb_mlperf_flaws flaws;
  char edition[LB_MLPERF_NAME];
  is_int(lb_mlperf_manifest_check(t, "closed", "acme", edition, &flaws, &err),
         0, "checked");
  size_t n = flaws.n;
  snprintf(text, 800, "%s", n ? flaws.flaw[0].text : "");
  lb_mlperf_flaws_fini(&flaws);
  return n;
}

static char *manifest(const char *mode)
{
  char path[PATH_MAX], *text = NULL;
  size_t len;
  struct lb_err err = LB_ERR_INIT;
  snprintf(path, sizeof path, "%s/%s/acme/submission.yaml", tap_tmpdir(), mode);
  lb_mlperf_slurp(path, LB_FAILED, &text, &len, &err);
  return text;
}

static void test_written(struct lb_mlperf_tree *t)
{
  struct lb_err err = LB_ERR_INIT;
  char text[800];
  is_int(lb_mlperf_manifests_write(t, &err), 0, "no results folder of ours");
  ok(!manifest("closed"), "nothing is written");
  is_int((long long)flaws_of(t, text), 0, "no manifest is no flaw");
  put("mlperf-results.yaml", "mlperf_results_version: 3\n");
  is_int(lb_mlperf_manifests_write(t, &err), 0, "written: %s", err.msg);
  char *closed = manifest("closed"), *open = manifest("open");
  ok(closed && open, "one for each division");
  static const char *const parts[] = {
      "schema: \"mlps-submission-manifest/1\"\norgname: \"acme\"\nmode: "
      "\"closed\"\nrules_edition: \"3.0\"\nlayout_version: 3\n",
      "# 2 of 2 leaves are of a rehearsal",
      "tool_versions:\n- \"" PACKAGE_VERSION "\"\ndlio_commits: []\n",
      "systems:\n- name: \"box\"\n  description: \"systems/box.yaml\"\n  pdf: "
      "\"missing\"\n",
      "- leaf: \"results/box/training/unet3d/run/20261130_120000\"\n"
      "  benchmark: \"training\"\n  model: \"unet3d\"\n  command: \"run\"\n"
      "  accelerator: \"b200\"\n  system: \"box\"\n  rules_edition: \"3.0\"\n"
      "  core_config: \"0d3ad0dec188becd\"\n  code_image: "
      "\"md5-tree-v2:0123456789abcdef0123456789abcdef\"\n  provenance: "
      "\"results/box/training/unet3d/run/20261130_120000/provenance.json\"\n",
      "  provenance: \"derived\"\n",
      "code_images:\n- \"md5-tree-v2:0123456789abcdef0123456789abcdef\"\n"};
  for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
    ok(closed && strstr(closed, parts[i]), "part %zu", i);
  ok(open && strstr(open, "benchmark: \"checkpointing\"") &&
         !strstr(open, "unet3d"),
     "each has its own leaves");
  is_int((long long)flaws_of(t, text), 0, "it checks: %s", text);
  free(closed);
  free(open);
}

static void test_stale(struct lb_mlperf_tree *t)
{
  struct lb_err err = LB_ERR_INIT;
  char text[800];
  lb_mlperf_tree_fini(t);
  make_leaf("closed/acme/results/box/training/unet3d/run/20261130_140000",
            true);
  read_tree(t);
  is_int((long long)flaws_of(t, text), 1, "a leaf more");
  ok(strstr(text, "run/20261130_140000 is not listed"), "%s", text);
  is_int(lb_mlperf_manifests_write(t, &err), 0, "written anew");
  is_int((long long)flaws_of(t, text), 0, "is right");
  put("closed/acme/submission.yaml",
      "schema: mlps-submission-manifest/1\nrules_edition: '2.0'\nruns:\n"
      "- {leaf: results/gone}\n"
      "- {leaf: results/box/training/unet3d/run/20261130_120000}\n"
      "- {leaf: results/box/training/unet3d/run/20261130_120000}\n"
      "- {leaf: results/box/training/unet3d/run/20261130_130000}\n"
      "- {leaf: results/box/training/unet3d/run/20261130_140000}\n");
  is_int((long long)flaws_of(t, text), 4,
         "one is gone, one is there twice, two have other editions");
  ok(strstr(text, "'2.0', but leaf") != NULL, "%s", text);
  is_int(lb_mlperf_manifests_write(t, &err), -LB_FAILED, "another program's");
  ok(strstr(err.msg, "closed/acme/submission.yaml: a file of another program"),
     "is named: %s", err.msg);
  is_int((long long)flaws_of(t, text), 4, "and stays as it is");
  static const char *const bad[] = {
      "", "- 1\n", "schema: other\n", "{",
      "{schema: mlps-submission-manifest/1, rules_edition: '3.0', runs: 5}"};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    put("closed/acme/submission.yaml", bad[i]);
    ok(flaws_of(t, text) > 0, "no manifest: %s", text);
  }
}

int main(void)
{
  struct lb_mlperf_tree t;
  test_stamp();
  test_unknown();
  test_wrong();
  make_leaf(run0, true);
  make_leaf(run1, false);
  make_leaf(save, true);
  make("closed/acme/systems");
  put("closed/acme/systems/box.yaml", "x: 1\n");
  put("closed/acme/systems/notes.md", "x");
  read_tree(&t);
  test_written(&t);
  test_stale(&t);
  lb_mlperf_tree_fini(&t);
  return done();
}
