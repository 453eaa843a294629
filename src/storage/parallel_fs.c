/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A parallel file system by its POSIX interface: local_fs, which gives the
 * folders that it makes the stripes that are asked for, where the file system
 * has them.  Only Lustre's can be set without a library of it. */
#include "lb-config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "storage/lustre.h"
#include "storage/storage_impl.h"

struct stripes {
  int64_t stripe_count, stripe_size;
};
#define OPT(field, ...) LB_OPTION(struct stripes, field, __VA_ARGS__)
static const struct lb_option options[] = {
    OPT(stripe_count, .def = "0", .min = -1, .max = 2000, .unit = "targets",
        .doc = "Targets over which each file in a folder that is made is "
               "spread, on Lustre; -1: all, 0: as the file system has it."),
    OPT(stripe_size, .def = "0", .min = 0, .max = 4294901760, .unit = "bytes",
        .doc = "Bytes of a file on one target before the next one comes, a "
               "multiple of 64 KiB; 0: as the file system has it."),
};
#undef OPT

static bool asks(const struct stripes *s)
{
  return s->stripe_count != 0 || s->stripe_size != 0;
}

static int64_t parallel_fs_perform(void *self, struct lb_io *io,
                                   int fd[LB_IO_SLOTS], uint64_t offset,
                                   void *buf, size_t length)
{
  const struct stripes *s = self;
  int64_t rc = lb_local_fs_perform(NULL, io, fd, offset, buf, length);
  if (io->op != LB_OP_MKDIR || rc < 0 || !asks(s) || !lb_lustre_has(io->path))
    return rc;
  return lb_lustre_set(io->path, s->stripe_count, s->stripe_size);
}

static bool parallel_fs_lacks(void *self, const char *folder, char *text,
                              size_t size)
{
  if (lb_lustre_has(folder))
    return false;
  snprintf(text, size,
           "no stripes that can be set are known of this file system%s; it is "
           "used as with local_fs",
           asks(self) ? ", so stripe_count and stripe_size have no effect"
                      : "");
  return true;
}

static int parallel_fs_open(void **self, const void *opts,
                            const struct lb_storage_env *env,
                            struct lb_err *err)
{
  (void)env;
  const struct stripes *o = opts;
  if (o && o->stripe_size % 65536)
    return lb_err_set(err, LB_USAGE,
                      "storage.storage_options.stripe_size: %lld is no "
                      "multiple of 65536",
                      (long long)o->stripe_size);
  struct stripes *s = calloc(1, sizeof *s);
  if (!s)
    return lb_err_sys(err, LB_FAILED, ENOMEM, "storage 'parallel_fs'");
  if (o)
    *s = *o;
  *self = s;
  return 0;
}

static void parallel_fs_close(void *self)
{
  free(self);
}

const struct lb_backend lb_backend_parallel_fs = {
    .name = "parallel_fs",
    .doc = "A parallel file system, by its POSIX interface, with stripes.",
    .tells_cache = true,
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .options_size = sizeof(struct stripes),
    .open = parallel_fs_open,
    .close = parallel_fs_close,
    .perform = parallel_fs_perform,
    .read_many = lb_local_fs_read_many,
    .lacks = parallel_fs_lacks,
};
