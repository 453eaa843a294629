/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Overrides of the command line, as Hydra writes them: a.b=c, ++workload.a.b=c,
 * +workload.a.b=c, workload.a.b=c, ~a.b.  They change the list of keys that the
 * file gave, before any value gets its type. */
#include "lb-config.h"

#include "config/config_impl.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static bool is_workload(const char *text)
{
  text += strspn(text, "+");
  return !strncmp(text, "workload=", 9);
}

const char *lb_override_workload(const char *const *overrides, int n)
{
  const char *name = NULL;
  for (int i = 0; i < n; i++)
    if (is_workload(overrides[i]))
      name = strchr(overrides[i], '=') + 1;
  return name;
}

static int bad(const char *text, struct lb_err *err, const char *what)
{
  return lb_err_set(err, LB_USAGE, "override '%.200s': %s", text, what);
}

/* Bytes that follow the first one of a character; -1: none begins so. */
static int bytes_behind(unsigned char first)
{
  if (first < 0x80)
    return 0;
  if (first >= 0xc2 && first < 0xe0)
    return 1;
  if (first >= 0xe0 && first < 0xf0)
    return 2;
  return first >= 0xf0 && first < 0xf5 ? 3 : -1;
}

/* As far as the saved configuration must be readable: the form, not whether
 * there is such a character. */
static bool is_utf8(const char *text)
{
  for (const unsigned char *c = (const unsigned char *)text; *c; c++)
    for (int n = bytes_behind(*c); n; n--)
      if (n < 0 || (*++c & 0xc0) != 0x80)
        return false;
  return true;
}

/* Hydra takes {a:1} where YAML wants a blank after the colon. */
static char *with_blanks(struct lb_arena *a, const char *value)
{
  size_t n = strlen(value);
  char *out = lb_arena_new(a, 2 * n + 1);
  bool name = false; /* only name characters since the last { or , */
  char quote = '\0';
  int maps = 0; /* that are open: in a list a name may be file:///x */
  for (size_t i = 0, j = 0; out && i < n; i++) {
    char c = value[i];
    out[j++] = c;
    if (quote || c == '"' || c == '\'') {
      quote = quote == c ? '\0' : quote ? quote : c;
      name = false;
    } else if (c == '{' || c == ',' || c == '}') {
      maps += (c == '{') - (c == '}');
      name = c != '}' && maps > 0;
    } else if (c == ':' && name) {
      out[j++] = ' ';
      name = false;
    } else if (!isalnum((unsigned char)c) && c != '_' && c != ' ') {
      name = false;
    }
  }
  return out;
}

/* Lists, maps and quoted texts are YAML; anything else is what it says. */
static int parse_value(struct lb_workload_own *own, const char *text,
                       const char *value, struct lb_node **out,
                       struct lb_err *err)
{
  if (*value && strchr("[{\"'", *value)) {
    char *yaml = with_blanks(&own->arena, value);
    if (!yaml)
      return lb_err_set(err, LB_FAILED, "no memory");
    const struct lb_source from = {.file = own->file, .override = text};
    return lb_yaml_parse(&own->arena, yaml, strlen(yaml), &from, out, err);
  }
  struct lb_node *n = lb_arena_new(&own->arena, sizeof *n);
  if (!n)
    return lb_err_set(err, LB_FAILED, "no memory");
  bool null = !strcmp(value, "null") || !strcmp(value, "~");
  n->kind = null ? LB_NODE_NULL : LB_NODE_SCALAR;
  n->text = null ? NULL : value;
  n->override = text;
  *out = n;
  return 0;
}

/* ~a.b: as if the file did not have it. */
static int remove_key(struct lb_workload_own *own, const char *text,
                      const char *key, struct lb_err *err)
{
  size_t i = 0, kept = 0, len = strlen(key);
  if (!option_find(own->blocks, own->n_blocks, key, &i) &&
      !key_is_section(own->blocks, own->n_blocks, key)) {
    const struct lb_node n = {.override = text};
    char near[LB_KEY_LEN];
    const char *known = key_nearest(own->blocks, own->n_blocks, key, near);
    return lb_node_error(own->file, &n, key, err, "unknown key%s%s",
                         known ? "; did you mean " : "", known ? near : "");
  }
  struct entries *e = &own->entries;
  for (size_t j = 0; j < e->n; j++) {
    const char *k = e->v[j].key;
    bool below = !strncmp(k, key, len) && (!k[len] || k[len] == '.');
    if (!below)
      e->v[kept++] = e->v[j];
  }
  e->n = kept;
  return 0;
}

