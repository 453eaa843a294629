/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All known keys: the schema and the option tables of every storage backend
 * and format, whichever is chosen.  Finding a key, and the nearest to one that
 * is not known. */
#include "lb-config.h"

#include "config/config_impl.h"

#include <stdio.h>
#include <string.h>

#include "loadbank/format.h"
#include "loadbank/nearest.h"
#include "loadbank/storage.h"

size_t blocks_list(struct block out[MAX_BLOCKS])
{
  size_t n = 1;
  out[0] = (struct block){
      .options = schema, .n = n_schema, .size = sizeof(struct lb_workload)};
  for (size_t i = 0; lb_backends[i] && n < MAX_BLOCKS; i++) {
    const struct lb_backend *b = lb_backends[i];
    if (!b->n_options)
      continue;
    out[n] = (struct block){.prefix = "storage.storage_options",
                            .row = b->name,
                            .options = b->options,
                            .n = b->n_options,
                            .size = b->options_size};
    n++;
  }
  for (size_t i = 0; lb_formats[i] && n < MAX_BLOCKS; i++) {
    const struct lb_format *f = lb_formats[i];
    if (!f->n_options)
      continue;
    out[n] = (struct block){.row = f->name,
                            .options = f->options,
                            .n = f->n_options,
                            .size = f->options_size};
    snprintf(out[n].prefix, sizeof out[n].prefix, "dataset.%s", f->name);
    n++;
  }
  return n;
}

void option_key(const struct block *b, const struct lb_option *o,
                char out[LB_KEY_LEN])
{
  snprintf(out, LB_KEY_LEN, "%s%s%s", b->prefix, *b->prefix ? "." : "", o->key);
}

/* Takes the block's prefix off the key; false when it is not below it. */
static bool below(const struct block *b, const char **key)
{
  size_t n = strlen(b->prefix);
  if (!n)
    return true;
  if (strncmp(*key, b->prefix, n) != 0 || (*key)[n] != '.')
    return false;
  *key += n + 1;
  return true;
}

const struct lb_option *option_find(const struct block *b, size_t n,
                                    const char *key, size_t *i)
{
  for (; *i < n; ++*i) {
    const char *rest = key;
    if (!below(&b[*i], &rest))
      continue;
    for (size_t j = 0; j < b[*i].n; j++)
      if (!strcmp(b[*i].options[j].key, rest))
        return &b[*i].options[j];
  }
  return NULL;
}

static bool starts_section(const char *key, const char *section)
{
  size_t n = strlen(section);
  return !strncmp(key, section, n) && key[n] == '.';
}

bool key_is_section(const struct block *b, size_t n, const char *key)
{
  if (!strcmp(key, "storage.storage_options"))
    return true;
  for (const struct key_pair *a = key_aliases; a->key; a++)
    if (starts_section(a->key, key) && strncmp(key, "hydra", 5) != 0)
      return true;
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < b[i].n; j++) {
      char full[LB_KEY_LEN];
      option_key(&b[i], &b[i].options[j], full);
      if (starts_section(full, key))
        return true;
    }
  return false;
}

struct nearest {
  const char *key, *last; /* last: its part after the last dot */
  size_t best;
  char *out;
};

static const char *last_part(const char *key)
{
  const char *dot = strrchr(key, '.');
  return dot ? dot + 1 : key;
}

static void consider(struct nearest *s, const char *known)
{
  size_t d = lb_edit_distance(s->key, known);
  /* The right name in another section is near too. */
  if (!strcmp(last_part(known), s->last) && d > 2)
    d = 2;
  if (d < s->best) {
    s->best = d;
    snprintf(s->out, LB_KEY_LEN, "%s", known);
  }
}

const char *key_nearest(const struct block *b, size_t n, const char *key,
                        char out[LB_KEY_LEN])
{
  size_t len = strlen(key);
  struct nearest s = {key, last_part(key), 1 + (len < 6 ? 2 : len / 3), out};
  *out = '\0';
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < b[i].n; j++) {
      char known[LB_KEY_LEN];
      option_key(&b[i], &b[i].options[j], known);
      consider(&s, known);
      /* A section that is misspelt, known by its first part. */
      char *dot = strchr(known, '.');
      if (dot && !strchr(key, '.')) {
        *dot = '\0';
        consider(&s, known);
      }
    }
  for (const struct key_pair *a = key_aliases; a->key; a++)
    if (a->key[strlen(a->key) - 1] != '.')
      consider(&s, a->key);
  return *out ? out : NULL;
}
