/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of keys for people: `loadbank config keys' and
 * docs/configuration.md. */
#include "lb-config.h"

#include "config/config_impl.h"

#include <string.h>

#include "loadbank/units.h"

const char *option_type_name(const struct lb_option *o)
{
  static const char *const names[] = {
      [LB_OPT_BOOL] = "boolean",  [LB_OPT_WORD] = "word",
      [LB_OPT_INT] = "integer",   [LB_OPT_REAL] = "number",
      [LB_OPT_TEXT] = "text",     [LB_OPT_DIST] = "distribution",
      [LB_OPT_INTS] = "integers", [LB_OPT_STRS] = "texts",
      [LB_OPT_PATHS] = "paths",   [LB_OPT_COLUMNS] = "columns",
  };
  bool bytes = o->unit && !strncmp(o->unit, "bytes", 5);
  return bytes && o->type == LB_OPT_INT ? "size" : names[o->type];
}

static void print_range(const struct lb_option *o, struct lb_buf *out)
{
  char min[LB_REAL_LEN], max[LB_REAL_LEN];
  bool number = o->type == LB_OPT_INT || o->type == LB_OPT_REAL ||
                o->type == LB_OPT_DIST || o->type == LB_OPT_INTS;
  if (number && (o->min != 0 || o->max != 0)) {
    lb_format_real(o->min, min);
    lb_format_real(o->max, max);
    lb_buf_printf(out, "%s..%s", min, max);
  } else if (o->type == LB_OPT_INT) {
    lb_buf_puts(out, "-2^63..2^63-1");
  }
  if (number && o->unit)
    lb_buf_printf(out, "%s%s", out->len ? " " : "", o->unit);
}

void option_allowed(const struct lb_option *o, const char *key,
                    struct lb_buf *out)
{
  names_fn *names = key_names(key);
  if (o->type == LB_OPT_BOOL)
    lb_buf_puts(out, "true, false");
  for (int i = 0; o->type == LB_OPT_WORD && o->words[i]; i++)
    lb_buf_printf(out, "%s%s", i ? ", " : "", o->words[i]);
  for (size_t i = 0; names && names(i); i++)
    lb_buf_printf(out, "%s%s", i ? ", " : "", names(i));
  if (o->type == LB_OPT_TEXT && !names)
    lb_buf_printf(out, "a text of up to %zu bytes", o->size - 1);
  if (o->type == LB_OPT_STRS)
    lb_buf_printf(out, "a list of up to %d texts", LB_LIST_MAX);
  if (o->type == LB_OPT_PATHS)
    lb_buf_printf(out, "a path, or a list of up to %d", LB_LIST_MAX);
  if (o->type == LB_OPT_COLUMNS)
    lb_buf_puts(out, "a list of maps");
  struct lb_buf range;
  lb_buf_init(&range, 256);
  print_range(o, &range);
  if (o->type == LB_OPT_INTS)
    lb_buf_printf(out, "a list of up to %d integers%s", LB_LIST_MAX,
                  range.len ? " in " : "");
  if (range.data)
    lb_buf_puts(out, range.data);
  lb_buf_fini(&range);
}

static const char *default_of(const struct lb_option *o)
{
  bool list = o->type == LB_OPT_INTS || o->type == LB_OPT_STRS ||
              o->type == LB_OPT_COLUMNS;
  return o->def ? o->def : list ? "[]" : o->type == LB_OPT_TEXT ? "" : "0";
}

/* "Ignored: ...", "Not supported yet: ...", or nothing. */
static void print_state(const struct lb_option *o, struct lb_buf *out)
{
  if (o->ignored)
    lb_buf_printf(out, " Ignored: %s.", o->ignored);
  if (o->later)
    lb_buf_printf(out, " Not supported yet: %s.", o->later);
  if (!o->later_words)
    return;
  lb_buf_puts(out, " Not supported yet: ");
  for (const char *c = o->later_words; *c; c++)
    if (*c == '|')
      lb_buf_puts(out, ", ");
    else
      lb_buf_add(out, c, 1);
  lb_buf_puts(out, ".");
}

/* Calls `each' for all keys, in the tables' order; a key that several rows
 * have once for each row. */
