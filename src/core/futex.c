/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The futex system call, with absolute deadlines: FUTEX_WAIT_BITSET, because
 * plain FUTEX_WAIT takes relative ones, which drift. */
#include "lb-config.h"

#include "loadbank/futex.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "loadbank/clock.h"

static int op_in(int op, enum lb_futex_scope scope)
{
  return scope == LB_FUTEX_PROCESS ? op | FUTEX_PRIVATE_FLAG : op;
}

bool lb_futex_wait(_Atomic uint32_t *word, uint32_t value, uint64_t deadline_ns,
                   enum lb_futex_scope scope)
{
  struct timespec t = {.tv_sec = (time_t)(deadline_ns / LB_NS_PER_S),
                       .tv_nsec = (long)(deadline_ns % LB_NS_PER_S)};
  long rc = syscall(SYS_futex, word, op_in(FUTEX_WAIT_BITSET, scope), value,
                    deadline_ns == LB_NEVER ? NULL : &t, NULL,
                    FUTEX_BITSET_MATCH_ANY);
  return rc == 0 || errno != ETIMEDOUT;
}

static void wake(_Atomic uint32_t *word, int n, enum lb_futex_scope scope)
{
  syscall(SYS_futex, word, op_in(FUTEX_WAKE, scope), n, NULL, NULL, 0);
}

void lb_futex_wake(_Atomic uint32_t *word, enum lb_futex_scope scope)
{
  wake(word, INT_MAX, scope);
}

void lb_futex_wake_one(_Atomic uint32_t *word, enum lb_futex_scope scope)
{
  wake(word, 1, scope);
}
