/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A workload's text and overrides into struct lb_workload: tree, then a flat
 * list of canonical keys, then typed fields.  No file is touched. */
#include "lb-config.h"

#include "config/config_impl.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ENTRIES = 4096 };

struct entry *entry_find(const struct entries *e, const char *key)
{
  for (size_t i = 0; i < e->n; i++)
    if (!strcmp(e->v[i].key, key))
      return &e->v[i];
  return NULL;
}

static int unknown_key(const struct lb_workload_own *own,
                       const struct lb_node *n, const char *key,
                       struct lb_err *err)
{
  char near[LB_KEY_LEN];
  if (key_nearest(own->blocks, own->n_blocks, key, near))
    return lb_node_error(own->file, n, key, err,
                         "unknown key; did you mean %s?", near);
  return lb_node_error(own->file, n, key, err,
                       "unknown key; `loadbank config keys' lists all");
}

int entries_add_one(struct lb_workload_own *own, struct lb_node *n,
                    const char *key, bool replace, struct lb_err *err)
{
  struct entries *e = &own->entries;
  struct entry *old = entry_find(e, key);
  if (old && !replace)
    return lb_node_error(
        own->file, n, key, err,
        "given twice, under this or another name: also in line "
        "%d",
        old->node->line);
  if (!old && e->n == e->max) {
    size_t max = e->max ? 2 * e->max : 64;
    struct entry *v =
        max <= MAX_ENTRIES ? realloc(e->v, max * sizeof *v) : NULL;
    if (!v)
      return lb_err_set(err, LB_FAILED, "%s: too many keys", own->file);
    e->v = v;
    e->max = max;
  }
  if (!old)
    old = &e->v[e->n++];
  snprintf(old->key, sizeof old->key, "%s", key);
  old->node = n;
  return 0;
}

static int note_ignored(struct lb_workload_own *own, const char *key,
                        const char *why, struct lb_err *err)
{
  return notes_add(&own->notes, err, "%s: ignored: %s", key, why);
}

/* Hydra's list of what to compose: nothing is composed here, so it may only
 * say what needs no composing. */
static int check_defaults(struct lb_workload_own *own,
                          const struct lb_node *list, struct lb_err *err)
{
  for (const struct lb_node *n = list->first; n; n = n->next) {
    const struct lb_node *one = n->kind == LB_NODE_MAP ? n->first : n;
    const char *name = one && one->key ? one->key : one ? one->text : NULL;
    if (name && (!strcmp(name, "_self_") || strstr(name, "hydra/")))
      continue;
    return lb_node_error(
        own->file, n, "defaults", err,
        "a workload is one file here, nothing is composed; give "
        "the workload's own file or `workload=NAME'");
  }
  return note_ignored(own, "defaults", "nothing is composed here", err);
}

/* A key with a value of any kind; where it leads, in this order. */
static int add_member(struct lb_workload_own *own, struct lb_node *n,
                      const char *path, bool replace, struct lb_err *err)
{
  char key[LB_KEY_LEN];
  if (!strcmp(path, "workload") && n->kind == LB_NODE_MAP)
    return entries_add(own, n, "", replace, err);
  if (!strcmp(path, "defaults") && n->kind == LB_NODE_LIST)
    return check_defaults(own, n, err);
  if (!strcmp(path, "hydra"))
    return note_ignored(
        own, path, "Hydra is not used; hydra.run.dir is an override here", err);
  key_canonical(path, key);
  if (!strcmp(key, "model") && n->kind == LB_NODE_SCALAR)
    snprintf(key, sizeof key, "model.name");
  const char *why = key_ignored(key);
  if (why)
    return note_ignored(own, key, why, err);
  size_t i = 0;
  if (option_find(own->blocks, own->n_blocks, key, &i))
    return entries_add_one(own, n, key, replace, err);
  if (!key_is_section(own->blocks, own->n_blocks, key))
    return unknown_key(own, n, path, err);
  if (n->kind == LB_NODE_NULL)
    return 0;
  if (n->kind != LB_NODE_MAP)
    return lb_node_error(own->file, n, path, err,
                         "a section; it holds keys, not a value");
  return entries_add(own, n, path, replace, err);
}

