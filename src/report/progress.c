/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The progress line on stderr.  Rank 0's own view: nothing is communicated for
 * it. */
#include "lb-config.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "loadbank/clock.h"
#include "loadbank/report.h"

static const uint64_t terminal_ns = 500 * UINT64_C(1000000);
static const uint64_t log_ns = 10 * (uint64_t)LB_NS_PER_S;

void lb_progress_init(struct lb_progress *p, enum lb_progress_mode mode,
                      FILE *out)
{
  memset(p, 0, sizeof *p);
  p->out = out;
  p->tty = isatty(fileno(out)) == 1;
  p->on = mode == LB_PROGRESS_ALWAYS || (mode == LB_PROGRESS_AUTO && p->tty);
  p->every_ns = p->tty ? terminal_ns : log_ns;
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

void lb_progress_format(char *out, size_t size,
                        const struct lb_progress_state *s)
{
  if (size == 0)
    return;
  snprintf(out, size, "%s", s->phase ? s->phase : "");
  if (s->epochs > 0)
    ADD(" epoch %" PRId64 "/%" PRId64, s->epoch, s->epochs);
  if (s->total > 0) {
    int64_t done = s->done < s->total ? s->done : s->total;
    ADD("  %" PRId64 "/%" PRId64 " %s  %3d %%", done, s->total,
        s->unit ? s->unit : "", (int)(100.0 * (double)done / (double)s->total));
  } else if (s->done > 0) {
    ADD("  %" PRId64 " %s", s->done, s->unit ? s->unit : "");
  }
  if (isfinite(s->au))
    ADD("  AU %.1f %%", s->au);
  ADD("  ");
  add_time(out, size, s->elapsed_ns);
  if (s->left_ns != LB_NEVER) {
    ADD(", ");
    add_time(out, size, s->left_ns);
    ADD(" left");
  }
}

void lb_progress_tick(struct lb_progress *p, uint64_t now_ns,
                      const struct lb_progress_state *s)
{
  if (!p->on || now_ns < p->next_ns)
    return;
  p->next_ns = now_ns + p->every_ns;
  char line[160];
  lb_progress_format(line, sizeof line, s);
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

void lb_progress_end(struct lb_progress *p)
{
  if (p->on && p->tty && p->width) {
    fprintf(p->out, "\r%*s\r", (int)p->width, "");
    fflush(p->out);
  }
  p->width = 0;
}
