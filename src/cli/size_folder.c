/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See size_folder.h.  An answer that lies beside the runs of another sizing
 * would be taken for theirs: so --force removes it before the first of them
 * comes. */
#include "lb-config.h"

#include "cli/size_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "loadbank/claim.h"
#include "loadbank/path.h"
#include "loadbank/report.h"
#include "loadbank/size.h"

enum { MOST_NAMES = 1000 };
static const char lock_name[] = ".loadbank-size.lock";

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
    if (is_run(e->d_name) &&
        !(rc = lb_path_join(folder, e->d_name, path, LB_USAGE, err)))
      rc = lb_results_clear(path, err);
  closedir(dir);
  return rc;
}

/* The answer first: runs without one are of a sizing that was cut off. */
static int clear(const char *folder, struct lb_err *err)
{
  char path[PATH_MAX];
  if (lb_path_join(folder, LB_SIZE_RESULT, path, LB_USAGE, err))
    return -err->code;
  if (unlink(path) && errno != ENOENT)
    return lb_err_sys(err, LB_FAILED, errno, "%s: remove", path);
  return clear_runs(folder, err);
}

/* results/<workload>/size-<hash>, or the first of -2, -3 ... that has no answer
 * yet: the same command finds what it has left. */
static int name_it(const char *workload, uint64_t hash, bool force,
                   char out[PATH_MAX], struct lb_err *err)
{
  uint32_t half = (uint32_t)(hash ^ hash >> 32);
  for (int i = 1; i <= MOST_NAMES; i++) {
    int n =
        snprintf(out, PATH_MAX, "results/%s/size-%08" PRIx32, workload, half);
    if (i > 1 && n < PATH_MAX)
      n += snprintf(out + n, (size_t)(PATH_MAX - n), "-%d", i);
    if (n >= PATH_MAX)
      return lb_err_sys(err, LB_USAGE, ENAMETOOLONG, "results/%s", workload);
    if (force || !lb_size_is_answered(out))
      return 0;
  }
  return lb_err_set(err, LB_FAILED, "%s: all such names are in use", out);
}

int lb_size_folder_open(struct lb_size_folder *f, const char *wanted,
                        const char *workload, uint64_t hash, bool force,
                        struct lb_err *err)
{
  char name[PATH_MAX];
  if (!*wanted && name_it(workload, hash, force, name, err))
    return -err->code;
  const char *path = *wanted ? wanted : name;
  f->existing = lb_results_existing(path);
  if (lb_results_folder(&f->path, path, NULL, 0, err))
    return -err->code;
  int rc = claim(f, err);
  return !rc && force ? clear(f->path, err) : rc;
}

void lb_size_folder_close(struct lb_size_folder *f)
{
  if (!f->path)
    return;
  lb_claim_give(f->path, lock_name, &f->claim);
  lb_results_prune(f->path, f->existing);
}
