/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One file that needs no other: style and pictures are in it, no script, and
 * nothing is fetched.  Light and dark as the reader's system is; on a phone one
 * column, on paper two. */
#include "lb-config.h"

#include <stdio.h>
#include <string.h>

#include "page/page_impl.h"

enum { LONG_TEXT = 28 }; /* what is longer may be broken anywhere */

/* The series' colours keep a contrast of 3 to 1 and are told apart by those
 * who see no red or green. */
static const char style[] =
    ":root{color-scheme:light dark;--page:#fff;--ink:#1b1f24;--faint:#5b6570;"
    "--rule:#d5dae0;--soft:#f3f5f7;--s1:#0b6bcb;--s2:#c2570c;--s3:#15803d;"
    "--s4:#8b3fc7;--s5:#b8860b;--s6:#be185d;--mark:#b42318}\n"
    "@media (prefers-color-scheme:dark){:root{--page:#14181d;--ink:#e6e9ed;"
    "--faint:#9aa4af;--rule:#39424d;--soft:#1e242b;--s1:#5aa9f5;--s2:#f59a4c;"
    "--s3:#4cc27a;--s4:#c493f0;--s5:#e2b53e;--s6:#f07aae;--mark:#ff7a6e}}\n"
    "*{box-sizing:border-box}\n"
    "body{margin:0;background:var(--page);color:var(--ink);"
    "font:16px/1.5 system-ui,sans-serif;-webkit-text-size-adjust:100%}\n"
    "main{max-width:80rem;margin:auto;padding:1rem}\n"
    "h1{font-size:1.5rem;line-height:1.2;overflow-wrap:anywhere}\n"
    "h2{font-size:1.25rem;margin:2.5rem 0 .5rem;padding-top:.5rem;"
    "border-top:2px solid var(--rule);overflow-wrap:anywhere}\n"
    "h3{font-size:1.05rem;margin:1.8rem 0 .4rem}\n"
    "p{margin:.4rem 0;max-width:48rem;overflow-wrap:anywhere}\n"
    "nav ol{padding-left:1.5rem;columns:18rem}\n"
    "a{color:var(--s1)}\n"
    ".figures{display:grid;gap:1rem;align-items:start;"
    "grid-template-columns:repeat(auto-fill,minmax(min(100%,23rem),1fr))}\n"
    "figure{margin:0;padding:.6rem;border:1px solid var(--rule);"
    "border-radius:.4rem;break-inside:avoid;max-width:40rem}\n"
    "figcaption{font-size:.85rem;color:var(--faint);line-height:1.35}\n"
    "figcaption b{display:block;color:var(--ink);font-size:.95rem}\n"
    "svg{display:block;width:100%;height:auto;margin-top:.4rem;"
    "font-family:system-ui,sans-serif}\n"
    "svg text{fill:var(--ink)}svg .tick,svg .legend{fill:var(--faint)}"
    "svg .label{fill:var(--ink)}\n"
    "svg path{fill:none}\n"
    ".axis{stroke:var(--faint)}.grid{stroke:var(--rule);stroke-width:.7}\n"
    ".line{stroke-width:1.4;stroke-linejoin:round;stroke-linecap:round}"
    ".joined{stroke-width:1;opacity:.6}.whisker{stroke-width:1.4}"
    ".dots{stroke-width:6;stroke-linecap:round}"
    ".whisker.dark{stroke:var(--ink)}\n"
    ".mark{stroke:var(--mark);stroke-dasharray:4 3}"
    /* to be read on bars, too */
    "svg text.marked{fill:var(--mark);paint-order:stroke;stroke:var(--page);"
    "stroke-width:3px;stroke-linejoin:round}\n"
    "svg .heat{fill:var(--s1);stroke:var(--page)}"
    "svg text.strong{fill:var(--page)}\n"
    "svg .band{stroke:none;opacity:.28}svg .bar{stroke:none}\n"
    ".tables{display:flex;flex-wrap:wrap;gap:0 3rem;align-items:flex-start}"
    ".wide{overflow-x:auto;margin:.6rem 0 1rem;max-width:100%}\n"
    "table{border-collapse:collapse;font-size:.9rem;"
    "font-variant-numeric:tabular-nums}\n"
    "caption{text-align:left;font-weight:600;padding:.2rem 0}\n"
    "th,td{text-align:left;vertical-align:top;padding:.2rem .9rem .2rem 0;"
    "border-bottom:1px solid var(--rule)}\n"
    "th{color:var(--faint);font-weight:500;white-space:nowrap}\n"
    "td.n,th.n{text-align:right;white-space:nowrap}\n"
    "td.word{white-space:nowrap}td.long{overflow-wrap:anywhere;min-width:11rem}"
    "\n@media(max-width:30rem){td.word{white-space:normal}"
    "td.long{min-width:9rem}}\n"
    "pre{background:var(--soft);padding:.7rem;border-radius:.4rem;"
    "overflow-x:auto;font-size:.8rem;line-height:1.4}\n"
    "summary{font-weight:600;cursor:pointer}\n"
    "@page{margin:14mm}\n"
    "@media print{body{font-size:10pt}main{max-width:none;padding:0}"
    ".figures{grid-template-columns:1fr 1fr}h2,h3{break-after:avoid}"
    "tr{break-inside:avoid}.tables{display:block}pre{white-space:pre-wrap}."
    "wide{overflow:visible}"
    "nav{display:none}}\n"
    /* paper is white, whatever the system is */
    "@media print and (prefers-color-scheme:dark){:root{--page:#fff;"
    "--ink:#1b1f24;--faint:#5b6570;--rule:#d5dae0;--soft:#f3f5f7;"
    "--s1:#0b6bcb;--s2:#c2570c;--s3:#15803d;--s4:#8b3fc7;--s5:#b8860b;"
    "--s6:#be185d;--mark:#b42318}}\n";

