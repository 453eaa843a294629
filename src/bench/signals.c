/* SPDX-License-Identifier: GPL-3.0-or-later */
/* SIGTERM and SIGINT stop a run at its next gate.  The handler only notes. */
#include "lb-config.h"

#include <signal.h>
#include <stddef.h>

#include "bench_impl.h"

static volatile sig_atomic_t caught;

static void note(int number)
{
  caught = number;
}

void lb_signals_catch(void)
{
  struct sigaction act = {.sa_handler = note};
  sigemptyset(&act.sa_mask);
  sigaction(SIGTERM, &act, NULL);
  sigaction(SIGINT, &act, NULL);
  /* A write past a limit or to a closed pipe is an error, not a death. */
  act.sa_handler = SIG_IGN;
  sigaction(SIGXFSZ, &act, NULL);
  sigaction(SIGPIPE, &act, NULL);
}

int lb_signals_caught(void)
{
  return caught;
}
