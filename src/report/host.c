/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Facts of the host this rank runs on. */
#include "lb-config.h"

#include "loadbank/host.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "loadbank/cpus.h"
#include "loadbank/slurp.h"

/* The text behind "key" and a colon at the start of a line, or NULL. */
static const char *value_of(const char *text, const char *key)
{
  size_t n = strlen(key);
  for (const char *p = text; p; p = strchr(p, '\n')) {
    p += *p == '\n';
    if (strncmp(p, key, n) != 0)
      continue;
    const char *q = p + n;
    while (*q == ' ' || *q == '\t')
      q++;
    if (*q != ':')
      continue;
    q++;
    while (*q == ' ' || *q == '\t')
      q++;
    return q;
  }
  return NULL;
}

uint64_t lb_meminfo_bytes(const char *text, const char *key)
{
  const char *v = value_of(text, key);
  return v && isdigit((unsigned char)*v) ? strtoull(v, NULL, 10) * 1024 : 0;
}

void lb_cpuinfo_model(const char *text, char *out, size_t size)
{
  const char *v = value_of(text, "model name");
  size_t n = v ? strcspn(v, "\n") : 0;
  snprintf(out, size, "%.*s", (int)n, v ? v : "");
}

uint64_t lb_cgroup_limit(const char *text)
{
  /* Version 1 says "no limit" with a number near 2^63. */
  if (!isdigit((unsigned char)*text))
    return 0;
  unsigned long long v = strtoull(text, NULL, 10);
  return v >= 1ull << 60 ? 0 : v;
}

/* The smallest limit from the process' own group upwards. */
static uint64_t limit_under(const char *root, const char *group,
                            const char *file)
{
  char folder[1024], path[1200];
  snprintf(folder, sizeof folder, "%s", group);
  uint64_t least = 0;
  for (;;) {
    snprintf(path, sizeof path, "%s%s/%s", root,
             strcmp(folder, "/") ? folder : "", file);
    char *text = lb_slurp(path);
    uint64_t v = text ? lb_cgroup_limit(text) : 0;
    free(text);
    if (v && (!least || v < least))
      least = v;
    char *slash = strrchr(folder, '/');
    if (!slash || !folder[1])
      return least;
    slash[slash == folder] = 0;
  }
}

/* The limit of one line of /proc/self/cgroup: "0::/group" (version 2) or
 * "4:memory:/group" (version 1).  The line is ended in place. */
static uint64_t line_limit(char *line)
{
  char *group = strrchr(line, ':');
  if (!group)
    return 0;
  if (!strncmp(line, "0::", 3))
    return limit_under("/sys/fs/cgroup", group + 1, "memory.max");
  if (strstr(line, ":memory:"))
    return limit_under("/sys/fs/cgroup/memory", group + 1,
                       "memory.limit_in_bytes");
  return 0;
}

static uint64_t cgroup_limit(void)
{
  char *text = lb_slurp("/proc/self/cgroup");
  uint64_t least = 0;
  for (char *line = text; line && *line;) {
    char *end = strchr(line, '\n');
    if (end)
      *end = 0;
    uint64_t v = line_limit(line);
    if (v && (!least || v < least))
      least = v;
    line = end ? end + 1 : NULL;
  }
  free(text);
  return least;
}

void lb_host_probe(struct lb_host *h)
{
  memset(h, 0, sizeof *h);
  struct utsname u;
  if (uname(&u) == 0) {
    snprintf(h->name, sizeof h->name, "%s", u.nodename);
    snprintf(h->kernel, sizeof h->kernel, "%s %s %s", u.sysname, u.release,
             u.machine);
  }
  h->cpus = (int)sysconf(_SC_NPROCESSORS_ONLN);
  cpu_set_t mine;
  lb_cpus_mine(&mine);
  h->cpus_allowed = CPU_COUNT(&mine);
  char *text = lb_slurp("/proc/meminfo");
  if (text) {
    h->memory_bytes = lb_meminfo_bytes(text, "MemTotal");
    h->available_bytes = lb_meminfo_bytes(text, "MemAvailable");
  }
  free(text);
  text = lb_slurp("/proc/cpuinfo");
  if (text)
    lb_cpuinfo_model(text, h->processor, sizeof h->processor);
  free(text);
  if (!*h->processor)
    snprintf(h->processor, sizeof h->processor, "%s", u.machine);
  h->limit_bytes = cgroup_limit();
}
