/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See probe.h.  Names: .loadbank-probe-HOST-PID-WORD. */
#include "lb-config.h"

#include "mlperf/probe.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "loadbank/clock.h"
#include "loadbank/wholefile.h"

enum { MAX_HOST = 65, LOOK_AGAIN_MS = 100 };
static const char prefix[] = ".loadbank-probe-";

/* 0, or why there is no such folder. */
static int look_for_folder(const char *path)
{
  struct stat st;
  if (stat(path, &st))
    return errno;
  return S_ISDIR(st.st_mode) ? 0 : ENOTDIR;
}

int lb_probe_nearest(const char *path, char out[PATH_MAX], struct lb_err *err)
{
  int sys;
  if (snprintf(out, PATH_MAX, "%s", path) >= PATH_MAX)
    return lb_err_sys(err, LB_FAILED, ENAMETOOLONG, "%s", path);
  while ((sys = look_for_folder(out)) == ENOENT) {
    char *slash = strrchr(out, '/');
    if (!slash)
      snprintf(out, PATH_MAX, ".");
    else
      slash[slash == out] = '\0';
  }
  return sys ? lb_err_sys(err, LB_FAILED, sys, "%s", out) : 0;
}

static void host_name(char host[MAX_HOST])
{
  memset(host, 0, MAX_HOST);
  if (gethostname(host, MAX_HOST - 1) || !*host)
    snprintf(host, MAX_HOST, "localhost");
}

static int probe_path(const char *folder, const char *word, char out[PATH_MAX],
                      struct lb_err *err)
{
  char host[MAX_HOST];
  host_name(host);
  int n = snprintf(out, PATH_MAX, "%s/%s%s-%ld-%s", folder, prefix, host,
                   (long)getpid(), word);
  return n < PATH_MAX ? 0
                      : lb_err_sys(err, LB_FAILED, ENAMETOOLONG, "%s", folder);
}

/* Was it made by a process of this host that is gone? */
static bool is_leftover(const char *name)
{
  char ours[sizeof prefix + MAX_HOST], host[MAX_HOST];
  host_name(host);
  int n = snprintf(ours, sizeof ours, "%s%s-", prefix, host);
  if (strncmp(name, ours, (size_t)n) != 0)
    return false;
  char *end;
  long pid = strtol(name + n, &end, 10);
  return pid > 0 && *end == '-' && kill((pid_t)pid, 0) && errno == ESRCH;
}

void lb_probe_sweep(const char *folder)
{
  DIR *d = opendir(folder);
  if (!d)
    return;
  for (struct dirent *e; (e = readdir(d)) != NULL;)
    if (is_leftover(e->d_name))
      unlinkat(dirfd(d), e->d_name, 0); /* what stays is tried next time */
  closedir(d);
}

/* ---- two folders ---- */

static int by_device(const char *from, const char *to, const char *why, int sys,
                     struct lb_probe_pair *out, struct lb_err *err)
{
  struct stat a, b;
  if (stat(from, &a))
    return lb_err_sys(err, LB_FAILED, errno, "%s", from);
  if (stat(to, &b))
    return lb_err_sys(err, LB_FAILED, errno, "%s", to);
  out->same = a.st_dev == b.st_dev;
  out->by_device = true;
  snprintf(out->why, sizeof out->why, "%s%s%s", why, sys ? ": " : "",
           sys ? strerror(sys) : "");
  return 0;
}

