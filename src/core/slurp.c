/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files as texts. */
#include "lb-config.h"

#include "loadbank/slurp.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "loadbank/buf.h"

static const size_t max_bytes = 1 << 20;

/* No size is asked for: files of /proc have none. */
int lb_slurp_file(const char *path, size_t most, char **text, size_t *len)
{
  struct lb_buf b;
  char part[16384];
  ssize_t n;
  *text = NULL;
  *len = 0;
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return errno;
  lb_buf_init(&b, most);
  lb_buf_puts(&b, ""); /* an empty file is a text, too */
  while (((n = read(fd, part, sizeof part)) > 0 || (n < 0 && errno == EINTR)) &&
         !b.failed)
    if (n > 0)
      lb_buf_add(&b, part, (size_t)n);
  int sys = n < 0 ? errno : b.failed ? EFBIG : 0;
  close(fd);
  if (!sys) {
    *len = b.len;
    *text = lb_buf_take(&b);
  }
  lb_buf_fini(&b);
  return sys;
}

int lb_slurp_plain(const char *path, size_t most, char **text, size_t *len)
{
  struct stat st;
  *text = NULL;
  *len = 0;
  if (stat(path, &st))
    return errno;
  if (!S_ISREG(st.st_mode))
    return S_ISDIR(st.st_mode) ? EISDIR : EINVAL;
  return lb_slurp_file(path, most, text, len);
}

char *lb_slurp(const char *path)
{
  char *text;
  size_t len;
  lb_slurp_file(path, max_bytes, &text, &len);
  return text;
}
