/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Folders of results: their names, and whose files are in the way. */
#include "lb-config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "loadbank/report.h"
#include "loadbank/wholefile.h"
#include "tap.h"

static void named(const char *path, int want, struct lb_err *err,
                  const char *what)
{
  char *folder;
  is_int(lb_results_folder(&folder, path, "w", 0, err), want, "%s", what);
  free(folder);
}

static void folders(void)
{
  struct lb_err err = LB_ERR_INIT;
  char *one, *two, old[512], path[512];
  ok(getcwd(old, sizeof old) && chdir(tap_tmpdir()) == 0,
     "in a temporary folder");
  is_int(lb_results_folder(&one, NULL, "w", 0, &err), 0, "made");
  is_str(one, "results/w/19700101_000000", "name by time");
  is_int(lb_results_folder(&two, "", "w", 0, &err), 0, "a second one");
  is_str(two, "results/w/19700101_000000-2", "never the same");
  free(one);
  free(two);
  snprintf(path, sizeof path, "%s/named/deep", tap_tmpdir());
  named(path, 0, &err, "a named one");
  named(path, 0, &err, "empty: again");
  is_int(lb_write_file(path, "summary.json", "{}", 2, &err), 0, "a result");
  named(path, -LB_USAGE, &err, "one with a result is refused");
  ok(strstr(err.msg, "another run") != NULL, "%s", err.msg);
  err = (struct lb_err)LB_ERR_INIT;
  is_int(lb_write_file(path, "mine.json", "{}", 2, &err), 0, "a user's file");
  is_int(lb_write_file(path, "7_output.json", "{}", 2, &err), 0, "an old one");
  is_int(lb_results_clear(path, &err), 0, "cleared");
  named(path, 0, &err, "can be had again");
  snprintf(path, sizeof path, "%s/named/deep/7_output.json", tap_tmpdir());
  ok(access(path, F_OK) != 0, "the old result is gone");
  snprintf(path, sizeof path, "%s/named/deep/mine.json", tap_tmpdir());
  ok(access(path, F_OK) == 0, "the user's file is not");
  is_int(lb_results_clear("/nonexistent", &err), 0, "nothing to clear");
  named("/proc/none", -LB_FAILED, &err, "cannot be made");
  ok(strstr(err.msg, "/proc/none") != NULL, "%s", err.msg);
  err = (struct lb_err)LB_ERR_INIT;
  is_int(lb_write_file("/nonexistent", "x", "", 0, &err), -LB_FAILED,
         "no folder for a file");
  if (chdir(old))
    ok(false, "back");
}

int main(void)
{
  folders();
  return done();
}
