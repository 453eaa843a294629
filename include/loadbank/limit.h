/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What limited a run: the emulated compute, the storage, or this program.
 * Pure; the rule stands in docs/metrics.md. */
#ifndef LOADBANK_LIMIT_H
#define LOADBANK_LIMIT_H

enum lb_limit_by {
  LB_LIMIT_UNKNOWN, /* no metric window: nothing can be said */
  LB_LIMIT_COMPUTE,
  LB_LIMIT_STORAGE,
  LB_LIMIT_CLIENT,
  LB_N_LIMITS
};
extern const char *const lb_limit_names[LB_N_LIMITS];

/* Seconds, summed over accelerators or over readers. */
struct lb_limit_input {
  double window_s;       /* T over all accelerators */
  double load_s;         /* waiting for data in the windows */
  double late_s;         /* by how much the client ended steps late */
  double io_s;           /* readers: inside I/O calls */
  double reader_cpu_s;   /* readers: CPU outside I/O calls */
  double reader_delay_s; /* readers: waiting for a processor */
  double preprocess_s;   /* readers: emulated preprocessing */
  double reader_lock_s;  /* readers: waiting for a library's lock */
};

struct lb_limit {
  enum lb_limit_by by;
  double load_percent; /* of T */
  double late_percent; /* of T */
  double client_share; /* 0..1 of the readers' time that was our own */
  double client_s;     /* wait that the client caused */
  struct lb_limit_input in;
};
struct lb_limit lb_limited_by(const struct lb_limit_input *in);

#endif
