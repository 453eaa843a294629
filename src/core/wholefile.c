/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Temporary name, fsync, rename; into what cannot be renamed over, a plain
 * write. */
#include "lb-config.h"

#include "loadbank/wholefile.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int lb_write_all(int fd, const void *bytes, size_t n)
{
  const char *p = bytes;
  while (n > 0) {
    ssize_t done = write(fd, p, n);
    if (done < 0 && errno == EINTR)
      continue;
    if (done <= 0)
      return done < 0 ? errno : EIO;
    p += done;
    n -= (size_t)done;
  }
  return 0;
}

int lb_make_folders(char *path)
{
  for (char *p = path + 1;; p++) {
    if (*p && *p != '/')
      continue;
    char was = *p;
    *p = '\0';
    int failed = mkdir(path, 0777) && errno != EEXIST ? errno : 0;
    *p = was;
    if (failed || !was)
      return failed;
  }
}

static int sync_and_close(int fd)
{
  int sys = 0;
  if (fsync(fd) && errno != EINVAL && errno != ENOSYS)
    sys = errno;
  if (close(fd) && !sys)
    sys = errno;
  return sys;
}

static int write_durably(const char *path, const void *bytes, size_t n)
{
  int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd < 0)
    return errno;
  int sys = lb_write_all(fd, bytes, n);
  int closed = sync_and_close(fd);
  return sys ? sys : closed;
}

/* The new name lasts through a power cut where the file system can do that;
 * where it cannot, the file is whole all the same. */
static void sync_folder(const char *folder)
{
  int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0)
    return;
  if (fsync(fd) < 0)
    errno = 0;
  close(fd);
}

static int rename_durably(const char *folder, const char *temporary,
                          const char *path)
{
  if (rename(temporary, path))
    return errno;
  sync_folder(folder);
  return 0;
}

int lb_file_appear(const char *folder, const char *temporary, const char *path)
{
  int fd = open(temporary, O_RDONLY | O_CLOEXEC);
  int sys = fd < 0 ? errno : sync_and_close(fd);
  return sys ? sys : rename_durably(folder, temporary, path);
}

int lb_write_file(const char *folder, const char *name, const void *bytes,
                  size_t n, struct lb_err *err)
{
  char path[PATH_MAX], temporary[PATH_MAX];
  int a = snprintf(path, sizeof path, "%s/%s", folder, name);
  int b = snprintf(temporary, sizeof temporary, "%s/.%s.tmp", folder,
                   name + (*name == '.'));
  if (a >= PATH_MAX || b >= PATH_MAX)
    return lb_err_sys(err, LB_FAILED, ENAMETOOLONG, "%s/%s", folder, name);
  int sys = write_durably(temporary, bytes, n);
  if (!sys)
    sys = rename_durably(folder, temporary, path);
  if (sys) {
    unlink(temporary);
    return lb_err_sys(err, LB_FAILED, sys, "%s: write", path);
  }
  return 0;
}

/* Gives the file its name unless there is one of that name: 0, EEXIST or
 * another errno.  Without hard links only one that is made at this very moment
 * could be replaced. */
static int take_free_name(const char *temporary, const char *path)
{
  struct stat st;
  if (!link(temporary, path))
    return 0;
  if (errno == EEXIST || !lstat(path, &st))
    return EEXIST;
  return rename(temporary, path) ? errno : 0;
}

int lb_write_new_file(const char *folder, const char *name, const void *bytes,
                      size_t n, bool *made, struct lb_err *err)
{
  char path[PATH_MAX], temporary[PATH_MAX];
  *made = false;
  int a = snprintf(path, sizeof path, "%s/%s", folder, name);
  int b = snprintf(temporary, sizeof temporary, "%s/.%s.%ld", folder, name,
                   (long)getpid());
  if (a >= PATH_MAX || b >= PATH_MAX)
    return lb_err_sys(err, LB_FAILED, ENAMETOOLONG, "%s/%s", folder, name);
  int sys = write_durably(temporary, bytes, n);
  if (!sys)
    sys = take_free_name(temporary, path);
  unlink(temporary);
  if (sys && sys != EEXIST)
    return lb_err_sys(err, LB_FAILED, sys, "%s: write", path);
  *made = !sys;
  sync_folder(folder);
  return 0;
}

/* A folder is refused by open itself. */
static int write_into(const char *path, const void *bytes, size_t n,
                      struct lb_err *err)
{
  int fd = open(path, O_WRONLY | O_NOCTTY | O_CLOEXEC);
  if (fd < 0)
    return lb_err_sys(err, LB_FAILED, errno, "%s: write", path);
  int sys = lb_write_all(fd, bytes, n);
  if (close(fd) && !sys)
    sys = errno;
  return sys ? lb_err_sys(err, LB_FAILED, sys, "%s: write", path) : 0;
}

int lb_write_path(const char *path, const void *bytes, size_t n,
                  struct lb_err *err)
{
  struct stat st;
  char target[PATH_MAX], folder[PATH_MAX];
  if (stat(path, &st) == 0) {
    if (!S_ISREG(st.st_mode))
      return write_into(path, bytes, n, err);
    if (!realpath(path, target))
      return lb_err_sys(err, LB_FAILED, errno, "%s: write", path);
    path = target;
  }
  const char *slash = strrchr(path, '/');
  int len = slash ? (int)(slash - path) : 0;
  if (len >= PATH_MAX)
    return lb_err_sys(err, LB_FAILED, ENAMETOOLONG, "%s: write", path);
  snprintf(folder, sizeof folder, "%.*s", len, path);
  const char *root = slash ? "/" : ".";
  return lb_write_file(len ? folder : root, slash ? slash + 1 : path, bytes, n,
                       err);
}
