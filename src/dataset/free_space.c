/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How much may still be written below a path. */
#include "lb-config.h"

#include "loadbank/dataset.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>

/* What an ordinary user may use: f_bavail, not f_bfree.  A file system of no
 * blocks at all does not tell (ramfs, some of FUSE). */
int lb_free_bytes(const char *path, uint64_t *bytes, struct lb_err *err)
{
  char parent[PATH_MAX];
  struct statvfs fs;
  if (snprintf(parent, sizeof parent, "%s", path) >= (int)sizeof parent)
    return lb_err_sys(err, LB_FAILED, ENAMETOOLONG, "%s", path);
  while (statvfs(*parent ? parent : ".", &fs) < 0) {
    char *slash = strrchr(parent, '/');
    if (errno == EINTR)
      continue;
    if (errno != ENOENT || !*parent)
      return lb_err_sys(err, LB_FAILED, errno, "%s: statvfs",
                        *parent ? parent : ".");
    if (slash == parent && parent[1])
      parent[1] = '\0'; /* "/new" becomes "/" */
    else
      *(slash ? slash : parent) = '\0';
  }
  *bytes = fs.f_blocks ? (uint64_t)fs.f_bavail * fs.f_frsize : UINT64_MAX;
  return 0;
}
