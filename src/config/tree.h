/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inside src/config: a YAML text as a tree, in memory that goes all at once. */
#ifndef LB_CONFIG_TREE_H
#define LB_CONFIG_TREE_H

#include <stddef.h>

#include "loadbank/err.h"

/* ---- arena.c: memory that goes all at once ---- */

struct arena {
  struct arena_block *head;
};
void *arena_new(struct arena *a, size_t size); /* zeroed, or NULL */
char *arena_text(struct arena *a, const char *text, size_t len);
void arena_fini(struct arena *a);

/* ---- yaml.c: text to tree ---- */

enum {
  KEY_LEN = 256,  /* of a dotted key */
  MAX_DEPTH = 24, /* of YAML nesting */
  MAX_NODES = 65536,
  MAX_MEMBERS = 1024 /* of one map: duplicates are looked for pairwise */
};

enum node_kind { NODE_NULL, NODE_SCALAR, NODE_LIST, NODE_MAP };

struct node {
  enum node_kind kind;
  const char *text; /* NODE_SCALAR */
  const char *key;  /* within a map, else NULL */
  int line;
  const char *override; /* the override it comes from, NULL: the file */
  struct node *parent, *first, *last, *next;
  size_t n; /* children */
};

/* Where a text comes from, for messages. */
struct source {
  const char *file;
  const char *override;
};

/* The one document of the text.  An empty one is an error. */
int yaml_parse(struct arena *a, const char *text, size_t len,
               const struct source *from, struct node **root,
               struct lb_err *err);
/* Puts a child at the end. */
void node_append(struct node *parent, struct node *child);
/* "file:line: " or "override 'x': ", then "key: " (NULL: none), the text. */
int node_error(const char *file, const struct node *n, const char *key,
               struct lb_err *err, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));

#endif
