/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A YAML text as a tree whose nodes know their line, in memory that goes all at
 * once.  Pure; one thread at a time. */
#ifndef LOADBANK_YAML_H
#define LOADBANK_YAML_H

#include <stdbool.h>
#include <stddef.h>

#include "loadbank/err.h"

/* ---- arena.c: memory that goes all at once ---- */

struct lb_arena {
  struct lb_arena_block *head;
};
void *lb_arena_new(struct lb_arena *a, size_t size); /* zeroed, or NULL */
char *lb_arena_text(struct lb_arena *a, const char *text, size_t len);
void lb_arena_fini(struct lb_arena *a);

/* ---- yaml.c: text to tree ---- */

enum {
  LB_KEY_LEN = 256,           /* of a dotted key */
  LB_YAML_MAX_DEPTH = 24,     /* of YAML nesting */
  LB_YAML_MAX_NODES = 262144, /* the inventory of 20 000 leaves */
  LB_YAML_MAX_MEMBERS =
      1024 /* of one map: duplicates are looked for pairwise */
};

enum lb_node_kind { LB_NODE_NULL, LB_NODE_SCALAR, LB_NODE_LIST, LB_NODE_MAP };

struct lb_node {
  enum lb_node_kind kind;
  const char *text; /* LB_NODE_SCALAR */
  bool plain;       /* its text stands without quotes */
  const char *key;  /* within a map, else NULL */
  int line;
  const char *override; /* the override it comes from, NULL: the file */
  struct lb_node *parent, *first, *last, *next;
  size_t n; /* children */
};

/* Where a text comes from, for messages. */
struct lb_source {
  const char *file;
  const char *override;
};

/* The one document of the text.  An empty one is an error. */
int lb_yaml_parse(struct lb_arena *a, const char *text, size_t len,
                  const struct lb_source *from, struct lb_node **root,
                  struct lb_err *err);
/* Puts a child at the end. */
void lb_node_append(struct lb_node *parent, struct lb_node *child);
/* "file:line: " or "override 'x': ", then "key: " (NULL: none), the text. */
int lb_node_error(const char *file, const struct lb_node *n, const char *key,
                  struct lb_err *err, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));

#endif