static void each_key(void (*each)(void *arg, const char *key,
                                  const struct block *b,
                                  const struct lb_option *o),
                     void *arg)
{
  struct block blocks[MAX_BLOCKS];
  size_t n = blocks_list(blocks);
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < blocks[i].n; j++) {
      char key[LB_KEY_LEN];
      option_key(&blocks[i], &blocks[i].options[j], key);
      each(arg, key, &blocks[i], &blocks[i].options[j]);
    }
}

struct writer {
  struct lb_buf *out;
  const char *filter;
  char section[LB_KEY_LEN];
};

static void write_text(void *arg, const char *key, const struct block *b,
                       const struct lb_option *o)
{
  struct writer *w = arg;
  if (w->filter && !strstr(key, w->filter))
    return;
  const char *def = default_of(o);
  lb_buf_printf(w->out, "%s\n    %s, default %s; allowed: ", key,
                option_type_name(o), *def ? def : "empty");
  option_allowed(o, key, w->out);
  lb_buf_printf(w->out, "\n    %s", o->doc);
  if (b->row)
    lb_buf_printf(w->out, " (%s)", b->row);
  print_state(o, w->out);
  lb_buf_puts(w->out, "\n");
}

void lb_config_keys_text(struct lb_buf *out, const char *filter)
{
  struct writer w = {.out = out, .filter = filter};
  each_key(write_text, &w);
  for (const struct key_pair *a = key_aliases; a->key; a++)
    if (!filter || strstr(a->key, filter))
      lb_buf_printf(out, "%s\n    another name of %s\n", a->key, a->text);
  for (const struct key_pair *i = key_ignores; i->key; i++)
    if (!filter || strstr(i->key, filter))
      lb_buf_printf(out, "%s\n    ignored: %s\n", i->key, i->text);
}

static void write_markdown(void *arg, const char *key, const struct block *b,
                           const struct lb_option *o)
{
  struct writer *w = arg;
  struct lb_buf section;
  lb_buf_init(&section, 2 * LB_KEY_LEN);
  if (b->row)
    lb_buf_printf(&section, "%s of %s", b->prefix, b->row);
  else
    lb_buf_add(&section, key, strcspn(key, "."));
  if (section.data && strcmp(section.data, w->section) != 0) {
    lb_buf_printf(w->out,
                  "\n### %s\n\n| key | type | default | allowed | meaning |\n"
                  "| --- | --- | --- | --- | --- |\n",
                  section.data);
    size_t n = section.len < LB_KEY_LEN - 1 ? section.len : LB_KEY_LEN - 1;
    memcpy(w->section, section.data, n);
    w->section[n] = '\0';
  }
  lb_buf_fini(&section);
  lb_buf_printf(w->out, "| `%s` | %s | %s | ", key, option_type_name(o),
                default_of(o));
  option_allowed(o, key, w->out);
  lb_buf_printf(w->out, " | %s", o->doc);
  print_state(o, w->out);
  lb_buf_puts(w->out, " |\n");
}

void lb_config_keys_markdown(struct lb_buf *out)
{
  struct writer w = {.out = out};
  each_key(write_markdown, &w);
  lb_buf_puts(out, "\n### Other names\n\nWhat older workloads call a key.\n\n"
                   "| name | key |\n| --- | --- |\n");
  for (const struct key_pair *a = key_aliases; a->key; a++)
    lb_buf_printf(out, "| `%s` | `%s` |\n", a->key, a->text);
  lb_buf_puts(out, "\n### Known and ignored\n\nKeys and sections of DLIO that "
                   "mean nothing here.\n\n| key | why |\n| --- | --- |\n");
  for (const struct key_pair *i = key_ignores; i->key; i++)
    lb_buf_printf(out, "| `%s` | %s |\n", i->key, i->text);
}
