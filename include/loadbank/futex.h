/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sleeping on a word of memory until an absolute CLOCK_MONOTONIC time: the one
 * way in which this program waits.  Any thread. */
#ifndef LOADBANK_FUTEX_H
#define LOADBANK_FUTEX_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum lb_futex_scope {
  LB_FUTEX_PROCESS, /* the word is used by this process only */
  LB_FUTEX_SHARED,  /* in memory that processes share */
};

/* Sleeps while *word == value, at most until deadline_ns (LB_NEVER: without
 * end).  May return early without a cause.  false: the deadline has come. */
bool lb_futex_wait(_Atomic uint32_t *word, uint32_t value, uint64_t deadline_ns,
                   enum lb_futex_scope scope);

/* Wakes all who sleep on the word, or one of them. */
void lb_futex_wake(_Atomic uint32_t *word, enum lb_futex_scope scope);
void lb_futex_wake_one(_Atomic uint32_t *word, enum lb_futex_scope scope);

#endif
