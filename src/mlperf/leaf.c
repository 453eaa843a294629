/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Leaves are told apart, and put in order, by the second in their names.  So a
 * new one is always later than the last of its group, even if the clock was set
 * back in between: by a little, that is waited out; by more, it is refused. */
#include "lb-config.h"

#include "mlperf/leaf.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "loadbank/clock.h"
#include "loadbank/path.h"
#include "loadbank/wholefile.h"

static void write_stamp(time_t t, char out[LB_MLPERF_STAMP])
{
  char stamp[LB_CLOCK_STAMP_LEN];
  lb_clock_utc_stamp((uint64_t)t * LB_NS_PER_S, stamp);
  snprintf(out, LB_MLPERF_STAMP, "%.15s", stamp);
}

int lb_leaf_stamp(time_t now, const char *last, char out[LB_MLPERF_STAMP],
                  int *wait_s, struct lb_err *err)
{
  time_t before = *last ? lb_mlperf_stamp_time(last) : 0;
  time_t ahead = *last && before > now ? before - now : 0;
  *wait_s = (int)(ahead > LB_LEAF_TRIES ? LB_LEAF_TRIES : ahead);
  write_stamp(*last && before >= now ? before + 1 : now, out);
  if (ahead <= LB_LEAF_TRIES)
    return 0;
  char clock[LB_MLPERF_STAMP];
  write_stamp(now, clock);
  return lb_err_set(err, LB_USAGE,
                    "the last run of this group is %s, but it is %s now (UTC): "
                    "the clock was set back, and runs would no longer be in "
                    "order; set it right, or wait",
                    last, clock);
}

/* The name of the group's last leaf; "": there is none. */
static int last_leaf(const char *group, char last[LB_MLPERF_STAMP],
                     struct lb_err *err)
{
  *last = '\0';
  DIR *d = opendir(group);
  if (!d)
    return errno == ENOENT ? 0 : lb_err_sys(err, LB_FAILED, errno, "%s", group);
  for (struct dirent *e; (e = readdir(d)) != NULL;)
    if (lb_mlperf_is_stamp(e->d_name) && strcmp(e->d_name, last) > 0)
      memcpy(last, e->d_name, LB_MLPERF_STAMP);
  closedir(d);
  return 0;
}

int lb_leaf_last(const char *results, struct lb_mlperf_place *p,
                 char path[PATH_MAX], struct lb_err *err)
{
  char below[PATH_MAX], group[PATH_MAX];
  *path = '\0';
  if (lb_mlperf_group_path(p, below, err) ||
      lb_path_join(results, below, group, LB_FAILED, err) ||
      last_leaf(group, p->stamp, err) || !*p->stamp)
    return -err->code;
  return lb_mlperf_leaf_path(p, below, err) ||
                 lb_path_join(results, below, path, LB_FAILED, err)
             ? -err->code
             : 0;
}

static void sleep_s(int seconds)
{
  lb_clock_sleep_until(lb_clock_ns() + (uint64_t)seconds * LB_NS_PER_S);
}

int lb_leaf_make(const char *results, struct lb_mlperf_place *p,
                 char path[PATH_MAX], struct lb_err *err)
{
  char below[PATH_MAX], group[PATH_MAX], last[LB_MLPERF_STAMP];
  int wait_s = 0;
  if (lb_mlperf_group_path(p, below, err) ||
      lb_path_join(results, below, group, LB_FAILED, err))
    return -err->code;
  int sys = lb_make_folders(group);
  if (sys)
    return lb_err_sys(err, LB_FAILED, sys, "%s: make the folder", group);
  if (last_leaf(group, last, err))
    return -err->code;
  for (int i = 0; i < LB_LEAF_TRIES; i++) {
    if (lb_leaf_stamp(time(NULL), last, p->stamp, &wait_s, err) ||
        lb_mlperf_leaf_path(p, below, err) ||
        lb_path_join(results, below, path, LB_FAILED, err))
      return -err->code;
    sleep_s(wait_s);
    if (!mkdir(path, 0777))
      return 0;
    if (errno != EEXIST)
      return lb_err_sys(err, LB_FAILED, errno, "%s: make the folder", path);
    memcpy(last, p->stamp, sizeof last); /* somebody else's */
  }
  return lb_err_set(err, LB_FAILED,
                    "%s: exists, as do the names of the %d seconds before: "
                    "others make runs here at the same time",
                    path, LB_LEAF_TRIES - 1);
}
