/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whole files: written once by one of several, read back. */
#include "lb-config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loadbank/slurp.h"
#include "loadbank/wholefile.h"
#include "tap.h"

static char path[4096];

static void write_new(const char *text, bool want)
{
  struct lb_err err = LB_ERR_INIT;
  bool made = !want;
  is_int(
      lb_write_new_file(tap_tmpdir(), "one", text, strlen(text), &made, &err),
      0, "'%s': %s", text, err.msg);
  ok(made == want, "'%s' is %s", text, want ? "made" : "too late");
}

static void read_back(size_t most, int want, const char *text)
{
  char *there;
  size_t len;
  is_int(lb_slurp_file(path, most, &there, &len), want, "%zu bytes at most",
         most);
  is_str(there ? there : "(none)", text, "what is read");
  is_int((long long)len, want ? 0 : (long long)strlen(text), "its length");
  free(there);
}

int main(void)
{
  struct lb_err err = LB_ERR_INIT;
  snprintf(path, sizeof path, "%s/one", tap_tmpdir());
  read_back(100, ENOENT, "(none)");
  write_new("first", true);
  write_new("second", false);
  read_back(5, 0, "first");
  read_back(4, EFBIG, "(none)");
  is_int(lb_write_file(tap_tmpdir(), "one", "", 0, &err), 0, "an empty one");
  read_back(100, 0, "");
  snprintf(path, sizeof path, "%s", tap_tmpdir());
  read_back(100, EISDIR, "(none)");
  return done();
}
