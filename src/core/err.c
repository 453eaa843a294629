/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Setting and wrapping the error values of err.h. */
#include "lb-config.h"

#include "loadbank/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int lb_err_set(struct lb_err *err, enum lb_code code, const char *fmt, ...)
{
  if (!lb_err_is_set(err)) {
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(err->msg, sizeof err->msg, fmt, ap);
    va_end(ap);
    err->code = code;
  }
  return -err->code;
}

int lb_err_sys(struct lb_err *err, enum lb_code code, int sys, const char *fmt,
               ...)
{
  if (!lb_err_is_set(err)) {
    char cause[128];
    va_list ap;
    snprintf(cause, sizeof cause, ": %s (errno %d)", strerror(sys), sys);
    /* Of a message too long to fit the cause matters more than the end. */
    va_start(ap, fmt);
    vsnprintf(err->msg, sizeof err->msg - strlen(cause), fmt, ap);
    va_end(ap);
    memcpy(err->msg + strlen(err->msg), cause, strlen(cause) + 1);
    err->sys = sys;
    err->code = code;
  }
  return -err->code;
}

int lb_err_give_up(struct lb_err *err, const char *what)
{
  return lb_err_sys(err, LB_FAILED, ECANCELED, "%s", what);
}

bool lb_err_gave_up(const struct lb_err *err)
{
  return err->sys == ECANCELED;
}

int lb_err_wrap(struct lb_err *err, const char *fmt, ...)
{
  char text[sizeof err->msg], cause[sizeof err->msg];
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(text, sizeof text, fmt, ap);
  va_end(ap);
  memcpy(cause, err->msg, sizeof cause);
  /* A message too long to fit is cut: the cause matters more than its end. */
  if (snprintf(err->msg, sizeof err->msg, "%s: %s", text, cause) < 0)
    err->msg[0] = '\0';
  return -err->code;
}
