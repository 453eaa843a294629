/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the storage of a run cannot do, found and said before anything is
 * measured: O_DIRECT that a file system refuses, stripes that it does not
 * have, metadata that a library reads in its own way. */
#include "lb-config.h"

#include <errno.h>
#include <stdio.h>

#include "bench_impl.h"
#include "loadbank/host.h"
#include "loadbank/log.h"
#include "loadbank/path.h"

enum { SOME_BYTES = 4096 };

static bool is_direct(const struct lb_bench *b)
{
  return !b->w->derived.backend->is_virtual &&
         (b->params.open_flags & LB_IO_DIRECT);
}

/* Names the file system, when it was that which failed. */
static int refused(const char *path, struct lb_err *err)
{
  struct lb_filesystem fs;
  if (err->sys != EINVAL && err->sys != EOPNOTSUPP)
    return -err->code;
  lb_filesystem_probe(&fs, path);
  int sys = err->sys;
  *err = (struct lb_err)LB_ERR_INIT;
  return lb_err_sys(err, LB_FAILED, sys,
                    "%s: its file system (%s on %s) refuses O_DIRECT; use "
                    "storage_type local_fs without reader.odirect, or another "
                    "file system",
                    path, fs.known ? fs.mount.type : "of unknown type",
                    fs.known ? fs.mount.point : "an unknown mount");
}

/* Opens the file with O_DIRECT and reads some bytes, as a reader will. */
static int read_some(struct lb_bench *b, const char *path,
                     struct lb_iothread *t, struct lb_err *err)
{
  int fd[LB_IO_SLOTS] = {-1, -1, -1, -1};
  struct lb_io open = {.op = LB_OP_OPEN, .path = path, .flags = LB_IO_DIRECT};
  struct lb_io stat = {.op = LB_OP_STAT};
  int rc = lb_storage_op(b->storage, &open, fd, t, err);
  if (!rc)
    rc = lb_storage_op(b->storage, &stat, fd, t, err);
  struct lb_io read = {.op = LB_OP_READ, .length = SOME_BYTES};
  if (!rc && stat.result < SOME_BYTES)
    read.length = (uint64_t)stat.result;
  if (!rc && read.length)
    rc = lb_storage_op(b->storage, &read, fd, t, err);
  lb_storage_release(b->storage, fd);
  return rc;
}

/* With a buffer of its own: the main thread's may have none. */
static int try_reading(struct lb_bench *b, const char *path, struct lb_err *err)
{
  struct lb_iothread t;
  int rc = lb_iothread_init(&t, SOME_BYTES, err);
  if (rc)
    return rc;
  rc = read_some(b, path, &t, err);
  lb_iostats_merge(b->io.stats, t.stats);
  lb_iothread_fini(&t);
  return rc ? refused(path, err) : 0;
}

int lb_bench_check_direct(struct lb_bench *b, struct lb_err *err)
{
  char path[PATH_MAX];
  int n = is_direct(b) && b->world->host_first ? b->w->derived.n_roots : 0;
  for (int m = 0; m < n && !lb_err_is_set(err); m++)
    for (int set = 0; set < LB_N_SETS; set++)
      if (b->plan.set[set].read && b->plan.set[set].files > 0 &&
          lb_layout_path(&b->mounts[m], set, 0, path, sizeof path) >= 0 &&
          try_reading(b, path, err))
        break;
  return lb_bench_agree(b->world, err);
}

int lb_bench_check_direct_write(struct lb_bench *b, const char *folder,
                                struct lb_err *err)
{
  char path[PATH_MAX];
  int fd[LB_IO_SLOTS] = {-1, -1, -1, -1};
  if (lb_path_join(folder, ".loadbank-direct", path, LB_FAILED, err))
    return -err->code;
  struct lb_io open = {.op = LB_OP_OPEN,
                       .path = path,
                       .flags = LB_IO_WRITE | LB_IO_CREATE | LB_IO_DIRECT};
  struct lb_io unlink = {.op = LB_OP_UNLINK, .slot = -1, .path = path};
  struct lb_err ignored = LB_ERR_INIT;
  int rc = lb_storage_op(b->storage, &open, fd, &b->io, err);
  lb_storage_release(b->storage, fd);
  /* A file system may have made it before it refused the flag. */
  if (rc)
    lb_storage_do(b->storage, unlink, &b->io, &ignored);
  else if (lb_storage_do(b->storage, unlink, &b->io, err) < 0)
    rc = -err->code;
  return rc ? refused(folder, err) : 0;
}

void lb_bench_storage_notes(const struct lb_bench *b, char *lacks, char *direct,
                            size_t size)
{
  const struct lb_derived *d = &b->w->derived;
  *lacks = *direct = '\0';
  if (d->backend->lacks)
    d->backend->lacks(b->storage->self, d->data_folder, lacks, size);
  if (is_direct(b) && d->format && d->format->calls_library &&
      b->w->workflow.train)
    snprintf(direct, size,
             "the library of format %s reads what describes the samples "
             "through the page cache; the samples are read with O_DIRECT",
             d->format->name);
}

void lb_bench_say_storage(const struct lb_bench *b)
{
  char lacks[LB_NOTE_MAX], direct[LB_NOTE_MAX];
  if (b->world->rank)
    return;
  lb_bench_storage_notes(b, lacks, direct, sizeof lacks);
  if (*lacks)
    lb_warn("storage_type %s: %s: %s", b->w->derived.backend->name,
            b->w->derived.data_folder, lacks);
  if (*direct)
    lb_info("%s", direct);
}
