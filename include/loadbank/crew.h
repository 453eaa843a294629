/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A crew: threads of a rank that do one job side by side, each its part, while
 * the main thread waits and looks round.  For checkpoints: files are written
 * and read by blocking calls, or through a ring of each member's own.  All
 * threads and buffers are made with the crew, before any clock runs. */
#ifndef LOADBANK_CREW_H
#define LOADBANK_CREW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "loadbank/err.h"
#include "loadbank/ring.h"
#include "loadbank/storage.h"

struct lb_crew;

/* What member number `member' (from 0) does of a job; io is its own.  Any
 * failure makes the others give up.  Must stop soon once lb_crew_goes_on(io)
 * is false: lb_err_give_up. */
typedef int lb_crew_work(void *arg, int member, struct lb_iothread *io,
                         struct lb_err *err);

struct lb_crew_config {
  int members;
  size_t buffer_bytes; /* of each, as io's scratch */
  /* The ring of each, as io's; depth 0: none. */
  struct lb_storage *storage;
  struct lb_ring_room ring;
  /* By each member, when it has its buffer; NULL: nothing. */
  void (*prepare)(const void *arg, struct lb_iothread *io);
  const void *prepare_arg;
};

/* Main thread, like all of the following but one. */
int lb_crew_new(struct lb_crew **c, const struct lb_crew_config *config,
                struct lb_err *err);
/* When no job runs.  NULL is fine. */
void lb_crew_free(struct lb_crew *c);

/* Every member begins; operations are counted in this phase.  arg is borrowed
 * until lb_crew_wait says true. */
void lb_crew_start(struct lb_crew *c, lb_crew_work *work, void *arg,
                   enum lb_phase phase);
/* Sleeps until all are done (true) or until_ns has come (false). */
bool lb_crew_wait(struct lb_crew *c, uint64_t until_ns);
/* The job is to end, whatever is left of it. */
void lb_crew_give_up(struct lb_crew *c);
/* A member; arg: its io.  As a tick, after every request. */
bool lb_crew_goes_on(void *arg);
/* Bytes that the members have written in the job so far, or read when it is of
 * LB_PHASE_LOAD; as of their last ticks. */
uint64_t lb_crew_moved(const struct lb_crew *c);
/* After the job: 0, or the first failure, which may be that it was given up. */
int lb_crew_result(const struct lb_crew *c, struct lb_err *err);
/* Between jobs: adds what all members have done so far. */
void lb_crew_stats(const struct lb_crew *c, struct lb_iostats *into);

#endif
