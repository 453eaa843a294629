/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What clang's analyzer must know and cannot see from a declaration: a set
 * error is set.  Without it each `if (failed) return lb_err_set(...)` would be
 * a path on which the caller goes on.  tests/lint/tidy.sh puts it before every
 * source but err.c; nothing else includes it. */
#ifndef LOADBANK_ANALYZER_H
#define LOADBANK_ANALYZER_H

#include "loadbank/err.h"

/* The arguments of a message are used. */
int lb_analyzer_uses(const char *fmt, ...);

static inline int lb_analyzer_set(struct lb_err *err, int code)
{
  if (err->code == LB_OK)
    err->code = code;
  if (err->code <= LB_OK)
    __builtin_unreachable();
  return -err->code;
}

#define lb_err_set(err, code, ...) \
  (lb_analyzer_uses(__VA_ARGS__), lb_analyzer_set((err), (code)))
#define lb_err_sys(err, code, sys, ...) \
  ((void)(sys), lb_analyzer_uses(__VA_ARGS__), lb_analyzer_set((err), (code)))
#define lb_err_wrap(err, ...) \
  (lb_analyzer_uses(__VA_ARGS__), lb_analyzer_set((err), LB_FAILED))

#endif
