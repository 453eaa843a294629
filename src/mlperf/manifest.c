/* SPDX-License-Identifier: GPL-3.0-or-later */
/* submission.yaml: what an organisation's tree holds.  It is an inventory and
 * has no results. */
#include "lb-config.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "loadbank/config.h"
#include "loadbank/json.h"
#include "loadbank/wholefile.h"
#include "mlperf/image.h"
#include "mlperf/provenance.h"
#include "mlperf/slurp.h"
#include "mlperf/system_impl.h"

static const char schema[] = "mlps-submission-manifest/1";
static const char first_words[] = "# MLPerf-style, made by loadbank;";
static const char unknown[] = "unknown";

/* ---- what a leaf says of itself ---- */

struct run {
  const char *edition, *core_config, *tool_version, *dlio_commit, *accelerator;
  char code_image[LB_MLPERF_IMAGE_ID];
  bool stamped;
};

static const char *text_at(const json_t *v, const char *path)
{
  const char *text = lb_json_text_at(v, path);
  return text && *text ? text : unknown;
}

static void look(const struct lb_mlperf_leaf *l, struct run *r)
{
  const json_t *p = l->file[LB_MLPERF_PROVENANCE].json;
  struct lb_err bad = LB_ERR_INIT;
  char hash[LB_MLPERF_TREE_HASH];
  r->stamped = p && !lb_mlperf_provenance_check(p, &bad);
  p = r->stamped ? p : NULL;
  r->edition = text_at(p, "rules_edition");
  r->core_config = text_at(p, "core_config.hash");
  r->tool_version = text_at(p, "tool.version");
  r->dlio_commit = text_at(p, "dlio.commit");
  r->accelerator = text_at(l->file[LB_MLPERF_METADATA].json, "accelerator");
  snprintf(r->code_image, sizeof r->code_image, "%.63s",
           text_at(p, "tool.code_image"));
  bad = (struct lb_err)LB_ERR_INIT;
  if (!p && !lb_mlperf_pointer_read(l->path, hash, &bad))
    lb_mlperf_image_id(hash, r->code_image);
}

/* ---- sets of texts, in order, each once ---- */

static void collect(json_t *set, const char *text)
{
  if (strcmp(text, unknown) != 0)
    json_object_set_new(set, text, json_null());
}

static void put_set(struct lb_buf *b, const char *key, const json_t *set)
{
  const char **name = lb_json_sorted_keys(set);
  if (!name) {
    b->failed = true;
    return;
  }
  lb_buf_printf(b, "%s:%s\n", key, *name ? "" : " []");
  for (const char **n = name; *n; n++) {
    lb_buf_puts(b, "- ");
    lb_yaml_quote(*n, b);
    lb_buf_puts(b, "\n");
  }
  free(name);
}

/* ---- the text ---- */

static void put(struct lb_buf *b, const char *before, const char *key,
                const char *value)
{
  lb_buf_printf(b, "%s%s: ", before, key);
  lb_yaml_quote(value, b);
  lb_buf_puts(b, "\n");
}

struct manifest {
  const struct lb_mlperf_tree *tree;
  const char *org;
  char folder[PATH_MAX + 2 * LB_MLPERF_NAME]; /* of the organisation */
  size_t first, end;                          /* its leaves */
  json_t *tools, *dlios, *images;             /* sets */
};

/* The leaf's name below MODE/ORG/. */
static const char *below(const struct lb_mlperf_leaf *l)
{
  const char *slash = strchr(l->name, '/');
  return strchr(slash + 1, '/') + 1;
}

static void put_run(struct lb_buf *b, struct manifest *m,
                    const struct lb_mlperf_leaf *l)
{
  struct run r;
  char where[PATH_MAX + 32];
  look(l, &r);
  collect(m->tools, r.tool_version);
  collect(m->dlios, r.dlio_commit);
  collect(m->images, r.code_image);
  snprintf(where, sizeof where, "%s/%s", below(l), LB_MLPERF_PROVENANCE_NAME);
  put(b, "- ", "leaf", below(l));
  put(b, "  ", "benchmark", lb_mlperf_kind_names[l->place.kind]);
  put(b, "  ", "model", l->place.model);
  put(b, "  ", "command", lb_mlperf_command_names[l->place.command]);
  put(b, "  ", "accelerator", r.accelerator);
  put(b, "  ", "system", l->place.system);
  put(b, "  ", "rules_edition", r.edition);
  put(b, "  ", "core_config", r.core_config);
  put(b, "  ", "code_image", r.code_image);
  put(b, "  ", "provenance", r.stamped ? where : "derived");
}

