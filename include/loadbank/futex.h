/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Linux futexes with an absolute CLOCK_MONOTONIC timeout: the one way in which
 * this program waits.  `shared': the word lies in memory of several processes.
 */
#ifndef LOADBANK_FUTEX_H
#define LOADBANK_FUTEX_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Sleeps while *word == value, until woken or until_ns (LB_NEVER: no limit).
 * May also return early for no reason: check and call again. */
void lb_futex_wait(_Atomic uint32_t *word, uint32_t value, uint64_t until_ns,
                   bool shared);

/* Wakes up to n sleepers; returns how many. */
int lb_futex_wake(_Atomic uint32_t *word, int n, bool shared);

#endif
