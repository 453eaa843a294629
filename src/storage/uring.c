/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The backend whose readers need no thread each: their lists, and what is
 * written and read of checkpoints, go through a ring (ring.c); what is done
 * outside of timed parts, generation and listing, is local_fs. */
#include "lb-config.h"

#include "loadbank/ring.h"
#include "storage/storage_impl.h"

struct options {
  int64_t queue_depth;
  bool registered_buffers;
  bool odirect;
};
#define OPT(field, ...) LB_OPTION(struct options, field, __VA_ARGS__)
static const struct lb_option options[] = {
    OPT(queue_depth, .def = "64", .min = 1, .max = 4096, .unit = "requests",
        .doc = "Requests of a rank that are under way at the same time, at "
               "most; each has a buffer of its own."),
    OPT(registered_buffers, .def = "false",
        .doc = "Make the buffers known to the kernel once, not with each "
               "request; they count as locked memory (ulimit -l)."),
    OPT(odirect, .def = "false",
        .doc = "Open every file with O_DIRECT, those of generation and "
               "checkpoints, too."),
};
#undef OPT

static struct lb_ring_shape uring_ring(const void *opts)
{
  const struct options *o = opts;
  return (struct lb_ring_shape){.depth = o ? o->queue_depth : 64,
                                .registered = o && o->registered_buffers};
}

static unsigned uring_flags(const void *opts)
{
  const struct options *o = opts;
  return o && o->odirect ? LB_IO_DIRECT : 0;
}

static int uring_open(void **self, const void *opts,
                      const struct lb_storage_env *env, struct lb_err *err)
{
  (void)opts, (void)env;
  *self = NULL;
  const char *why = lb_ring_unavailable();
  return why ? lb_err_set(err, LB_FAILED, "storage 'uring': %s", why) : 0;
}

static void uring_close(void *self)
{
  (void)self;
}

const struct lb_backend lb_backend_uring = {
    .name = "uring",
    .doc = "Files of a mounted file system, read through io_uring without a "
           "thread for each read; checkpoints are written so, too.",
#ifndef HAVE_LIBURING
    .unavailable = "not in this build: configure found no liburing",
#endif
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .options_size = sizeof(struct options),
    .ring = uring_ring,
    .open_flags = uring_flags,
    .open = uring_open,
    .close = uring_close,
    .perform = lb_local_fs_perform,
    .read_many = lb_local_fs_read_many,
};
