/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Futex system calls; see futex.h.  No policy here. */
#include "lb-config.h"

#include "loadbank/futex.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "loadbank/clock.h"

void lb_futex_wait(_Atomic uint32_t *word, uint32_t value, uint64_t until_ns,
                   bool shared)
{
  struct timespec until = {.tv_sec = (time_t)(until_ns / LB_NS_PER_S),
                           .tv_nsec = (long)(until_ns % LB_NS_PER_S)};
  /* FUTEX_WAIT_BITSET takes absolute times, FUTEX_WAIT relative ones. */
  int op = FUTEX_WAIT_BITSET | (shared ? 0 : FUTEX_PRIVATE_FLAG);
  syscall(SYS_futex, word, op, value, until_ns == LB_NEVER ? NULL : &until,
          NULL, FUTEX_BITSET_MATCH_ANY);
}

int lb_futex_wake(_Atomic uint32_t *word, int n, bool shared)
{
  int op = FUTEX_WAKE | (shared ? 0 : FUTEX_PRIVATE_FLAG);
  return (int)syscall(SYS_futex, word, op, n, NULL, NULL, 0);
}
