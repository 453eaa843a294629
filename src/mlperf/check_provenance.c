/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rules about what says where results come from: provenance.json in each leaf,
 * submission.yaml, and the tables of results. */
#include "lb-config.h"

#include "mlperf/checks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loadbank/json.h"
#include "mlperf/image.h"
#include "mlperf/provenance.h"
#include "mlperf/slurp.h"

static const json_t *stamp_of(const struct lb_mlperf_leaf *l)
{
  return l->file[LB_MLPERF_PROVENANCE].json;
}

/* Does the stamp name the image that the pointer names?  No pointer is
 * CHECK-01's. */
static void compare_images(struct lb_mlperf_check *c)
{
  const struct lb_mlperf_leaf *l = lb_mlperf_leaf_of(c);
  const char *said = lb_json_text_at(stamp_of(l), "tool.code_image");
  char hash[LB_MLPERF_TREE_HASH], image[LB_MLPERF_IMAGE_ID];
  struct lb_err err = LB_ERR_INIT;
  if (lb_mlperf_pointer_read(l->path, hash, &err))
    return;
  lb_mlperf_image_id(hash, image);
  if (!said || strcmp(said, image) != 0)
    lb_mlperf_say(c, LB_MLPERF_ERROR, l->name, LB_MLPERF_PROVENANCE_NAME,
                  "tool.code_image is '%.80s', %s says '%s'", said ? said : "",
                  LB_MLPERF_POINTER, image);
}

/* PROV-01 */
void lb_mlperf_check_stamp(struct lb_mlperf_check *c)
{
  const struct lb_mlperf_leaf *l = lb_mlperf_leaf_of(c);
  const struct lb_mlperf_json *file = &l->file[LB_MLPERF_PROVENANCE];
  struct lb_err err = LB_ERR_INIT;
  if (!file->name) {
    if (lb_mlperf_facts_of(c)->provenance)
      lb_mlperf_say(c, LB_MLPERF_ERROR, l->name, LB_MLPERF_PROVENANCE_NAME,
                    "this file, which the metadata name, is missing");
  } else if (!file->json) {
    lb_mlperf_say(c, LB_MLPERF_ERROR, l->name, file->name, "%s", file->reason);
  } else if (lb_mlperf_provenance_check(file->json, &err)) {
    lb_mlperf_say(c, LB_MLPERF_ERROR, l->name, file->name, "%s", err.msg);
  } else {
    compare_images(c);
  }
}

/* ---- submission.yaml ---- */

/* The edition that the manifest of the subject declares, and what is wrong
 * with it. */
static void read_manifest(const struct lb_mlperf_check *c,
                          char edition[LB_MLPERF_NAME],
                          struct lb_mlperf_flaws *flaws)
{
  struct lb_err err = LB_ERR_INIT;
  edition[0] = '\0';
  if (lb_mlperf_manifest_check(c->tree, lb_mlperf_mode_names[c->place.mode],
                               c->place.org, edition, flaws, &err))
    lb_mlperf_flaw(flaws, LB_MLPERF_MANIFEST_NAME, 0, "", "%s", err.msg);
}

/* PROV-02 */
void lb_mlperf_check_manifest(struct lb_mlperf_check *c)
{
  struct lb_mlperf_flaws flaws = {.n = 0};
  char edition[LB_MLPERF_NAME];
  read_manifest(c, edition, &flaws);
  for (size_t i = 0; i < flaws.n; i++) {
    const char *line, *text = lb_mlperf_flaw_text(&flaws.flaw[i], &line);
    lb_mlperf_say(c, LB_MLPERF_ERROR, lb_mlperf_here(c)->name,
                  LB_MLPERF_MANIFEST_NAME, "%s%s", line, text);
  }
  lb_mlperf_flaws_fini(&flaws);
}

/* ---- editions ---- */

static bool known_edition(const char *edition)
{
  static const char *const known[] = {"0.5", "1.0", "2.0", LB_MLPERF_EDITION,
                                      "unknown"};
  return lb_mlperf_word(known, sizeof known / sizeof known[0], edition) >= 0;
}

static void check_edition(struct lb_mlperf_check *c, const char *base,
                          const char *file, const char *edition)
{
  if (edition && *edition && !known_edition(edition))
    lb_mlperf_say(c, LB_MLPERF_ERROR, base, file,
                  "rules_edition '%.20s' is not known: 0.5, 1.0, 2.0 and 3.0 "
                  "are",
                  edition);
}

