/* SPDX-License-Identifier: GPL-3.0-or-later */
/* storage.drop_caches: empties the hosts' page caches, never while a clock
 * runs.  Where the kernel's switch is not ours, each host's ranks ask for the
 * files that are read to be dropped, each its share of them. */
#include "lb-config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench_impl.h"
#include "loadbank/log.h"
#include "loadbank/units.h"

enum { LOOK_EVERY = 1024 }; /* files */

static const char the_switch[] = "/proc/sys/vm/drop_caches";

/* Page cache, and names and attributes of files, of the whole host.  What is
 * dirty cannot be dropped: it is written back first.  0 or errno. */
static int drop_all(void)
{
  if (getenv("LB_TEST_NO_DROP")) /* a test is not alone on its machine */
    return EPERM;
  int fd = open(the_switch, O_WRONLY | O_CLOEXEC);
  if (fd < 0)
    return errno;
  sync();
  int sys = write(fd, "3", 1) == 1 ? 0 : errno;
  close(fd);
  return sys;
}

int lb_bench_drop_file(const char *path, bool dirty)
{
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return errno;
  int sys = dirty && fdatasync(fd) ? errno : 0;
  if (!sys)
    sys = posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
  close(fd);
  return sys;
}

/* Files that could not be dropped: how many, and why the first. */
struct refusals {
  int64_t n;
  int sys;
  char path[PATH_MAX];
};

/* path: that of the file, or of what goes with it; its length, or -1. */
static bool drop_path(const char *path, int length, struct refusals *refused)
{
  int sys = length < 0 ? ENAMETOOLONG : lb_bench_drop_file(path, false);
  if (sys && refused->n++ == 0) {
    refused->sys = sys;
    snprintf(refused->path, sizeof refused->path, "%s", path);
  }
  return !sys;
}

/* That file of the set, and what goes with it. */
static void drop_below(const struct lb_bench *b, const struct lb_layout *l,
                       enum lb_set set, int64_t i, struct refusals *refused)
{
  const struct lb_format *f = b->w->derived.format;
  char path[PATH_MAX] = "";
  int n = lb_layout_path(l, set, i, path, sizeof path);
  bool good = drop_path(path, n, refused);
  for (size_t k = 0; good && k < f->n_sidecars; k++) {
    n = lb_layout_sidecar(l, set, i, &f->sidecars[k], path, sizeof path);
    good = drop_path(path, n, refused);
  }
}

/* Each mount may have a cache of its own. */
static void drop_index(const struct lb_bench *b, enum lb_set set, int64_t i,
                       struct refusals *refused)
{
  for (int m = 0; m < b->w->derived.n_roots; m++)
    drop_below(b, &b->mounts[m], set, i, refused);
}

/* Collective.  Its share of the files, every n-th of its host's ranks. */
static int drop_files(struct lb_bench *b, struct lb_err *err)
{
  int n = b->world->host_ranks;
  struct refusals refused = {0};
  bool goes_on = true;
  for (int set = 0; goes_on && set < LB_N_SETS; set++) {
    const struct lb_plan_set *s = &b->plan.set[set];
    bool part = set == LB_SET_TRAIN && b->o->part.files;
    int64_t first = part ? b->o->part.first : 0;
    int64_t files = part ? b->o->part.files : s->files;
    for (int64_t i = b->world->host_rank; s->read && i < files && goes_on;
         i += n) {
      drop_index(b, set, first + i, &refused);
      goes_on = i / n % LOOK_EVERY != 0 || lb_bench_look_round(b);
    }
  }
  if (refused.n == 1)
    lb_err_sys(err, LB_FAILED, refused.sys,
               "storage.drop_caches: %s cannot be dropped", refused.path);
  else if (refused.n)
    lb_err_sys(err, LB_FAILED, refused.sys,
               "storage.drop_caches: %" PRId64
               " files cannot be dropped, the first %s",
               refused.n, refused.path);
  return lb_bench_agree(b->world, err);
}

void lb_bench_drop_hosts(struct lb_bench *b)
{
  struct lb_cache_drops *d = &b->drops;
  uint64_t refused = 0;
  if (d->by_files)
    return;
  if (b->world->host_first)
    refused = (uint64_t)drop_all();
  lb_world_max_u64(b->world, &refused, 1);
  d->by_files = refused != 0;
  if (refused && b->world->rank == 0)
    lb_warn("storage.drop_caches: %s: %s; the files that are read are "
            "dropped with posix_fadvise instead",
            the_switch, strerror((int)refused));
}

int lb_bench_drop_caches(struct lb_bench *b, struct lb_err *err)
{
  struct lb_cache_drops *d = &b->drops;
  enum lb_phase before = lb_bench_enter(b, LB_PHASE_SETUP);
  lb_bench_drop_hosts(b);
  int rc = d->by_files ? drop_files(b, err) : 0;
  d->times += !rc;
  lb_bench_enter(b, before);
  return rc;
}

void lb_bench_say_drops(const struct lb_bench *b, char *text, size_t size)
{
  const struct lb_cache_drops *d = &b->drops;
  static const char *const when[] = {[LB_DROP_EPOCH] =
                                         "before each pass over a set",
                                     [LB_DROP_RUN] = "before the first epoch"};
  bool trains = b->w->workflow.train;
  snprintf(text, size, "%" PRId64 " time%s, %s, on every host: %s", d->times,
           lb_plural(d->times),
           trains ? when[b->w->storage.drop_caches]
                  : "before checkpoints were read",
           d->by_files ? "posix_fadvise(DONTNEED) on each file to be read"
                       : the_switch);
}
