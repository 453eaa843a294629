/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Why a thread went on much later than it should have.  Asked only once that
 * has been seen: a look costs two small files of /proc. */
#ifndef LOADBANK_STALL_H
#define LOADBANK_STALL_H

#include <stdint.h>

enum lb_stall {
  LB_STALL_NONE,
  LB_STALL_BUSY,      /* this program's own work */
  LB_STALL_RUN_QUEUE, /* ready to run, but others had the processors */
  LB_STALL_STEAL,     /* the hypervisor ran something else */
  LB_STALL_STOPPED,   /* neither: SIGSTOP, a frozen group, a paused machine */
  LB_N_STALLS
};
extern const char *const lb_stall_names[LB_N_STALLS];

/* A wake-up that is later than this is no wake-up of a machine at rest. */
#define LB_STALL_NS UINT64_C(1000000)

/* What the counters said at the last look.  One thread's; zeroes at first. */
struct lb_stall_watch {
  uint64_t run_ns, wait_ns; /* the calling thread ran, waited for a processor */
  uint64_t steal_ns;        /* of the whole machine */
};

/* To be called every second or so, so that a cause is sought in a short past.
 */
void lb_stall_look(struct lb_stall_watch *w);
/* The calling thread was held up for so long; looks. */
enum lb_stall lb_stall_cause(struct lb_stall_watch *w, uint64_t held_ns);

/* Pure: which counter explains half of a hold-up; w: by how much they grew. */
enum lb_stall lb_stall_judge(uint64_t held_ns, const struct lb_stall_watch *w);

#endif
