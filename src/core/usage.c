/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See usage.h.  From getrusage, getrlimit and /proc. */
#include "lb-config.h"

#include "loadbank/usage.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

const char *lb_stat_field(const char *stat, int field)
{
  const char *name_end = strrchr(stat, ')');
  const char *at = name_end ? name_end + 1 : "";
  at += strspn(at, " ");
  for (int i = 3; i < field; i++) {
    at += strcspn(at, " ");
    at += strspn(at, " ");
  }
  return at;
}

static bool two_numbers(const char *at, uint64_t *a, uint64_t *b)
{
  char *end, *last;
  *a = strtoull(at, &end, 10);
  *b = strtoull(end, &last, 10);
  return end != at && last != end;
}

/* A kernel without it: nothing is known of waiting. */
static void read_schedstat(struct lb_usage *u)
{
  char line[128];
  FILE *f = fopen("/proc/thread-self/schedstat", "re");
  if (!f)
    return;
  uint64_t run, wait;
  if (fgets(line, sizeof line, f) && two_numbers(line, &run, &wait)) {
    u->run_ns = run;
    u->wait_ns = wait;
  }
  fclose(f);
}

static uint64_t ns_of(struct timeval t)
{
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_usec * 1000u;
}

uint64_t lb_usage_user_ns(void)
{
  struct rusage r;
  return getrusage(RUSAGE_THREAD, &r) ? 0 : ns_of(r.ru_utime);
}

struct lb_usage lb_usage_of_thread(void)
{
  struct rusage r;
  struct lb_usage u = {0};
  if (!getrusage(RUSAGE_THREAD, &r))
    u = (struct lb_usage){.run_ns = ns_of(r.ru_utime) + ns_of(r.ru_stime),
                          .user_ns = ns_of(r.ru_utime)};
  read_schedstat(&u);
  return u;
}

struct lb_usage lb_usage_since(const struct lb_usage *now,
                               const struct lb_usage *before)
{
  return (struct lb_usage){.run_ns = now->run_ns - before->run_ns,
                           .user_ns = now->user_ns - before->user_ns,
                           .wait_ns = now->wait_ns - before->wait_ns};
}

uint64_t lb_usage_raise_files(void)
{
  struct rlimit l;
  if (getrlimit(RLIMIT_NOFILE, &l))
    return UINT64_MAX;
  struct rlimit most = {.rlim_cur = l.rlim_max, .rlim_max = l.rlim_max};
  return setrlimit(RLIMIT_NOFILE, &most) ? l.rlim_cur : most.rlim_cur;
}

uint64_t lb_usage_open_files(void)
{
  uint64_t n = 0;
  DIR *d = opendir("/proc/self/fd");
  while (d && readdir(d))
    n++;
  if (d)
    closedir(d);
  return n > 3 ? n - 3 : 0; /* ".", ".." and the folder itself */
}

uint64_t lb_usage_max_rss(void)
{
  struct rusage u;
  return getrusage(RUSAGE_SELF, &u) ? 0 : (uint64_t)u.ru_maxrss * 1024;
}
