/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inside src/config: the tables of keys, and the steps from the tree of a YAML
 * text (yaml.h) to values. */
#ifndef LB_CONFIG_IMPL_H
#define LB_CONFIG_IMPL_H

#include <stdbool.h>
#include <stddef.h>

#include "loadbank/buf.h"
#include "loadbank/config.h"
#include "loadbank/err.h"
#include "loadbank/option.h"
#include "loadbank/yaml.h"

enum { MAX_BLOCKS = 64 }; /* option tables: the schema's and one per row */

/* ---- schema.c, alias.c, rows.c: what keys there are ---- */

/* One option table and where its keys stand. */
struct block {
  char prefix[64]; /* "" or "storage.storage_options" ... */
  const char *row; /* "simulated", "npz"; NULL: the schema */
  const struct lb_option *options;
  size_t n, size; /* size: bytes of its struct */
  char *data;     /* that struct; NULL where only keys are asked */
};

extern const struct lb_option schema[];
extern const size_t n_schema;

/* The schema and the tables of all rows; returns how many. */
size_t blocks_list(struct block out[MAX_BLOCKS]);
/* prefix.key of an option. */
void option_key(const struct block *b, const struct lb_option *o,
                char out[LB_KEY_LEN]);
/* The first table that has the key; *i: at or after that block. */
const struct lb_option *option_find(const struct block *b, size_t n,
                                    const char *key, size_t *i);
/* Is it the schema, or of the format and the storage_type that w has? */
bool block_chosen(const struct lb_workload *w, const struct block *b);
bool key_is_section(const struct block *b, size_t n, const char *key);
/* The known key that is nearest, or NULL when none is near. */
const char *key_nearest(const struct block *b, size_t n, const char *key,
                        char out[LB_KEY_LEN]);

/* Writes the canonical name. */
void key_canonical(const char *key, char out[LB_KEY_LEN]);
/* Why it means nothing here, or NULL. */
const char *key_ignored(const char *key);
/* Text keys whose values are names: the i-th known one, NULL at the end. */
typedef const char *names_fn(size_t i);
names_fn *key_names(const char *key);
bool key_is_secret(const char *key);
struct key_pair {
  const char *key, *text;
};
extern const struct key_pair key_aliases[]; /* other name, key; NULL ends */
extern const struct key_pair key_ignores[]; /* key or section, reason */

/* ---- value.c, dist.c: a node into a field ---- */

struct notes {
  char **v;
  int n;
};
int notes_add(struct notes *notes, struct lb_err *err, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

struct setter {
  const char *file, *key;
  bool any_range; /* the section is off: numbers may be out of range */
  struct notes *notes;
};
int value_set(const struct setter *s, const struct lb_option *o, void *field,
              const struct lb_node *n, struct lb_err *err);
/* The scalar's text, or an error (a list, a map, an interpolation). */
int value_text(const struct setter *s, const struct lb_option *o,
               const struct lb_node *n, const char **text, struct lb_err *err);
int value_real(const struct setter *s, const struct lb_option *o,
               const struct lb_node *n, double *value, struct lb_err *err);
int value_set_dist(const struct setter *s, const struct lb_option *o,
                   struct lb_dist *d, const struct lb_node *n,
                   struct lb_err *err);
int value_set_columns(const struct setter *s, const struct lb_option *o,
                      struct lb_columns *c, const struct lb_node *n,
                      struct lb_err *err);
int value_set_default(const struct lb_option *o, void *field,
                      struct lb_err *err);
void value_free(const struct lb_option *o, void *field);
/* "off, seed, random", "true, false", "1..100 samples" */
void option_allowed(const struct lb_option *o, const char *key,
                    struct lb_buf *out);
const char *option_type_name(const struct lb_option *o);
/* As YAML flow. */
void value_print(const struct lb_option *o, const void *field,
                 struct lb_buf *out);

/* ---- load.c, override.c, derive.c, check.c ---- */

/* A key that is given. */
struct entry {
  char key[LB_KEY_LEN]; /* canonical */
  struct lb_node *node;
};

struct entries {
  struct entry *v;
  size_t n, max;
};

struct lb_workload_own {
  struct lb_arena arena;
  const char *file; /* for messages */
  struct block blocks[MAX_BLOCKS];
  size_t n_blocks;
  struct entries entries;
  struct notes notes;
};

struct entry *entry_find(const struct entries *e, const char *key);
/* Walks a map below `prefix' and enters its keys.  replace: a key that is
 * there is replaced (an override), else given twice is an error. */
int entries_add(struct lb_workload_own *own, struct lb_node *map,
                const char *prefix, bool replace, struct lb_err *err);
/* One key with its value, whatever that is. */
int entries_add_one(struct lb_workload_own *own, struct lb_node *n,
                    const char *key, bool replace, struct lb_err *err);
int override_apply(struct lb_workload_own *own, const char *text,
                   struct lb_err *err);
int workload_derive(struct lb_workload *w, struct lb_err *err);
/* Once more when files of numbers have been read. */
void workload_derive_request(struct lb_workload *w);
/* Is the part of the workflow that a key belongs to on? */
bool workload_uses(const struct lb_workload *w, const char *key);
/* Names of files and folders that would not be where they say. */
int check_names(const struct lb_workload *w, struct lb_err *err);

/* ---- paths.c ---- */

/* After the backend is known. */
int derive_paths(struct lb_workload *w, struct lb_err *err);
/* Refuses an object store's address, where only paths make sense. */
int check_folder(const struct lb_workload *w, const char *key,
                 const char *folder, struct lb_err *err);
int check_roots(const struct lb_workload *w, struct lb_err *err);

#endif
