/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One job at a time generates in a folder: a lock on a file in it, which ends
 * with its process whatever happens.  Where the file system has no locks there
 * is none. */
#include "lb-config.h"

#include "loadbank/dataset.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "loadbank/filelock.h"

static const char name[] = ".loadbank.lock";

static int path_of(const char *root, char path[PATH_MAX], struct lb_err *err)
{
  int n = snprintf(path, PATH_MAX, "%s/%s", root, name);
  if (n < 0 || n >= PATH_MAX)
    return lb_err_sys(err, LB_FAILED, ENAMETOOLONG, "%s/%s", root, name);
  return 0;
}

/* Is the open file still the one of that name?  Its last owner has removed it,
 * when it was locked in between. */
static bool is_current(int fd, const char *path)
{
  struct stat mine, there;
  return !fstat(fd, &mine) && !stat(path, &there) &&
         mine.st_dev == there.st_dev && mine.st_ino == there.st_ino;
}

int lb_dataset_claim(const char *root, int *fd, struct lb_err *err)
{
  char path[PATH_MAX];
  if (path_of(root, path, err))
    return -err->code;
  for (;;) {
    int new = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (new < 0)
      return lb_err_sys(err, LB_FAILED, errno, "%s: open", path);
    if (!lb_file_lock(new)) {
      close(new);
      return lb_err_set(
          err, LB_FAILED,
          "%s: another job generates a dataset here now; wait for "
          "it, or choose another dataset.data_folder",
          root);
    }
    if (is_current(new, path)) {
      *fd = new;
      return 0;
    }
    close(new);
  }
}

void lb_dataset_release(const char *root, int *fd)
{
  char path[PATH_MAX];
  struct lb_err err = LB_ERR_INIT;
  if (*fd < 0)
    return;
  if (!path_of(root, path, &err))
    unlink(path);
  close(*fd);
  *fd = -1;
}
