/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a misspelt word was meant to be. */
#ifndef LOADBANK_NEAREST_H
#define LOADBANK_NEAREST_H

#include <stddef.h>

/* Letters to insert, drop, change or swap with a neighbour; words are compared
 * up to their first 63 letters. */
size_t lb_edit_distance(const char *a, const char *b);

/* Keeps the best of many candidates. */
struct lb_nearest {
  const char *word; /* what was written */
  const char *best; /* borrowed from the candidates; NULL: none is near */
  size_t distance;
};
void lb_nearest_try(struct lb_nearest *n, const char *candidate);
/* "; did you mean 'best'?", or the other text when none is near. */
enum { LB_NEAREST_LEN = 120 };
void lb_nearest_hint(const struct lb_nearest *n, const char *otherwise,
                     char out[LB_NEAREST_LEN]);

#endif
