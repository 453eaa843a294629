/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inside src/page. */
#ifndef LB_PAGE_IMPL_H
#define LB_PAGE_IMPL_H

#include "loadbank/page.h"

struct lb_cell {
  char *text;  /* owned; NULL: a number, or empty */
  bool number; /* NAN is "none" */
  enum lb_measure measure;
  double value;
};

enum lb_block_kind {
  LB_BLOCK_SECTION,
  LB_BLOCK_TEXT,
  LB_BLOCK_TABLE,
  LB_BLOCK_PICTURE,
  LB_BLOCK_LISTING
};

struct lb_block {
  enum lb_block_kind kind;
  int level;     /* of a section */
  char *title;   /* owned; NULL of a text */
  char *text;    /* owned: sentence, SVG or listing */
  char *note;    /* owned: of a picture */
  char **column; /* owned */
  size_t n_columns;
  struct lb_cell *cell; /* owned, row after row */
  size_t n_cells, room;
};

struct lb_page {
  char *title;
  struct lb_block *block; /* owned */
  size_t n, room;
  bool failed; /* no memory for something */
};

size_t lb_table_rows(const struct lb_block *b);
const struct lb_cell *lb_table_cell(const struct lb_block *b, size_t row,
                                    size_t column);
/* Of numbers, so that they are aligned at their ends?  By its first cell. */
bool lb_column_right(const struct lb_block *b, size_t column);
/* As people read it. */
void lb_cell_text(const struct lb_cell *c, char out[LB_MEASURE_LEN],
                  const char **text);
/* The name of what numbers of a quantity are written in, "" for plain ones. */
const char *lb_measure_unit(enum lb_measure q);

extern const struct lb_page_format lb_page_text, lb_page_markdown, lb_page_csv,
    lb_page_json, lb_page_html;

#endif
