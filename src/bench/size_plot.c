/* SPDX-License-Identifier: GPL-3.0-or-later */
/* AU against accelerators in characters.  Pure. */
#include "lb-config.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "loadbank/size.h"

/* Rows of 5 points from 100 to 0, and columns. */
enum { ROWS = 21, COLUMNS = 61, LABEL = 12 };

struct canvas {
  char row[ROWS][COLUMNS + 1];
  double least, most; /* numbers at the ends */
  bool is_log;        /* of the numbers */
};

static int row_of(double au)
{
  int row = (int)lround((100 - au) / 100 * (ROWS - 1));
  return row < 0 ? 0 : row >= ROWS ? ROWS - 1 : row;
}

static int column_of(const struct canvas *c, double n)
{
  if (c->most <= c->least)
    return 0;
  double at = c->is_log ? log(n / c->least) / log(c->most / c->least)
                        : (n - c->least) / (c->most - c->least);
  return (int)lround(at * (COLUMNS - 1));
}

/* The ends; a long way is shown by its logarithm. */
static void measure(struct canvas *c, const struct lb_size_search *s)
{
  for (int i = 0; i < s->n_points; i++) {
    double n = (double)s->point[i].n;
    if (!s->point[i].windows)
      continue;
    c->least = c->least > 0 ? fmin(c->least, n) : n;
    c->most = fmax(c->most, n);
  }
  c->is_log = c->most > 50 * c->least;
}

static void draw(struct canvas *c, const struct lb_size_search *s)
{
  for (int i = 0; i < ROWS; i++)
    memset(c->row[i], ' ', COLUMNS);
  memset(c->row[row_of(s->threshold)], '-', COLUMNS);
  for (int i = 0; i < s->n_points; i++) {
    const struct lb_size_point *p = &s->point[i];
    int x = p->windows ? column_of(c, (double)p->n) : -1;
    for (int y = row_of(p->high); x >= 0 && y <= row_of(p->low); y++)
      c->row[y][x] = '|';
  }
  for (int i = 0; i < s->n_points; i++)
    if (s->point[i].windows)
      c->row[row_of(s->point[i].au)][column_of(c, (double)s->point[i].n)] = '*';
}

/* Every fourth row says its AU. */
static void print_row(const struct canvas *c, int row, double threshold,
                      struct lb_buf *out)
{
  char text[COLUMNS + 1], label[LABEL] = "";
  memcpy(text, c->row[row], sizeof text);
  for (int n = COLUMNS; n > 0 && text[n - 1] == ' '; n--)
    text[n - 1] = '\0';
  if (row % 4 == 0)
    snprintf(label, sizeof label, "%.0f",
             100.0 * (ROWS - 1 - row) / (ROWS - 1));
  if (row == row_of(threshold))
    snprintf(label, sizeof label, "%.4g", threshold);
  lb_buf_printf(out, "%6s |%s\n", label, text);
}

void lb_size_plot(const struct lb_size_search *s, struct lb_buf *out)
{
  struct canvas c = {.least = 0};
  char first[LABEL * 2], last[LABEL * 2];
  measure(&c, s);
  if (c.most <= 0)
    return;
  draw(&c, s);
  lb_buf_puts(out, "AU (%)\n");
  for (int i = 0; i < ROWS; i++)
    print_row(&c, i, s->threshold, out);
  snprintf(first, sizeof first, "%.0f", c.least);
  snprintf(last, sizeof last, "%.0f", c.most);
  lb_buf_puts(out, "       +");
  for (int i = 0; i < COLUMNS; i++)
    lb_buf_puts(out, "-");
  lb_buf_printf(out, "\n        %s%*s\n        accelerators%s\n", first,
                COLUMNS - (int)strlen(first), c.most > c.least ? last : "",
                c.is_log ? " (logarithmic)" : "");
}
