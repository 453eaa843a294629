/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a sizing says of findings that are given: verdicts, words, the plot. */
#include "lb-config.h"

#include <string.h>

#include "loadbank/size.h"
#include "loadbank/size_saves.h"
#include "tap.h"

static bool has(const struct lb_buf *b, const char *text)
{
  return b->data && strstr(b->data, text);
}

/* 1 meets 90 % at AU 99, 2 does not at AU 60; windows of 10 s. */
static struct lb_size_result result(enum lb_size_side second)
{
  struct lb_size_result r = {
      .load = {.workload = "w",
               .storage = "local_fs",
               .folder = "/data",
               .compute_s = 0.1,
               .batch = 4,
               .sample_bytes = 1 << 20,
               .read_bytes = 1 << 21},
      .search = lb_size_search_make(4, 90, 3),
      .runs = 2,
      .read_bytes = 3.0 * (1 << 30),
      .memory_bytes = (uint64_t)2 << 30,
      .hosts = 1,
      .ranks = 1,
  };
  r.search.n_points = 2;
  r.search.point[0] = (struct lb_size_point){.n = 1,
                                             .repeats = 1,
                                             .windows = 8,
                                             .au = 99,
                                             .low = 98,
                                             .high = 100,
                                             .side = LB_SIDE_MEETS};
  r.search.point[1] = (struct lb_size_point){.n = 2,
                                             .repeats = 1,
                                             .windows = 8,
                                             .au = 60,
                                             .low = 50,
                                             .high = 70,
                                             .side = second};
  r.at[0] = (struct lb_size_measured){
      .ranks = 1, .runs = 1, .samples = 400, .window_s = 10};
  r.at[1] = (struct lb_size_measured){.ranks = 1,
                                      .runs = 1,
                                      .samples = 480,
                                      .window_s = 10,
                                      .limit = LB_LIMIT_STORAGE};
  return r;
}

static void words(void)
{
  struct lb_size_result r = result(LB_SIDE_MISSES);
  struct lb_buf b;
  bool at_least;
  r.answer = lb_size_answer(&r.search);
  lb_buf_init(&b, 1 << 16);
  lb_size_text(&r, NULL, 0, &b);
  ok(has(&b, "answer             1 accelerator, 2 miss it\n"), "the number");
  ok(has(&b, "with 1             40.0 samples/s, 0.039 GiB/s (0.078 GiB/s are "
             "read)"),
     "its rates");
  ok(has(&b, "48.0 samples/s, 0.047 GiB/s (0.094 GiB/s are read): 1.20 "
             "accelerators"),
     "the knee");
  ok(has(&b, "limited by         storage\n"), "the limit");
  ok(has(&b, "3.00 GiB in 2 runs, 1.50 x the memory of 1 host (2.00 GiB)"),
     "what was read against memory");
  is_near(lb_size_capacity(&r, &at_least), 48.0 * (1 << 21), 1,
          "bytes/s that are read");
  ok(!at_least, "the storage has no more");
  ok(!has(&b, "it gave less"), "it gave more with more");
  lb_buf_reset(&b);
  r.at[1].samples = 370;
  lb_size_text(&r, NULL, 0, &b);
  ok(has(&b, "with 2 it gave less than with 1: it varies"), "it gives less");
  lb_buf_reset(&b);
  r.search.point[1].side = LB_SIDE_UNDECIDED;
  r.search.max = 2;
  r.answer = lb_size_answer(&r.search);
  lb_size_text(&r, NULL, 0, &b);
  ok(has(&b, "1 accelerator; 1 number above it undecided\n"), "undecided");
  lb_buf_reset(&b);
  r.search.n_points = 1;
  r.end = LB_SIZE_TIME;
  r.answer = lb_size_answer(&r.search);
  lb_size_text(&r, NULL, 0, &b);
  ok(has(&b, "1 accelerator at least\n"), "cut off: at least");
  ok(has(&b, "not complete: time limit\n"), "and why");
  is_near(lb_size_capacity(&r, &at_least), 40.0 * (1 << 21), 1, "so much");
  ok(at_least, "or more");
  lb_buf_reset(&b);
  r.search.point[0].side = LB_SIDE_OPEN;
  r.answer = lb_size_answer(&r.search);
  lb_size_text(&r, NULL, 0, &b);
  ok(has(&b, "answer             not known: no number was found to meet"),
     "cut off before the first: no \"at least 0\"");
  lb_buf_reset(&b);
  r.search.point[0].side = LB_SIDE_MISSES;
  r.search.point[0].n = 4;
  r.answer = lb_size_answer(&r.search);
  lb_size_text(&r, NULL, 0, &b);
  ok(has(&b, "answer             not known, fewer than 4\n"),
     "cut off while all missed");
  lb_buf_reset(&b);
  r.search.n_points = 0;
  r.answer = lb_size_answer(&r.search);
  lb_size_text(&r, NULL, 0, &b);
  ok(!has(&b, "verdict"), "no table of nothing");
  lb_buf_fini(&b);
}

