/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A temporary folder for the results of runs that measure the client or the
 * program itself. */
#include "lb-config.h"

#include "loadbank/scratch.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>

int lb_scratch_make(struct lb_scratch *s, struct lb_world *w, const char *what,
                    struct lb_err *err)
{
  const char *dir = getenv("TMPDIR");
  *s = (struct lb_scratch){.root = ""};
  if (w->rank == 0) {
    int n = snprintf(s->root, sizeof s->root, "%s/loadbank-%s-XXXXXX",
                     dir && *dir ? dir : "/tmp", what);
    if (n >= (int)sizeof s->root - 8 || !mkdtemp(s->root)) {
      lb_err_sys(err, LB_FAILED, errno, "%s: make a temporary folder", s->root);
      s->root[0] = '\0';
    }
  }
  if (lb_err_agree(w, err, NULL))
    return -err->code;
  lb_world_bcast(w, s->root, sizeof s->root);
  snprintf(s->folder, sizeof s->folder, "%.*s/run", PATH_MAX - 8, s->root);
  return 0;
}

static int remove_one(const char *path, const struct stat *st, int kind,
                      struct FTW *at)
{
  (void)st, (void)kind, (void)at;
  remove(path);
  return 0;
}

void lb_scratch_clear(const char *folder)
{
  nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

void lb_scratch_remove(struct lb_scratch *s, const struct lb_world *w)
{
  if (w->rank == 0 && s->root[0])
    lb_scratch_clear(s->root);
}
