/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See lustre.h.  The layout is struct lov_user_md_v1 of lustre_user.h, in the
 * byte order of the host, as the client's kernel module takes it. */
#include "lb-config.h"

#include "storage/lustre.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/vfs.h>
#include <sys/xattr.h>

#define LUSTRE_MAGIC 0x0bd00bd0
#define LAYOUT_MAGIC UINT32_C(0x0bd10bd0)

void lb_lustre_layout(int64_t count, int64_t size,
                      unsigned char out[LB_LUSTRE_LAYOUT_BYTES])
{
  uint32_t magic = LAYOUT_MAGIC, bytes = (uint32_t)size;
  uint16_t stripes = (uint16_t)count, first = UINT16_MAX; /* -1: any target */
  memset(out, 0, LB_LUSTRE_LAYOUT_BYTES);
  memcpy(out, &magic, sizeof magic);
  memcpy(out + 24, &bytes, sizeof bytes);
  memcpy(out + 28, &stripes, sizeof stripes);
  memcpy(out + 30, &first, sizeof first);
}

bool lb_lustre_has(const char *folder)
{
  char path[PATH_MAX];
  struct statfs fs;
  int n = snprintf(path, sizeof path, "%s", folder);
  if (n < 0 || n >= PATH_MAX)
    return false;
  while (statfs(path, &fs) < 0) {
    char *slash = strrchr(path, '/');
    if (errno != ENOENT || !strcmp(path, "/") || !strcmp(path, "."))
      return false;
    if (slash == path || !slash)
      snprintf(path, sizeof path, "%s", slash ? "/" : ".");
    else
      *slash = '\0';
  }
  return (unsigned long)fs.f_type == LUSTRE_MAGIC;
}

int lb_lustre_set(const char *folder, int64_t count, int64_t size)
{
  unsigned char layout[LB_LUSTRE_LAYOUT_BYTES];
  lb_lustre_layout(count, size, layout);
  return setxattr(folder, "lustre.lov", layout, sizeof layout, 0) < 0 ? -errno
                                                                      : 0;
}
