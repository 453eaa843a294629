/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lb-config.h"

#include "loadbank/err.h"

#include <errno.h>
#include <string.h>

#include "tap.h"

int main(void)
{
  struct lb_err err = LB_ERR_INIT;
  ok(!lb_err_is_set(&err), "an empty error is not set");
  is_int(lb_err_sys(&err, LB_FAILED, ENOSPC, "%s: write", "/x"), -1,
         "returns the negative code");
  is_str(err.msg, "/x: write: No space left on device (errno 28)",
         "says what, where and errno");
  is_int(err.sys, ENOSPC, "keeps errno");
  is_int(lb_err_set(&err, LB_USAGE, "later"), -1, "the first cause wins");
  is_int(lb_err_wrap(&err, "while saving %d", 7), -1, "wrap keeps the code");
  is_str(err.msg,
         "while saving 7: /x: write: No space left on device (errno 28)",
         "wrap puts its text before the cause");
  struct lb_err big = LB_ERR_INIT;
  lb_err_set(&big, LB_FAILED, "%2000d", 1);
  is_int(strlen(big.msg), sizeof big.msg - 1, "a long message is cut");
  struct lb_err deep = LB_ERR_INIT;
  lb_err_sys(&deep, LB_FAILED, ENAMETOOLONG, "%2000d", 1);
  ok(strstr(deep.msg, " : File name too long (errno 36)") &&
         strlen(deep.msg) == sizeof deep.msg - 1,
     "but for its cause: %.20s", deep.msg + strlen(deep.msg) - 20);
  struct lb_err gone = LB_ERR_INIT;
  is_int(lb_err_give_up(&gone, "/x"), -LB_FAILED, "giving up is no success");
  ok(lb_err_gave_up(&gone) && !lb_err_gave_up(&err), "but no failure either");
  return done();
}
