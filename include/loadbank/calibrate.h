/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Measures the client: what it can do, and what the emulator costs it.  Takes
 * seconds; touches no dataset. */
#ifndef LOADBANK_CALIBRATE_H
#define LOADBANK_CALIBRATE_H

#include <stddef.h>
#include <stdint.h>

#include "loadbank/err.h"
#include "loadbank/estimate.h"
#include "loadbank/world.h"

/* How late sleeps end, ns. */
struct lb_lateness {
  uint64_t p50, p95, max;
};

/* What this client is: of the first rank's host, but for the gate and the
 * cores. */
struct lb_client_facts {
  int ranks, hosts;
  int cores;       /* all ranks may run on, of all hosts */
  int host_cores;  /* of the first */
  double copy_one; /* bytes that a thread copies in a second of CPU time */
  double copy_all; /* bytes/s of copy_threads threads at once */
  int copy_threads;
  double read_one; /* from the page cache, as copy_one */
  double
      operation_s; /* open, stat, read a byte, close: one of them, CPU time */
  struct lb_lateness plain;   /* sleeps as the kernel ends them */
  struct lb_lateness tailed;  /* with the calibrated tail */
  uint64_t tail_ns;           /* 0: no core is free for one */
  double gate_s;              /* mean of an empty gate of all ranks */
  double call_s;              /* an empty system call, CPU time */
  double content_bytes_per_s; /* content of a dataset, as copy_one */
};
/* Collective.  root: a folder for a small file, for a moment; rank 0's counts.
 * *out is the same on all ranks. */
int lb_calibrate_client(struct lb_world *w, const char *root,
                        struct lb_client_facts *out, struct lb_err *err);

/* What the loader delivers at storage none without compute, all ranks. */
struct lb_delivery {
  double samples_per_s, bytes_per_s;
  double sample_cpu_s; /* CPU time of all ranks for a sample */
  double step_cpu_s;   /* the same for a step of an accelerator */
};

/* A workload by its text; what lb_workload_load takes. */
struct lb_calibrate_what {
  const char *yaml, *name;
  size_t yaml_len;
  const char *const *overrides;
  int n_overrides;
};

/* Collective.  folder: for results, removed again; rank 0's counts.  *out is
 * the same on all ranks. */
int lb_calibrate_format(struct lb_world *w, const char *format,
                        const char *folder, struct lb_delivery *out,
                        struct lb_err *err);
/* The same; with samples so small that a step is nearly all there is. */
int lb_calibrate_step(struct lb_world *w, const char *folder,
                      struct lb_delivery *out, struct lb_err *err);
/* The same for a workload: *load is complete. */
int lb_calibrate_workload(struct lb_world *w,
                          const struct lb_calibrate_what *what,
                          const char *folder, struct lb_delivery *out,
                          struct lb_client_load *load, struct lb_err *err);

#endif
