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

enum { LOOK_EVERY = 1024 }; /* files */

static const char the_switch[] = "/proc/sys/vm/drop_caches";

/* Page cache, and names and attributes of files, of the whole host.  What is
 * dirty cannot be dropped: it is written back first.  0 or errno. */
static int drop_all(void)
{
  int fd = open(the_switch, O_WRONLY | O_CLOEXEC);
  if (fd < 0)
    return errno;
  sync();
  int sys = write(fd, "3", 1) == 1 ? 0 : errno;
  close(fd);
  return sys;
}

bool lb_bench_drop_file(const char *path, bool dirty)
{
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return false;
  int sys = dirty && fdatasync(fd) ? errno : 0;
  if (!sys)
    sys = posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
  close(fd);
  errno = sys;
  return sys == 0;
}

/* That file of the set, and what goes with it. */
static bool drop_index(const struct lb_bench *b, enum lb_set set, int64_t i)
{
  const struct lb_format *f = b->w->derived.format;
  char path[PATH_MAX];
  bool good = lb_layout_path(&b->layout, set, i, path, sizeof path) >= 0 &&
              lb_bench_drop_file(path, false);
  for (size_t k = 0; good && k < f->n_sidecars; k++)
    good = lb_layout_sidecar(&b->layout, set, i, &f->sidecars[k], path,
                             sizeof path) >= 0 &&
           lb_bench_drop_file(path, false);
  return good;
}

/* Of the host's ranks this one is which, of how many? */
static int place_on_host(const struct lb_world *w, int *n, struct lb_err *err)
{
  int32_t host = (int32_t)w->host, *all = NULL;
  void *bytes;
  uint64_t *sizes;
  char *text = NULL;
  size_t len = (size_t)w->n_ranks * sizeof host;
  if (lb_world_gather(w, &host, sizeof host, &bytes, &sizes, err))
    return -err->code;
  if (w->rank == 0)
    text = bytes;
  int rc = lb_world_bcast_text(w, &text, &len, err);
  int mine = 0;
  *n = 0;
  all = (int32_t *)(void *)text;
  for (int r = 0; !rc && r < w->n_ranks; r++)
    if (all[r] == host) {
      mine += r < w->rank;
      ++*n;
    }
  free(text);
  if (w->rank == 0)
    free(sizes);
  return rc ? rc : mine;
}

/* Collective.  Its share of the files, every n-th of its host's ranks. */
static int drop_files(struct lb_bench *b, struct lb_err *err)
{
  int n = 1, mine = place_on_host(b->world, &n, err);
  if (mine < 0 || n < 1)
    return mine;
  int64_t failed = 0;
  int sys = 0;
  bool goes_on = true;
  for (int set = 0; goes_on && set < LB_N_SETS; set++) {
    const struct lb_plan_set *s = &b->plan.set[set];
    for (int64_t i = mine; s->read && i < s->files && goes_on; i += n) {
      if (!drop_index(b, set, i)) {
        sys = errno;
        failed++;
      }
      goes_on = i / n % LOOK_EVERY != 0 || lb_bench_look_round(b);
    }
  }
  if (failed)
    lb_err_sys(err, LB_FAILED, sys,
               "storage.drop_caches: %" PRId64 " files cannot be dropped",
               failed);
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
  snprintf(text, size, "%" PRId64 " times, %s, on every host: %s", d->times,
           trains ? when[b->w->storage.drop_caches]
                  : "before checkpoints were read",
           d->by_files ? "posix_fadvise(DONTNEED) on each file to be read"
                       : the_switch);
}
