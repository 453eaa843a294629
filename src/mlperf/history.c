/* SPDX-License-Identifier: GPL-3.0-or-later */
/* RESULTS/.history/history.txt: a line `ID,YYYYMMDD_HHMMSS,command' for each
 * command that was to write into the results folder.  Times are UTC. */
#include "lb-config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "loadbank/clock.h"
#include "loadbank/filelock.h"
#include "loadbank/log.h"
#include "loadbank/mlperf_launch.h"
#include "loadbank/units.h"
#include "loadbank/wholefile.h"
#include "mlperf/place.h"

enum {
  MAX_BYTES = 256 << 20,
  MAX_ID = 1000000000,
  WAIT_S = 10,
  WAIT_STEP_MS = 20
};

/* ---- lines ---- */

struct line {
  int64_t id;
  char stamp[LB_MLPERF_STAMP];
  const char *command; /* borrowed */
};

/* A whole line without its end; false: it is none of ours. */
static bool read_line(const char *text, struct line *out)
{
  char id[24];
  size_t n = strcspn(text, ",");
  if (n == 0 || n >= sizeof id || text[n] != ',')
    return false;
  memcpy(id, text, n);
  id[n] = '\0';
  const char *stamp = text + n + 1;
  if (strcspn(stamp, ",") != LB_MLPERF_STAMP - 1 ||
      stamp[LB_MLPERF_STAMP - 1] != ',')
    return false;
  memcpy(out->stamp, stamp, LB_MLPERF_STAMP - 1);
  out->stamp[LB_MLPERF_STAMP - 1] = '\0';
  out->command = stamp + LB_MLPERF_STAMP;
  return lb_parse_int(id, false, &out->id) == LB_PARSED_OK && out->id >= 1 &&
         out->id < MAX_ID && lb_mlperf_is_stamp(out->stamp);
}

/* Calls each for the lines of the text, which it takes apart.  A last line that
 * has no end was cut off and is none. */
static void each_line(char *text, void (*each)(void *arg, const struct line *l),
                      void *arg)
{
  for (char *end; (end = strchr(text, '\n')) != NULL; text = end + 1) {
    struct line l;
    *end = '\0';
    if (read_line(text, &l))
      each(arg, &l);
  }
}

static int read_all(int fd, const char *path, char **text, struct lb_err *err)
{
  struct stat st;
  size_t have = 0;
  if (fstat(fd, &st))
    return lb_err_sys(err, LB_FAILED, errno, "%s", path);
  if (st.st_size > MAX_BYTES)
    return lb_err_set(err, LB_FAILED, "%s: larger than %d bytes", path,
                      MAX_BYTES);
  size_t size = (size_t)st.st_size;
  *text = malloc(size + 1);
  if (!*text)
    return lb_err_set(err, LB_FAILED, "out of memory");
  while (have < size) {
    ssize_t n = pread(fd, *text + have, size - have, (off_t)have);
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      return lb_err_sys(err, LB_FAILED, errno, "%s: read", path);
    if (n == 0)
      break;
    have += (size_t)n;
  }
  (*text)[have] = '\0';
  for (char *zero; (zero = memchr(*text, '\0', have)) != NULL;)
    *zero = '?'; /* what a crash may leave, and lines may follow */
  return 0;
}

static int open_file(const char *results, bool writes, char path[PATH_MAX],
                     struct lb_err *err)
{
  int n = snprintf(path, PATH_MAX, "%s/" LB_MLPERF_HISTORY, results);
  if (n + (int)sizeof LB_MLPERF_HISTORY_FILE >= PATH_MAX)
    return lb_err_sys(err, LB_USAGE, ENAMETOOLONG, "%.800s", results);
  if (writes && mkdir(path, 0777) && errno != EEXIST)
    return lb_err_sys(err, LB_FAILED, errno, "%.800s: make", path);
  snprintf(path + n, PATH_MAX - (size_t)n, "/" LB_MLPERF_HISTORY_FILE);
  int fd = open(path, (writes ? O_RDWR | O_CREAT : O_RDONLY) | O_CLOEXEC, 0666);
  if (fd < 0 && !writes && errno == ENOENT)
    return lb_err_set(err, LB_USAGE, "%.700s: no history", results);
  return fd >= 0 ? fd : lb_err_sys(err, LB_FAILED, errno, "%.800s", path);
}

/* ---- adding ---- */

static int lock(int fd, const char *path, struct lb_err *err)
{
  uint64_t end = lb_clock_ns() + WAIT_S * (uint64_t)LB_NS_PER_S;
  while (!lb_file_lock(fd)) {
    if (lb_clock_ns() > end)
      return lb_err_set(err, LB_FAILED,
                        "%.800s: another process has held it for %d s", path,
                        WAIT_S);
    lb_clock_sleep_until(lb_clock_ns() + WAIT_STEP_MS * 1000000u);
  }
  return 0;
}

static void largest(void *arg, const struct line *l)
{
  int64_t *id = arg;
  if (l->id > *id)
    *id = l->id;
}