static int is_yaml(const struct dirent *e)
{
  size_t n = strlen(e->d_name);
  return e->d_name[0] != '.' && n > 5 && !strcmp(e->d_name + n - 5, ".yaml");
}

static void put_system(struct lb_buf *b, const char *folder, const char *file)
{
  char name[NAME_MAX + 1], text[NAME_MAX + 32];
  char pdf[PATH_MAX + 2 * LB_MLPERF_NAME + NAME_MAX + 32];
  snprintf(name, sizeof name, "%.*s", (int)strlen(file) - 5, file);
  put(b, "- ", "name", name);
  snprintf(text, sizeof text, "systems/%s", file);
  put(b, "  ", "description", text);
  snprintf(text, sizeof text, "systems/%.*s.pdf", NAME_MAX - 4, name);
  snprintf(pdf, sizeof pdf, "%s/%s", folder, text);
  put(b, "  ", "pdf", access(pdf, R_OK) ? "missing" : text);
}

static void put_systems(struct lb_buf *b, const struct manifest *m)
{
  char folder[sizeof m->folder + 16];
  struct dirent **file;
  snprintf(folder, sizeof folder, "%s/systems", m->folder);
  int n = scandir(folder, &file, is_yaml, alphasort);
  lb_buf_printf(b, "systems:%s\n", n > 0 ? "" : " []");
  for (int i = 0; i < n; i++) {
    put_system(b, m->folder, file[i]->d_name);
    free(file[i]);
  }
  if (n >= 0)
    free(file);
}

static void put_head(struct lb_buf *b, const struct manifest *m)
{
  size_t rehearsals = 0;
  for (size_t i = m->first; i < m->end; i++)
    rehearsals += json_is_object(lb_json_at(
        m->tree->leaf[i].file[LB_MLPERF_METADATA].json, "rehearsal"));
  lb_buf_puts(b, first_words);
  lb_buf_puts(b, " an official submission must be made with the\n# official "
                 "tool.\n");
  if (rehearsals)
    lb_buf_printf(b, "# %zu of %zu leaves are of a rehearsal: no submission.\n",
                  rehearsals, m->end - m->first);
}

static void put_manifest(struct lb_buf *b, struct manifest *m)
{
  const struct lb_mlperf_leaf *leaf = m->tree->leaf;
  char now[LB_CLOCK_ISO_LEN];
  struct lb_buf runs;
  lb_buf_init(&runs, b->max);
  lb_mlperf_now(now);
  for (size_t i = m->first; i < m->end; i++)
    put_run(&runs, m, &leaf[i]);
  put_head(b, m);
  put(b, "", "schema", schema);
  put(b, "", "orgname", m->org);
  put(b, "", "mode", lb_mlperf_mode_names[leaf[m->first].place.mode]);
  put(b, "", "rules_edition", LB_MLPERF_EDITION);
  lb_buf_printf(b, "layout_version: %d\n", LB_MLPERF_LAYOUT);
  put(b, "", "generated_at", now);
  put(b, "", "generated_by", "loadbank " PACKAGE_VERSION);
  put_set(b, "tool_versions", m->tools);
  put_set(b, "dlio_commits", m->dlios);
  put_systems(b, m);
  lb_buf_puts(b, "runs:\n");
  if (runs.len)
    lb_buf_add(b, runs.data, runs.len);
  put_set(b, "code_images", m->images);
  lb_buf_puts(b, "provenance:\n  rules_edition: \"tool-constant\"\n"
                 "  runs: \"walked\"\n");
  b->failed = b->failed || runs.failed;
  lb_buf_fini(&runs);
}

/* Is one there that another program, or a user, has written? */
static bool is_foreign(const char *folder)
{
  char path[PATH_MAX + 2 * LB_MLPERF_NAME + 32];
  char text[sizeof first_words] = "";
  snprintf(path, sizeof path, "%s/%s", folder, LB_MLPERF_MANIFEST_NAME);
  FILE *f = fopen(path, "re");
  if (!f)
    return errno != ENOENT;
  size_t n = fread(text, 1, sizeof text - 1, f);
  fclose(f);
  return n != sizeof text - 1 || strcmp(text, first_words) != 0;
}

