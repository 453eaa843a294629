/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Plain text: tables in columns.  Pictures have no place in it; what they show
 * in short stands in a table beside each. */
#include "lb-config.h"

#include <stdlib.h>

#include "page/page_impl.h"

static void pad(struct lb_buf *out, const char *text, size_t width, bool right,
                bool last)
{
  size_t n = lb_letters(text), blanks = n < width ? width - n : 0;
  if (right)
    lb_buf_printf(out, "%*s%s", (int)blanks, "", text);
  else
    lb_buf_printf(out, "%s%*s", text, last ? 0 : (int)blanks, "");
  lb_buf_puts(out, last ? "\n" : "  ");
}

static void put_row(struct lb_buf *out, const struct lb_block *b, size_t row,
                    const size_t *width)
{
  char number[LB_MEASURE_LEN];
  const char *text;
  for (size_t i = 0; i < b->n_columns; i++) {
    lb_cell_text(lb_table_cell(b, row, i), number, &text);
    pad(out, text, width[i], lb_column_right(b, i), i + 1 == b->n_columns);
  }
}

static void table(struct lb_buf *out, const struct lb_block *b)
{
  char number[LB_MEASURE_LEN];
  const char *text;
  size_t columns = b->n_columns, rows = lb_table_rows(b);
  size_t *width = calloc(columns + 1, sizeof *width);
  if (!width) {
    out->failed = true;
    return;
  }
  for (size_t i = 0; i < columns; i++) {
    width[i] = lb_letters(b->column[i]);
    for (size_t row = 0; row < rows; row++) {
      lb_cell_text(lb_table_cell(b, row, i), number, &text);
      if (lb_letters(text) > width[i])
        width[i] = lb_letters(text);
    }
  }
  lb_buf_printf(out, "%s\n", b->title);
  for (size_t i = 0; i < columns; i++)
    pad(out, b->column[i], width[i], lb_column_right(b, i), i + 1 == columns);
  for (size_t row = 0; row < rows; row++)
    put_row(out, b, row, width);
  lb_buf_puts(out, "\n");
  free(width);
}

static void section(struct lb_buf *out, int level, const char *title)
{
  static const char rule[] = "================================================"
                             "================================";
  size_t n = lb_letters(title);
  n = n < sizeof rule - 1 ? n : sizeof rule - 1;
  if (level < 2)
    lb_buf_printf(out, "%s\n%.*s\n\n", title, (int)n, rule);
  else
    lb_buf_printf(out, "-- %s --\n\n", title);
}

static void write(struct lb_buf *out, const struct lb_page *p)
{
  section(out, 0, p->title);
  for (size_t i = 0; i < p->n; i++) {
    const struct lb_block *b = &p->block[i];
    if (b->kind == LB_BLOCK_SECTION)
      section(out, b->level, b->title);
    else if (b->kind == LB_BLOCK_TEXT)
      lb_buf_printf(out, "%s\n\n", b->text);
    else if (b->kind == LB_BLOCK_TABLE)
      table(out, b);
    else if (b->kind == LB_BLOCK_LISTING)
      lb_buf_printf(out, "%s\n\n%s\n", b->title, b->text);
  }
}

const struct lb_page_format lb_page_text = {
    .name = "text",
    .endings = {"txt", NULL},
    .doc = "Plain text, without pictures.",
    .write = write,
};
