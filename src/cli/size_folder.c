/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See size_folder.h.  An answer that lies beside the runs of another sizing
 * would be taken for theirs: so it goes before the first of them comes. */
#include "lb-config.h"

#include "cli/size_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "loadbank/claim.h"
#include "loadbank/clock.h"
#include "loadbank/report.h"

static const char lock_name[] = ".loadbank-size.lock";

static int path_in(const char *folder, const char *name, char path[PATH_MAX],
                   struct lb_err *err)
{
  int n = snprintf(path, PATH_MAX, "%s/%s", folder, name);
  return n < PATH_MAX
             ? 0
             : lb_err_sys(err, LB_USAGE, ENAMETOOLONG, "%s/%s", folder, name);
}

static int claim(struct lb_size_folder *f, struct lb_err *err)
{
  char holder[LB_CLAIM_TEXT];
  int rc = lb_claim_take(f->path, lock_name, &f->claim, holder, err);
  if (rc > 0)
    return lb_err_set(err, LB_USAGE,
                      "%s: another job sizes here now (%s); choose another "
                      "output.folder",
                      f->path, holder);
  return rc;
}

static bool is_run(const char *name)
{
  return fnmatch("run-[0-9]*-of-[0-9]*", name, 0) == 0 ||
         fnmatch("saves-[0-9]*", name, 0) == 0;
}

static int clear_runs(const char *folder, struct lb_err *err)
{
  char path[PATH_MAX];
  int rc = 0;
  DIR *dir = opendir(folder);
  if (!dir)
    return lb_err_sys(err, LB_FAILED, errno, "%s", folder);
  for (struct dirent *e; !rc && (e = readdir(dir));)
    if (is_run(e->d_name) && !(rc = path_in(folder, e->d_name, path, err)))
      rc = lb_results_clear(path, err);
  closedir(dir);
  return rc;
}

/* The answer first: runs without one are of a sizing that was cut off. */
static int make_room(const struct lb_size_folder *f, bool force,
                     struct lb_err *err)
{
  char path[PATH_MAX];
  if (path_in(f->path, LB_SIZE_RESULT, path, err))
    return -err->code;
  if (access(path, F_OK))
    return force ? clear_runs(f->path, err) : 0;
  if (!force)
    return lb_err_set(err, LB_USAGE,
                      "%s: holds the results of another sizing "
                      "(" LB_SIZE_RESULT "); choose another output.folder, or "
                      "--force replaces them",
                      f->path);
  if (unlink(path))
    return lb_err_sys(err, LB_FAILED, errno, "%s: remove", path);
  return clear_runs(f->path, err);
}

int lb_size_folder_open(struct lb_size_folder *f, const char *wanted,
                        const char *workload, bool force, struct lb_err *err)
{
  if (lb_results_folder(&f->path, *wanted ? wanted : NULL, workload,
                        lb_clock_utc_ns(), err))
    return -err->code;
  int rc = claim(f, err);
  return rc ? rc : make_room(f, force, err);
}

void lb_size_folder_close(struct lb_size_folder *f)
{
  if (f->path)
    lb_claim_give(f->path, lock_name, &f->claim);
}
