/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Optimal string alignment: Levenshtein's distance with swaps of neighbours
 * that cost one. */
#include "lb-config.h"

#include "loadbank/nearest.h"

#include <stdio.h>
#include <string.h>

enum { MAX_WORD = 63 };

static size_t least(size_t a, size_t b, size_t c)
{
  size_t m = a < b ? a : b;
  return m < c ? m : c;
}

size_t lb_edit_distance(const char *a, const char *b)
{
  size_t n = strnlen(a, MAX_WORD), m = strnlen(b, MAX_WORD);
  size_t row[3][MAX_WORD + 1]; /* i - 2, i - 1, i */
  size_t *above2 = row[0], *above = row[1], *here = row[2];
  for (size_t j = 0; j <= m; j++)
    here[j] = j;
  for (size_t i = 1; i <= n; i++) {
    size_t *spare = above2;
    above2 = above;
    above = here;
    here = spare;
    here[0] = i;
    for (size_t j = 1; j <= m; j++) {
      here[j] = least(above[j] + 1, here[j - 1] + 1,
                      above[j - 1] + (a[i - 1] != b[j - 1]));
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
          above2[j - 2] + 1 < here[j])
        here[j] = above2[j - 2] + 1;
    }
  }
  return here[m];
}

void lb_nearest_try(struct lb_nearest *n, const char *candidate)
{
  size_t d = lb_edit_distance(n->word, candidate);
  size_t limit = strlen(n->word) / 3 + 1;
  if (d <= limit && (!n->best || d < n->distance)) {
    n->best = candidate;
    n->distance = d;
  }
}

void lb_nearest_hint(const struct lb_nearest *n, const char *otherwise,
                     char out[LB_NEAREST_LEN])
{
  if (n->best)
    snprintf(out, LB_NEAREST_LEN, "; did you mean '%.80s'?", n->best);
  else
    snprintf(out, LB_NEAREST_LEN, "%s", otherwise);
}
