/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of flags in docs/mlperf.md is that of src/mlperf/flags.c;
 * `make docs-update' writes it. */
#include "lb-config.h"

#include <stdio.h>

#include "loadbank/mlperf_cli.h"
#include "loadbank/units.h"
#include "source_tree.h"
#include "tap.h"

/* A `|' would begin another cell. */
static void put_text(struct lb_buf *out, const char *text)
{
  for (; *text; text++)
    lb_buf_printf(out, "%s%c", *text == '|' ? "\\" : "", *text);
}

static void put_name(struct lb_buf *out, const struct lb_mlperf_flag *f)
{
  char name[LB_MLPERF_FLAG_LEN];
  lb_mlperf_flag_name(f, name);
  lb_buf_printf(out, "| `%s`", name);
  if (f->brief)
    lb_buf_printf(out, " `%s`", f->brief);
  if (f->alias)
    lb_buf_printf(out, " `%s`", f->alias);
}

static void put_value(struct lb_buf *out, const struct lb_mlperf_flag *f)
{
  const struct lb_option *o = &f->option;
  char least[LB_REAL_LEN], most[LB_REAL_LEN];
  lb_buf_puts(out, " | ");
  for (int i = 0; o->words && o->words[i]; i++)
    lb_buf_printf(out, "%s%s", i ? ", " : "", o->words[i]);
  if (o->unit)
    lb_buf_puts(out, o->unit);
  if (o->max > 0) {
    lb_format_real(o->min, least);
    lb_format_real(o->max, most);
    lb_buf_printf(out, ", %s%s to %s", f->positive ? "above " : "", least,
                  most);
  }
  if (o->def && *o->def)
    lb_buf_printf(out, "; default %s", o->def);
}

static bool is_of(const struct lb_mlperf_verb *v, int kind)
{
  return kind < 0 ? !v->is_workload : v->is_workload && v->kind == kind;
}

/* Sub-commands of a kind (-1: the others) that take it, in bold those that need
 * it. */
static void put_verbs(struct lb_buf *out, const struct lb_mlperf_flag *f,
                      int kind)
{
  unsigned kinds = 0;
  const char *between = "";
  lb_buf_puts(out, " | ");
  for (const struct lb_mlperf_verb *v = lb_mlperf_verbs; v->words; v++)
    kinds |= is_of(v, kind) ? v->bit : 0;
  unsigned takes = f->verbs & kinds, needs = f->needs & kinds;
  if (takes == kinds && (!needs || needs == kinds)) {
    lb_buf_puts(out, needs ? "**all**" : "all");
    return;
  }
  for (const struct lb_mlperf_verb *v = lb_mlperf_verbs; v->words; v++) {
    if (!(takes & v->bit))
      continue;
    const char *bold = needs & v->bit ? "**" : "";
    lb_buf_printf(out, "%s%s%s%s", between, bold,
                  kind < 0 ? v->words : lb_mlperf_command_names[v->command],
                  bold);
    between = ", ";
  }
}

static void put_meaning(struct lb_buf *out, const struct lb_mlperf_flag *f)
{
  const char *between = " Only in";
  lb_buf_puts(out, " | ");
  put_text(out, f->option.doc);
  for (int i = 0; i < LB_MLPERF_N_MODES; i++)
    if (f->modes & 1U << i) {
      lb_buf_printf(out, "%s %s", between, lb_mlperf_mode_names[i]);
      between = " and";
    }
  lb_buf_puts(out, f->modes ? "." : "");
  for (int i = 0; i < 2 && f->env[i]; i++)
    lb_buf_printf(out, "%s`%s`", i ? ", " : " Environment: ", f->env[i]);
  if (f->option.ignored)
    lb_buf_printf(out, " Ignored: %s.", f->option.ignored);
  lb_buf_puts(out, " |\n");
}

static void make_table(struct lb_buf *out)
{
  lb_buf_puts(out, "| Flag | Value | Training | Checkpointing | Others | "
                   "Meaning |\n| --- | --- | --- | --- | --- | --- |\n");
  for (const struct lb_mlperf_flag *f = lb_mlperf_flags; f->option.key; f++) {
    put_name(out, f);
    put_value(out, f);
    put_verbs(out, f, LB_MLPERF_TRAINING);
    put_verbs(out, f, LB_MLPERF_CHECKPOINTING);
    put_verbs(out, f, -1);
    put_meaning(out, f);
  }
}

int main(void)
{
  struct lb_buf table;
  lb_buf_init(&table, 1 << 20);
  make_table(&table);
  is_document("docs/mlperf.md",
              "<!-- flags: from the table of the source -->\n",
              "<!-- end of flags -->\n", &table);
  lb_buf_fini(&table);
  return done();
}
