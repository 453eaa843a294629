/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A description against the schema: first each key by its row, then what only
 * several keys together can get wrong. */
#include "lb-config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loadbank/nearest.h"
#include "mlperf/slurp.h"
#include "mlperf/system_impl.h"

struct check {
  const char *file;
  struct lb_mlperf_flaws *flaws;
  unsigned holds; /* enum lb_system_when, of the whole file */
};

#define FLAW(c, node, path, ...) \
  lb_mlperf_flaw((c)->flaws, (c)->file, (node)->line, path, __VA_ARGS__)

/* PATH.key; of the outermost map only the key's path counts. */
static void path_of(char out[LB_KEY_LEN], const char *path, const char *key)
{
  if (!strcmp(path, "system_under_test"))
    path = "";
  snprintf(out, LB_KEY_LEN, "%.140s%s%.100s", path, *path ? "." : "", key);
}

static bool is_word(const char *words, const char *text)
{
  size_t n = strchr(text, '|') ? 0 : strlen(text);
  for (const char *p = words; p && n; p = strchr(p, '|')) {
    p += *p == '|';
    if (!strncmp(p, text, n) && (p[n] == '|' || !p[n]))
      return true;
  }
  return false;
}

/* ---- one value ---- */

static void wrong(const struct check *c, const struct lb_node *n,
                  const char *path, const struct lb_system_key *k)
{
  char allowed[LB_SYSTEM_ALLOWED];
  static const char *const kinds[] = {[LB_NODE_NULL] = "nothing",
                                      [LB_NODE_LIST] = "a list",
                                      [LB_NODE_MAP] = "a map"};
  lb_system_allowed(k, allowed);
  if (n->kind == LB_NODE_SCALAR)
    FLAW(c, n, path, "'%.100s': allowed is %s", n->text, allowed);
  else
    FLAW(c, n, path, "%s: allowed is %s", kinds[n->kind], allowed);
}

static void check_word(const struct check *c, const struct lb_node *n,
                       const char *path, const struct lb_system_key *k)
{
  const char *text = lb_system_text(n);
  /* An unquoted "off" is no text, were it a word. */
  if (!is_word(k->words, text) && !is_word(k->old_words, text))
    wrong(c, n, path, k);
}

static void check_text(const struct check *c, const struct lb_node *n,
                       const char *path, const struct lb_system_key *k)
{
  if (!*lb_system_text(n))
    wrong(c, n, path, k);
  else if (n->plain && lb_system_is_no_text(n->text))
    FLAW(c, n, path, "%.100s: allowed is a text; put it in quotes", n->text);
}

static void check_words(const struct check *c, const struct lb_node *n,
                        const char *path, const struct lb_system_key *k)
{
  char item[LB_KEY_LEN];
  int i = 0;
  if (n->kind != LB_NODE_LIST || !n->first) {
    wrong(c, n, path, k);
    return;
  }
  for (const struct lb_node *e = n->first; e; e = e->next) {
    snprintf(item, sizeof item, "%.230s[%d]", path, i++);
    check_word(c, e, item, k);
  }
}

static void check_map(struct check *c, const struct lb_node *map,
                      const char *path, enum lb_system_map kind);

static void check_maps(struct check *c, const struct lb_node *n,
                       const char *path, const struct lb_system_key *k)
{
  char item[LB_KEY_LEN];
  int i = 0;
  if (n->kind != LB_NODE_LIST) {
    wrong(c, n, path, k);
    return;
  }
  for (const struct lb_node *e = n->first; e; e = e->next) {
    snprintf(item, sizeof item, "%.230s[%d]", path, i++);
    if (e->kind == LB_NODE_MAP)
      check_map(c, e, item, k->map);
    else
      FLAW(c, e, item, "no map: allowed is a list of maps");
  }
}

static void check_value(struct check *c, const struct lb_node *n,
                        const char *path, const struct lb_system_key *k)
{
  int64_t v;
  switch (k->type) {
  case LB_SYSTEM_TEXT:
    check_text(c, n, path, k);
    break;
  case LB_SYSTEM_INTEGER:
    if (!lb_system_integer(n, &v) || v < k->min)
      wrong(c, n, path, k);
    break;
  case LB_SYSTEM_BOOLEAN:
    if (lb_system_boolean(n) < 0)
      wrong(c, n, path, k);
    break;
  case LB_SYSTEM_WORD:
    check_word(c, n, path, k);
    break;
  case LB_SYSTEM_WORDS:
    check_words(c, n, path, k);
    break;
  case LB_SYSTEM_MAP:
    if (n->kind == LB_NODE_MAP)
      check_map(c, n, path, k->map);
    else
      wrong(c, n, path, k);
    break;
  case LB_SYSTEM_MAPS:
    check_maps(c, n, path, k);
    break;
  }
}

/* ---- several keys together ---- */