static int write_manifest(struct manifest *m, struct lb_err *err)
{
  struct lb_buf b;
  if (is_foreign(m->folder))
    return lb_err_set(err, LB_FAILED,
                      "%.700s/%s: a file of another program; it was not "
                      "replaced",
                      m->folder, LB_MLPERF_MANIFEST_NAME);
  lb_buf_init(&b, (size_t)256 << 20);
  m->tools = json_object();
  m->dlios = json_object();
  m->images = json_object();
  put_manifest(&b, m);
  int rc = b.failed ? lb_err_set(err, LB_FAILED, "%s: no memory",
                                 LB_MLPERF_MANIFEST_NAME)
                    : lb_write_file(m->folder, LB_MLPERF_MANIFEST_NAME, b.data,
                                    b.len, err);
  json_decref(m->tools);
  json_decref(m->dlios);
  json_decref(m->images);
  lb_buf_fini(&b);
  return rc;
}

/* Leaves stand in the order of their names: those of an organisation follow
 * each other. */
static size_t org_end(const struct lb_mlperf_tree *t, size_t first)
{
  const struct lb_mlperf_leaf *a = &t->leaf[first];
  size_t end = first + 1;
  while (end < t->n && t->leaf[end].place.mode == a->place.mode &&
         !strcmp(t->leaf[end].place.org, a->place.org))
    end++;
  return end;
}

int lb_mlperf_manifests_write(const struct lb_mlperf_tree *t,
                              struct lb_err *err)
{
  char sentinel[PATH_MAX];
  int rc = 0;
  if (snprintf(sentinel, sizeof sentinel, "%s/%s", t->root,
               LB_MLPERF_SENTINEL) >= PATH_MAX ||
      access(sentinel, F_OK))
    return 0;
  for (size_t i = 0; i < t->n && !rc; i = org_end(t, i)) {
    const struct lb_mlperf_place *p = &t->leaf[i].place;
    struct manifest m = {
        .tree = t, .org = p->org, .first = i, .end = org_end(t, i)};
    snprintf(m.folder, sizeof m.folder, "%.*s/%s/%s", PATH_MAX - 1, t->root,
             lb_mlperf_mode_names[p->mode], p->org);
    rc = write_manifest(&m, err);
  }
  return rc;
}

/* ---- checking ---- */

/* A leaf that is listed (line) or there (at). */
struct entry {
  const char *leaf;
  int line;
  const struct lb_mlperf_leaf *at;
};
struct entries {
  struct entry *entry;
  size_t n;
};

static int by_leaf(const void *a, const void *b)
{
  const struct entry *x = a, *y = b;
  int order = strcmp(x->leaf, y->leaf);
  return order ? order : (x->line > y->line) - (x->line < y->line);
}

/* Both are in order then; false: no memory. */
static bool list_runs(const struct lb_node *runs, struct entries *out)
{
  *out = (struct entries){
      .entry = calloc(runs ? runs->n + 1 : 1, sizeof *out->entry)};
  if (!out->entry)
    return false;
  for (const struct lb_node *e = runs ? runs->first : NULL; e; e = e->next)
    out->entry[out->n++] = (struct entry){
        .leaf = lb_system_text(lb_system_at(e, "leaf")), .line = e->line};
  if (out->n)
    qsort(out->entry, out->n, sizeof *out->entry, by_leaf);
  return true;
}

static bool list_leaves(const struct lb_mlperf_tree *t, const char *mode,
                        const char *org, struct entries *out)
{
  *out = (struct entries){.entry = calloc(t->n + 1, sizeof *out->entry)};
  if (!out->entry)
    return false;
  for (size_t i = 0; i < t->n; i++)
    if (!strcmp(lb_mlperf_mode_names[t->leaf[i].place.mode], mode) &&
        !strcmp(t->leaf[i].place.org, org))
      out->entry[out->n++] =
          (struct entry){.leaf = below(&t->leaf[i]), .at = &t->leaf[i]};
  if (out->n)
    qsort(out->entry, out->n, sizeof *out->entry, by_leaf);
  return true;
}

