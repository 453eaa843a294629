/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The effective configuration: all keys in the schema's order, nested; and its
 * hash. */
#include "lb-config.h"

#include "config/config_impl.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "loadbank/hash.h"

enum { MAX_KEYS = 1024, YAML_MAX = 4 << 20 };

/* A key that is shown. */
struct line {
  char key[LB_KEY_LEN];
  const struct lb_option *option;
  const void *field;
};

struct lines {
  struct line v[MAX_KEYS];
  size_t n;
};

bool block_chosen(const struct lb_workload *w, const struct block *b)
{
  return !b->row || !strcmp(b->row, w->storage.storage_type) ||
         !strcmp(b->row, w->dataset.format);
}

/* Keys that say nothing stay away: secrets, those of rows that are not chosen
 * and not given, those that are ignored and not given. */
static bool shown(const struct lb_workload *w, const struct block *b,
                  const struct lb_option *o, const char *key)
{
  if (key_is_secret(key))
    return false;
  return lb_workload_is_set(w, key) || (block_chosen(w, b) && !o->ignored);
}

static void take_lines(const struct lb_workload *w, const char *skip,
                       struct lines *out)
{
  const struct lb_workload_own *own = w->own;
  for (size_t i = 0; i < own->n_blocks; i++)
    for (size_t j = 0; j < own->blocks[i].n && out->n < MAX_KEYS; j++) {
      const struct block *b = &own->blocks[i];
      struct line *l = &out->v[out->n];
      l->option = &b->options[j];
      l->field = b->data + l->option->offset;
      option_key(b, l->option, l->key);
      bool twice = false;
      for (size_t k = 0; k < out->n; k++)
        twice |= !strcmp(out->v[k].key, l->key);
      if (!twice && shown(w, b, l->option, l->key) &&
          (!skip || strcmp(skip, l->key) != 0))
        out->n++;
    }
}

/* Prints what is below `prefix' (its length is cut), each sub-section where
 * its first key stands. */
static void print_section(const struct lines *l, const char *prefix, size_t cut,
                          int depth, struct lb_buf *out)
{
  for (size_t i = 0; i < l->n; i++) {
    const char *key = l->v[i].key;
    if (strncmp(key, prefix, cut) != 0)
      continue;
    size_t n = strcspn(key + cut, ".");
    if (!key[cut + n]) {
      lb_buf_printf(out, "%*s%s: ", 2 * depth, "", key + cut);
      value_print(l->v[i].option, l->v[i].field, out);
      lb_buf_puts(out, "\n");
      continue;
    }
    bool first = true;
    for (size_t k = 0; k < i && first; k++)
      first = strncmp(l->v[k].key, key, cut + n + 1) != 0;
    if (!first)
      continue;
    lb_buf_printf(out, "%*s%.*s:\n", 2 * depth, "", (int)n, key + cut);
    print_section(l, key, cut + n + 1, depth + 1, out);
  }
}

static void print_all(const struct lb_workload *w, const char *skip,
                      struct lb_buf *out)
{
  struct lines *lines = lb_arena_new(&w->own->arena, sizeof *lines);
  if (!lines) {
    out->failed = true;
    return;
  }
  take_lines(w, skip, lines);
  print_section(lines, "", 0, 0, out);
}

void lb_workload_print(const struct lb_workload *w, struct lb_buf *out)
{
  print_all(w, NULL, out);
}

void lb_workload_hash(const struct lb_workload *w, char out[LB_HASH_LEN])
{
  struct lb_buf text;
  lb_buf_init(&text, YAML_MAX);
  print_all(w, "output.folder", &text);
  uint64_t h = lb_hash(LB_HASH_START, text.data, text.len);
  lb_buf_fini(&text);
  snprintf(out, LB_HASH_LEN, "%016" PRIx64, h);
}