static void check_architecture(struct check *c, const struct lb_node *map,
                               const char *path)
{
  const char *a = lb_system_text(lb_system_at(map, "client_footprint"));
  const char *b = lb_system_text(lb_system_at(map, "client_installation"));
  if (*a && *b && !strcmp(a, "n/a") != !strcmp(b, "n/a"))
    FLAW(c, map, path,
         "client_footprint is '%.40s' and client_installation '%.40s': n/a is "
         "for both or for neither",
         a, b);
}

static void check_capabilities(struct check *c, const struct lb_node *map,
                               const char *path)
{
  int write = lb_system_boolean(lb_system_at(map, "simultaneous_write"));
  int read = lb_system_boolean(lb_system_at(map, "simultaneous_read"));
  int64_t remap;
  if (write < 0 || read < 0 ||
      !lb_system_integer(lb_system_at(map, "remap_time_in_seconds"), &remap) ||
      remap < 0 || (write && read) == (remap == 0))
    return;
  FLAW(c, map, path,
       "remap_time_in_seconds is %" PRId64 " with simultaneous_write %s and "
       "simultaneous_read %s: it is 0 exactly when both are true",
       remap, write ? "true" : "false", read ? "true" : "false");
}

/* The sum of a key over a list of maps; false: not all have it. */
static bool sum_of(const struct lb_node *list, const char *key, int64_t *sum)
{
  int64_t v;
  *sum = 0;
  for (const struct lb_node *e = list ? list->first : NULL; e; e = e->next)
    if (!lb_system_integer(lb_system_at(e, key), &v) ||
        __builtin_add_overflow(*sum, v, sum))
      return false;
  return list && list->kind == LB_NODE_LIST;
}

static void check_power(struct check *c, const struct lb_node *map,
                        const char *path)
{
  int64_t active, there;
  if (lb_system_integer(lb_system_at(map, "min_psus_active"), &active) &&
      sum_of(lb_system_at(map, "psus_configured"), "unit_count", &there) &&
      active > there)
    FLAW(c, map, path,
         "min_psus_active is %" PRId64 ", more than the %" PRId64
         " of psus_configured",
         active, there);
}

/* Adds units of one times how many there are. */
static bool add_units(const struct lb_node *units, const struct lb_node *count,
                      int64_t *sum)
{
  int64_t a, b;
  return lb_system_integer(units, &a) && lb_system_integer(count, &b) &&
         !__builtin_mul_overflow(a, b, &a) &&
         !__builtin_add_overflow(*sum, a, sum);
}

static void check_rack_units(struct check *c, const struct lb_node *map,
                             const char *path)
{
  const struct lb_node *total = lb_system_at(map, "total_rack_units");
  const struct lb_node *nodes = lb_system_at(map, "product_nodes");
  const struct lb_node *switches = lb_system_at(map, "product_switches");
  int64_t said, of_nodes = 0, of_switches = 0;
  char where[LB_KEY_LEN];
  bool known = lb_system_integer(total, &said);
  for (const struct lb_node *e = nodes ? nodes->first : NULL; e && known;
       e = e->next) {
    const struct lb_node *units =
        lb_system_at(lb_system_at(e, "chassis"), "rack_units");
    if (units || (c->holds & LB_SYSTEM_ONPREM))
      known = add_units(units, lb_system_at(e, "quantity"), &of_nodes);
  }
  for (const struct lb_node *e = switches ? switches->first : NULL; e && known;
       e = e->next)
    known = add_units(lb_system_at(e, "rack_units"),
                      lb_system_at(e, "unit_count"), &of_switches);
  if (!known || said == of_nodes + of_switches)
    return;
  path_of(where, path, "total_rack_units");
  FLAW(c, total, where,
       "%" PRId64 ", but product nodes have %" PRId64
       " and product switches %" PRId64 "; clients do not count",
       said, of_nodes, of_switches);
}

static void check_together(struct check *c, const struct lb_node *map,
                           const char *path, enum lb_system_map kind)
{
  static void (*const rules[])(struct check *, const struct lb_node *,
                               const char *) = {
      [LB_SYSTEM_ARCHITECTURE] = check_architecture,
      [LB_SYSTEM_CAPABILITIES] = check_capabilities,
      [LB_SYSTEM_UNDER_TEST] = check_rack_units,
      [LB_SYSTEM_POWER] = check_power,
      [LB_SYSTEM_SUPPLY] = NULL,
  };
  if (rules[kind])
    rules[kind](c, map, path);
}

/* ---- a map ---- */

static const char *because(unsigned when)
{
  return when & LB_SYSTEM_ONPREM   ? " when deployment is onprem"
         : when & LB_SYSTEM_CLOUD  ? " when deployment is cloud"
         : when & LB_SYSTEM_REMOTE ? " when storage_location is remote"
         : when & LB_SYSTEM_LOCAL  ? " when storage_location is local"
         : when & LB_SYSTEM_UP     ? " when state is up"
                                   : "";
}

/* A list without entries says no more than no list. */
static bool is_there(const struct lb_node *n)
{
  return n && (n->kind != LB_NODE_LIST || n->first);
}