struct against {
  const char *file;
  int line; /* of the whole */
  const char *edition;
  struct lb_mlperf_flaws *flaws;
};

/* Walks both lists side by side. */
static void check_lists(const struct against *a, const struct entries *said,
                        const struct entries *there)
{
  for (size_t i = 0, j = 0; i < said->n || j < there->n;) {
    const struct entry *s = i < said->n ? &said->entry[i] : NULL;
    const struct entry *t = j < there->n ? &there->entry[j] : NULL;
    int order = !s ? 1 : !t ? -1 : strcmp(s->leaf, t->leaf);
    bool again = i && s && !strcmp(s->leaf, s[-1].leaf);
    if (again)
      lb_mlperf_flaw(a->flaws, a->file, s->line, "runs",
                     "leaf %.300s is listed twice", s->leaf);
    else if (order < 0)
      lb_mlperf_flaw(a->flaws, a->file, s->line, "runs",
                     "leaf '%.300s' is listed, but not there", s->leaf);
    else if (t && order > 0)
      lb_mlperf_flaw(a->flaws, a->file, a->line, "runs",
                     "leaf %.300s is not listed; report writes this file anew",
                     t->leaf);
    i += again || order <= 0;
    j += !again && order >= 0;
  }
}

static void check_editions(const struct against *a, const struct entries *there)
{
  for (size_t i = 0; i < there->n; i++) {
    const struct entry *e = &there->entry[i];
    const json_t *p = e->at->file[LB_MLPERF_PROVENANCE].json;
    const char *edition = text_at(p, "rules_edition");
    if (p && strcmp(edition, a->edition) != 0)
      lb_mlperf_flaw(a->flaws, a->file, a->line, "rules_edition",
                     "'%.40s', but leaf %.300s is stamped '%.40s'", a->edition,
                     e->leaf, edition);
  }
}

static void check_root(struct against *a, const struct lb_node *root,
                       const struct entries *there)
{
  const char *said = lb_system_text(lb_system_at(root, "schema"));
  struct entries runs;
  a->line = root->line;
  a->edition = lb_system_text(lb_system_at(root, "rules_edition"));
  if (strcmp(said, schema) != 0) {
    lb_mlperf_flaw(a->flaws, a->file, root->line, "schema",
                   "'%.60s': allowed is %s", said, schema);
    return;
  }
  if (list_runs(lb_system_at(root, "runs"), &runs)) {
    check_lists(a, &runs, there);
    check_editions(a, there);
  } else {
    a->flaws->failed = true;
  }
  free(runs.entry);
}

int lb_mlperf_manifest_check(const struct lb_mlperf_tree *t, const char *mode,
                             const char *org, char edition[LB_MLPERF_NAME],
                             struct lb_mlperf_flaws *flaws, struct lb_err *err)
{
  char path[PATH_MAX], *text = NULL;
  size_t len;
  struct lb_arena arena = {0};
  struct lb_err bad = LB_ERR_INIT;
  const struct lb_source from = {.file = path};
  struct lb_node *root = NULL;
  struct entries there;
  struct against a = {.file = path, .edition = "", .flaws = flaws};
  *flaws = (struct lb_mlperf_flaws){0};
  *edition = '\0';
  if (snprintf(path, sizeof path, "%s/%s/%s/%s", t->root, mode, org,
               LB_MLPERF_MANIFEST_NAME) >= PATH_MAX)
    return lb_err_sys(err, LB_FAILED, ENAMETOOLONG, "%s", t->root);
  if (access(path, F_OK))
    return 0;
  if (lb_mlperf_slurp(path, LB_FAILED, &text, &len, err))
    return -err->code;
  if (!list_leaves(t, mode, org, &there))
    flaws->failed = true;
  else if (lb_yaml_parse(&arena, text, len, &from, &root, &bad))
    lb_mlperf_flaw_of(flaws, &bad);
  else
    check_root(&a, root, &there);
  snprintf(edition, LB_MLPERF_NAME, "%s", a.edition);
  lb_arena_fini(&arena);
  free(there.entry);
  free(text);
  return flaws->failed ? lb_err_set(err, LB_FAILED, "%s: no memory", path) : 0;
}
