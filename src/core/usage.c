/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads /proc/self/task/TID/{schedstat,stat}; see usage.h. */
#include "lb-config.h"

#include "loadbank/usage.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static void read_schedstat(int tid, struct lb_usage *u)
{
  char path[64];
  snprintf(path, sizeof path, "/proc/self/task/%d/schedstat", tid);
  FILE *f = fopen(path, "re");
  if (!f)
    return;
  if (fscanf(f, "%" SCNu64 " %" SCNu64, &u->run_ns, &u->wait_ns) != 2)
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
  /* utime and stime are fields 14 and 15; the name (2) may hold blanks. */
  char *name_end = fgets(line, sizeof line, f) ? strrchr(line, ')') : NULL;
  if (!name_end || sscanf(name_end + 1,
                          " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u "
                          "%" SCNu64 " %" SCNu64,
                          &user, &sys) != 2)
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