int entries_add(struct lb_workload_own *own, struct lb_node *map,
                const char *prefix, bool replace, struct lb_err *err)
{
  for (struct lb_node *n = map->first; n; n = n->next) {
    char path[LB_KEY_LEN];
    int len = snprintf(path, sizeof path, "%s%s%s", prefix, *prefix ? "." : "",
                       n->key);
    if (len >= LB_KEY_LEN)
      return lb_node_error(own->file, n, NULL, err, "a key that is too long");
    int rc = add_member(own, n, path, replace, err);
    if (rc)
      return rc;
  }
  return 0;
}

/* Numbers of a part of the workflow that is off need not be possible: shipped
 * workloads have epochs_between_evals: 0 and no evaluation. */
static bool any_range(const struct lb_workload *w, const char *key)
{
  static const char *const sections[] = {
      "evaluation.", "checkpoint.", "profiling.", "reader.batch_size_eval"};
  for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
    if (!strncmp(key, sections[i], strlen(sections[i])))
      return !workload_uses(w, key);
  return false;
}

/* Every table that has the key takes the value. */
static int set_entry(struct lb_workload *w, const struct entry *e,
                     struct lb_err *err)
{
  struct lb_workload_own *own = w->own;
  if (e->node->kind == LB_NODE_NULL)
    return 0; /* the default */
  struct setter s = {.file = own->file,
                     .key = e->key,
                     .any_range = any_range(w, e->key),
                     .notes = &own->notes};
  size_t i = 0;
  const struct lb_option *o;
  for (; (o = option_find(own->blocks, own->n_blocks, e->key, &i)); i++) {
    int rc = value_set(&s, o, own->blocks[i].data + o->offset, e->node, err);
    if (!rc && o->ignored)
      rc = note_ignored(own, e->key, o->ignored, err);
    if (rc)
      return rc;
  }
  return 0;
}

/* The workflow first: it decides whose ranges count. */
static int set_entries(struct lb_workload *w, struct lb_err *err)
{
  const struct entries *e = &w->own->entries;
  for (int pass = 0; pass < 2; pass++)
    for (size_t i = 0; i < e->n; i++) {
      bool workflow = !strncmp(e->v[i].key, "workflow.", 9);
      int rc = workflow == (pass == 0) ? set_entry(w, &e->v[i], err) : 0;
      if (rc)
        return rc;
    }
  return 0;
}

static int set_defaults(struct lb_workload *w, struct lb_err *err)
{
  struct lb_workload_own *own = w->own;
  own->n_blocks = blocks_list(own->blocks);
  own->blocks[0].data = (char *)w;
  for (size_t i = 1; i < own->n_blocks; i++) {
    own->blocks[i].data = calloc(1, own->blocks[i].size);
    if (!own->blocks[i].data)
      return lb_err_set(err, LB_FAILED, "no memory");
  }
  for (size_t i = 0; i < own->n_blocks; i++)
    for (size_t j = 0; j < own->blocks[i].n; j++) {
      const struct lb_option *o = &own->blocks[i].options[j];
      int rc = value_set_default(o, own->blocks[i].data + o->offset, err);
      if (rc)
        return rc;
    }
  return 0;
}

/* "a/unet3d.yaml" is unet3d. */
static void base_name(const char *path, char out[LB_NAME_LEN])
{
  const char *slash = strrchr(path, '/');
  snprintf(out, LB_NAME_LEN, "%s", slash ? slash + 1 : path);
  char *dot = strrchr(out, '.');
  if (dot && (!strcmp(dot, ".yaml") || !strcmp(dot, ".yml")))
    *dot = '\0';
}