/* a.b.mean=c, where a.b is a distribution: changes one member of its map (a
 * number there becomes the mean).  1: it was one. */
static int set_dist_member(struct lb_workload_own *own, const char *key,
                           struct lb_node *value, struct lb_err *err)
{
  char parent[LB_KEY_LEN];
  snprintf(parent, sizeof parent, "%s", key);
  char *dot = strrchr(parent, '.');
  size_t i = 0;
  if (!dot)
    return 0;
  *dot = '\0';
  const struct lb_option *o =
      option_find(own->blocks, own->n_blocks, parent, &i);
  if (!o || o->type != LB_OPT_DIST)
    return 0;
  const struct entry *old = entry_find(&own->entries, parent);
  struct lb_node *map = lb_arena_new(&own->arena, sizeof *map);
  const char *member = lb_arena_text(&own->arena, dot + 1, strlen(dot + 1));
  if (!map || !member)
    return lb_err_set(err, LB_FAILED, "no memory");
  *map = (struct lb_node){.kind = LB_NODE_MAP, .override = value->override};
  const struct lb_node *from =
      old && old->node->kind == LB_NODE_MAP ? old->node->first : NULL;
  if (old && old->node->kind == LB_NODE_SCALAR) {
    struct lb_node *mean = lb_arena_new(&own->arena, sizeof *mean);
    if (!mean)
      return lb_err_set(err, LB_FAILED, "no memory");
    *mean = *old->node;
    mean->key = "mean";
    mean->next = NULL;
    from = mean;
  }
  for (; from; from = from->next) {
    struct lb_node *copy = lb_arena_new(&own->arena, sizeof *copy);
    if (!copy)
      return lb_err_set(err, LB_FAILED, "no memory");
    *copy = *from;
    if (strcmp(copy->key, member) != 0)
      lb_node_append(map, copy);
  }
  value->key = member;
  lb_node_append(map, value);
  int rc = entries_add_one(own, map, parent, true, err);
  return rc ? rc : 1;
}

static int assign(struct lb_workload_own *own, const char *text,
                  const char *key, const char *value, struct lb_err *err)
{
  struct lb_node *n = NULL;
  char canonical[LB_KEY_LEN];
  int rc = parse_value(own, text, value, &n, err);
  if (rc || !n)
    return rc;
  key_canonical(key, canonical);
  rc = set_dist_member(own, canonical, n, err);
  if (rc)
    return rc < 0 ? rc : 0;
  if (!strncmp(canonical, "hydra", 5) &&
      (canonical[5] == '.' || canonical[5] == '/'))
    return notes_add(&own->notes, err, "%s: ignored: Hydra is not used", key);
  /* A map of one key that walks the same way as the file's keys. */
  struct lb_node *map = lb_arena_new(&own->arena, sizeof *map);
  if (!map)
    return lb_err_set(err, LB_FAILED, "no memory");
  *map = (struct lb_node){.kind = LB_NODE_MAP, .override = text};
  n->key = lb_arena_text(&own->arena, canonical, strlen(canonical));
  if (!n->key)
    return lb_err_set(err, LB_FAILED, "no memory");
  lb_node_append(map, n);
  return entries_add(own, map, "", true, err);
}

int override_apply(struct lb_workload_own *own, const char *text,
                   struct lb_err *err)
{
  if (!is_utf8(text))
    return bad(text, err, "is not valid UTF-8");
  if (is_workload(text))
    return 0;
  const char *start = text + strspn(text, "+");
  bool removes = *start == '~';
  start += removes;
  size_t len = strcspn(start, "=");
  if (!strncmp(start, "workload.", 9) && len > 9) {
    start += 9;
    len -= 9;
  }
  if (!len || len >= LB_KEY_LEN)
    return bad(text, err, "not KEY=VALUE or ~KEY");
  char key[LB_KEY_LEN], canonical[LB_KEY_LEN];
  snprintf(key, sizeof key, "%.*s", (int)len, start);
  key_canonical(key, canonical);
  if (removes)
    return remove_key(own, text, canonical, err);
  if (start[len] != '=')
    return bad(text, err, "not KEY=VALUE or ~KEY");
  return assign(own, text, key, start + len + 1, err);
}
