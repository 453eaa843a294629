/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The surroundings of the data.  How wide text is is only estimated: nobody
 * knows the reader's font. */
#include "lb-config.h"

#include "picture/frame.h"

#include <math.h>
#include <stdio.h>

enum {
  HEIGHT = 250,
  HEAT_ROW = 26, /* of a heat map that has many rows */
  FONT = 11,
  LINE = 15, /* from a line of text to the next */
  EDGE = 6,
  SWATCH = 16,
  TICKS_X = 6,
  TICKS_Y = 5,
  WIDEST_LABEL = 110, /* of the y axis */
};
static const double letter = 6.1; /* mean width, on the wide side */

void lb_svg_number(struct lb_buf *out, double v)
{
  double tenths = round(v * 10);
  if (fmod(tenths, 10) == 0)
    lb_buf_printf(out, " %.0f", tenths / 10 + 0.0);
  else
    lb_buf_printf(out, " %.1f", tenths / 10);
}

void lb_svg_point(struct lb_buf *out, char command, double x, double y)
{
  lb_buf_add(out, &command, 1);
  lb_svg_number(out, x);
  lb_svg_number(out, y);
}

double lb_svg_text_width(const char *text)
{
  return (double)lb_letters(text) * letter;
}

void lb_svg_text(struct lb_buf *out, double x, double y, const char *anchor,
                 const char *class, const char *text, double most)
{
  char cut[128];
  size_t fit = (size_t)(most / letter);
  if (lb_letters(text) > fit) {
    size_t n = 0, bytes = 0;
    while (text[bytes] &&
           (n < fit || ((unsigned char)text[bytes] & 0xc0) == 0x80))
      n += ((unsigned char)text[bytes++] & 0xc0) != 0x80;
    /* one letter makes way for the dots */
    while (bytes > 0 && ((unsigned char)text[--bytes] & 0xc0) == 0x80)
      ;
    snprintf(cut, sizeof cut, "%.*s…", (int)(bytes < 100 ? bytes : 100), text);
    text = cut;
  }
  lb_buf_printf(out,
                "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" class=\"%s\">",
                x, y, anchor, class);
  lb_markup_text(out, text);
  lb_buf_puts(out, "</text>\n");
}

struct lb_extent lb_extent_x(const struct lb_picture *p)
{
  struct lb_extent e = {INFINITY, -INFINITY};
  bool edges = p->kind == &lb_picture_histogram;
  for (size_t i = 0; i < p->n_series; i++)
    lb_extent_add(&e, &p->x, p->series[i].x, p->series[i].n + edges);
  for (size_t i = 0; i < p->n_marks; i++)
    if (p->marks[i].upright)
      lb_extent_add(&e, &p->x, &p->marks[i].at, 1);
  return e;
}

struct lb_extent lb_extent_y(const struct lb_picture *p)
{
  struct lb_extent e = {INFINITY, -INFINITY};
  for (size_t i = 0; i < p->n_series; i++) {
    const struct lb_series *s = &p->series[i];
    lb_extent_add(&e, &p->y, s->y, s->n);
    lb_extent_add(&e, &p->y, s->low, s->n);
    lb_extent_add(&e, &p->y, s->high, s->n);
  }
  for (size_t i = 0; i < p->n_marks; i++)
    if (!p->marks[i].upright)
      lb_extent_add(&e, &p->y, &p->marks[i].at, 1);
  return e;
}

/* ---- legend ---- */

/* Draws (or, without out, only counts) its lines. */
static int legend(struct lb_buf *out, const struct lb_picture *p, double top)
{
  double x = EDGE;
  int lines = 0;
  for (size_t i = 0; i < p->n_series; i++) {
    const char *name = p->series[i].name;
    if (!name)
      continue;
    double width = SWATCH + 4 + lb_svg_text_width(name) + 10;
    if (lines == 0 || x + width > LB_PICTURE_WIDTH) {
      x = EDGE;
      lines++;
    }
    double y = top + (lines - 1) * LINE + FONT;
    if (out) {
      lb_buf_printf(out,
                    "<rect class=\"s%zu swatch\" x=\"%.1f\" y=\"%.1f\" "
                    "width=\"%d\" height=\"4\"/>",
                    i + 1, x, y - 6, SWATCH);
      lb_svg_text(out, x + SWATCH + 4, y, "start", "legend", name,
                  LB_PICTURE_WIDTH - SWATCH - EDGE);
    }
    x += width;
  }
  return lines;
}

/* ---- axes ---- */

static void axis_title(char *out, size_t size, const struct lb_scale *s)
{
  const char *unit =
      s->axis->n_words || lb_tick_has_unit(s) ? "" : s->unit->name;
  snprintf(out, size, *unit ? "%s (%s)" : "%s", s->axis->label,
           *unit ? unit + 1 : unit);
}

static void label_of(const struct lb_scale *s, double value,
                     char out[LB_MEASURE_LEN])
{
  if (s->axis->n_words)
    snprintf(out, LB_MEASURE_LEN, "%s", s->axis->words[(size_t)value]);
  else
    lb_tick_text(s, value, out);
}

static double widest(const struct lb_scale *s)
{
  char text[LB_MEASURE_LEN];
  double w = 0;
  int n = s->axis->n_words ? (int)s->axis->n_words : s->n_ticks;
  for (int i = 0; i < n; i++) {
    label_of(s, s->axis->n_words ? i : s->tick[i], text);
    w = fmax(w, lb_svg_text_width(text));
  }
  return w;
}

