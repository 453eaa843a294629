/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A row of an option table: the one place where a key's type, default, range
 * and words are written.  Parser, range check, overrides, `config keys',
 * docs/configuration.md and the saved configuration all come from it.
 *
 *   #define OPT(field, ...) LB_OPTION(struct lb_simulated, field, __VA_ARGS__)
 *   static const struct lb_option options[] = {
 *     OPT(read_bandwidth, .def = "0", .min = 0, .max = 1e15,
 *         .unit = "bytes/s", .doc = "Bandwidth of reads; 0 is infinite."),
 *   };
 *
 * The macro takes key, offset and type from the C field, so they cannot
 * disagree.  Defaults are written as a user would write them and pass through
 * the same parser. */
#ifndef LOADBANK_OPTION_H
#define LOADBANK_OPTION_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "loadbank/err.h"

struct lb_dist;

enum { LB_LIST_MAX = 32 };

struct lb_ints { /* [1, 2, 3] */
  int n;
  int64_t v[LB_LIST_MAX];
};

struct lb_strs { /* [a, b] */
  int n;
  char v[LB_LIST_MAX][256];
};

struct lb_paths { /* a, or [a, b]; at least one */
  int n;
  char v[LB_LIST_MAX][PATH_MAX];
};

struct lb_column {
  char name[64], dtype[32];
  int64_t size; /* elements in a row */
  bool read;
};

struct lb_columns {    /* [{name: a, dtype: int8, size: 1, read: true}] */
  struct lb_column *v; /* owned by whoever has the table; NULL when empty */
  int64_t n;
};

enum lb_option_type {
  LB_OPT_BOOL, /* bool */
  LB_OPT_WORD, /* int: index into .words */
  LB_OPT_INT,  /* int64_t; with .unit "bytes" also KiB, MiB, GiB, KB ... */
  LB_OPT_REAL, /* double */
  LB_OPT_TEXT, /* char[] */
  LB_OPT_DIST, /* struct lb_dist: a number or a map */
  LB_OPT_INTS,
  LB_OPT_STRS,
  LB_OPT_PATHS,
  LB_OPT_COLUMNS,
};

#define LB_OPTION_TYPE(field) \
  _Generic(&(field), bool *                                                    \
           : LB_OPT_BOOL, int *                                                \
           : LB_OPT_WORD, int64_t *                                            \
           : LB_OPT_INT, double *                                              \
           : LB_OPT_REAL, struct lb_dist *                                     \
           : LB_OPT_DIST, struct lb_ints *                                     \
           : LB_OPT_INTS, struct lb_strs *                                     \
           : LB_OPT_STRS, struct lb_paths *                                    \
           : LB_OPT_PATHS, struct lb_columns *                                 \
           : LB_OPT_COLUMNS, default                                           \
           : LB_OPT_TEXT)

#define LB_OPTION(type_, field_, ...)                                      \
  {                                                                        \
    .key = #field_, .type = LB_OPTION_TYPE(((type_ *)0)->field_),          \
    .offset = offsetof(type_, field_), .size = sizeof((type_ *)0)->field_, \
    __VA_ARGS__                                                            \
  }

struct lb_option {
  const char *key; /* dotted; below the prefix of its table */
  enum lb_option_type type;
  size_t offset, size;      /* of the field */
  const char *def;          /* as a user would write it; NULL: empty */
  double min, max;          /* allowed range; both 0: any */
  const char *const *words; /* LB_OPT_WORD: allowed words, NULL at the end */
  const char *unit;         /* "bytes", "s", "samples" ... */
  const char *doc;          /* one sentence with a full stop */
  /* Not NULL: a value that differs from the default loads and shows, but is
   * refused by `run' ("not supported yet: <later>"). */
  const char *later;
  /* LB_OPT_WORD with some words still to come: those, separated by '|'. */
  const char *later_words;
  /* Not NULL: the key means nothing here, for this reason; warned of once. */
  const char *ignored;
};

/* Puts a value of a command line into its field of *table: a switch, a word, a
 * number or a text; name: the option's, for messages. */
int lb_option_set(const struct lb_option *o, const char *name, void *table,
                  const char *text, struct lb_err *err);

#endif