static void blame(void)
{
  struct lb_size_result r = result(LB_SIDE_MISSES);
  r.answer = lb_size_answer(&r.search);
  ok(!lb_size_blames_client(&r, 1), "60 %% is the storage's");
  r.at[1].late_s = 3; /* 60 / 0.7 = 85.7 */
  ok(!lb_size_blames_client(&r, 1), "even if 3 of 10 s were the client's");
  r.at[1].late_s = 3.4; /* 60 / 0.66 = 90.9 */
  ok(lb_size_blames_client(&r, 1), "3.4 s would have decided it");
  r.at[1].late_s = 0;
  r.at[1].limit = LB_LIMIT_CLIENT;
  ok(lb_size_blames_client(&r, 1), "a run says so itself");
}

/* Line number i of a text. */
static const char *line(const struct lb_buf *b, int i)
{
  const char *p = b->data;
  for (; p && i > 0; i--) {
    p = strchr(p, '\n');
    p = p ? p + 1 : NULL;
  }
  return p ? p : "";
}

static void plot(void)
{
  struct lb_size_result r = result(LB_SIDE_MISSES);
  struct lb_buf b;
  lb_buf_init(&b, 1 << 16);
  lb_size_plot(&r.search, &b);
  ok(!strncmp(line(&b, 1), "   100 |*\n", 10), "99 %% is at the top left");
  ok(!strncmp(line(&b, 3), "    90 |----", 12), "the threshold is a line");
  is_int(line(&b, 9)[8 + 60], '*', "60 %% is at the right, eight rows below");
  is_int(line(&b, 7)[8 + 60], '|', "70 %%: its interval");
  is_int(line(&b, 11)[8 + 60], '|', "50 %%, too");
  is_int(line(&b, 13)[8 + 60] == '|', 0, "40 %% is not in it");
  ok(has(&b, "\n        1"), "the axis begins at 1");
  ok(!has(&b, "logarithmic"), "and is linear");
  lb_buf_reset(&b);
  r.search.point[1].n = 1000;
  lb_size_plot(&r.search, &b);
  ok(has(&b, "logarithmic"), "a long way is logarithmic");
  lb_buf_reset(&b);
  r.search.n_points = 0;
  lb_size_plot(&r.search, &b);
  is_int(b.len, 0, "nothing to plot");
  lb_buf_fini(&b);
}

static void saves(void)
{
  /* 9 10 11 s: mean 10, s 1, 4.303 / sqrt 3: -+ 2.484; every 100 s. */
  const double seconds[] = {9, 10, 11};
  struct lb_size_saves s = {.bytes = 5e9,
                            .pace = {.every_s = 100, .at_most = 12}};
  lb_size_judge_saves(&s, seconds, 3, false);
  is_near(s.cost, 10, 1e-9, "10 %%");
  is_near(s.cost_low, 7.516, 2e-3, "from");
  is_near(s.cost_high, 12.484, 2e-3, "to");
  is_int(s.side, LB_SIDE_OPEN, "12 %% is in between");
  is_near(s.needed_bytes_per_s, 5e9 / 12, 1, "5 GB in 12 s");
  is_near(s.bytes_per_s, 5e8, 1e-3, "5 GB in 10 s");
  is_near(s.least_every_s, 10 / 0.12, 1e-9, "10 s are 12 %% of 83 s");
  lb_size_judge_saves(&s, seconds, 3, true);
  is_int(s.side, LB_SIDE_UNDECIDED, "and nothing more follows");
  s.pace.at_most = 12.5;
  lb_size_judge_saves(&s, seconds, 3, false);
  is_int(s.side, LB_SIDE_MEETS, "12.5 %% is enough");
  s.pace.at_most = 7.5;
  lb_size_judge_saves(&s, seconds, 3, false);
  is_int(s.side, LB_SIDE_MISSES, "7.5 %% is not");
  lb_size_judge_saves(&s, seconds, 1, false);
  is_int(s.side, LB_SIDE_OPEN, "one save decides nothing");
}

int main(void)
{
  words();
  blame();
  plot();
  saves();
  return done();
}
