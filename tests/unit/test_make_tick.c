/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A large file on its way: whoever makes it is heard of, and may give up. */
#include "lb-config.h"

#include "loader_rig.h"

#include <unistd.h>

#include "tap.h"

static bool count_down(void *arg)
{
  int *left = arg;
  return (*left)-- > 0;
}

static int make(struct rig *r, int *ticks, struct lb_err *err)
{
  struct lb_iothread io;
  const struct lb_maker m = {.format = r->c.format,
                             .params = &r->params,
                             .layout = &r->layout,
                             .sizes = &r->sizes,
                             .storage = r->storage,
                             .tick = count_down,
                             .tick_arg = ticks};
  int made;
  *err = (struct lb_err)LB_ERR_INIT;
  lb_iothread_init(&io, 65536, err);
  lb_dataset_make_folders(&r->layout, r->c.format, r->storage, &io, err);
  int rc = lb_dataset_make_file(&m, LB_SET_TRAIN, 0, &io, &made, err);
  lb_iothread_fini(&io);
  return rc;
}

int main(void)
{
  struct rig r;
  struct lb_err err;
  char path[PATH_MAX], temporary[PATH_MAX];
  int ticks = 1000;
  rig_init(&r, "local_fs", "npy", 1, 1000); /* 1000 bytes each */
  lb_layout_path(&r.layout, LB_SET_TRAIN, 0, path, sizeof path);
  lb_layout_temporary(&r.layout, LB_SET_TRAIN, 0, temporary, sizeof temporary);
  int rc = make(&r, &ticks, &err);
  ok(rc == 0 && ticks <= 1000 - 16, "a tick for each buffer of a file: %d",
     1000 - ticks);
  unlink(path);
  ticks = 3;
  rc = make(&r, &ticks, &err);
  ok(rc == -LB_FAILED && lb_err_gave_up(&err), "told to give up: %s", err.msg);
  is_int(ticks, -1, "at once");
  ok(access(path, F_OK) != 0 && access(temporary, F_OK) != 0,
     "no file is left");
  rig_fini(&r);
  return done();
}