static void element(struct lb_buf *out, const char *tag, const char *text)
{
  lb_buf_printf(out, "<%s>", tag);
  lb_markup_text(out, text);
  lb_buf_printf(out, "</%s>", tag);
}

static void put_style(struct lb_buf *out)
{
  lb_buf_puts(out, "<style>\n");
  lb_buf_puts(out, style);
  for (int i = 1; i <= LB_PICTURE_SERIES; i++)
    lb_buf_printf(out,
                  "svg .s%d{stroke:var(--s%d)}"
                  "svg .s%d:is(.bar,.band,.swatch){fill:var(--s%d)}\n",
                  i, i, i, i);
  lb_buf_puts(out, "</style>\n");
}

static void table(struct lb_buf *out, const struct lb_block *b)
{
  char number[LB_MEASURE_LEN];
  const char *text;
  lb_buf_puts(out, "<div class=\"wide\"><table>");
  element(out, "caption", b->title);
  lb_buf_puts(out, "\n<thead><tr>");
  for (size_t i = 0; i < b->n_columns; i++) {
    lb_buf_puts(out, lb_column_right(b, i) ? "<th class=\"n\">" : "<th>");
    lb_markup_text(out, b->column[i]);
    lb_buf_puts(out, "</th>");
  }
  lb_buf_puts(out, "</tr></thead>\n<tbody>");
  for (size_t row = 0; row < lb_table_rows(b); row++) {
    lb_buf_puts(out, "<tr>");
    for (size_t i = 0; i < b->n_columns; i++) {
      lb_cell_text(lb_table_cell(b, row, i), number, &text);
      lb_buf_printf(out, "<td class=\"%s\">",
                    lb_column_right(b, i)      ? "n"
                    : strlen(text) > LONG_TEXT ? "long"
                                               : "word");
      lb_markup_text(out, text);
      lb_buf_puts(out, "</td>");
    }
    lb_buf_puts(out, "</tr>\n");
  }
  lb_buf_puts(out, "</tbody></table></div>\n");
}

