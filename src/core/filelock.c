/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Locks of the open file, not of the process: two of one process exclude each
 * other, and closing another descriptor of the file gives nothing up. */
#include "lb-config.h"

#include "loadbank/filelock.h"

#include <errno.h>
#include <fcntl.h>

bool lb_file_lock(int fd)
{
  struct flock all = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  return !fcntl(fd, F_OFD_SETLK, &all) || (errno != EAGAIN && errno != EACCES);
}