/* EDN-01 */
void lb_mlperf_check_editions(struct lb_mlperf_check *c)
{
  struct lb_mlperf_flaws flaws = {.n = 0};
  char edition[LB_MLPERF_NAME];
  read_manifest(c, edition, &flaws);
  lb_mlperf_flaws_fini(&flaws);
  check_edition(c, lb_mlperf_here(c)->name, LB_MLPERF_MANIFEST_NAME, edition);
  for (size_t i = c->first; i < c->end; i++)
    check_edition(c, c->tree->leaf[i].name, LB_MLPERF_PROVENANCE_NAME,
                  json_string_value(json_object_get(stamp_of(&c->tree->leaf[i]),
                                                    "rules_edition")));
}

/* EDN-04 */
void lb_mlperf_check_checkable(struct lb_mlperf_check *c)
{
  struct lb_mlperf_flaws flaws = {.n = 0};
  char edition[LB_MLPERF_NAME] = "";
  read_manifest(c, edition, &flaws);
  lb_mlperf_flaws_fini(&flaws);
  if (known_edition(edition) && strcmp(edition, LB_MLPERF_EDITION) != 0 &&
      strcmp(edition, "unknown") != 0)
    lb_mlperf_say(c, LB_MLPERF_ERROR, lb_mlperf_here(c)->name,
                  LB_MLPERF_MANIFEST_NAME,
                  "rules_edition '%.20s' had other rules; these are those "
                  "of " LB_MLPERF_EDITION,
                  edition);
}

/* EDN-03 */
void lb_mlperf_check_revision(struct lb_mlperf_check *c)
{
  /* Revisions of DLIO that the runs of edition 3.0 were made with. */
  static const char *const accepted[] = {
      "edaf4bb3d6343ef2fb6b9f6dbafa6102032ae8bf",
      "24b13d7630a12e3d08624e5db254694a09f71599",
      "a7d56e73ed4630e47f89720436290a23c0f94b6c",
      "f6796ed281e39ccc83a450e2b1f21b9c909d8fd0",
      "252a54b18d113541e1e8e24832921fac0a7f2b96",
      "86945a7a203912435774e0972f6350221446229e",
      "c338e07412350df4d72279be985ff31b82407a80",
      "95c6a9d46a2a072b7f1455b65b3a5e22602b53e5",
      "17d982a3c7842355c25787c97f636a9f6a474caa",
      "21c0723de897add728158943d369abd4b333f7dc",
  };
  const char *commit =
      lb_json_text_at(stamp_of(lb_mlperf_leaf_of(c)), "dlio.commit");
  if (!commit || !strcmp(commit, "unknown") ||
      lb_mlperf_word(accepted, sizeof accepted / sizeof accepted[0], commit) >=
          0)
    return;
  lb_mlperf_say(
      c, LB_MLPERF_WARNING, lb_mlperf_here(c)->name, LB_MLPERF_PROVENANCE_NAME,
      "DLIO of commit %.12s is not among those of the edition", commit);
}

/* ---- tables of results ---- */

struct ids {
  const char **id; /* borrowed */
  size_t n, max;
};

static bool has_id(const struct ids *s, const char *id)
{
  for (size_t i = 0; i < s->n; i++)
    if (!strcmp(s->id[i], id))
      return true;
  return false;
}

static void put_id(struct ids *s, const char *id)
{
  if (!id || !*id || has_id(s, id))
    return;
  if (s->n == s->max) {
    size_t wanted = s->max ? 2 * s->max : 16;
    const char **more = realloc(s->id, wanted * sizeof *s->id);
    if (!more)
      return;
    s->id = more;
    s->max = wanted;
  }
  s->id[s->n++] = id;
}

/* "Public ID"s, wherever they stand in a table. */
static void gather(const json_t *v, struct ids *out, int depth)
{
  enum { MAX_DEPTH = 16 };
  const char *key;
  const json_t *one;
  if (depth > MAX_DEPTH)
    return;
  for (size_t i = 0; i < json_array_size(v); i++)
    gather(json_array_get(v, i), out, depth + 1);
  /* Not changed: jansson's macro wants it so. */
  json_object_foreach((json_t *)v, key, one)
  {
    if (!strcmp(key, "Public ID"))
      put_id(out, json_string_value(one));
    else
      gather(one, out, depth + 1);
  }
}

struct table {
  json_t *json; /* owned */
};