static int load(struct lb_workload *w, const char *text, size_t len,
                const char *const *overrides, int n, struct lb_err *err)
{
  struct lb_workload_own *own = w->own;
  if (len > LB_WORKLOAD_MAX)
    return lb_err_set(err, LB_USAGE, "%s: %zu bytes; a workload has at most %d",
                      own->file, len, LB_WORKLOAD_MAX);
  int rc = set_defaults(w, err);
  if (rc)
    return rc;
  struct lb_node *root = NULL;
  const struct lb_source from = {.file = own->file};
  rc = lb_yaml_parse(&own->arena, text, len, &from, &root, err);
  if (rc)
    return rc;
  if (root->kind != LB_NODE_MAP)
    return lb_node_error(own->file, root, NULL, err,
                         root->kind == LB_NODE_NULL
                             ? "empty: it holds no keys"
                             : "not a map of keys, as a workload is");
  rc = entries_add(own, root, "", false, err);
  for (int i = 0; i < n && !rc; i++)
    rc = override_apply(own, overrides[i], err);
  if (!rc)
    rc = set_entries(w, err);
  return rc ? rc : workload_derive(w, err);
}

int lb_workload_load(const char *text, size_t len, const char *name,
                     const char *const *overrides, int n_overrides,
                     struct lb_workload **w, struct lb_err *err)
{
  int rc = 0;
  struct lb_workload *new = calloc(1, sizeof *new);
  *w = NULL;
  if (!new)
    return lb_err_set(err, LB_FAILED, "no memory");
  new->own = calloc(1, sizeof *new->own);
  if (new->own)
    new->own->file = lb_arena_text(&new->own->arena, name, strlen(name));
  if (!new->own || !new->own->file) {
    rc = lb_err_set(err, LB_FAILED, "no memory");
    goto out;
  }
  base_name(name, new->name);
  rc = load(new, text, len, overrides, n_overrides, err);
out:
  if (rc)
    lb_workload_free(new);
  else
    *w = new;
  return rc;
}

int lb_workload_read_files(struct lb_workload *w, struct lb_err *err)
{
  struct lb_workload_own *own = w->own;
  for (size_t i = 0; i < own->n_blocks; i++) {
    struct block *b = &own->blocks[i];
    for (size_t j = 0; b->data && j < b->n; j++) {
      struct lb_dist *d = (struct lb_dist *)(b->data + b->options[j].offset);
      if (b->options[j].type != LB_OPT_DIST || !d->file[0] || d->values)
        continue;
      if (lb_dist_load(d, err)) {
        char key[LB_KEY_LEN];
        option_key(b, &b->options[j], key);
        return lb_err_wrap(err, "%s", key);
      }
    }
  }
  workload_derive_request(w);
  return 0;
}

void lb_workload_free(struct lb_workload *w)
{
  if (!w)
    return;
  struct lb_workload_own *own = w->own;
  if (own) {
    for (size_t i = 0; i < own->n_blocks; i++) {
      struct block *b = &own->blocks[i];
      for (size_t j = 0; b->data && j < b->n; j++)
        value_free(&b->options[j], b->data + b->options[j].offset);
      if (i > 0)
        free(b->data);
    }
    for (int i = 0; i < own->notes.n; i++)
      free(own->notes.v[i]);
    free(own->notes.v);
    free(own->entries.v);
    lb_arena_fini(&own->arena);
    free(own);
  }
  free(w);
}

int lb_workload_n_notes(const struct lb_workload *w)
{
  return w->own->notes.n;
}

const char *lb_workload_note(const struct lb_workload *w, int i)
{
  return w->own->notes.v[i];
}

bool lb_workload_is_set(const struct lb_workload *w, const char *key)
{
  const struct entry *e = entry_find(&w->own->entries, key);
  return e && e->node->kind != LB_NODE_NULL;
}

int lb_workload_error(const struct lb_workload *w, const char *key,
                      struct lb_err *err, const char *fmt, ...)
{
  char msg[700];
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(msg, sizeof msg, fmt, ap);
  va_end(ap);
  const struct entry *e = entry_find(&w->own->entries, key);
  return lb_node_error(w->own->file, e ? e->node : NULL, key, err, "%s", msg);
}
