/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory of a parsed text: taken piece by piece, given back all at once. */
#include "lb-config.h"

#include "loadbank/yaml.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_BYTES = 64 * 1024 };

struct lb_arena_block {
  struct lb_arena_block *next;
  size_t used, size;
  max_align_t bytes[];
};

void *lb_arena_new(struct lb_arena *a, size_t size)
{
  const size_t unit = sizeof(max_align_t);
  size = (size + unit - 1) / unit * unit;
  struct lb_arena_block *b = a->head;
  if (!b || b->size - b->used < size) {
    size_t want = size > BLOCK_BYTES ? size : BLOCK_BYTES;
    b = calloc(1, sizeof *b + want);
    if (!b)
      return NULL;
    b->size = want;
    b->next = a->head;
    a->head = b;
  }
  void *p = (char *)b->bytes + b->used;
  b->used += size;
  return p;
}

char *lb_arena_text(struct lb_arena *a, const char *text, size_t len)
{
  char *copy = lb_arena_new(a, len + 1);
  if (copy)
    memcpy(copy, text, len);
  return copy;
}

void lb_arena_fini(struct lb_arena *a)
{
  while (a->head) {
    struct lb_arena_block *next = a->head->next;
    free(a->head);
    a->head = next;
  }
}
