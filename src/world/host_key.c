/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Only a control group that limits memory makes a host of its own: batch
 * systems give every task a group, which would make a host of every rank. */
#include "lb-config.h"

#include "world/host_key.h"

#include <inttypes.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "loadbank/hash.h"

static bool read_line(const char *path, char *line, int size)
{
  FILE *f = fopen(path, "re");
  if (!f)
    return false;
  bool good = fgets(line, size, f) != NULL;
  fclose(f);
  if (good)
    line[strcspn(line, "\n")] = '\0';
  return good;
}

/* Is `memory` one of the controllers in a comma-separated list? */
static bool has_memory(const char *list, size_t n)
{
  static const char name[] = "memory";
  const char *end = list + n;
  while (list < end) {
    size_t word = strcspn(list, ",:");
    if (word == sizeof name - 1 && !memcmp(list, name, word))
      return true;
    list += word + 1;
  }
  return false;
}

bool lb_host_cgroup(const char *text, char *path, size_t size, bool *v2)
{
  bool found = false;
  while (*text) {
    size_t line = strcspn(text, "\n");
    const char *list = memchr(text, ':', line);
    const char *where =
        list ? memchr(list + 1, ':', line - (size_t)(list + 1 - text)) : NULL;
    if (where) {
      size_t n = (size_t)(where - list - 1);
      bool v1_memory = has_memory(list + 1, n);
      if (v1_memory || (n == 0 && !found)) {
        snprintf(path, size, "%.*s", (int)(text + line - where - 1), where + 1);
        *v2 = !v1_memory;
        found = true;
      }
      if (v1_memory)
        return true;
    }
    text += line + (text[line] == '\n');
  }
  return found;
}

/* Does this group limit memory?  Version 1 says "no limit" with a number near
 * 2^63. */
static bool limits_memory(const char *group, bool v2)
{
  char path[PATH_MAX + 64], line[64];
  snprintf(path, sizeof path, "%s%s%s",
           v2 ? "/sys/fs/cgroup" : "/sys/fs/cgroup/memory", group,
           v2 ? "/memory.max" : "/memory.limit_in_bytes");
  if (!read_line(path, line, sizeof line))
    return false;
  return line[0] >= '0' && line[0] <= '9' &&
         strtoull(line, NULL, 10) < UINT64_C(1) << 60;
}

/* Shortens path to the nearest group that limits memory; false: none does. */
static bool find_limit(char *path, bool v2)
{
  for (;;) {
    if (limits_memory(path, v2))
      return true;
    char *slash = strrchr(path, '/');
    if (!slash)
      return false;
    *slash = '\0';
  }
}

static bool read_all(const char *path, char *text, size_t size)
{
  FILE *f = fopen(path, "re");
  if (!f)
    return false;
  text[fread(text, 1, size - 1, f)] = '\0';
  fclose(f);
  return true;
}

void lb_host_key(char key[LB_HOST_KEY_LEN])
{
  char boot[40] = "", text[8192], path[PATH_MAX];
  bool v2;
  struct stat ns;
  uint64_t limit = 0;
  read_line("/proc/sys/kernel/random/boot_id", boot, sizeof boot);
  if (read_all("/proc/self/cgroup", text, sizeof text) &&
      lb_host_cgroup(text, path, sizeof path, &v2) && find_limit(path, v2)) {
    limit = lb_hash(LB_HASH_START, path, strlen(path));
    /* Paths are relative to the namespace. */
    if (!stat("/proc/self/ns/cgroup", &ns))
      limit = lb_hash(limit, &ns.st_ino, sizeof ns.st_ino);
  }
  snprintf(key, LB_HOST_KEY_LEN, "%s/%016" PRIx64, boot, limit);
}

/* The lowest rank with the same key as rank i.  Ranks of a host are mostly
 * neighbours, or come round again after one rank of each other host. */
static int lowest_with_key(const char (*keys)[LB_HOST_KEY_LEN], int i,
                           const struct lb_host_seat *seat)
{
  if (i && !strcmp(keys[i - 1], keys[i]))
    return seat[i - 1].first;
  int j = 0;
  while (strcmp(keys[j], keys[i]) != 0)
    j++;
  return j;
}

int lb_host_number(const char (*keys)[LB_HOST_KEY_LEN], int n,
                   struct lb_host_seat *seat)
{
  int hosts = 0;
  for (int i = 0; i < n; i++) {
    int first = lowest_with_key(keys, i, seat);
    if (first == i)
      seat[i] = (struct lb_host_seat){.host = hosts++, .first = i};
    else
      seat[i] = seat[first];
    seat[i].rank = seat[first].ranks++;
  }
  for (int i = 0; i < n; i++)
    seat[i].ranks = seat[seat[i].first].ranks;
  return hosts;
}
