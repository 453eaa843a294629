/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Collects the blocks of a page; THE table of its formats. */
#include "lb-config.h"

#include "page/page_impl.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const size_t max_text = (size_t)1 << 28;

const struct lb_page_format *const lb_page_formats[] = {
    &lb_page_text, &lb_page_markdown, &lb_page_csv,
    &lb_page_json, &lb_page_html,     NULL};

const struct lb_page_format *lb_page_format_of(const char *path)
{
  const char *dot = strrchr(path, '.');
  for (size_t i = 0; dot && lb_page_formats[i]; i++)
    for (const char *const *e = lb_page_formats[i]->endings; *e; e++)
      if (!strcasecmp(dot + 1, *e))
        return lb_page_formats[i];
  return NULL;
}

struct lb_page *lb_page_new(const char *title)
{
  struct lb_page *p = calloc(1, sizeof *p);
  if (!p)
    return NULL;
  p->title = strdup(title);
  p->failed = !p->title;
  return p;
}

static void free_block(struct lb_block *b)
{
  for (size_t i = 0; i < b->n_columns; i++)
    free(b->column[i]);
  for (size_t i = 0; i < b->n_cells; i++)
    free(b->cell[i].text);
  free(b->column);
  free(b->cell);
  free(b->title);
  free(b->text);
  free(b->note);
}

void lb_page_free(struct lb_page *p)
{
  if (!p)
    return;
  for (size_t i = 0; i < p->n; i++)
    free_block(&p->block[i]);
  free(p->block);
  free(p->title);
  free(p);
}

static char *copy(struct lb_page *p, const char *text)
{
  char *mine = text ? strdup(text) : NULL;
  p->failed |= text && !mine;
  return mine;
}

/* NULL: no memory. */
static struct lb_block *add(struct lb_page *p, enum lb_block_kind kind)
{
  if (p->n == p->room) {
    size_t room = p->room ? 2 * p->room : 32;
    void *more = realloc(p->block, room * sizeof *p->block);
    if (!more) {
      p->failed = true;
      return NULL;
    }
    p->block = more;
    p->room = room;
  }
  struct lb_block *b = &p->block[p->n++];
  *b = (struct lb_block){.kind = kind};
  return b;
}

void lb_page_section(struct lb_page *p, int level, const char *title)
{
  struct lb_block *b = add(p, LB_BLOCK_SECTION);
  if (!b)
    return;
  b->level = level;
  b->title = copy(p, title);
}

void lb_page_say(struct lb_page *p, const char *fmt, ...)
{
  struct lb_block *b = add(p, LB_BLOCK_TEXT);
  va_list args, again;
  if (!b)
    return;
  va_start(args, fmt);
  va_copy(again, args);
  int n = vsnprintf(NULL, 0, fmt, args);
  va_end(args);
  b->text = n < 0 ? NULL : malloc((size_t)n + 1);
  if (b->text)
    vsnprintf(b->text, (size_t)n + 1, fmt, again);
  p->failed |= !b->text;
  va_end(again);
}

void lb_page_table(struct lb_page *p, const char *title,
                   const char *const *columns)
{
  struct lb_block *b = add(p, LB_BLOCK_TABLE);
  size_t n = 0;
  if (!b)
    return;
  while (columns[n])
    n++;
  b->title = copy(p, title);
  b->column = calloc(n + 1, sizeof *b->column);
  p->failed |= !b->column;
  for (size_t i = 0; b->column && i < n; i++)
    b->column[b->n_columns++] = copy(p, columns[i]);
}

/* The next cell of the table that was begun last; NULL: no memory. */
static struct lb_cell *next_cell(struct lb_page *p)
{
  struct lb_block *b = p->n ? &p->block[p->n - 1] : NULL;
  if (!b || b->kind != LB_BLOCK_TABLE)
    return NULL;
  if (b->n_cells == b->room) {
    size_t room = b->room ? 2 * b->room : 32;
    void *more = realloc(b->cell, room * sizeof *b->cell);
    if (!more) {
      p->failed = true;
      return NULL;
    }
    b->cell = more;
    b->room = room;
  }
  struct lb_cell *c = &b->cell[b->n_cells++];
  *c = (struct lb_cell){.number = false};
  return c;
}

void lb_page_cell(struct lb_page *p, const char *text)
{
  struct lb_cell *c = next_cell(p);
  if (c)
    c->text = copy(p, text);
}

void lb_page_number(struct lb_page *p, enum lb_measure q, double value)
{
  struct lb_cell *c = next_cell(p);
  if (c)
    *c = (struct lb_cell){.number = true, .measure = q, .value = value};
}

void lb_page_picture(struct lb_page *p, const struct lb_picture *picture,
                     const char *note)
{
  struct lb_buf svg;
  struct lb_block *b = add(p, LB_BLOCK_PICTURE);
  if (!b)
    return;
  lb_buf_init(&svg, max_text);
  lb_picture_svg(&svg, picture);
  p->failed |= svg.failed;
  b->title = copy(p, picture->title);
  b->text = lb_buf_take(&svg);
  b->note = copy(p, note);
}

void lb_page_listing(struct lb_page *p, const char *title, const char *text)
{
  struct lb_block *b = add(p, LB_BLOCK_LISTING);
  if (!b)
    return;
  b->title = copy(p, title);
  b->text = copy(p, text);
}

size_t lb_table_rows(const struct lb_block *b)
{
  return b->n_columns ? b->n_cells / b->n_columns : 0;
}

const struct lb_cell *lb_table_cell(const struct lb_block *b, size_t row,
                                    size_t column)
{
  return &b->cell[row * b->n_columns + column];
}

bool lb_column_right(const struct lb_block *b, size_t column)
{
  return column < b->n_cells && b->cell[column].number;
}

void lb_cell_text(const struct lb_cell *c, char out[LB_MEASURE_LEN],
                  const char **text)
{
  *text = c->text ? c->text : "";
  if (!c->number)
    return;
  lb_measure_text(c->measure, c->value, out);
  *text = out;
}

const char *lb_measure_unit(enum lb_measure q)
{
  static const char *const units[LB_N_MEASURES] = {
      [LB_PLAIN] = "",    [LB_COUNT] = "",  [LB_PERCENT] = "%",
      [LB_SECONDS] = "s", [LB_BYTES] = "B", [LB_BYTES_PER_S] = "B/s"};
  return units[q];
}

int lb_page_write(const struct lb_page *p, const struct lb_page_format *f,
                  struct lb_buf *out, struct lb_err *err)
{
  if (!p->failed)
    f->write(out, p);
  if (p->failed || out->failed)
    return lb_err_set(err, LB_FAILED, "no memory for the report");
  return 0;
}