/* Behind the last whole line, in the place of one that was cut off. */
static int append(int fd, const char *path, char *old, const char *command,
                  struct lb_err *err)
{
  char stamp[LB_CLOCK_STAMP_LEN];
  struct lb_buf line;
  int64_t id = 0;
  int sys = 0;
  const char *last = strrchr(old, '\n');
  off_t end = last ? (off_t)(last + 1 - old) : 0;
  each_line(old, largest, &id);
  lb_clock_utc_stamp(lb_clock_utc_ns(), stamp);
  lb_buf_init(&line, (size_t)4 << 20);
  lb_buf_printf(&line, "%" PRId64 ",%s,", id + 1, stamp);
  lb_buf_puts(&line, command);
  lb_buf_puts(&line, "\n");
  if (line.failed)
    lb_err_set(err, LB_FAILED, "%.800s: a line too long", path);
  else if (ftruncate(fd, end) || lseek(fd, end, SEEK_SET) < 0)
    sys = errno;
  else
    sys = lb_write_all(fd, line.data, line.len);
  if (sys && ftruncate(fd, end))
    lb_err_sys(err, LB_FAILED, errno, "%.800s: half a line is left", path);
  if (sys)
    lb_err_sys(err, LB_FAILED, sys, "%.800s: write", path);
  lb_buf_fini(&line);
  return -err->code;
}

int lb_mlperf_history_add(const char *results, const char *command,
                          struct lb_err *err)
{
  char path[PATH_MAX], *old = NULL;
  int fd = open_file(results, true, path, err);
  int rc = fd < 0 ? fd : lock(fd, path, err);
  if (!rc)
    rc = read_all(fd, path, &old, err);
  if (!rc)
    rc = append(fd, path, old, command, err);
  free(old);
  if (fd >= 0 && close(fd) && !rc)
    rc = lb_err_sys(err, LB_FAILED, errno, "%.800s: write", path);
  return rc;
}

/* ---- showing ---- */

struct search {
  int64_t id;         /* of interest, or 0: all */
  int64_t skip, seen; /* lines */
  struct line found;
  struct lb_buf *out;
};

static void count(void *arg, const struct line *l)
{
  (void)l;
  ++*(int64_t *)arg;
}

static void look(void *arg, const struct line *l)
{
  struct search *s = arg;
  if (l->id == s->id)
    s->found = *l;
  if (s->out && !s->id && s->seen++ >= s->skip)
    lb_buf_printf(s->out, "%6" PRId64 "  %s  %s\n", l->id, l->stamp,
                  l->command);
}

/* *text is malloc'ed, and holds what was found. */
static int search(const char *results, struct search *s, int64_t limit,
                  char **text, struct lb_err *err)
{
  char path[PATH_MAX];
  int64_t n = 0;
  int fd = open_file(results, false, path, err);
  int rc = fd < 0 ? fd : read_all(fd, path, text, err);
  if (fd >= 0)
    close(fd);
  if (rc)
    return rc;
  char *copy = *text ? strdup(*text) : NULL;
  if (!copy)
    return lb_err_set(err, LB_FAILED, "out of memory");
  each_line(copy, count, &n);
  free(copy);
  s->skip = limit && limit < n ? n - limit : 0;
  each_line(*text, look, s);
  if (s->id && !s->found.command)
    return lb_err_set(err, LB_USAGE,
                      "%.700s: no command %" PRId64 " among the %" PRId64
                      " of its history",
                      results, s->id, n);
  return 0;
}

int lb_mlperf_history_show(struct lb_mlperf_call *call, struct lb_err *err)
{
  const struct lb_mlperf_args *a = &call->args;
  struct search s = {.id = a->id, .out = &call->out};
  char *text = NULL;
  int rc = search(a->results_dir, &s, a->limit, &text, err);
  if (!rc && s.found.command)
    lb_buf_printf(&call->out, "%s\n", s.found.command);
  free(text);
  return rc;
}

/* ---- again ---- */

/* The recorded command may have its results folder from the environment. */
static int become(struct lb_mlperf_call *call, const char *command,
                  struct lb_err *err)
{
  char **word;
  int n;
  if (lb_mlperf_unquote(command, &call->arena, &word, &n, err))
    return -err->code;
  if (n < 3 || strcmp(word[0], "loadbank") != 0 ||
      strcmp(word[1], "mlperf") != 0 || !strcmp(word[2], "history"))
    return lb_err_set(err, LB_FAILED,
                      "no command of loadbank mlperf that can be done again: "
                      "%.600s",
                      command);
  if (setenv("MLPERF_RESULTS_DIR", call->args.results_dir, 1) ||
      unsetenv("MLPSTORAGE_RESULTS_DIR"))
    return lb_err_sys(err, LB_FAILED, errno, "environment");
  fflush(stdout);
  execv("/proc/self/exe", word);
  return lb_err_sys(err, LB_FAILED, errno, "%.600s", command);
}

int lb_mlperf_history_rerun(struct lb_mlperf_call *call, struct lb_err *err)
{
  struct search s = {0};
  char *text = NULL;
  if (lb_parse_int(call->operand[0], false, &s.id) != LB_PARSED_OK || s.id < 1)
    return lb_err_set(err, LB_USAGE,
                      "mlperf: history rerun: '%.60s' is no number of a "
                      "command; history show lists them",
                      call->operand[0]);
  int rc = search(call->args.results_dir, &s, 0, &text, err);
  if (!rc && call->args.dry_run)
    lb_buf_printf(&call->out, "%s\n", s.found.command);
  else if (!rc)
    rc = become(call, s.found.command, err);
  free(text);
  return rc;
}
