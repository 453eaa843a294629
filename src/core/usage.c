/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads /proc/self/task/TID/{schedstat,stat}; see usage.h. */
#include "lb-config.h"

#include "loadbank/usage.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

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

static void read_schedstat(int tid, struct lb_usage *u)
{
  char path[64], line[128];
  snprintf(path, sizeof path, "/proc/self/task/%d/schedstat", tid);
  FILE *f = fopen(path, "re");
  if (!f)
    return;
  if (!fgets(line, sizeof line, f) ||
      !two_numbers(line, &u->run_ns, &u->wait_ns))
    *u = (struct lb_usage){0};
  fclose(f);
}

/* Share of the thread's time that it spent outside system calls. */
static double user_share(int tid)
{
  char path[64], line[1024];
  snprintf(path, sizeof path, "/proc/self/task/%d/stat", tid);
  FILE *f = fopen(path, "re");
  if (!f)
    return 0;
  uint64_t user = 0, sys = 0;
  /* utime and stime */
  if (!fgets(line, sizeof line, f) ||
      !two_numbers(lb_stat_field(line, 14), &user, &sys))
    user = sys = 0;
  fclose(f);
  return user + sys ? (double)user / (double)(user + sys) : 0;
}

struct lb_usage lb_usage_of_thread(int tid)
{
  struct lb_usage u = {0};
  if (!tid)
    tid = (int)gettid();
  read_schedstat(tid, &u);
  u.user_ns = (uint64_t)(user_share(tid) * (double)u.run_ns);
  return u;
}

uint64_t lb_usage_max_rss(void)
{
  struct rusage u;
  return getrusage(RUSAGE_SELF, &u) ? 0 : (uint64_t)u.ru_maxrss * 1024;
}
