/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tables of keys: every row is sound, every key refuses a wrong type and a
 * value out of range by line and name, and the document is not stale. */
#include "lb-config.h"

#include "config/config_impl.h"

#include <stdio.h>
#include <stdlib.h>

#include "config_support.h"
#include "loadbank/units.h"
#include "source_tree.h"
#include "tap.h"

/* "a.b.c" with a value as nested YAML, the value in the last line; all of the
 * workflow on, so that every range counts.  Returns that line. */
static int nest(const char *key, const char *value, struct lb_buf *out)
{
  int depth = 0;
  lb_buf_reset(out);
  if (strncmp(key, "workflow.", 9) != 0)
    lb_buf_puts(out, "workflow: {evaluation: on, checkpoint: on, profiling: "
                     "on}\n");
  int line = out->len > 0;
  for (const char *k = key; *k; depth++, line++) {
    size_t n = strcspn(k, ".");
    lb_buf_printf(out, "%*s%.*s:", 2 * depth, "", (int)n, k);
    lb_buf_printf(out, k[n] ? "\n" : " %s\n", value);
    k += n + (k[n] == '.');
  }
  return line;
}

static void refuses(const char *key, const char *value)
{
  struct lb_buf text;
  struct lb_err err;
  char where[2 * LB_KEY_LEN];
  lb_buf_init(&text, 65536);
  int line = nest(key, value, &text);
  struct lb_workload *w = load_text(text.data, &err);
  snprintf(where, sizeof where, "t.yaml:%d: %s: ", line, key);
  bool good = !w && err.code == LB_USAGE &&
              !strncmp(err.msg, where, strlen(where)) &&
              (strstr(err.msg, "allowed") || strstr(err.msg, "a map") ||
               strstr(err.msg, "needs"));
  ok(good, "%s: %s is refused by name: %s", key, value, w ? "loaded" : err.msg);
  lb_workload_free(w);
  lb_buf_fini(&text);
}

static void takes(const char *key, const char *value)
{
  struct lb_buf text;
  struct lb_err err;
  lb_buf_init(&text, 65536);
  nest(key, value, &text);
  struct lb_workload *w = load_text(text.data, &err);
  ok(w, "%s: %s is taken: %s", key, value, err.msg);
  lb_workload_free(w);
  lb_buf_fini(&text);
}

static void test_types(const struct lb_option *o, const char *key)
{
  if (o->type != LB_OPT_DIST)
    refuses(key, "{some: map}");
  if (o->type != LB_OPT_INTS && o->type != LB_OPT_STRS &&
      o->type != LB_OPT_PATHS && o->type != LB_OPT_COLUMNS)
    refuses(key, "[1, 2]");
  if (o->type == LB_OPT_BOOL || o->type == LB_OPT_WORD)
    refuses(key, "17");
  if (o->type == LB_OPT_INT || o->type == LB_OPT_REAL ||
      o->type == LB_OPT_DIST || o->type == LB_OPT_INTS)
    refuses(key, "words");
  if (o->type == LB_OPT_INT || o->type == LB_OPT_REAL)
    refuses(key, "true");
  if (o->type == LB_OPT_TEXT && key_names(key))
    refuses(key, "nothing-of-that-name");
  if (o->type == LB_OPT_PATHS)
    refuses(key, "[]");
  if (o->type == LB_OPT_COLUMNS)
    refuses(key, "3");
}

static void test_ranges(const struct lb_option *o, const char *key)
{
  char text[LB_REAL_LEN];
  if (o->type == LB_OPT_TEXT || (o->min == 0 && o->max == 0))
    return;
  bool whole = o->type == LB_OPT_INT || o->type == LB_OPT_INTS;
  double step = whole ? 1 : 0.001 * (1 + (o->max < 1e9 ? o->max : 1));
  ok(o->min < o->max, "%s: a range", key);
  lb_format_real(o->min - step, text);
  refuses(key, text);
  lb_format_real(o->max * 2 + step, text);
  refuses(key, text);
  lb_format_real(o->min, text);
  takes(key, text);
}

static void test_row(const struct block *b, const struct lb_option *o)
{
  char key[LB_KEY_LEN];
  struct lb_err err = LB_ERR_INIT;
  option_key(b, o, key);
  size_t n = o->doc ? strlen(o->doc) : 0;
  ok(n > 4 && o->doc[n - 1] == '.', "%s: doc ends with a full stop", key);
  ok(o->offset + o->size <= b->size, "%s: its field is in the struct", key);
  ok((o->type == LB_OPT_WORD) == (o->words != NULL), "%s: words", key);
  void *field = calloc(1, o->size);
  if (field)
    is_int(value_set_default(o, field, &err), 0, "%s: default is allowed: %s",
           key, err.msg);
  free(field);
  test_types(o, key);
  test_ranges(o, key);
}

static void test_rows(void)
{
  struct block blocks[MAX_BLOCKS];
  size_t n = blocks_list(blocks), n_keys = 0;
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < blocks[i].n; j++, n_keys++) {
      char key[LB_KEY_LEN], other[LB_KEY_LEN];
      option_key(&blocks[i], &blocks[i].options[j], key);
      for (size_t k = 0; k < j; k++) {
        option_key(&blocks[i], &blocks[i].options[k], other);
        if (!strcmp(key, other))
          ok(false, "%s stands twice", key);
      }
      ok(!key_ignored(key), "%s is not ignored as well", key);
      test_row(&blocks[i], &blocks[i].options[j]);
    }
  ok(n_keys > 130, "%zu keys", n_keys);
}

static void test_names(void)
{
  struct block blocks[MAX_BLOCKS];
  size_t n = blocks_list(blocks);
  for (const struct key_pair *a = key_aliases; a->key; a++) {
    size_t i = 0;
    ok(option_find(blocks, n, a->text, &i) ||
           a->text[strlen(a->text) - 1] == '.',
       "%s stands for a key", a->key);
    i = 0;
    ok(!option_find(blocks, n, a->key, &i), "%s is no key itself", a->key);
  }
  names_fn *dtypes = key_names("model.model_datatype");
  is_str(dtypes(3), "bf16", "data types of models");
}

static void test_document(void)
{
  struct lb_buf want;
  lb_buf_init(&want, 4 << 20);
  char *head = read_source("docs/configuration.in.md");
  lb_buf_puts(&want, head ? head : "");
  lb_config_keys_markdown(&want);
  ok(head, "docs/configuration.in.md is there");
  is_document("docs/configuration.md", NULL, NULL, &want);
  free(head);
  lb_buf_reset(&want);
  lb_config_keys_text(&want, NULL);
  ok(strstr(want.data, "reader.batch_size\n    integer, default 1; allowed: "
                       "1..1000000000 samples\n"),
     "config keys shows type, default, range");
  lb_buf_reset(&want);
  lb_config_keys_text(&want, "exclude_");
  ok(want.len > 100 && want.len < 1000, "and filters");
  lb_buf_fini(&want);
}

int main(void)
{
  test_rows();
  test_names();
  test_document();
  return done();
}
