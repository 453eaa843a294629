/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of rules itself, and that docs/mlperf.md has it (`make docs-update'
 * writes it).  What the rules find: tests/mlperf. */
#include "lb-config.h"

#include <string.h>

#include "mlperf/facts.h"
#include "mlperf/rules.h"
#include "source_tree.h"
#include "tap.h"

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

static void test_docs(void)
{
  struct lb_buf table;
  lb_buf_init(&table, 1 << 20);
  put_rules(&table);
  is_document("docs/mlperf.md",
              "<!-- rules: from the table of the source -->\n",
              "<!-- end of rules -->\n", &table);
  lb_buf_fini(&table);
}

int main(void)
{
  test_table();
  test_docs();
  return done();
}
