/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One error, as a fixed-size value on the caller's stack: it needs no memory
 * when memory is what failed, and can be broadcast as bytes.
 *
 *   int f(..., struct lb_err *err)    0, or a negative lb_code with err filled
 *   return lb_err_set(err, LB_FAILED, "%s: read: %s", path, strerror(errno));
 *
 * The first cause wins: lb_err_set on an err that is already set only returns
 * its code.  Message: what, where, what is allowed; no final full stop. */
#ifndef LOADBANK_ERR_H
#define LOADBANK_ERR_H

#include <stdbool.h>

/* The values are the program's exit codes. */
enum lb_code {
  LB_OK = 0,
  LB_FAILED = 1,     /* a run or an I/O operation failed */
  LB_USAGE = 2,      /* command line or configuration is wrong */
  LB_AU_UNMET = 3,   /* --require-au was not met */
  LB_UNFINISHED = 4, /* a sweep or a sizing had no time for all runs */
};

struct lb_err {
  int code;   /* enum lb_code; LB_OK when empty */
  int rank;   /* who failed; -1 until lb_err_agree fills it */
  int sys;    /* errno of the cause, or 0 */
  bool named; /* the message says which rank */
  char msg[1000];
};

#define LB_ERR_INIT \
  {                 \
    .rank = -1      \
  }

/* Sets err and returns -code.  errno is not touched. */
int lb_err_set(struct lb_err *err, enum lb_code code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* As lb_err_set, records `sys` and appends ": <strerror(sys)> (errno N)". */
int lb_err_sys(struct lb_err *err, enum lb_code code, int sys, const char *fmt,
               ...) __attribute__((format(printf, 4, 5)));

/* What was under way was given up because the job stops: no cause of its own.
 * The same return as lb_err_set. */
int lb_err_give_up(struct lb_err *err, const char *what);
bool lb_err_gave_up(const struct lb_err *err);

/* Puts "<text>: " before the message of a set err; returns -err->code. */
int lb_err_wrap(struct lb_err *err, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

static inline bool lb_err_is_set(const struct lb_err *err)
{
  return err->code != LB_OK;
}

#endif
