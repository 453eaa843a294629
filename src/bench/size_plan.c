/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Steps and files of the points of a sizing.  Pure. */
#include "lb-config.h"

#include "loadbank/size_plan.h"

#include <inttypes.h>
#include <math.h>

#include "loadbank/windows.h"

/* A point of more steps is a mistake. */
static const double most_steps = 1e9;

static int64_t most(int64_t a, int64_t b)
{
  return a > b ? a : b;
}

static int64_t divide_up(int64_t a, int64_t b)
{
  return (a + b - 1) / b;
}

/* Readers that make whole batches finish a round of them together: windows
 * are whole rounds. */
static int64_t round_steps(const struct lb_loader_pace *p)
{
  return p->deal->whole ? most(p->readers, 1) : 1;
}

int lb_size_steps_make(const struct lb_size_wish *wish,
                       struct lb_size_steps *out, struct lb_err *err)
{
  const struct lb_loader_pace *p = &wish->pace;
  double wanted =
      fmax((double)wish->min_steps, ceil(wish->min_seconds / wish->compute_s));
  int64_t round = round_steps(p);
  if (wanted > most_steps)
    return lb_err_set(err, LB_USAGE,
                      "--min-seconds: %g s are %.3g steps of %g s; at most "
                      "%.0g are measured at a time",
                      wish->min_seconds, wanted, wish->compute_s, most_steps);
  *out = (struct lb_size_steps){0};
  out->window =
      divide_up(divide_up((int64_t)wanted, LB_WINDOWS), round) * round;
  out->warm_up = most(out->window, wish->warm_up);
  out->all = out->warm_up + LB_WINDOWS * out->window;
  out->read = out->all + p->ahead + divide_up(p->buffer, wish->batch);
  return 0;
}

int64_t lb_size_need(const struct lb_size_files *f, int64_t n)
{
  int64_t samples;
  if (__builtin_mul_overflow(n, f->batch_reads, &samples))
    return INT64_MAX;
  return most(divide_up(samples, f->samples_per_file), n);
}

int64_t lb_size_fits(const struct lb_size_files *f)
{
  int64_t samples;
  if (__builtin_mul_overflow(f->files, f->samples_per_file, &samples))
    samples = INT64_MAX;
  int64_t n = samples / f->batch_reads;
  return n < f->files ? n : f->files;
}

struct lb_run_part lb_size_take(struct lb_size_files *f, int64_t n)
{
  int64_t need = lb_size_need(f, n);
  if (need > f->files - f->next) {
    f->next = 0;
    f->again = true;
  }
  struct lb_run_part part = {.first = f->next, .files = need};
  f->next += need;
  return part;
}
