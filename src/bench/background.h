/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Saves that go on beside training, on the main thread unless it is said
 * otherwise.  Inside src/bench only. */
#ifndef BACKGROUND_H
#define BACKGROUND_H

#include "checkpoint_impl.h"

/* ---- background.c: what of a save goes on beside training ---- */

/* If the configuration has such; once. */
int lb_background_new(struct lb_bench *b, struct lb_err *err);
void lb_background_free(struct lb_bench *b);
/* Begins, after the gate with that stamp. */
void lb_background_begin(struct lb_bench *b, uint64_t start_ns);
/* The conductor's hook, after every gate: goes on with what all have ended. */
void lb_background_passed(void *arg, const struct lb_release *r);
/* Collective.  Waits until the save is durable, or the run stops (b->stop). */
void lb_background_settle(struct lb_bench *b);
/* Collective.  The same, and the save is over; *end_ns: at least the stamp of
 * the last gate that was waited at. */
int lb_background_finish(struct lb_bench *b, uint64_t *end_ns,
                         struct lb_err *err);
/* What its threads have done. */
void lb_background_stats(const struct lb_bench *b, struct lb_iostats *into);

/* ---- drain.c ---- */

struct lb_drain;
int lb_drain_new(struct lb_bench *b, struct lb_drain **d, struct lb_err *err);
void lb_drain_free(struct lb_drain *d);
/* This rank's files go from the first tier to the last.  false: it has none. */
bool lb_drain_begin(struct lb_drain *d, uint64_t start_ns);
struct lb_crew *lb_drain_crew(const struct lb_drain *d); /* or NULL */
/* When they are there. */
uint64_t lb_drain_end_ns(const struct lb_drain *d);

#endif
