/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sections with their sentences, tables and listings; numbers in full, each
 * with its unit. */
#include "lb-config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "page/page_impl.h"

enum { SCHEMA = 1 };

/* What is no UTF-8 becomes U+FFFD, as in markup. */
static json_t *string(const char *text)
{
  json_t *v = json_string(text);
  if (v)
    return v;
  char *mine = strdup(text);
  for (char *s = mine; s && *s; s++)
    if ((unsigned char)*s >= 0x80)
      *s = '?';
  v = mine ? json_string(mine) : NULL;
  free(mine);
  return v;
}

static json_t *number(const struct lb_cell *c)
{
  const char *unit = lb_measure_unit(c->measure);
  json_t *v = !isfinite(c->value) ? json_null()
              : c->measure == LB_COUNT && c->value == floor(c->value) &&
                      fabs(c->value) < 0x1p53
                  ? json_integer((json_int_t)c->value)
                  : json_real(c->value);
  return *unit ? json_pack("{s:o,s:s}", "value", v, "unit", unit) : v;
}

static json_t *table(const struct lb_block *b)
{
  json_t *rows = json_array();
  for (size_t i = 0; i < lb_table_rows(b); i++) {
    json_t *row = json_object();
    for (size_t k = 0; k < b->n_columns; k++) {
      const struct lb_cell *c = lb_table_cell(b, i, k);
      json_object_set_new(row, b->column[k],
                          c->number ? number(c)
                          : c->text ? string(c->text)
                                    : json_null());
    }
    json_array_append_new(rows, row);
  }
  return json_pack("{s:o,s:o}", "table", string(b->title), "rows", rows);
}

static json_t *block(const struct lb_block *b)
{
  if (b->kind == LB_BLOCK_TABLE)
    return table(b);
  if (b->kind == LB_BLOCK_LISTING)
    return json_pack("{s:o,s:o}", "listing", string(b->title), "text",
                     string(b->text));
  return json_pack("{s:o}", "text", string(b->text));
}

static json_t *new_section(json_t *sections, int level, const char *title)
{
  json_t *content = json_array();
  json_array_append_new(sections,
                        json_pack("{s:o,s:i,s:O}", "section", string(title),
                                  "level", level, "content", content));
  json_decref(content); /* the section holds it */
  return content;
}

static void write(struct lb_buf *out, const struct lb_page *p)
{
  json_t *sections = json_array(), *content = NULL;
  for (size_t i = 0; i < p->n; i++) {
    const struct lb_block *b = &p->block[i];
    if (b->kind == LB_BLOCK_SECTION)
      content = new_section(sections, b->level, b->title);
    else if (!content)
      content = new_section(sections, 0, p->title);
    if (b->kind != LB_BLOCK_SECTION && b->kind != LB_BLOCK_PICTURE)
      json_array_append_new(content, block(b));
  }
  json_t *all = json_pack("{s:i,s:s,s:o,s:o}", "schema_version", SCHEMA,
                          "written_by", PACKAGE_STRING, "title",
                          string(p->title), "sections", sections);
  char *text = all ? json_dumps(all, JSON_INDENT(1)) : NULL;
  json_decref(all);
  if (!text) {
    out->failed = true;
    return;
  }
  lb_buf_puts(out, text);
  lb_buf_puts(out, "\n");
  free(text);
}

const struct lb_page_format lb_page_json = {
    .name = "json",
    .endings = {"json", NULL},
    .doc = "Sections, tables and listings as one object.",
    .write = write,
};
