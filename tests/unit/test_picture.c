/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Axes against what is known to be right, and what is in the SVG. */
#include "lb-config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loadbank/picture.h"
#include "picture/axis.h"
#include "tap.h"

enum { MANY = 100000 };

static void measures(void)
{
  static const struct {
    enum lb_measure m;
    double value;
    const char *text;
  } cases[] = {
      {LB_SECONDS, 0.0125, "12.5 ms"},
      {LB_SECONDS, 0, "0 s"},
      {LB_SECONDS, 90, "1.50 min"},
      {LB_SECONDS, 3e-10, "0.3 ns"},
      {LB_SECONDS, 0.9999, "1.00 s"},
      {LB_SECONDS, 7200, "2 h"},
      {LB_BYTES, 1536, "1.50 KiB"},
      {LB_BYTES_PER_S, 0x1p30, "1 GiB/s"},
      {LB_PERCENT, 99.96, "100 %"},
      {LB_PERCENT, 5, "5 %"},
      {LB_PLAIN, 12345, "12.3k"},
      {LB_COUNT, 1024, "1024"},
      {LB_SECONDS, NAN, "none"},
      {LB_PLAIN, INFINITY, "none"},
      {LB_SECONDS, 1e-5 * (1 + 1e-15), "10 µs"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[LB_MEASURE_LEN];
    lb_measure_text(cases[i].m, cases[i].value, text);
    is_str(text, cases[i].text, "%g", cases[i].value);
  }
}

static void scale(struct lb_scale *s, struct lb_axis a, double low, double high)
{
  static struct lb_axis kept; /* the scale points to it */
  kept = a;
  lb_scale_init(s, &kept, (struct lb_extent){low, high}, 5);
}

static void axes(void)
{
  struct lb_scale s;
  char text[LB_MEASURE_LEN];
  is_near(lb_nice_step(0.3), 0.5, 1e-12, "steps are 1, 2 or 5");
  is_near(lb_nice_step(20), 20, 1e-12, "one that is nice stays");
  is_near(lb_nice_step(6e7), 1e8, 1, "and powers of ten");
  scale(&s, (struct lb_axis){.measure = LB_SECONDS}, 0.0031, 0.0172);
  ok(s.low == 0 && fabs(s.high - 0.02) < 1e-12, "ends move out to ticks");
  is_int(s.n_ticks, 5, "0, 5, 10, 15, 20 ms");
  lb_tick_text(&s, s.tick[1], text);
  is_str(text, "5", "without the unit, which the axis has");
  is_str(s.unit->name, " ms", "that one");
  s.from = 100;
  s.to = 0;
  is_near(lb_scale_at(&s, 0.005), 75, 1e-9, "a quarter of the way");
  scale(&s, (struct lb_axis){.measure = LB_COUNT}, 1, 3);
  is_int(s.n_ticks, 3, "counts have whole ticks");
  scale(&s, (struct lb_axis){.measure = LB_SECONDS, .log = true}, 2e-5, 0.5);
  is_int(s.n_ticks, 4, "100 us, 1, 10, 100 ms");
  lb_tick_text(&s, s.tick[0], text);
  is_str(text, "100 µs", "each with its unit");
  scale(&s, (struct lb_axis){.fixed = true, .high = 100}, 3, 4);
  ok(s.low == 0 && s.high == 100, "a fixed axis stays");
  scale(&s, (struct lb_axis){0}, 7, 7);
  ok(s.low < s.high, "one value alone has an axis");
  scale(&s, (struct lb_axis){0}, INFINITY, -INFINITY);
  ok(s.low < s.high && s.n_ticks > 1, "and nothing at all, too");
}

static char *drawn(const struct lb_picture *p)
{
  struct lb_buf b;
  lb_buf_init(&b, 1 << 24);
  lb_picture_svg(&b, p);
  return lb_buf_take(&b);
}

/* The first path of that class. */
static char *path_of(const char *svg, const char *class)
{
  char start[60], *text;
  snprintf(start, sizeof start, "<path class=\"%s\" d=\"", class);
  const char *at = svg ? strstr(svg, start) : NULL;
  if (!at)
    return NULL;
  at += strlen(start);
  text = strdup(at);
  if (text)
    text[strcspn(text, "\"")] = '\0';
  return text;
}

static size_t count(const char *text, char c)
{
  size_t n = 0;
  for (; text && *text; text++)
    n += *text == c;
  return n;
}

/* Of a hundred thousand points the one spike is still there. */
static void thinning(void)
{
  double *x = calloc(MANY, sizeof *x), *y = calloc(MANY, sizeof *y);
  if (!ok(x && y, "memory")) {
    free(x);
    free(y);
    return;
  }
  for (int i = 0; i < MANY; i++) {
    x[i] = i;
    y[i] = 1 + (i % 7) * 0.01;
  }
  y[MANY / 2] = 10;
  y[MANY / 4] = NAN;
  struct lb_series series = {.x = x, .y = y, .n = MANY};
  struct lb_picture p = {.kind = &lb_picture_lines,
                         .id = "t",
                         .title = "T",
                         .x = {.label = "x"},
                         .y = {.label = "y", .from_zero = true},
                         .series = &series,
                         .n_series = 1};
  char *svg = drawn(&p), *path = path_of(svg, "s1 line");
  ok(svg && strlen(svg) < 60000, "%zu bytes", svg ? strlen(svg) : 0);
  is_int(count(path, 'M'), 2, "one gap");
  ok(count(path, 'L') < 4000, "four points a column at most");
  /* the field of data begins below a line of text and the axis' name */
  ok(path && strstr(path, " 25L"), "the spike reaches the top");
  free(path);
  free(svg);
  y[MANY / 2] = 1;
  svg = drawn(&p);
  path = path_of(svg, "s1 line");
  ok(path && !strstr(path, " 25L"), "without it nothing does");
  free(path);
  free(svg);
  free(x);
  free(y);
}

static void escaping(void)
{
  struct lb_buf b;
  lb_buf_init(&b, 1000);
  lb_markup_text(&b, "<a href='x'>&\"\x01\xff\xc3\xa9\xed\xa0\x80");
  is_str(b.data,
         "&lt;a href=&#39;x&#39;&gt;&amp;&quot;"
         "\xef\xbf\xbd\xef\xbf\xbd\xc3\xa9\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd",
         "markup, controls and bad UTF-8");
  lb_buf_fini(&b);
}

/* Every kind, with data and without any: one whole element. */
static void kinds(void)
{
  static const char *const words[] = {"<one>", "two"};
  const double x[] = {1, 2, 3}, y[] = {4, NAN, 6}, no[] = {NAN, NAN, NAN, NAN};
  const double low[] = {3, NAN, 5}, high[] = {5, NAN, 7};
  for (size_t i = 0; lb_picture_kinds[i]; i++)
    for (int empty = 0; empty < 2; empty++) {
      bool heat = lb_picture_kinds[i] == &lb_picture_heat;
      bool edges = lb_picture_kinds[i] == &lb_picture_histogram;
      const double cells[] = {1, 2, NAN, 4};
      struct lb_series s = {.name = "<name>",
                            .x = empty ? no : x,
                            .y = empty  ? no
                                 : heat ? cells
                                        : y,
                            .low = empty || heat ? NULL : low,
                            .high = empty || heat ? NULL : high,
                            .n = heat    ? 4
                                 : edges ? 2
                                         : 3};
      struct lb_mark mark = {.at = 5, .name = "<mark>"};
      struct lb_picture p = {.kind = lb_picture_kinds[i],
                             .id = "k",
                             .title = "<title>",
                             .x = {.label = "<x>"},
                             .y = {.label = "<y>"},
                             .series = &s,
                             .n_series = 1,
                             .marks = heat ? NULL : &mark,
                             .n_marks = heat ? 0 : 1};
      if (heat) {
        p.x.words = p.y.words = words;
        p.x.n_words = p.y.n_words = 2;
      }
      char *svg = drawn(&p);
      const char *name = lb_picture_kinds[i]->name;
      ok(svg && !strncmp(svg, "<svg ", 5) && strstr(svg, "</svg>"),
         "%s: an element", name);
      ok(svg && !strstr(svg, "nan") && !strstr(svg, "inf"), "%s: no NaN", name);
      ok(svg && strstr(svg, "&lt;title&gt;") && !strstr(svg, "<title><"),
         "%s: text is escaped", name);
      free(svg);
    }
}

/* The numbers of a path, most of them at most. */
static int numbers(const char *path, double *out, int most)
{
  int n = 0;
  while (path && *path && n < most) {
    char *end;
    double v = strtod(path, &end);
    if (end == path) {
      path++; /* a letter */
      continue;
    }
    out[n++] = v;
    path = end;
  }
  return n;
}

/* 10 of 20 stands in the middle of its axis. */
static void places(void)
{
  const double x[] = {0, 10, 20}, y[] = {0, 50, 100};
  struct lb_series s = {.x = x, .y = y, .n = 3};
  struct lb_picture p = {
      .kind = &lb_picture_lines,
      .id = "p",
      .title = "p",
      .x = {.label = "x"},
      .y = {.label = "y", .measure = LB_PERCENT, .fixed = true, .high = 100},
      .series = &s,
      .n_series = 1};
  char *svg = drawn(&p), *path = path_of(svg, "s1 line");
  double at[6] = {0};
  is_int(numbers(path, at, 6), 6, "three points");
  is_near(at[2], (at[0] + at[4]) / 2, 0.11, "in the middle across");
  is_near(at[3], (at[1] + at[5]) / 2, 0.11, "and upwards");
  ok(at[5] < at[1] && at[4] > at[0], "more is up and right");
  ok(svg && strstr(svg, "y (%)"), "the axis has its unit");
  free(path);
  free(svg);
}

int main(void)
{
  measures();
  axes();
  thinning();
  escaping();
  kinds();
  places();
  return done();
}
