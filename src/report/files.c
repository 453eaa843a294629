/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The folder of results. */
#include "lb-config.h"

#include "report/report_impl.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "loadbank/buf.h"
#include "loadbank/clock.h"
#include "loadbank/config.h"

enum { MAX_PATH = 4096, MAX_SUFFIX = 1000 };

/* mkdir -p of all but the last component; *made of the last. */
static int make_folder(char *path, bool *made)
{
  for (char *p = path + 1; *p; p++) {
    if (*p != '/')
      continue;
    *p = 0;
    int failed = mkdir(path, 0777) && errno != EEXIST;
    *p = '/';
    if (failed)
      return errno;
  }
  *made = mkdir(path, 0777) == 0;
  return *made || errno == EEXIST ? 0 : errno;
}

static bool holds(const char *folder, const char *name)
{
  char path[MAX_PATH];
  int n = snprintf(path, sizeof path, "%s/%s", folder, name);
  return n < MAX_PATH && access(path, F_OK) == 0;
}

/* A folder that the user named: may exist, but not with results. */
static int take_named(char *path, struct lb_err *err)
{
  bool made;
  int sys = make_folder(path, &made);
  if (sys)
    return lb_err_sys(err, LB_FAILED, sys, "%s: make the results folder", path);
  struct stat st;
  if (stat(path, &st) || !S_ISDIR(st.st_mode))
    return lb_err_sys(err, LB_FAILED, ENOTDIR, "%s: results folder", path);
  if (holds(path, "summary.json"))
    return lb_err_set(err, LB_USAGE,
                      "%s: holds the results of another run (summary.json); "
                      "choose another output.folder, or --force replaces them",
                      path);
  if (access(path, W_OK | X_OK))
    return lb_err_sys(err, LB_FAILED, errno, "%s: results folder", path);
  return 0;
}

/* One of our own naming: only a new one will do; runs that start in the same
 * second get -2, -3 ... */
static int make_stamped(struct lb_buf *b, struct lb_err *err)
{
  size_t stem = b->len;
  for (int i = 1; i <= MAX_SUFFIX; i++) {
    if (i > 1) {
      b->len = stem;
      lb_buf_printf(b, "-%d", i);
    }
    if (b->failed)
      return lb_err_set(err, LB_FAILED, "no memory for a path");
    bool made = false;
    int sys = make_folder(b->data, &made);
    if (sys)
      return lb_err_sys(err, LB_FAILED, sys, "%s: make the results folder",
                        b->data);
    if (made)
      return 0;
  }
  return lb_err_set(err, LB_FAILED, "%s: all such names are in use", b->data);
}

int lb_results_folder(char **out, const char *folder, const char *workload,
                      uint64_t utc_ns, struct lb_err *err)
{
  *out = NULL;
  struct lb_buf b;
  lb_buf_init(&b, MAX_PATH);
  int rc;
  if (folder && *folder) {
    lb_buf_puts(&b, folder);
    rc = b.failed ? lb_err_sys(err, LB_USAGE, ENAMETOOLONG, "output.folder")
                  : take_named(b.data, err);
  } else {
    char stamp[LB_CLOCK_STAMP_LEN];
    lb_clock_utc_stamp(utc_ns, stamp);
    lb_buf_printf(&b, "results/%s/%s", workload && *workload ? workload : "run",
                  stamp);
    rc = make_stamped(&b, err);
  }
  if (!rc)
    *out = lb_buf_take(&b);
  lb_buf_fini(&b);
  return rc;
}

size_t lb_results_existing(const char *path)
{
  struct stat st;
  char part[MAX_PATH];
  size_t n = strlen(path);
  if (n >= sizeof part)
    return n;
  memcpy(part, path, n + 1);
  while (n > 0 && stat(part, &st)) {
    while (n > 0 && part[n - 1] == '/')
      n--;
    while (n > 0 && part[n - 1] != '/')
      n--;
    part[n] = '\0';
  }
  return n;
}

void lb_results_prune(const char *path, size_t existing)
{
  char part[MAX_PATH];
  size_t n = strlen(path);
  if (n >= sizeof part)
    return;
  memcpy(part, path, n + 1);
  while (n > existing && !rmdir(part)) {
    while (n > existing && part[n - 1] == '/')
      n--;
    while (n > existing && part[n - 1] != '/')
      n--;
    part[n] = '\0';
  }
}

int lb_results_clear(const char *folder, struct lb_err *err)
{
  DIR *dir = opendir(folder);
  if (!dir)
    return errno == ENOENT ? 0
                           : lb_err_sys(err, LB_FAILED, errno, "%s", folder);
  int sys = 0;
  for (size_t i = 0; !sys && lb_result_names[i]; i++) {
    rewinddir(dir);
    for (struct dirent *e; !sys && (e = readdir(dir));)
      if (fnmatch(lb_result_names[i], e->d_name, 0) == 0 &&
          unlinkat(dirfd(dir), e->d_name, 0) && errno != ENOENT)
        sys = errno;
  }
  closedir(dir);
  return sys ? lb_err_sys(err, LB_FAILED, sys, "%s: remove results", folder)
             : 0;
}

const char *lb_report_path(const char *path, char whole[LB_PATH_TEXT])
{
  char cwd[MAX_PATH];
  if (*path == '/' || !getcwd(cwd, sizeof cwd))
    return path;
  while (path[0] == '.' && path[1] == '/')
    path += 2;
  int n =
      snprintf(whole, LB_PATH_TEXT, "%s/%s", strcmp(cwd, "/") ? cwd : "", path);
  return n < LB_PATH_TEXT ? whole : path;
}

void lb_report_spool(char *out, size_t size, const char *folder, int rank)
{
  snprintf(out, size, "%s/.steps-%d.spool", folder, rank);
}

int lb_report_detail(const struct lb_world *w, bool per_accelerator)
{
  if (per_accelerator || w->accelerators <= LB_REPORT_ALL_UP_TO)
    return w->k;
  return w->first == 0 ? 1 : 0;
}