static void check_key(struct check *c, const struct lb_node *map,
                      const char *path, const struct lb_system_key *k,
                      unsigned holds)
{
  char where[LB_KEY_LEN], allowed[LB_SYSTEM_ALLOWED];
  const struct lb_node *blank = map->first;
  while (blank && strcmp(blank->key, k->name) != 0)
    blank = blank->next;
  const struct lb_node *n = lb_system_at(map, k->name);
  path_of(where, path, k->name);
  if (is_there(n) && (k->never & holds)) {
    FLAW(c, n, where, "not allowed%s", because(k->never & holds));
    return;
  }
  if (n && (is_there(n) || !(k->must & holds))) {
    check_value(c, n, where, k);
    return;
  }
  if (!(k->must & holds))
    return;
  lb_system_allowed(k, allowed);
  FLAW(c, blank ? blank : map, where, "%s%s: allowed is %s (%s)",
       blank ? "not filled in" : "missing",
       k->must & LB_SYSTEM_ALWAYS ? "" : because(k->must & holds), allowed,
       k->doc);
}

static void check_known(const struct check *c, const struct lb_node *n,
                        const char *path, enum lb_system_map kind)
{
  char where[LB_KEY_LEN], hint[LB_NEAREST_LEN];
  struct lb_nearest near = {.word = n->key};
  if (lb_system_key(kind, n->key))
    return;
  for (size_t i = 0; i < lb_system_n_keys; i++)
    if (lb_system_keys[i].of == kind)
      lb_nearest_try(&near, lb_system_keys[i].name);
  lb_nearest_hint(&near, "", hint);
  path_of(where, path, n->key);
  FLAW(c, n, where, "unknown key%s", hint);
}

static void check_map(struct check *c, const struct lb_node *map,
                      const char *path, enum lb_system_map kind)
{
  unsigned holds = c->holds;
  if (kind == LB_SYSTEM_PORT &&
      !strcmp(lb_system_text(lb_system_at(map, "state")), "up"))
    holds |= LB_SYSTEM_UP;
  for (const struct lb_node *n = map->first; n; n = n->next)
    check_known(c, n, path, kind);
  for (size_t i = 0; i < lb_system_n_keys; i++)
    if (lb_system_keys[i].of == kind)
      check_key(c, map, path, &lb_system_keys[i], holds);
  check_together(c, map, path, kind);
}

/* ---- the whole ---- */

static unsigned conditions(const struct lb_node *sut)
{
  const struct lb_node *architecture =
      lb_system_at(lb_system_at(sut, "solution"), "architecture");
  const char *deployment = lb_system_text(lb_system_at(sut, "deployment"));
  const char *location =
      lb_system_text(lb_system_at(architecture, "storage_location"));
  unsigned holds = LB_SYSTEM_ALWAYS;
  if (!strcmp(deployment, "onprem"))
    holds |= LB_SYSTEM_ONPREM;
  else if (!strcmp(deployment, "cloud"))
    holds |= LB_SYSTEM_CLOUD;
  if (!strncmp(location, "remote", 6))
    holds |= LB_SYSTEM_REMOTE;
  else if (!strcmp(location, "local"))
    holds |= LB_SYSTEM_LOCAL;
  return holds;
}

int lb_mlperf_system_check(const char *file, const char *text, size_t len,
                           struct lb_mlperf_system *s,
                           struct lb_mlperf_flaws *flaws, struct lb_err *err)
{
  struct lb_arena arena = {0};
  struct lb_err bad = LB_ERR_INIT;
  const struct lb_source from = {.file = file};
  struct lb_node *root = NULL;
  struct check c = {.file = file, .flaws = flaws};
  int rc = lb_yaml_parse(&arena, text, len, &from, &root, &bad);
  *flaws = (struct lb_mlperf_flaws){0};
  if (rc == -LB_USAGE)
    lb_mlperf_flaw_of(flaws, &bad);
  else if (rc)
    lb_err_set(err, LB_FAILED, "%s", bad.msg);
  else if (root->kind != LB_NODE_MAP)
    lb_mlperf_flaw(flaws, file, root->line, "",
                   "no map: allowed is one with the key system_under_test");
  else {
    c.holds = conditions(lb_system_at(root, "system_under_test"));
    check_map(&c, root, "", LB_SYSTEM_ROOT);
  }
  lb_system_values(rc ? NULL : lb_system_at(root, "system_under_test"), s);
  lb_arena_fini(&arena);
  if (flaws->failed)
    lb_err_set(err, LB_FAILED, "%s: no memory", file);
  return -err->code;
}

int lb_mlperf_system_read(const char *path, struct lb_mlperf_system *s,
                          struct lb_mlperf_flaws *flaws, struct lb_err *err)
{
  char *text;
  size_t len;
  *flaws = (struct lb_mlperf_flaws){0};
  lb_system_values(NULL, s);
  int rc = lb_mlperf_slurp(path, LB_FAILED, &text, &len, err);
  if (!rc)
    rc = lb_mlperf_system_check(path, text, len, s, flaws, err);
  free(text);
  return rc;
}
