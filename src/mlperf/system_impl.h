/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The schema of a system's description: one table of keys. */
#ifndef LB_MLPERF_SYSTEM_IMPL_H
#define LB_MLPERF_SYSTEM_IMPL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mlperf/system.h"

/* What a value is. */
enum lb_system_type {
  LB_SYSTEM_TEXT,
  LB_SYSTEM_INTEGER,
  LB_SYSTEM_BOOLEAN,
  LB_SYSTEM_WORD,  /* one of words */
  LB_SYSTEM_WORDS, /* a list of such */
  LB_SYSTEM_MAP,
  LB_SYSTEM_MAPS /* a list of such */
};
/* The kinds of maps. */
enum lb_system_map {
  LB_SYSTEM_ROOT,
  LB_SYSTEM_UNDER_TEST,
  LB_SYSTEM_SOLUTION,
  LB_SYSTEM_ARCHITECTURE,
  LB_SYSTEM_CAPABILITIES,
  LB_SYSTEM_NODE,
  LB_SYSTEM_CHASSIS,
  LB_SYSTEM_PORT,
  LB_SYSTEM_DRIVE,
  LB_SYSTEM_PERFORMANCE,
  LB_SYSTEM_OS,
  LB_SYSTEM_SETTING,
  LB_SYSTEM_SWITCH,
  LB_SYSTEM_POWER,
  LB_SYSTEM_SUPPLY
};
/* What may hold where a key stands; bits. */
enum lb_system_when {
  LB_SYSTEM_ALWAYS = 1 << 0,
  LB_SYSTEM_ONPREM = 1 << 1, /* deployment */
  LB_SYSTEM_CLOUD = 1 << 2,
  LB_SYSTEM_REMOTE = 1 << 3, /* storage_location remote, remote_and_local */
  LB_SYSTEM_LOCAL = 1 << 4,
  LB_SYSTEM_UP = 1 << 5 /* the port's state */
};

struct lb_system_key {
  enum lb_system_map of;
  const char *name;
  enum lb_system_type type;
  const char *words;      /* "a|b|c" */
  const char *old_words;  /* taken too, from earlier editions */
  int64_t min;            /* of an integer */
  enum lb_system_map map; /* of LB_SYSTEM_MAP, LB_SYSTEM_MAPS */
  unsigned must, never;   /* any of these holds: required, refused */
  const char *doc;        /* with the unit */
};
extern const struct lb_system_key lb_system_keys[];
extern const size_t lb_system_n_keys;

const struct lb_system_key *lb_system_key(enum lb_system_map of,
                                          const char *name);
/* "an integer, at least 1", "remote, local or remote_and_local". */
enum { LB_SYSTEM_ALLOWED = 160 };
void lb_system_allowed(const struct lb_system_key *k,
                       char out[LB_SYSTEM_ALLOWED]);

/* ---- values of a tree, whatever is in it ---- */

/* The value of a key, none when it is blank; also of no map. */
const struct lb_node *lb_system_at(const struct lb_node *map, const char *key);
/* The text of a scalar, or "". */
const char *lb_system_text(const struct lb_node *n);
bool lb_system_integer(const struct lb_node *n, int64_t *v);
/* 0, 1, or -1: neither. */
int lb_system_boolean(const struct lb_node *n);
/* Would YAML take this unquoted text for a number, a boolean or a date? */
bool lb_system_is_no_text(const char *text);

/* Of the map system_under_test, or NULL. */
void lb_system_values(const struct lb_node *sut, struct lb_mlperf_system *s);

/* A flaw whose text is a message of a YAML parser. */
void lb_mlperf_flaw_of(struct lb_mlperf_flaws *f, const struct lb_err *bad);

#endif
