/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How many accelerators a client can emulate before it is itself the limit.
 * Pure; the rule and what it takes for granted: docs/usage.md. */
#ifndef LOADBANK_ESTIMATE_H
#define LOADBANK_ESTIMATE_H

#include <stdbool.h>
#include <stdint.h>

/* What was measured of the client; of all its hosts together. */
struct lb_client {
  int ranks, cores;
  double read_bytes_per_core_s; /* from the page cache, in a second of CPU */
  double copy_bytes_per_s;      /* that all cores do */
  double operation_s;           /* CPU time of an open, stat, short read ... */
  double step_s; /* CPU time of the conductor for a step of an accelerator */
  double late_s; /* by how much a step ends late: sleep and gate */
};

/* What a workload asks of it. */
struct lb_client_load {
  bool is_virtual;      /* the storage moves no bytes and has no readers */
  double compute_s;     /* mean of a step; 0: none */
  double batch;         /* samples */
  double sample_s;      /* CPU time of a sample at storage none, steps incl. */
  double sample_calls;  /* operations of reading a sample ... */
  double sample_copied; /* ... and the bytes that they copy */
};

/* What comes to its end first. */
enum lb_bound {
  LB_BOUND_PROCESSORS, /* CPU time of readers and conductors */
  LB_BOUND_CONDUCTOR,  /* a conductor is one thread */
  LB_BOUND_MEMORY,     /* bandwidth */
  LB_N_BOUNDS
};
extern const char *const lb_bound_names[LB_N_BOUNDS];

struct lb_estimate {
  /* Without compute there is no pace to hold: nothing is known. */
  bool known;
  /* With nothing left over; INFINITY: no limit there. */
  double accelerators[LB_N_BOUNDS];
  enum lb_bound first;
  int64_t most; /* with a reserve of half of the first; whole, a multiple of the
                   ranks; 0: not even one a rank */
  double sample_cpu_s; /* of a sample, all of it */
  double late_percent; /* of a step */
  bool precise;        /* that is no more than it may be */
};
struct lb_estimate lb_estimate_make(const struct lb_client *c,
                                    const struct lb_client_load *l);

#endif
