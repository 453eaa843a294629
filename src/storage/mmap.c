/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A mounted file system whose files are read through mappings: a file is
 * mapped whole when it is opened for reading, as numpy.memmap does, and a
 * request copies its range.  All else, writing too, is local_fs.
 *
 * A program that touches a mapping of a file that somebody cuts dies of
 * SIGBUS.  So the kernel copies (process_vm_readv of the own process): the same
 * pages are faulted in, and what cannot be read is an errno. */
#include "lb-config.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "storage/storage_impl.h"

enum { MAX_FILES = 1 << 20 };

struct mapping {
  char *at; /* NULL: none */
  size_t length;
};

struct maps {
  int advice;
  _Atomic int end;      /* no descriptor from here on was ever mapped */
  struct mapping *file; /* by descriptor; pages come as they are used */
};

struct options {
  int advice;
};
#define OPT(field, ...) LB_OPTION(struct options, field, __VA_ARGS__)
static const char *const advices[] = {"normal", "sequential", "random",
                                      "willneed", NULL};
static const int madvices[] = {MADV_NORMAL, MADV_SEQUENTIAL, MADV_RANDOM,
                               MADV_WILLNEED};
static const struct lb_option options[] = {
    OPT(advice, .def = "normal", .words = advices,
        .doc = "What the kernel is told of each mapping (madvise): how far to "
               "read ahead."),
};
#undef OPT

static void unmap(struct maps *m, int fd)
{
  struct mapping *f = fd >= 0 && fd < MAX_FILES ? &m->file[fd] : NULL;
  if (!f || !f->at)
    return;
  munmap(f->at, f->length);
  f->at = NULL;
}

static void note_end(struct maps *m, int fd)
{
  int end = atomic_load(&m->end);
  while (end <= fd && !atomic_compare_exchange_weak(&m->end, &end, fd + 1))
    ;
}

/* 0 or an errno.  What is no file with bytes is not mapped. */
static int map(struct maps *m, int fd)
{
  struct stat st;
  if (fd >= MAX_FILES)
    return EMFILE;
  unmap(m, fd); /* of a file that was closed elsewhere */
  if (fstat(fd, &st) < 0)
    return errno;
  if (!S_ISREG(st.st_mode) || st.st_size <= 0)
    return 0;
  void *at = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, fd, 0);
  if (at == MAP_FAILED)
    return errno;
  if (m->advice != MADV_NORMAL)
    madvise(at, (size_t)st.st_size, m->advice); /* only a hint */
  m->file[fd] = (struct mapping){.at = at, .length = (size_t)st.st_size};
  note_end(m, fd);
  return 0;
}

static ssize_t copy(void *to, char *from, size_t n)
{
  struct iovec local = {.iov_base = to, .iov_len = n};
  struct iovec remote = {.iov_base = from, .iov_len = n};
  return process_vm_readv(getpid(), &local, 1, &remote, 1, 0);
}

static int64_t read_mapped(const struct mapping *f, int fd, uint64_t offset,
                           void *buf, size_t length)
{
  struct stat st;
  if (offset >= f->length)
    return 0;
  size_t n = length < f->length - offset ? length : f->length - offset;
  ssize_t got = copy(buf, f->at + offset, n);
  if (got == (ssize_t)n)
    return got;
  int sys = got < 0 ? errno : 0;
  if (fstat(fd, &st) < 0)
    return -errno;
  uint64_t size = (uint64_t)st.st_size;
  if (size < offset + n) /* it was cut: what is left, as read() would */
    return size > offset ? (int64_t)(size - offset) : 0;
  return sys == 0 ? got : sys == EFAULT ? -EIO : -sys;
}

static int64_t mmap_perform(void *self, struct lb_io *io, int fd[LB_IO_SLOTS],
                            uint64_t offset, void *buf, size_t length)
{
  struct maps *m = self;
  int file = lb_io_file(io, fd);
  bool known = file >= 0 && file < MAX_FILES && m->file[file].at;
  if (io->op == LB_OP_READ && known)
    return read_mapped(&m->file[file], file, offset, buf, length);
  if (io->op == LB_OP_CLOSE)
    unmap(m, file);
  int64_t rc = lb_local_fs_perform(NULL, io, fd, offset, buf, length);
  const unsigned others = LB_IO_WRITE | LB_IO_DIRECTORY;
  if (io->op != LB_OP_OPEN || rc < 0 || (io->flags & others))
    return rc;
  int sys = map(m, fd[io->slot]);
  if (sys) {
    close(fd[io->slot]);
    fd[io->slot] = -1;
  }
  return sys ? -sys : rc;
}

/* A file that cannot be mapped is read with read. */
static void mmap_adopt(void *self, int fd)
{
  map(self, fd);
}

/* A page that is mapped stays in the page cache. */
static void mmap_settle(void *self)
{
  struct maps *m = self;
  for (int fd = 0; fd < atomic_load(&m->end); fd++)
    unmap(m, fd);
  atomic_store(&m->end, 0);
}

static void mmap_close(void *self)
{
  struct maps *m = self;
  if (!m)
    return;
  mmap_settle(m);
  free(m->file);
  free(m);
}

static int mmap_open(void **self, const void *opts,
                     const struct lb_storage_env *env, struct lb_err *err)
{
  (void)env;
  char from = 1, to = 0;
  if (copy(&to, &from, 1) != 1)
    return lb_err_sys(err, LB_FAILED, errno,
                      "storage 'mmap': this kernel or container does not "
                      "allow process_vm_readv, without which a file that is "
                      "cut while it is read would end the process");
  struct maps *m = calloc(1, sizeof *m);
  if (m)
    m->file = calloc(MAX_FILES, sizeof *m->file);
  if (!m || !m->file) {
    free(m);
    return lb_err_sys(err, LB_FAILED, ENOMEM, "storage 'mmap'");
  }
  const struct options *o = opts;
  m->advice = madvices[o ? o->advice : 0];
  *self = m;
  return 0;
}

const struct lb_backend lb_backend_mmap = {
    .name = "mmap",
    .doc = "Files of a mounted file system, read through memory mappings.",
    .is_cached = true,
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .options_size = sizeof(struct options),
    .open = mmap_open,
    .close = mmap_close,
    .perform = mmap_perform,
    .adopt = mmap_adopt,
    .settle = mmap_settle,
};