/* What link() says; *sys: its errno, or why it could not be asked. */
static bool ask_link(const char *source, const char *target, int *sys)
{
  int fd = open(source, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  *sys = fd < 0 ? errno : 0;
  if (fd < 0)
    return false;
  close(fd);
  *sys = link(source, target) ? errno : 0;
  if (!*sys)
    unlink(target);
  unlink(source);
  return true;
}

int lb_probe_separate(const char *from, const char *to,
                      struct lb_probe_pair *out, struct lb_err *err)
{
  char source[PATH_MAX], target[PATH_MAX];
  int sys;
  *out = (struct lb_probe_pair){.why = ""};
  if (probe_path(from, "link", source, err) ||
      probe_path(to, "linked", target, err))
    return -err->code;
  if (!ask_link(source, target, &sys))
    return by_device(from, to, "no file can be made there to link from", sys,
                     out, err);
  out->same = !sys;
  if (!sys)
    return 0;
  if (sys != EXDEV)
    return by_device(from, to, "link", sys, out, err);
  struct lb_probe_pair device = {.why = ""};
  if (by_device(from, to, "two mounts of one file system", 0, &device, err))
    return -err->code;
  if (device.same)
    *out = device;
  return 0;
}

/* ---- two ranks ---- */

int lb_probe_mark(const char *folder, struct lb_probe_mark *m,
                  struct lb_err *err)
{
  struct stat st;
  *m = (struct lb_probe_mark){.token = ""};
  if (stat(folder, &st))
    return lb_err_sys(err, LB_FAILED, errno, "%s", folder);
  m->inode = m->folder_inode = (uint64_t)st.st_ino;
  if (probe_path(folder, "mark", m->path, err))
    return -err->code;
  int fd = open(m->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (fd < 0) { /* read-only, say: the folder stands for it */
    snprintf(m->path, sizeof m->path, "%s", folder);
    return 0;
  }
  snprintf(m->token, sizeof m->token, "%ld %" PRIu64 " %" PRIu64 "\n",
           (long)getpid(), lb_clock_utc_ns(), lb_clock_ns());
  int sys = lb_write_all(fd, m->token, strlen(m->token));
  if (!sys && fsync(fd) && errno != EINVAL)
    sys = errno;
  if (!sys && fstat(fd, &st))
    sys = errno;
  close(fd);
  if (sys) {
    unlink(m->path);
    return lb_err_sys(err, LB_FAILED, sys, "%s: write", m->path);
  }
  m->inode = (uint64_t)st.st_ino;
  return 0;
}

/* 0, or errno; *same otherwise. */
static int look(const struct lb_probe_mark *m, struct stat *st, bool *same)
{
  char text[LB_PROBE_TOKEN] = "";
  int fd = open(m->path, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return errno;
  int sys = fstat(fd, st) ? errno : 0;
  if (!sys && *m->token && read(fd, text, sizeof text - 1) < 0)
    sys = errno;
  close(fd);
  *same = !strcmp(text, m->token) && (uint64_t)st->st_ino == m->inode;
  return sys;
}

/* Is the folder another one?  Then nothing will come of waiting. */
static bool is_elsewhere(const struct lb_probe_mark *m)
{
  char folder[PATH_MAX];
  struct stat st;
  memcpy(folder, m->path, sizeof folder);
  char *slash = strrchr(folder, '/');
  if (!*m->token || !slash)
    return !*m->token;
  *slash = '\0';
  return !stat(folder, &st) && (uint64_t)st.st_ino != m->folder_inode;
}

int lb_probe_find(const struct lb_probe_mark *m, int wait_s, struct lb_err *err)
{
  uint64_t until = lb_clock_ns() + (uint64_t)wait_s * LB_NS_PER_S;
  struct stat st = {0};
  bool same = false;
  int sys;
  while ((sys = look(m, &st, &same)) != 0 || !same) {
    if (lb_clock_ns() >= until || is_elsewhere(m))
      break;
    lb_clock_sleep_until(lb_clock_ns() + LOOK_AGAIN_MS * 1000000ull);
  }
  if (sys)
    return lb_err_sys(err, LB_FAILED, sys, "%s", m->path);
  if (!same)
    return lb_err_set(err, LB_FAILED,
                      "%s: another file there: inode %" PRIu64
                      ", rank 0 has inode %" PRIu64,
                      m->path, (uint64_t)st.st_ino, m->inode);
  return 0;
}

void lb_probe_unmark(const struct lb_probe_mark *m)
{
  if (*m->token)
    unlink(m->path);
}
