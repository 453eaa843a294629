/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All tables in one: a line for each cell (RFC 4180).  Numbers in full, in the
 * unit that stands beside them. */
#include "lb-config.h"

#include <math.h>
#include <string.h>

#include "loadbank/units.h"
#include "page/page_impl.h"

static void put(struct lb_buf *out, const char *text)
{
  if (!strpbrk(text, ",\"\r\n")) {
    lb_buf_puts(out, text);
    return;
  }
  lb_buf_puts(out, "\"");
  for (; *text; text++) {
    lb_buf_puts(out, *text == '"' ? "\"" : "");
    lb_buf_add(out, text, 1);
  }
  lb_buf_puts(out, "\"");
}

static void cell(struct lb_buf *out, const struct lb_cell *c)
{
  char number[LB_REAL_LEN];
  put(out, c->number ? lb_measure_unit(c->measure) : "");
  lb_buf_puts(out, ",");
  if (c->number && isfinite(c->value)) {
    lb_format_real(c->value, number);
    lb_buf_puts(out, number);
  } else if (c->text) {
    put(out, c->text);
  }
  lb_buf_puts(out, "\n");
}

static void write(struct lb_buf *out, const struct lb_page *p)
{
  const char *result = "", *section = "";
  lb_buf_puts(out, "result,section,table,row,column,unit,value\n");
  for (size_t i = 0; i < p->n; i++) {
    const struct lb_block *b = &p->block[i];
    if (b->kind == LB_BLOCK_SECTION) {
      result = b->level < 2 ? b->title : result;
      section = b->level < 2 ? "" : b->title;
    }
    for (size_t row = 0; row < lb_table_rows(b); row++)
      for (size_t k = 0; k < b->n_columns; k++) {
        put(out, result);
        lb_buf_puts(out, ",");
        put(out, section);
        lb_buf_puts(out, ",");
        put(out, b->title);
        lb_buf_printf(out, ",%zu,", row + 1);
        put(out, b->column[k]);
        lb_buf_puts(out, ",");
        cell(out, lb_table_cell(b, row, k));
      }
  }
}

const struct lb_page_format lb_page_csv = {
    .name = "csv",
    .endings = {"csv", NULL},
    .doc = "All tables, a line for each cell.",
    .write = write,
};
