/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The decorator behind faulty.h.  For tests only; no workload can name it. */
#include "lb-config.h"

#include "loadbank/faulty.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "loadbank/clock.h"
#include "storage/storage_impl.h"

struct faulty {
  struct lb_storage *inner; /* owned by the decorator's lb_storage */
  struct lb_fault fault;
  atomic_uint_fast64_t seen, faults;
};

static bool concerns(const struct lb_fault *fault, const struct lb_io *io,
                     const int fd[LB_IO_SLOTS])
{
  if (io->op != fault->op)
    return false;
  if (!fault->path)
    return true;
  char text[512];
  const char *path = io->path;
  if (!path && lb_fd_path(lb_io_file(io, fd), text, sizeof text))
    path = text;
  return path && strstr(path, fault->path);
}

static int64_t faulty_perform(void *self, struct lb_io *io, int fd[LB_IO_SLOTS],
                              uint64_t offset, void *buf, size_t length)
{
  struct faulty *f = self;
  const struct lb_fault *fault = &f->fault;
  if (concerns(fault, io, fd)) {
    uint64_t n = atomic_fetch_add(&f->seen, 1);
    if (n >= fault->after &&
        (!fault->times || n - fault->after < fault->times)) {
      atomic_fetch_add(&f->faults, 1);
      if (fault->delay_ns)
        lb_clock_sleep_until(lb_clock_ns() + fault->delay_ns);
      if (fault->sys)
        return -fault->sys;
      if (fault->limit && length > fault->limit)
        length = (size_t)fault->limit;
    }
  }
  return f->inner->backend->perform(f->inner->self, io, fd, offset, buf,
                                    length);
}

static int faulty_open(void **self, const void *options,
                       const struct lb_storage_env *env, struct lb_err *err)
{
  (void)env;
  struct faulty *f = calloc(1, sizeof *f);
  if (!f)
    return lb_err_sys(err, LB_FAILED, ENOMEM, "storage 'faulty'");
  f->fault = *(const struct lb_fault *)options;
  *self = f;
  return 0;
}

static void faulty_close(void *self)
{
  free(self);
}

static const struct lb_backend faulty = {
    .name = "faulty",
    .doc = "Fails on order.",
    .open = faulty_open,
    .close = faulty_close,
    .perform = faulty_perform,
};

int lb_faulty_open(struct lb_storage **s, struct lb_storage *inner,
                   const struct lb_fault *fault, struct lb_err *err)
{
  int rc = lb_storage_open(s, &faulty, fault, NULL, err);
  if (rc) {
    lb_storage_close(inner);
    return rc;
  }
  (*s)->inner = inner;
  (*s)->open_flags = inner->open_flags;
  (*s)->ring = inner->ring;
  struct faulty *f = (*s)->self;
  f->inner = inner;
  return 0;
}

uint64_t lb_faulty_count(const struct lb_storage *s)
{
  struct faulty *f = s->self;
  return atomic_load(&f->faults);
}
