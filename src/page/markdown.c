/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Markdown as GitHub and GitLab read it, without pictures. */
#include "lb-config.h"

#include <string.h>

#include "page/page_impl.h"

/* Characters that mean something get a backslash; a line end would end a
 * table's row. */
static void put(struct lb_buf *out, const char *text)
{
  for (; *text; text++) {
    if (strchr("\\`*_{}[]<>#|~", *text))
      lb_buf_puts(out, "\\");
    lb_buf_add(out, *text == '\n' ? " " : text, 1);
  }
}

static void table(struct lb_buf *out, const struct lb_block *b)
{
  char number[LB_MEASURE_LEN];
  const char *text;
  lb_buf_puts(out, "**");
  put(out, b->title);
  lb_buf_puts(out, "**\n\n|");
  for (size_t i = 0; i < b->n_columns; i++) {
    lb_buf_puts(out, " ");
    put(out, b->column[i]);
    lb_buf_puts(out, " |");
  }
  lb_buf_puts(out, "\n|");
  for (size_t i = 0; i < b->n_columns; i++)
    lb_buf_puts(out, lb_column_right(b, i) ? " ---: |" : " --- |");
  lb_buf_puts(out, "\n");
  for (size_t row = 0; row < lb_table_rows(b); row++) {
    lb_buf_puts(out, "|");
    for (size_t i = 0; i < b->n_columns; i++) {
      lb_cell_text(lb_table_cell(b, row, i), number, &text);
      lb_buf_puts(out, " ");
      put(out, text);
      lb_buf_puts(out, " |");
    }
    lb_buf_puts(out, "\n");
  }
  lb_buf_puts(out, "\n");
}

/* A fence that is longer than any run of backticks in the text. */
static void listing(struct lb_buf *out, const struct lb_block *b)
{
  size_t most = 2, run = 0;
  for (const char *s = b->text; *s; s++) {
    run = *s == '`' ? run + 1 : 0;
    most = run > most ? run : most;
  }
  lb_buf_puts(out, "**");
  put(out, b->title);
  lb_buf_puts(out, "**\n\n");
  for (size_t i = 0; i <= most; i++)
    lb_buf_puts(out, "`");
  lb_buf_printf(out, "\n%s\n", b->text);
  for (size_t i = 0; i <= most; i++)
    lb_buf_puts(out, "`");
  lb_buf_puts(out, "\n\n");
}

static void write(struct lb_buf *out, const struct lb_page *p)
{
  lb_buf_puts(out, "# ");
  put(out, p->title);
  lb_buf_puts(out, "\n\n");
  for (size_t i = 0; i < p->n; i++) {
    const struct lb_block *b = &p->block[i];
    if (b->kind == LB_BLOCK_TABLE)
      table(out, b);
    if (b->kind == LB_BLOCK_LISTING)
      listing(out, b);
    if (b->kind == LB_BLOCK_SECTION) {
      lb_buf_puts(out, b->level < 2 ? "## " : "### ");
      put(out, b->title);
      lb_buf_puts(out, "\n\n");
    }
    if (b->kind == LB_BLOCK_TEXT) {
      put(out, b->text);
      lb_buf_puts(out, "\n\n");
    }
  }
}

const struct lb_page_format lb_page_markdown = {
    .name = "markdown",
    .endings = {"md", "markdown", NULL},
    .doc = "Markdown with tables, without pictures.",
    .write = write,
};
