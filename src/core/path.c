/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See path.h. */
#include "lb-config.h"

#include "loadbank/path.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int lb_path_join(const char *folder, const char *name, char out[PATH_MAX],
                 enum lb_code code, struct lb_err *err)
{
  int n = snprintf(out, PATH_MAX, "%s/%s", folder, name);
  if (n < 0 || n >= PATH_MAX)
    return lb_err_sys(err, code, ENAMETOOLONG, "%s/%s", folder, name);
  return 0;
}

/* The length of the path without its last component; of one that has no other
 * 0. */
static size_t parent(const char *path, size_t n)
{
  while (n > 0 && path[n - 1] == '/')
    n--;
  while (n > 0 && path[n - 1] != '/')
    n--;
  while (n > 1 && path[n - 1] == '/')
    n--;
  return n;
}

/* *used: how much of the path that is. */
static char *resolve_existing(const char *path, size_t *used)
{
  char *copy = strdup(path), *real = NULL;
  size_t n = strlen(path);
  while (copy && n > 0 && !(real = realpath(copy, NULL))) {
    n = parent(copy, n);
    copy[n] = '\0';
  }
  free(copy);
  *used = n;
  return real ? real : realpath(".", NULL);
}

char *lb_path_existing(const char *path)
{
  size_t used;
  return resolve_existing(path && *path ? path : ".", &used);
}

/* A component more. */
static int append(char out[PATH_MAX], const char *name, size_t n)
{
  size_t len = strlen(out);
  if (n == 0 || (n == 1 && name[0] == '.'))
    return 0;
  if (n == 2 && !strncmp(name, "..", 2)) {
    out[parent(out, len)] = '\0';
    if (!*out)
      snprintf(out, 2, "/");
    return 0;
  }
  int more = snprintf(out + len, PATH_MAX - len, "%s%.*s",
                      len && out[len - 1] == '/' ? "" : "/", (int)n, name);
  return more < 0 || (size_t)more >= PATH_MAX - len ? -1 : 0;
}

int lb_path_resolve(const char *path, char out[PATH_MAX])
{
  size_t used;
  char *real = resolve_existing(path, &used);
  int n = real ? snprintf(out, PATH_MAX, "%s", real) : -1;
  free(real);
  if (n < 0 || n >= PATH_MAX)
    return -1;
  for (const char *p = path + used; *p;) {
    size_t len = strcspn(p, "/");
    if (append(out, p, len))
      return -1;
    p += len + (p[len] == '/');
  }
  return 0;
}

size_t lb_path_length(const char *path)
{
  size_t n = strlen(path);
  while (n > 1 && path[n - 1] == '/')
    n--;
  return n;
}

bool lb_path_within(const char *path, const char *folder)
{
  size_t n = strlen(folder);
  if (strncmp(folder, path, n) != 0)
    return false;
  return path[n] == '\0' || path[n] == '/' || (n && folder[n - 1] == '/');
}
