/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Baselines: a folder has one sub-folder for each, named by the time at which
 * it was kept, with copies of results.  What is in a result's folder and not of
 * a run (a dataset, say) is not copied. */
#include "lb-config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "loadbank/clock.h"
#include "loadbank/path.h"
#include "loadbank/wholefile.h"
#include "results/compare_impl.h"
#include "results/results_impl.h"

enum { MOST_OF_A_SECOND = 1000, PART_BYTES = 1 << 18 };

/* ---- the newest ---- */

static bool is_newer(const char *folder, const struct dirent *e,
                     const char *newest)
{
  char path[PATH_MAX];
  struct stat st;
  int n = snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
  return e->d_name[0] != '.' && n > 0 && (size_t)n < sizeof path &&
         strcmp(e->d_name, newest) > 0 && !stat(path, &st) &&
         S_ISDIR(st.st_mode);
}

int lb_baseline_newest(const char *folder, char path[PATH_MAX],
                       struct lb_err *err)
{
  char newest[NAME_MAX + 1] = "";
  DIR *dir = opendir(folder);
  if (!dir && errno != ENOENT)
    return lb_err_sys(err, LB_USAGE, errno, "%s", folder);
  for (struct dirent *e; dir && (e = readdir(dir));)
    if (is_newer(folder, e, newest))
      snprintf(newest, sizeof newest, "%s", e->d_name);
  if (dir)
    closedir(dir);
  if (!*newest)
    return lb_err_set(err, LB_USAGE,
                      "%s: no baseline in it; --keep makes the first", folder);
  return lb_path_join(folder, newest, path, LB_USAGE, err);
}

/* ---- copies ---- */

static int copy_bytes(int from, int to)
{
  char *part = malloc(PART_BYTES);
  int sys = part ? 0 : ENOMEM;
  for (ssize_t n = 1; !sys && n != 0;) {
    n = read(from, part, PART_BYTES);
    if (n > 0)
      sys = lb_write_all(to, part, (size_t)n);
    else if (n < 0 && errno != EINTR)
      sys = errno;
  }
  free(part);
  return sys;
}

static int copy_file(const char *from, const char *to)
{
  int in = open(from, O_RDONLY | O_CLOEXEC);
  if (in < 0)
    return errno;
  int out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  int sys = out < 0 ? errno : copy_bytes(in, out);
  if (out >= 0 && fsync(out) && errno != EINVAL && !sys)
    sys = errno;
  if (out >= 0 && close(out) && !sys)
    sys = errno;
  close(in);
  return sys;
}

static bool is_yaml(const char *name)
{
  return !fnmatch("*.yaml", name, 0);
}

/* Files of the folder whose names are wanted. */
static int copy_files(const char *from, char *to, bool (*wanted)(const char *),
                      struct lb_err *err)
{
  char a[PATH_MAX], b[PATH_MAX];
  DIR *dir = opendir(from);
  if (!dir)
    return errno == ENOENT ? 0 : lb_err_sys(err, LB_FAILED, errno, "%s", from);
  int sys = lb_make_folders(to);
  if (sys)
    lb_err_sys(err, LB_FAILED, sys, "%s: make the folder", to);
  for (struct dirent *e; !sys && (e = readdir(dir));) {
    int n = snprintf(a, sizeof a, "%s/%s", from, e->d_name);
    int m = snprintf(b, sizeof b, "%s/%s", to, e->d_name);
    struct stat st;
    if (!wanted(e->d_name) || n >= PATH_MAX || m >= PATH_MAX || stat(a, &st) ||
        !S_ISREG(st.st_mode))
      continue;
    sys = copy_file(a, b);
    if (sys)
      lb_err_sys(err, LB_FAILED, sys, "%s: copy to %s", a, b);
  }
  closedir(dir);
  return sys ? -LB_FAILED : 0;
}

static int copy_result(const struct lb_result *r, const char *into,
                       struct lb_err *err)
{
  char to[PATH_MAX], hydra[PATH_MAX], from[PATH_MAX];
  bool itself = !strcmp(r->name, ".");
  int n = snprintf(to, sizeof to, "%s%s%s", into, itself ? "" : "/",
                   itself ? "" : r->name);
  int m = snprintf(hydra, sizeof hydra, "%s/.hydra", to);
  int k = snprintf(from, sizeof from, "%s/.hydra", r->path);
  if (n >= PATH_MAX || m >= PATH_MAX || k >= PATH_MAX)
    return lb_err_sys(err, LB_FAILED, ENAMETOOLONG, "%s/%s", into, r->name);
  int rc = copy_files(r->path, to, lb_result_has_file, err);
  return rc ? rc : copy_files(from, hydra, is_yaml, err);
}

static int remove_one(const char *path, const struct stat *st, int type,
                      struct FTW *at)
{
  (void)st, (void)type, (void)at;
  return remove(path);
}

/* The first name of this second that is free. */
static int name_it(const char *folder, const char *temporary,
                   char path[PATH_MAX], struct lb_err *err)
{
  char stamp[LB_CLOCK_STAMP_LEN];
  lb_clock_utc_stamp(lb_clock_utc_ns(), stamp);
  for (int i = 1; i <= MOST_OF_A_SECOND; i++) {
    int n = i == 1 ? snprintf(path, PATH_MAX, "%s/%s", folder, stamp)
                   : snprintf(path, PATH_MAX, "%s/%s-%d", folder, stamp, i);
    if (n < 0 || n >= PATH_MAX)
      return lb_err_sys(err, LB_FAILED, ENAMETOOLONG, "%s", folder);
    if (!rename(temporary, path))
      return 0;
    if (errno != EEXIST && errno != ENOTEMPTY)
      break;
  }
  return lb_err_sys(err, LB_FAILED, errno, "%s: keep", path);
}

int lb_baseline_keep(const char *folder, const struct lb_results *s,
                     char path[PATH_MAX], struct lb_err *err)
{
  char temporary[PATH_MAX];
  if (lb_path_join(folder, ".keep-XXXXXX", temporary, LB_FAILED, err))
    return -err->code;
  char *end = temporary + strlen(folder);
  *end = '\0';
  int sys = lb_make_folders(temporary);
  *end = '/';
  if (sys || !mkdtemp(temporary))
    return lb_err_sys(err, LB_FAILED, sys ? sys : errno, "%s: make a folder",
                      folder);
  int rc = chmod(temporary, 0755)
               ? lb_err_sys(err, LB_FAILED, errno, "%s", temporary)
               : 0;
  for (size_t i = 0; rc == 0 && i < s->n; i++)
    if (s->result[i].state == LB_RESULT_COMPLETE)
      rc = copy_result(&s->result[i], temporary, err);
  rc = rc ? rc : name_it(folder, temporary, path, err);
  if (rc)
    nftw(temporary, remove_one, 16, FTW_DEPTH | FTW_PHYS);
  return rc;
}
