/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What unit tests share: see tap.h. */
#include "lb-config.h"

#include "tap.h"

#include <dirent.h>
#include <ftw.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int n_checks, n_failed;
static char tmpdir[256];

static void report(bool good, const char *fmt, va_list ap)
    __attribute__((format(printf, 2, 0)));
static void report(bool good, const char *fmt, va_list ap)
{
  n_failed += !good;
  printf("%sok %d - ", good ? "" : "not ", ++n_checks);
  vprintf(fmt, ap);
  putchar('\n');
}

bool tap_ok(bool cond, const char *text, const char *file, int line,
            const char *fmt, ...)
{
  va_list ap;
  va_start(ap, fmt);
  report(cond, fmt, ap);
  va_end(ap);
  if (!cond)
    printf("# %s:%d: %s\n", file, line, text);
  fflush(stdout);
  return cond;
}

bool tap_is_int(long long got, long long want, const char *file, int line,
                const char *fmt, ...)
{
  va_list ap;
  va_start(ap, fmt);
  report(got == want, fmt, ap);
  va_end(ap);
  if (got != want)
    printf("# %s:%d: got %lld, want %lld\n", file, line, got, want);
  fflush(stdout);
  return got == want;
}

bool tap_is_str(const char *got, const char *want, const char *file, int line,
                const char *fmt, ...)
{
  bool good = got && want ? !strcmp(got, want) : got == want;
  va_list ap;
  va_start(ap, fmt);
  report(good, fmt, ap);
  va_end(ap);
  if (!good)
    printf("# %s:%d: got '%s', want '%s'\n", file, line, got ? got : "(null)",
           want ? want : "(null)");
  fflush(stdout);
  return good;
}

bool tap_is_near(double got, double want, double tolerance, const char *file,
                 int line, const char *fmt, ...)
{
  bool good = fabs(got - want) <= tolerance;
  va_list ap;
  va_start(ap, fmt);
  report(good, fmt, ap);
  va_end(ap);
  if (!good)
    printf("# %s:%d: got %.17g, want %.17g +- %g\n", file, line, got, want,
           tolerance);
  fflush(stdout);
  return good;
}

int done(void)
{
  printf("1..%d\n", n_checks);
  return n_failed != 0;
}

static int count_entries(const char *folder)
{
  int n = -2; /* . and .. */
  DIR *d = opendir(folder);
  while (d && readdir(d))
    n++;
  if (d)
    closedir(d);
  return n;
}

int tap_open_files(void)
{
  return count_entries("/proc/self/fd") - 1; /* the listing's own */
}

int tap_threads(void)
{
  return count_entries("/proc/self/task");
}

static int remove_one(const char *path, const struct stat *st, int type,
                      struct FTW *ftw)
{
  (void)st, (void)type, (void)ftw;
  return remove(path);
}

static void remove_tmpdir(void)
{
  nftw(tmpdir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

const char *tap_tmpdir(void)
{
  if (!tmpdir[0]) {
    const char *base = getenv("TMPDIR");
    snprintf(tmpdir, sizeof tmpdir, "%s/loadbank-test-XXXXXX",
             base ? base : "/tmp");
    if (!mkdtemp(tmpdir)) {
      printf("Bail out! cannot make %s\n", tmpdir);
      exit(99);
    }
    atexit(remove_tmpdir);
  }
  return tmpdir;
}
