/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See newfile.h.  One operation at a time, each on the stack: there is no list
 * that could be without memory. */
#include "lb-config.h"

#include "loadbank/newfile.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

static int run(struct lb_newfile *f, struct lb_io io, struct lb_err *err)
{
  return lb_storage_op(f->storage, &io, f->fd, f->io, err);
}

int lb_newfile_begin(struct lb_newfile *f, struct lb_err *err)
{
  for (int i = 0; i < LB_IO_SLOTS; i++)
    f->fd[i] = -1;
  return run(
      f,
      (struct lb_io){.op = LB_OP_OPEN,
                     .path = f->temporary,
                     .flags = LB_IO_WRITE | LB_IO_CREATE | LB_IO_TRUNCATE},
      err);
}

int lb_newfile_write(struct lb_newfile *f, uint64_t offset, const void *bytes,
                     size_t n, struct lb_err *err)
{
  /* WRITE only reads from buf; the field is shared with READ. */
  struct lb_io io = {
      .op = LB_OP_WRITE, .offset = offset, .length = n, .buf = (void *)bytes};
  int rc = n ? run(f, io, err) : 0;
  if (!rc && f->tick && !f->tick(f->tick_arg))
    rc = lb_err_give_up(err, f->temporary);
  return rc;
}

int lb_newfile_size(struct lb_newfile *f, int64_t *size, struct lb_err *err)
{
  struct lb_io io = {.op = LB_OP_STAT};
  int rc = lb_storage_op(f->storage, &io, f->fd, f->io, err);
  *size = io.result;
  return rc;
}

/* The name itself must survive a crash. */
static int sync_name(const struct lb_newfile *f, struct lb_err *err)
{
  char folder[PATH_MAX];
  const char *slash = strrchr(f->path, '/');
  size_t n = slash ? (size_t)(slash - f->path) : 0;
  if (n >= sizeof folder)
    return lb_err_sys(err, LB_FAILED, ENAMETOOLONG, "sync: %s", f->path);
  memcpy(folder, f->path, n);
  folder[n] = '\0';
  const char *name = n ? folder : slash ? "/" : ".";
  return lb_storage_sync_folder(f->storage, name, 0, f->io, err);
}

static int close_and_rename(struct lb_newfile *f, struct lb_err *err)
{
  int rc = f->sync ? run(f, (struct lb_io){.op = LB_OP_SYNC}, err) : 0;
  if (!rc)
    rc = run(f, (struct lb_io){.op = LB_OP_CLOSE}, err);
  if (rc)
    return rc;
  struct lb_io rename = {
      .op = LB_OP_RENAME, .slot = -1, .path = f->temporary, .path2 = f->path};
  int64_t renamed = lb_storage_do(f->storage, rename, f->io, err);
  return renamed < 0 ? (int)renamed : 0;
}

static void remove_file(const struct lb_newfile *f, const char *path)
{
  struct lb_err ignored = LB_ERR_INIT; /* the cause is in the user's */
  struct lb_io io = {.op = LB_OP_UNLINK, .slot = -1, .path = path};
  lb_storage_do(f->storage, io, f->io, &ignored);
}

int lb_newfile_end(struct lb_newfile *f, int rc, struct lb_err *err)
{
  const char *there = f->temporary;
  if (!rc)
    rc = close_and_rename(f, err);
  if (!rc && f->sync) {
    there = f->path;
    rc = sync_name(f, err);
  }
  lb_storage_release(f->storage, f->fd);
  if (rc)
    remove_file(f, there);
  return rc;
}
