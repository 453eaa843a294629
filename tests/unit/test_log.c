/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The copy of what goes to stderr. */
#include "lb-config.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "loadbank/log.h"
#include "tap.h"

static void read_text(const char *path, char *text, size_t size)
{
  FILE *f = fopen(path, "re");
  size_t n = f ? fread(text, 1, size - 1, f) : 0;
  text[n] = '\0';
  if (f)
    fclose(f);
}

int main(void)
{
  char path[PATH_MAX], text[1000];
  snprintf(path, sizeof path, "%s/copy", tap_tmpdir());
  FILE *f = fopen(path, "we");
  if (!f)
    return 99;
  fclose(f);
  lb_warn("before");
  lb_log_copy(path, false);
  lb_warn("one");
  lb_info("not on stderr");
  lb_log_quiet(true);
  lb_warn("quiet");
  lb_log_quiet(false);
  lb_error("two");
  lb_log_cry("three\n", 6);
  lb_log_speaker(false, "");
  lb_error("of no speaker");
  lb_log_copy(path, true);
  lb_error("four");
  lb_log_speaker(true, "");
  lb_log_copy("", false);
  lb_error("after");
  read_text(path, text, sizeof text);
  is_str(text, "loadbank: warning: one\nloadbank: two\nthree\nloadbank: four\n",
         "what went to stderr meanwhile, and nothing else");
  int saved = dup(STDERR_FILENO);
  int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
  dup2(fd, STDERR_FILENO);
  lb_log_once();
  for (int i = 0; i < 3; i++) {
    lb_warn("in each run");
    lb_warn("run %d", i / 2);
    lb_error("no warning");
  }
  dup2(saved, STDERR_FILENO);
  close(saved);
  close(fd);
  read_text(path, text, sizeof text);
  is_str(text,
         "loadbank: warning: in each run\nloadbank: warning: run 0\n"
         "loadbank: no warning\nloadbank: no warning\n"
         "loadbank: warning: run 1\nloadbank: no warning\n",
         "a warning is said once on stderr, an error each time");
  lb_log_copy("/no-such-folder/copy", true);
  lb_error("a copy that cannot be made is none");
  ok(true, "and no failure");
  return done();
}
