/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The one place with process-wide state besides main: a process has one
 * stderr. */
#include "lb-config.h"

#include "loadbank/log.h"

#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include "loadbank/clock.h"
#include "loadbank/hash.h"
#include "loadbank/wholefile.h"

enum { MAX_WARNINGS = 64, MAX_TEXT = 512, MAX_EARLY = 16384, MAX_ONCE = 256 };

static struct {
  pthread_mutex_t lock;
  bool silent, verbose, quiet;
  bool once; /* no warning twice on stderr */
  int n_once;
  uint64_t said[MAX_ONCE]; /* hashes of warnings */
  char label[64];
  FILE *file;
  char copy[PATH_MAX]; /* "": none */
  bool copy_all;
  char early[MAX_EARLY]; /* said before there was a file, as it fits */
  int n_warnings;
  char warnings[MAX_WARNINGS][MAX_TEXT];
} the_log = {.lock = PTHREAD_MUTEX_INITIALIZER};

void lb_log_speaker(bool speaks, const char *label)
{
  the_log.silent = !speaks;
  snprintf(the_log.label, sizeof the_log.label, "%s", label);
}

void lb_log_quiet(bool quiet)
{
  pthread_mutex_lock(&the_log.lock);
  the_log.quiet = quiet;
  if (quiet) {
    the_log.early[0] = '\0';
    the_log.n_warnings = 0;
  }
  pthread_mutex_unlock(&the_log.lock);
}

void lb_log_file(FILE *file)
{
  pthread_mutex_lock(&the_log.lock);
  the_log.file = file;
  if (file)
    fputs(the_log.early, file);
  the_log.early[0] = '\0';
  pthread_mutex_unlock(&the_log.lock);
}

void lb_log_copy(const char *path, bool all)
{
  pthread_mutex_lock(&the_log.lock);
  the_log.copy_all = all;
  snprintf(the_log.copy, sizeof the_log.copy, "%s", path);
  pthread_mutex_unlock(&the_log.lock);
}

static void add_to_copy(const char *line, size_t n)
{
  if (!the_log.copy[0])
    return;
  int fd = open(the_log.copy, O_WRONLY | O_APPEND | O_CLOEXEC);
  if (fd < 0)
    return;
  lb_write_all(fd, line, n);
  close(fd);
}

void lb_log_once(void)
{
  pthread_mutex_lock(&the_log.lock);
  the_log.once = true;
  pthread_mutex_unlock(&the_log.lock);
}

/* Was the line said before?  From now on it was. */
static bool said_before(const char *line)
{
  if (!the_log.once)
    return false;
  uint64_t hash = lb_hash(LB_HASH_START, line, strlen(line));
  for (int i = 0; i < the_log.n_once; i++)
    if (the_log.said[i] == hash)
      return true;
  if (the_log.n_once < MAX_ONCE)
    the_log.said[the_log.n_once++] = hash;
  return false;
}

void lb_log_cry(const char *line, size_t n)
{
  lb_write_all(STDERR_FILENO, line, n);
  add_to_copy(line, n);
}

void lb_log_verbose(bool verbose)
{
  the_log.verbose = verbose;
}

static void say(bool to_stderr, const char *kind, const char *fmt, va_list ap)
    __attribute__((format(printf, 3, 0)));
static void say(bool to_stderr, const char *kind, const char *fmt, va_list ap)
{
  char text[2048];
  vsnprintf(text, sizeof text, fmt, ap);
  char line[2200], stamp[LB_CLOCK_ISO_LEN];
  pthread_mutex_lock(&the_log.lock);
  if (to_stderr && !the_log.quiet) {
    snprintf(line, sizeof line, "loadbank: %s%s%s\n", the_log.label, kind,
             text);
    if (!the_log.silent && !(*kind == 'w' && said_before(line)))
      fputs(line, stderr);
    if (!the_log.silent || the_log.copy_all)
      add_to_copy(line, strlen(line));
  }
  lb_clock_utc_iso(lb_clock_utc_ns(), stamp);
  snprintf(line, sizeof line, "%s %s%s\n", stamp, kind, text);
  size_t held = strlen(the_log.early), n = strlen(line);
  if (the_log.file) {
    fputs(line, the_log.file);
    fflush(the_log.file);
  } else if (held + n < MAX_EARLY) {
    memcpy(the_log.early + held, line, n + 1);
  }
  pthread_mutex_unlock(&the_log.lock);
}

void lb_info(const char *fmt, ...)
{
  va_list ap;
  va_start(ap, fmt);
  say(the_log.verbose, "", fmt, ap);
  va_end(ap);
}

void lb_warn(const char *fmt, ...)
{
  va_list ap;
  va_start(ap, fmt);
  pthread_mutex_lock(&the_log.lock);
  if (the_log.n_warnings < MAX_WARNINGS) {
    va_list copy;
    va_copy(copy, ap);
    vsnprintf(the_log.warnings[the_log.n_warnings++], MAX_TEXT, fmt, copy);
    va_end(copy);
  }
  pthread_mutex_unlock(&the_log.lock);
  say(true, "warning: ", fmt, ap);
  va_end(ap);
}

void lb_warn_text(void *arg, const char *text)
{
  (void)arg;
  lb_warn("%s", text);
}

void lb_error(const char *fmt, ...)
{
  va_list ap;
  va_start(ap, fmt);
  say(true, "", fmt, ap);
  va_end(ap);
}

void lb_log_each_warning(void (*each)(void *arg, const char *text), void *arg)
{
  for (int i = 0; i < the_log.n_warnings; i++)
    each(arg, the_log.warnings[i]);
}