/* results.json of a folder; NULL: there is none, or it cannot be read (said).
 */
static json_t *load_table(struct lb_mlperf_check *c, size_t folder)
{
  const struct lb_mlperf_folder *f = &c->tree->folder[folder];
  char path[PATH_MAX], why[LB_MLPERF_UNREAD];
  if (lb_mlperf_entry_type(f, "results.json") != 'f' ||
      snprintf(path, sizeof path, "%s/results.json", f->path) >=
          (int)sizeof path)
    return NULL;
  json_t *v = lb_mlperf_slurp_json(path, why);
  if (!v)
    lb_mlperf_say(c, LB_MLPERF_ERROR, f->name, "results.json", "%s", why);
  return v;
}

/* A workload's table is missing (2.1.16, 2.1.22 say so), or cannot be seen. */
static bool lacks_table(const struct lb_mlperf_check *c)
{
  for (size_t i = 0; i < c->tree->n_folders; i++)
    if (c->tree->folder[i].reason)
      return true;
  for (size_t i = c->first; i < c->end; i++) {
    const struct lb_mlperf_leaf *l = &c->tree->leaf[i];
    size_t in = c->tree->folder[l->folder].parent;
    if (l->place.command == LB_MLPERF_RUN &&
        lb_mlperf_entry_type(&c->tree->folder[in], "results.json") != 'f')
      return true;
  }
  return false;
}

static void say_lone(struct lb_mlperf_check *c, size_t folder,
                     const struct ids *a, const struct ids *b, const char *what)
{
  for (size_t i = 0; i < a->n; i++)
    if (!has_id(b, a->id[i]))
      lb_mlperf_say(
          c, LB_MLPERF_ERROR, c->tree->folder[folder].name, "results.json",
          "Public ID '%.60s' is in %s: make the report again", a->id[i], what);
}

/* RPT-01 */
void lb_mlperf_check_rollup(struct lb_mlperf_check *c)
{
  size_t results = lb_mlperf_folder_in(c->tree, c->folder, "results"), n = 0;
  if (results == LB_MLPERF_NOWHERE)
    return;
  json_t *rollup = load_table(c, results);
  size_t last = c->end ? c->tree->leaf[c->end - 1].folder : results;
  struct table *table =
      rollup ? calloc(last - results + 1, sizeof *table) : NULL;
  struct ids top = {0}, below = {0};
  gather(rollup, &top, 0);
  for (size_t i = results + 1; table && i <= last; i++) {
    if (c->tree->folder[i].leaf != LB_MLPERF_NOWHERE)
      continue;
    table[n].json = load_table(c, i);
    gather(table[n].json, &below, 0);
    n += table[n].json != NULL;
  }
  if (table) {
    if (!lacks_table(c))
      say_lone(c, results, &top, &below, "this table, but in none below");
    say_lone(c, results, &below, &top, "a table below, but not in this one");
  }
  for (size_t i = 0; i < n; i++)
    json_decref(table[i].json);
  json_decref(rollup);
  free(table);
  free(top.id);
  free(below.id);
}

/* ---- LEAF-01 ---- */

static void check_other_leaf(struct lb_mlperf_check *c, size_t folder)
{
  const char ending[] = "_metadata.json";
  const struct lb_mlperf_folder *f = &c->tree->folder[folder];
  size_t n = 0;
  for (size_t i = 0; i < f->n_entries; i++) {
    size_t len = strlen(f->entry[i]);
    n += len >= sizeof ending - 1 &&
         !strcmp(f->entry[i] + len - (sizeof ending - 1), ending);
  }
  if (n != 1)
    lb_mlperf_say(c, LB_MLPERF_ERROR, f->name, NULL,
                  "%zu files are named *%s, exactly 1 is needed", n, ending);
}

static void look_below(struct lb_mlperf_check *c, size_t folder, bool run)
{
  for (LB_MLPERF_EACH(i, c->tree, folder)) {
    const char *base = c->tree->folder[i].base;
    if (run && lb_mlperf_is_stamp(base))
      check_other_leaf(c, i);
    else
      look_below(c, i, !strcmp(base, "run"));
  }
}

/* LEAF-01 */
void lb_mlperf_check_other_kinds(struct lb_mlperf_check *c)
{
  look_below(c, lb_mlperf_folder_in(c->tree, c->folder, "kv_cache"), false);
  look_below(c, lb_mlperf_folder_in(c->tree, c->folder, "vector_database"),
             false);
}
