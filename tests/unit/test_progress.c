/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The progress line, and where there is one. */
#include "lb-config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "loadbank/progress.h"
#include "tap.h"

static void lines(void)
{
  char line[160];
  struct lb_progress_state s = {.phase = "train",
                                .epoch = 2,
                                .epochs = 5,
                                .done = 50,
                                .total = 200,
                                .unit = "steps",
                                .au = 91.26,
                                .elapsed_ns = UINT64_C(75000000000),
                                .left_ns = UINT64_C(3725000000000)};
  lb_progress_format(line, sizeof line, &s);
  is_str(line, "train epoch 2/5   50/200 steps  25 %  AU 91.3 %  1:02:05 left",
         "a whole line");
  s.samples_per_s = 1234.56;
  s.bytes_per_s = 1.5 * (1 << 30);
  lb_progress_format(line, sizeof line, &s);
  is_str(line,
         "train epoch 2/5   50/200 steps  25 %  AU 91.3 %  1:02:05 left  "
         "1235 samples/s  1.5 GiB/s",
         "with its rates");
  s = (struct lb_progress_state){.phase = "save",
                                 .counts = "checkpoint",
                                 .epoch = 3,
                                 .epochs = 10,
                                 .done = INT64_C(5) << 28,
                                 .total = INT64_C(4) << 30,
                                 .au = NAN,
                                 .elapsed_ns = UINT64_C(12000000000),
                                 .left_ns = UINT64_MAX};
  lb_progress_format(line, sizeof line, &s);
  is_str(line, "save checkpoint 3/10  1.25/4.00 GiB  31 %  0:12", "bytes");
  s.total = 0;
  s.done = 3 << 19;
  lb_progress_format(line, sizeof line, &s);
  is_str(line, "save checkpoint 3/10  1.50 MiB  0:12", "of an unknown sum");
  s = (struct lb_progress_state){.phase = "generate",
                                 .done = 7,
                                 .unit = "files",
                                 .au = NAN,
                                 .left_ns = UINT64_MAX};
  lb_progress_format(line, sizeof line, &s);
  is_str(line, "generate  7 files  0:00", "with what is known");
  lb_progress_format(line, 5, &s);
  is_str(line, "gene", "cut, not overrun");
}

static void terminals(void)
{
  const struct lb_progress_state s = {.phase = "generate",
                                      .done = 7,
                                      .unit = "files",
                                      .au = NAN,
                                      .left_ns = UINT64_MAX};
  char *text = NULL;
  size_t n;
  FILE *f = open_memstream(&text, &n);
  struct lb_progress p;
  lb_progress_init(&p, LB_PROGRESS_AUTO, f);
  lb_progress_tick(&p, 1, &s);
  fflush(f);
  is_int(n, 0, "no terminal: silent");
  lb_progress_init(&p, LB_PROGRESS_ALWAYS, f);
  lb_progress_tick(&p, 1, &s);
  lb_progress_tick(&p, 2, &s);
  lb_progress_end(&p);
  fclose(f);
  is_str(text, "generate  7 files  0:00\n", "always: a line, not too often");
  free(text);
}

int main(void)
{
  lines();
  terminals();
  return done();
}