static void grid(const struct lb_frame *f)
{
  lb_buf_puts(f->out, "<path class=\"grid\" d=\"");
  for (int i = 0; i < f->y.n_ticks; i++) {
    double y = lb_scale_at(&f->y, f->y.tick[i]);
    lb_svg_point(f->out, 'M', f->left, y);
    lb_buf_puts(f->out, "H");
    lb_svg_number(f->out, f->right);
  }
  lb_buf_puts(f->out, "\"/>\n");
}

/* Of words every n-th, so that they do not touch. */
static void labels(const struct lb_frame *f, const struct lb_scale *s, bool x)
{
  char text[LB_MEASURE_LEN];
  int n = s->axis->n_words ? (int)s->axis->n_words : s->n_ticks;
  double room = x ? widest(s) + 6 : FONT + 2, last = -INFINITY;
  for (int i = 0; i < n; i++) {
    double value = s->axis->n_words ? i : s->tick[i];
    double at = lb_scale_at(s, value);
    if (fabs(at - last) < room)
      continue;
    last = at;
    label_of(s, value, text);
    if (x)
      lb_svg_text(f->out, at, f->bottom + LINE, "middle", "tick", text, room);
    else
      lb_svg_text(f->out, f->left - 5, at + 4, "end", "tick", text,
                  WIDEST_LABEL);
  }
}

static void axes(const struct lb_frame *f)
{
  char title[160];
  lb_buf_printf(f->out, "<path class=\"axis\" d=\"M%.1f %.1fV%.1fH%.1f",
                f->left, f->top, f->bottom, f->right);
  for (int i = 0; i < f->x.n_ticks; i++) {
    lb_svg_point(f->out, 'M', lb_scale_at(&f->x, f->x.tick[i]), f->bottom);
    lb_buf_puts(f->out, "v4");
  }
  lb_buf_puts(f->out, "\"/>\n");
  labels(f, &f->y, false);
  labels(f, &f->x, true);
  axis_title(title, sizeof title, &f->y);
  lb_svg_text(f->out, EDGE, f->top - 8, "start", "label", title,
              LB_PICTURE_WIDTH - 2 * EDGE);
  axis_title(title, sizeof title, &f->x);
  lb_svg_text(f->out, f->right, f->bottom + 2 * LINE, "end", "label", title,
              f->right);
}

static double height_of(const struct lb_picture *p)
{
  double rows = 100 + (double)p->y.n_words * HEAT_ROW;
  return rows > HEIGHT ? rows : HEIGHT;
}

void lb_frame_begin(struct lb_frame *f, struct lb_buf *out,
                    const struct lb_picture *p, struct lb_extent x,
                    struct lb_extent y)
{
  *f = (struct lb_frame){.out = out, .p = p};
  double height = height_of(p);
  lb_buf_printf(out,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" id=\"%s\" "
                "class=\"%s\" viewBox=\"0 0 %d %.0f\" font-size=\"%d\" "
                "role=\"img\"><title>",
                p->id, p->kind->name, LB_PICTURE_WIDTH, height, FONT);
  lb_markup_text(out, p->title);
  lb_buf_puts(out, "</title>\n");
  lb_scale_init(&f->x, &p->x, x, TICKS_X);
  lb_scale_init(&f->y, &p->y, y, TICKS_Y);
  int lines = legend(out, p, 2);
  f->top = lines * LINE + LINE + 10;
  f->left = fmin(widest(&f->y), WIDEST_LABEL) + EDGE + 6;
  f->right = LB_PICTURE_WIDTH - 14;
  f->bottom = height - 2 * LINE - 6;
  f->x.from = f->left;
  f->x.to = f->right;
  f->y.from = f->bottom;
  f->y.to = f->top;
  grid(f);
  axes(f);
}

/* ---- marks ---- */

/* The name of an upright one stands beside its top, those of neighbours below
 * each other. */
static void draw_mark(const struct lb_frame *f, const struct lb_mark *m, int n)
{
  const struct lb_scale *s = m->upright ? &f->x : &f->y;
  if (!lb_scale_has(s, m->at) || m->at < s->low || m->at > s->high)
    return;
  double at = lb_scale_at(s, m->at);
  if (!m->upright) {
    lb_buf_printf(f->out, "<path class=\"mark\" d=\"M%.1f %.1fH%.1f\"/>",
                  f->left, at, f->right);
    double y = at - f->top < FONT + 4 ? at + FONT + 2 : at - 4;
    lb_svg_text(f->out, f->right, y, "end", "marked", m->name, f->right);
    return;
  }
  lb_buf_printf(f->out, "<path class=\"mark\" d=\"M%.1f %.1fV%.1f\"/>", at,
                f->top, f->bottom);
  bool turn = at + lb_svg_text_width(m->name) > LB_PICTURE_WIDTH - EDGE;
  lb_svg_text(f->out, turn ? at - 3 : at + 3, f->top + FONT + n * (FONT + 2),
              turn ? "end" : "start", "marked", m->name, f->right);
}

void lb_frame_end(struct lb_frame *f)
{
  int upright = 0;
  for (size_t i = 0; i < f->p->n_marks; i++) {
    draw_mark(f, &f->p->marks[i], upright);
    upright += f->p->marks[i].upright;
  }
  lb_buf_puts(f->out, "</svg>\n");
}