static void picture(struct lb_buf *out, const struct lb_block *b)
{
  lb_buf_puts(out, "<figure><figcaption>");
  element(out, "b", b->title);
  if (b->note)
    lb_markup_text(out, b->note);
  lb_buf_puts(out, "</figcaption>\n");
  lb_buf_puts(out, b->text);
  lb_buf_puts(out, "</figure>\n");
}

static void block(struct lb_buf *out, const struct lb_page *p, size_t i)
{
  const struct lb_block *b = &p->block[i];
  switch (b->kind) {
  case LB_BLOCK_SECTION:
    lb_buf_printf(out, "<h%d id=\"b%zu\">", b->level + 1, i);
    lb_markup_text(out, b->title);
    lb_buf_printf(out, "</h%d>\n", b->level + 1);
    break;
  case LB_BLOCK_TEXT:
    element(out, "p", b->text);
    lb_buf_puts(out, "\n");
    break;
  case LB_BLOCK_TABLE:
    table(out, b);
    break;
  case LB_BLOCK_LISTING:
    lb_buf_puts(out, "<details open>");
    element(out, "summary", b->title);
    element(out, "pre", b->text);
    lb_buf_puts(out, "</details>\n");
    break;
  case LB_BLOCK_PICTURE:
    picture(out, b);
    break;
  }
}

/* Of the results, when there are several. */
static void contents(struct lb_buf *out, const struct lb_page *p)
{
  size_t n = 0;
  for (size_t i = 0; i < p->n; i++)
    n += p->block[i].kind == LB_BLOCK_SECTION && p->block[i].level == 1;
  if (n < 2)
    return;
  lb_buf_puts(out, "<nav><ol>\n");
  for (size_t i = 0; i < p->n; i++) {
    const struct lb_block *b = &p->block[i];
    if (b->kind != LB_BLOCK_SECTION || b->level != 1)
      continue;
    lb_buf_printf(out, "<li><a href=\"#b%zu\">", i);
    lb_markup_text(out, b->title);
    lb_buf_puts(out, "</a></li>\n");
  }
  lb_buf_puts(out, "</ol></nav>\n");
}

/* Blocks of a kind that stand beside each other where there is room; NULL:
 * this one stands alone. */
static const char *group_of(const struct lb_page *p, size_t i)
{
  static const char *const groups[] = {[LB_BLOCK_PICTURE] = "figures",
                                       [LB_BLOCK_TABLE] = "tables",
                                       [LB_BLOCK_LISTING] = NULL};
  return groups[p->block[i].kind];
}

static void write(struct lb_buf *out, const struct lb_page *p)
{
  lb_buf_puts(out,
              "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
              "<meta charset=\"utf-8\">\n"
              "<meta name=\"viewport\" content=\"width=device-width, "
              "initial-scale=1\">\n"
              "<meta name=\"generator\" content=\"" PACKAGE_STRING "\">\n");
  element(out, "title", p->title);
  lb_buf_puts(out, "\n");
  put_style(out);
  lb_buf_puts(out, "</head>\n<body>\n<main>\n");
  element(out, "h1", p->title);
  lb_buf_puts(out, "\n");
  contents(out, p);
  for (size_t i = 0; i < p->n; i++) {
    const char *around = group_of(p, i);
    if (around && (i == 0 || group_of(p, i - 1) != around))
      lb_buf_printf(out, "<div class=\"%s\">\n", around);
    block(out, p, i);
    if (around && (i + 1 == p->n || group_of(p, i + 1) != around))
      lb_buf_puts(out, "</div>\n");
  }
  lb_buf_puts(out, "</main>\n</body>\n</html>\n");
}

const struct lb_page_format lb_page_html = {
    .name = "html",
    .endings = {"html", "htm", NULL},
    .doc = "One page with pictures that needs no network.",
    .write = write,
};
