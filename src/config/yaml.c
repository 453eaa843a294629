/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A YAML text as a tree of nodes with their lines, by libyaml's events.  What
 * a key means is not known here.  Refused: nesting and numbers of nodes beyond
 * reason, aliases (they can blow up), duplicate keys (libyaml takes them),
 * tags of others, a second document. */
#include "lb-config.h"

#include "loadbank/yaml.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <yaml.h>

struct parse {
  struct lb_arena *arena;
  struct lb_source from;
  struct lb_node *root;
  struct lb_node *at;  /* the open list or map */
  const char *pending; /* key of the value to come */
  int pending_line;
  int depth, n_nodes, n_documents;
};

int lb_node_error(const char *file, const struct lb_node *n, const char *key,
                  struct lb_err *err, const char *fmt, ...)
{
  char msg[700];
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(msg, sizeof msg, fmt, ap);
  va_end(ap);
  const char *colon = key ? ": " : "";
  key = key ? key : "";
  if (n && n->override)
    return lb_err_set(err, LB_USAGE, "override '%.200s': %s%s%s", n->override,
                      key, colon, msg);
  if (n && n->line)
    return lb_err_set(err, LB_USAGE, "%s:%d: %s%s%s", file, n->line, key, colon,
                      msg);
  return lb_err_set(err, LB_USAGE, "%s: %s%s%s", file, key, colon, msg);
}

void lb_node_append(struct lb_node *parent, struct lb_node *child)
{
  child->parent = parent;
  child->next = NULL;
  if (parent->last)
    parent->last->next = child;
  else
    parent->first = child;
  parent->last = child;
  parent->n++;
}

/* "a.b" of the key under `at'; the outermost names are cut when too long. */
static void path_of(const struct lb_node *at, const char *key,
                    char out[LB_KEY_LEN])
{
  size_t end = LB_KEY_LEN - 1;
  out[end] = '\0';
  for (; key; key = at ? at->key : NULL, at = at ? at->parent : NULL) {
    size_t n = strlen(key), dot = out[end] != '\0';
    if (n + dot > end)
      break;
    if (dot)
      out[--end] = '.';
    end -= n;
    memcpy(out + end, key, n);
  }
  memmove(out, out + end, LB_KEY_LEN - end);
}

static int fail(const struct parse *p, int line, struct lb_err *err,
                const char *text)
{
  const struct lb_node here = {.line = line, .override = p->from.override};
  char path[LB_KEY_LEN] = "";
  path_of(p->at, p->pending ? p->pending : p->at ? p->at->key : NULL, path);
  return lb_node_error(p->from.file, &here, *path ? path : NULL, err, "%s",
                       text);
}

static int add(struct parse *p, struct lb_node *n, struct lb_err *err)
{
  if (++p->n_nodes > LB_YAML_MAX_NODES)
    return fail(p, n->line, err, "more values than are taken");
  n->override = p->from.override;
  n->key = p->pending;
  p->pending = NULL;
  if (p->at)
    lb_node_append(p->at, n);
  else
    p->root = n;
  return 0;
}

/* A scalar where a key is due.  1: taken as one. */
static int take_key(struct parse *p, const char *text, int line,
                    struct lb_err *err)
{
  if (!p->at || p->at->kind != LB_NODE_MAP || p->pending)
    return 0;
  if (p->at->n >= LB_YAML_MAX_MEMBERS)
    return fail(p, line, err, "more keys than a section can have");
  p->pending = text;
  p->pending_line = line;
  if (!*text || strlen(text) >= LB_KEY_LEN / 2)
    return fail(p, line, err, "not a key");
  for (const struct lb_node *n = p->at->first; n; n = n->next)
    if (!strcmp(n->key, text)) {
      char msg[64];
      snprintf(msg, sizeof msg, "given twice, first in line %d", n->line);
      return fail(p, line, err, msg);
    }
  return 1;
}

static bool is_null(const yaml_event_t *e, const char *text)
{
  return e->data.scalar.style == YAML_PLAIN_SCALAR_STYLE &&
         (!*text || !strcmp(text, "~") || !strcmp(text, "null") ||
          !strcmp(text, "Null") || !strcmp(text, "NULL"));
}

static int on_scalar(struct parse *p, const yaml_event_t *e, int line,
                     struct lb_err *err)
{
  const char *bytes = (const char *)e->data.scalar.value;
  size_t len = e->data.scalar.length;
  if (memchr(bytes, '\0', len))
    return fail(p, line, err, "a text with a zero byte");
  char *text = lb_arena_text(p->arena, bytes, len);
  struct lb_node *n = lb_arena_new(p->arena, sizeof *n);
  if (!text || !n)
    return lb_err_set(err, LB_FAILED, "%s: no memory", p->from.file);
  int rc = take_key(p, text, line, err);
  if (rc)
    return rc < 0 ? rc : 0;
  n->kind = is_null(e, text) ? LB_NODE_NULL : LB_NODE_SCALAR;
  n->text = n->kind == LB_NODE_SCALAR ? text : NULL;
  n->plain = e->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
  n->line = p->pending ? p->pending_line : line;
  return add(p, n, err);
}

