/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of rules itself, and that docs/mlperf.md has it (LB_GOLDEN=update
 * writes it).  What the rules find: tests/mlperf. */
#include "lb-config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config_support.h"
#include "loadbank/wholefile.h"
#include "mlperf/facts.h"
#include "mlperf/rules.h"
#include "tap.h"

static const char begin[] = "<!-- rules: from the table of the source -->\n";
static const char end[] = "<!-- end of rules -->\n";

static bool is_sentence(const char *text)
{
  size_t n = strlen(text);
  return n > 1 && text[n - 1] == '.';
}

static void test_table(void)
{
  for (size_t i = 0; i < lb_mlperf_n_rules; i++) {
    const struct lb_mlperf_rule *r = &lb_mlperf_rules[i];
    bool unique = true;
    for (size_t k = 0; k < i; k++)
      unique &= strcmp(lb_mlperf_rules[k].id, r->id) != 0;
    ok(unique && r->check && r->modes && is_sentence(r->doc) &&
           (!r->differs || is_sentence(r->differs)) &&
           (r->scope == LB_MLPERF_OF_LEAF || (!r->commands && !r->broken)) &&
           (r->scope >= LB_MLPERF_OF_WORKLOAD || !r->kinds),
       "rule %s: once, with a check and sentences", r->id);
  }
}

static void words(const char *const *names, int n, unsigned bits,
                  struct lb_buf *b)
{
  bool first = true;
  for (int i = 0; i < n; i++)
    if (bits & 1U << i) {
      lb_buf_printf(b, "%s%s", first ? "" : ", ", names[i]);
      first = false;
    }
}

/* The table in the manual. */
static void put_rules(struct lb_buf *b)
{
  lb_buf_puts(b, "| Rule | Name | Severity | Divisions | Of | Checks | Differs "
                 "from the benchmark's own checker |\n"
                 "|---|---|---|---|---|---|---|\n");
  for (size_t i = 0; i < lb_mlperf_n_rules; i++) {
    const struct lb_mlperf_rule *r = &lb_mlperf_rules[i];
    lb_buf_printf(b, "| %s | %s | %s | ", r->id, r->name,
                  lb_mlperf_severity_names[r->severity]);
    words(lb_mlperf_mode_names, LB_MLPERF_N_MODES, r->modes, b);
    lb_buf_printf(b, " | %s | %s | %s |\n", lb_mlperf_scope_names[r->scope],
                  r->doc, r->differs ? r->differs : "");
  }
}

static void update(const char *old, const char *from, const char *to,
                   const struct lb_buf *table)
{
  char path[PATH_MAX];
  struct lb_err err = LB_ERR_INIT;
  struct lb_buf text;
  lb_buf_init(&text, 4 << 20);
  lb_buf_add(&text, old, (size_t)(from - old));
  lb_buf_add(&text, table->data, table->len);
  lb_buf_puts(&text, to);
  snprintf(path, sizeof path, "%s/docs/mlperf.md", getenv("LB_TOP_SRCDIR"));
  ok(!lb_write_path(path, text.data, text.len, &err), "written: %s", err.msg);
  lb_buf_fini(&text);
}

static void test_docs(void)
{
  struct lb_buf table;
  char *doc = read_source("docs/mlperf.md");
  const char *from = doc ? strstr(doc, begin) : NULL;
  const char *to = from ? strstr(from, end) : NULL;
  const char *golden = getenv("LB_GOLDEN");
  lb_buf_init(&table, 1 << 20);
  put_rules(&table);
  ok(to && table.data, "docs/mlperf.md has the marks of the table");
  if (to && table.data) {
    from += sizeof begin - 1;
    bool current = (size_t)(to - from) == table.len &&
                   !strncmp(from, table.data, table.len);
    if (golden && !strcmp(golden, "update"))
      update(doc, from, to, &table);
    else
      ok(current, "and it is current (LB_GOLDEN=update makes it so)");
  }
  lb_buf_fini(&table);
  free(doc);
}

int main(void)
{
  test_table();
  test_docs();
  return done();
}
