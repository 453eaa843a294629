/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The progress line on stderr.  Rank 0's own view: nothing is communicated for
 * it.  A thread of its own prints, so that a slow terminal holds up nobody. */
#include "lb-config.h"

#include "loadbank/progress.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "loadbank/clock.h"
#include "loadbank/thread.h"
#include "loadbank/units.h"

static const uint64_t terminal_ns = 500 * UINT64_C(1000000);
static const uint64_t log_ns = 30 * (uint64_t)LB_NS_PER_S;

void lb_progress_init(struct lb_progress *p, enum lb_progress_mode mode,
                      FILE *out)
{
  memset(p, 0, sizeof *p);
  p->out = out;
  p->tty = isatty(fileno(out)) == 1;
  p->on = mode == LB_PROGRESS_ALWAYS || (mode == LB_PROGRESS_AUTO && p->tty);
  p->every_ns = p->tty ? terminal_ns : log_ns;
  pthread_mutex_init(&p->lock, NULL);
  pthread_cond_init(&p->rung, NULL);
}

/* snprintf at the end of what is there. */
#define ADD(...)                                    \
  do {                                              \
    size_t used = strlen(out);                      \
    snprintf(out + used, size - used, __VA_ARGS__); \
  } while (0)

static void add_time(char *out, size_t size, uint64_t ns)
{
  uint64_t s = ns / LB_NS_PER_S;
  if (s >= 3600)
    ADD("%" PRIu64 ":%02" PRIu64 ":%02" PRIu64, s / 3600, s / 60 % 60, s % 60);
  else
    ADD("%" PRIu64 ":%02" PRIu64, s / 60, s % 60);
}

static int64_t done_of(const struct lb_progress_state *s)
{
  return s->done < s->total ? s->done : s->total;
}

static int percent(const struct lb_progress_state *s)
{
  return (int)(100.0 * (double)done_of(s) / (double)s->total);
}

static void add_count(char *out, size_t size, const struct lb_progress_state *s)
{
  if (s->total > 0)
    ADD("  %*" PRId64 "/%" PRId64 " %s %3d %%", lb_digits(s->total), done_of(s),
        s->total, s->unit, percent(s));
  else if (s->done > 0)
    ADD("  %" PRId64 " %s", s->done, s->unit);
}

static void add_bytes(char *out, size_t size, const struct lb_progress_state *s)
{
  int64_t most = s->total > 0 ? s->total : s->done;
  bool large = most >= LB_GIB;
  double unit = large ? LB_GIB : LB_MIB;
  const char *name = large ? "GiB" : "MiB";
  if (s->total > 0)
    ADD("  %.2f/%.2f %s %3d %%", (double)done_of(s) / unit,
        (double)s->total / unit, name, percent(s));
  else if (s->done > 0)
    ADD("  %.2f %s", (double)s->done / unit, name);
}

void lb_progress_format(char *out, size_t size,
                        const struct lb_progress_state *s)
{
  if (size == 0)
    return;
  snprintf(out, size, "%s", s->phase ? s->phase : "");
  if (s->epochs > 0)
    ADD(" %s %" PRId64 "/%" PRId64, s->counts ? s->counts : "epoch", s->epoch,
        s->epochs);
  if (s->unit)
    add_count(out, size, s);
  else
    add_bytes(out, size, s);
  if (isfinite(s->au))
    ADD("  AU %4.1f %%", s->au);
  ADD("  ");
  if (s->left_ns != LB_NEVER) {
    add_time(out, size, s->left_ns);
    ADD(" left");
  } else {
    add_time(out, size, s->elapsed_ns);
  }
  if (s->samples_per_s > 0)
    ADD("  %.4g samples/s", s->samples_per_s);
  if (s->bytes_per_s > 0)
    ADD("  %.3g GiB/s", s->bytes_per_s / LB_GIB);
}

/* A line that is wider than its terminal could not be drawn over: its last
 * parts go, with the two blanks before them. */
static void fit(char *line, int columns)
{
  size_t n = strlen(line);
  while (n >= (size_t)columns && n > 0) {
    n--;
    while (n > 0 && (line[n - 1] != ' ' || line[n] != ' '))
      n--;
    n -= n > 0;
    line[n] = '\0';
  }
}

static void print(struct lb_progress *p, const struct lb_progress_state *s)
{
  char line[160];
  struct winsize size;
  lb_progress_format(line, sizeof line, s);
  if (p->tty && ioctl(fileno(p->out), TIOCGWINSZ, &size) == 0 && size.ws_col)
    fit(line, size.ws_col);
  if (!p->tty) {
    fprintf(p->out, "%s\n", line);
    fflush(p->out);
    return;
  }
  size_t n = strlen(line);
  fprintf(p->out, "\r%s%*s", line, n < p->width ? (int)(p->width - n) : 0, "");
  p->width = n;
  fflush(p->out);
}

/* Prints what it is given, until it is told to stop. */
static void *printer(void *arg)
{
  struct lb_progress *p = arg;
  pthread_mutex_lock(&p->lock);
  while (p->fresh || !p->stop) {
    if (!p->fresh) {
      pthread_cond_wait(&p->rung, &p->lock);
      continue;
    }
    struct lb_progress_state s = p->state;
    p->fresh = false;
    pthread_mutex_unlock(&p->lock);
    print(p, &s);
    pthread_mutex_lock(&p->lock);
  }
  pthread_mutex_unlock(&p->lock);
  return NULL;
}

bool lb_progress_due(const struct lb_progress *p, uint64_t now_ns,
                     const char *phase)
{
  bool begins = p->tty && (!p->phase || strcmp(p->phase, phase) != 0);
  return p->on && (now_ns >= p->next_ns || begins);
}

void lb_progress_tick(struct lb_progress *p, uint64_t now_ns,
                      const struct lb_progress_state *s)
{
  if (!lb_progress_due(p, now_ns, s->phase))
    return;
  p->phase = s->phase;
  p->next_ns = now_ns + p->every_ns;
  if (!p->running)
    p->running = lb_thread_start(&p->thread, "lb-progress", printer, p) == 0;
  pthread_mutex_lock(&p->lock); /* never held while something is printed */
  p->state = *s;
  p->fresh = true;
  pthread_cond_signal(&p->rung);
  pthread_mutex_unlock(&p->lock);
}

void lb_progress_end(struct lb_progress *p)
{
  if (p->running) {
    pthread_mutex_lock(&p->lock);
    p->stop = true;
    pthread_cond_signal(&p->rung);
    pthread_mutex_unlock(&p->lock);
    pthread_join(p->thread, NULL);
    p->running = p->stop = false;
  }
  if (p->on && p->tty && p->width) {
    fprintf(p->out, "\r%*s\r", (int)p->width, "");
    fflush(p->out);
  }
  p->width = 0;
}