static int on_open(struct parse *p, enum lb_node_kind kind, int line,
                   struct lb_err *err)
{
  if (++p->depth > LB_YAML_MAX_DEPTH)
    return fail(p, line, err, "nested too deeply");
  if (p->at && p->at->kind == LB_NODE_MAP && !p->pending)
    return fail(p, line, err, "a list or map cannot be a key");
  struct lb_node *n = lb_arena_new(p->arena, sizeof *n);
  if (!n)
    return lb_err_set(err, LB_FAILED, "%s: no memory", p->from.file);
  n->kind = kind;
  n->line = p->pending ? p->pending_line : line;
  int rc = add(p, n, err);
  p->at = n;
  return rc;
}

static int check_tag(const struct parse *p, const yaml_char_t *tag, int line,
                     struct lb_err *err)
{
  static const char core[] = "tag:yaml.org,2002:";
  if (!tag || !strcmp((const char *)tag, "!") ||
      (!strncmp((const char *)tag, core, sizeof core - 1) &&
       !strchr((const char *)tag, '/')))
    return 0;
  return fail(p, line, err, "a tag that is not YAML's own");
}

static int on_event(struct parse *p, const yaml_event_t *e, struct lb_err *err)
{
  int line = (int)e->start_mark.line + 1, rc;
  switch (e->type) {
  case YAML_DOCUMENT_START_EVENT:
    if (p->n_documents++)
      return fail(p, line, err, "a second document; a file has one");
    return 0;
  case YAML_ALIAS_EVENT:
    return fail(p, line, err,
                "YAML aliases are not taken; write the value out");
  case YAML_SCALAR_EVENT:
    rc = check_tag(p, e->data.scalar.tag, line, err);
    return rc ? rc : on_scalar(p, e, line, err);
  case YAML_SEQUENCE_START_EVENT:
    rc = check_tag(p, e->data.sequence_start.tag, line, err);
    return rc ? rc : on_open(p, LB_NODE_LIST, line, err);
  case YAML_MAPPING_START_EVENT:
    rc = check_tag(p, e->data.mapping_start.tag, line, err);
    return rc ? rc : on_open(p, LB_NODE_MAP, line, err);
  case YAML_SEQUENCE_END_EVENT:
  case YAML_MAPPING_END_EVENT:
    if (p->at) /* only what has begun ends */
      p->at = p->at->parent;
    p->depth--;
    return 0;
  default:
    return 0;
  }
}

static int parser_error(const struct parse *p, const yaml_parser_t *y,
                        struct lb_err *err)
{
  const struct lb_node here = {.line = (int)y->problem_mark.line + 1,
                               .override = p->from.override};
  if (y->error == YAML_MEMORY_ERROR)
    return lb_err_set(err, LB_FAILED, "%s: no memory", p->from.file);
  if (y->error == YAML_READER_ERROR)
    return lb_node_error(p->from.file, NULL, NULL, err,
                         "not a YAML text: %s (at byte %zu)",
                         y->problem ? y->problem : "", y->problem_offset);
  return lb_node_error(p->from.file, &here, NULL, err, "not YAML: %s%s%s",
                       y->context ? y->context : "", y->context ? ": " : "",
                       y->problem ? y->problem : "");
}

int lb_yaml_parse(struct lb_arena *a, const char *text, size_t len,
                  const struct lb_source *from, struct lb_node **root,
                  struct lb_err *err)
{
  struct parse p = {.arena = a, .from = *from};
  yaml_parser_t y;
  if (!yaml_parser_initialize(&y))
    return lb_err_set(err, LB_FAILED, "%s: no memory", from->file);
  yaml_parser_set_input_string(&y, (const unsigned char *)text, len);
  int rc = 0;
  for (bool more = true; more && !rc;) {
    yaml_event_t e;
    if (!yaml_parser_parse(&y, &e)) {
      rc = parser_error(&p, &y, err);
      break;
    }
    more = e.type != YAML_STREAM_END_EVENT;
    rc = on_event(&p, &e, err);
    yaml_event_delete(&e);
  }
  yaml_parser_delete(&y);
  if (!rc && !p.root)
    rc = lb_node_error(from->file, NULL, NULL, err, "empty: it holds no keys");
  *root = p.root;
  return rc;
}
