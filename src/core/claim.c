/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See claim.h.  The file says who holds it, for messages only: a lock without
 * these words counts as well. */
#include "lb-config.h"

#include "loadbank/claim.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "loadbank/clock.h"
#include "loadbank/filelock.h"
#include "loadbank/path.h"

/* Is the open file still the one of that name?  Its last owner has removed it,
 * when it was locked in between. */
static bool is_current(int fd, const char *path)
{
  struct stat mine, there;
  return !fstat(fd, &mine) && !stat(path, &there) &&
         mine.st_dev == there.st_dev && mine.st_ino == there.st_ino;
}

/* A full disk is no matter here. */
static void sign(int fd)
{
  char host[65] = "", since[LB_CLOCK_ISO_LEN], text[LB_CLAIM_TEXT];
  gethostname(host, sizeof host - 1);
  lb_clock_utc_iso(lb_clock_utc_ns(), since);
  int n = snprintf(text, sizeof text, "process %ld on %s, since %s\n",
                   (long)getpid(), host, since);
  if (ftruncate(fd, 0) || n < 0 || pwrite(fd, text, (size_t)n, 0) < 0)
    return;
}

/* The first line, of printable characters. */
static void read_holder(int fd, char holder[LB_CLAIM_TEXT])
{
  ssize_t n = pread(fd, holder, LB_CLAIM_TEXT - 1, 0);
  size_t end = 0;
  while (n > 0 && end < (size_t)n && isprint((unsigned char)holder[end]))
    end++;
  holder[end] = '\0';
  if (!end)
    snprintf(holder, LB_CLAIM_TEXT, "a process that has not said which");
}

int lb_claim_take(const char *folder, const char *name, int *fd,
                  char holder[LB_CLAIM_TEXT], struct lb_err *err)
{
  char path[PATH_MAX];
  if (lb_path_join(folder, name, path, LB_FAILED, err))
    return -err->code;
  for (;;) {
    int new = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (new < 0)
      return lb_err_sys(err, LB_FAILED, errno, "%s: open", path);
    if (!lb_file_lock(new)) {
      read_holder(new, holder);
      close(new);
      return 1;
    }
    if (is_current(new, path)) {
      sign(new);
      *fd = new;
      return 0;
    }
    close(new);
  }
}

void lb_claim_give(const char *folder, const char *name, int *fd)
{
  char path[PATH_MAX];
  struct lb_err err = LB_ERR_INIT;
  if (*fd < 0)
    return;
  if (!lb_path_join(folder, name, path, LB_FAILED, &err))
    unlink(path);
  close(*fd);
  *fd = -1;
}
