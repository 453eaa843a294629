/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inside the rules: what a check sees, and how it says what it found. */
#ifndef LB_MLPERF_RULES_IMPL_H
#define LB_MLPERF_RULES_IMPL_H

#include "mlperf/facts.h"
#include "mlperf/rules.h"
#include "mlperf/system.h"

struct lb_mlperf_check {
  const struct lb_mlperf_tree *tree;
  const struct lb_mlperf_validate_options *options;
  const struct lb_mlperf_facts *facts; /* of each leaf of the tree */
  struct lb_mlperf_validation *out;
  const struct lb_mlperf_rule *rule;
  /* The subject: the folder of the scope, and what it belongs to. */
  size_t folder;
  struct lb_mlperf_place place; /* filled as far as the scope goes */
  size_t first, end;            /* leaves in it */
  /* Within a system: what describes it; what is wrong there is missing. */
  bool described; /* there is such a file */
  struct lb_mlperf_system system;
};
/* Fills the last two, of the system in `place'. */
void lb_mlperf_describe(struct lb_mlperf_check *c);

/* Adds a remark about BASE, or BASE/NAME (NULL: none), both below the root. */
void lb_mlperf_say(struct lb_mlperf_check *c, int severity, const char *base,
                   const char *name, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));

static inline const struct lb_mlperf_folder *
lb_mlperf_here(const struct lb_mlperf_check *c)
{
  return &c->tree->folder[c->folder];
}
static inline const struct lb_mlperf_leaf *
lb_mlperf_leaf_of(const struct lb_mlperf_check *c)
{
  return &c->tree->leaf[c->first];
}
static inline const struct lb_mlperf_facts *
lb_mlperf_facts_of(const struct lb_mlperf_check *c)
{
  return &c->facts[c->first];
}

static inline const json_t *
lb_mlperf_metadata_of(const struct lb_mlperf_check *c)
{
  return lb_mlperf_leaf_of(c)->file[LB_MLPERF_METADATA].json;
}

/* The rehearsal's own measure: WAIVED where the scales of this leaf make an
 * error inevitable. */
int lb_mlperf_unless_rehearsal(const struct lb_mlperf_facts *f);

/* The next leaf at or behind `at' of this command that is whole, before the
 * subject's end; or c->end. */
size_t lb_mlperf_next_whole(const struct lb_mlperf_check *c, size_t at,
                            int command);
/* for (LB_MLPERF_EACH_WHOLE(i, c, command)): all of them. */
#define LB_MLPERF_EACH_WHOLE(i, c, command)                \
  size_t i = lb_mlperf_next_whole(c, (c)->first, command); \
  i < (c)->end;                                            \
  i = lb_mlperf_next_whole(c, i + 1, command)

/* What a flaw says without its file, which is said anyway; borrowed from it.
 * *before is to stand before that. */
const char *lb_mlperf_flaw_text(const struct lb_mlperf_flaw *f,
                                const char **before);

/* for (LB_MLPERF_EACH(i, t, in)): the folders in folder `in'. */
#define LB_MLPERF_EACH(i, t, in)                                       \
  size_t i = (in) == LB_MLPERF_NOWHERE ? (in) : (t)->folder[in].first; \
  i != LB_MLPERF_NOWHERE;                                              \
  i = (t)->folder[i].next

#endif
