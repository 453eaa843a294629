/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A mounted file system through POSIX calls: one function an operation, one
 * system call a function.  Repeating after EINTR, counting and messages are
 * run.c's; what O_DIRECT needs is direct.c's. */
#include "lb-config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "loadbank/ticks.h"
#include "storage/storage_impl.h"

typedef int64_t operation(const struct lb_io *io, int fd[LB_IO_SLOTS],
                          uint64_t offset, void *buf, size_t length);

static int64_t result(int64_t rc)
{
  return rc < 0 ? -errno : rc;
}

static bool has_slot(const struct lb_io *io)
{
  return io->slot >= 0 && io->slot < LB_IO_SLOTS;
}

static int64_t do_open(const struct lb_io *io, int fd[LB_IO_SLOTS],
                       uint64_t offset, void *buf, size_t length)
{
  (void)offset, (void)buf, (void)length;
  static const struct {
    unsigned flag;
    int os;
  } rows[] = {{LB_IO_WRITE, O_WRONLY},   {LB_IO_CREATE, O_CREAT},
              {LB_IO_EXCLUSIVE, O_EXCL}, {LB_IO_TRUNCATE, O_TRUNC},
              {LB_IO_DIRECT, O_DIRECT},  {LB_IO_DIRECTORY, O_DIRECTORY}};
  if (!has_slot(io))
    return -EBADF;
  if (fd[io->slot] >= 0)
    return -EBUSY; /* it would be lost */
  int os = O_RDONLY | O_CLOEXEC;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    os |= io->flags & rows[i].flag ? rows[i].os : 0;
  int new = open(io->path, os, 0666);
  if (new < 0)
    return -errno;
  fd[io->slot] = new;
  return 0;
}

static int64_t do_stat(const struct lb_io *io, int fd[LB_IO_SLOTS],
                       uint64_t offset, void *buf, size_t length)
{
  (void)offset, (void)buf, (void)length;
  struct stat st;
  int rc = io->path ? stat(io->path, &st) : fstat(lb_io_file(io, fd), &st);
  if (rc < 0)
    return -errno;
  if ((io->flags & LB_IO_DIRECTORY) && !S_ISDIR(st.st_mode))
    return -ENOTDIR;
  if ((io->flags & LB_IO_FILE) && !S_ISREG(st.st_mode))
    return S_ISDIR(st.st_mode) ? -EISDIR : -ENXIO;
  return (int64_t)st.st_size;
}

static int64_t do_read(const struct lb_io *io, int fd[LB_IO_SLOTS],
                       uint64_t offset, void *buf, size_t length)
{
  return result(pread(lb_io_file(io, fd), buf, length, (off_t)offset));
}

/* The same, but asks first what can be had without waiting for the storage. */
static int64_t read_telling(struct lb_io *io, int fd[LB_IO_SLOTS],
                            uint64_t offset, void *buf, size_t length)
{
  const struct iovec v = {.iov_base = buf, .iov_len = length};
  ssize_t n = -1;
  if (io->cache != LB_CACHE_MISS) {
    n = preadv2(lb_io_file(io, fd), &v, 1, (off_t)offset, RWF_NOWAIT);
    if (n > 0)
      io->cache = LB_CACHE_HIT;
    else if (n < 0 && errno == EAGAIN)
      io->cache = LB_CACHE_MISS;
  }
  return n >= 0 ? n : do_read(io, fd, offset, buf, length);
}

/* glibc makes a point of cancellation of pread as soon as a process has several
 * threads, which costs as much as a tenth of a small read.  Nobody is cancelled
 * here. */
static inline ssize_t read_at(int fd, void *buf, size_t length, uint64_t offset)
{
#if defined SYS_pread64 && __SIZEOF_LONG__ == 8
  return syscall(SYS_pread64, fd, buf, length, offset);
#else
  return pread(fd, buf, length, (off_t)offset);
#endif
}

/* What returns here from the kernel finds no return predicted: so nothing is
 * called through layers. */
size_t lb_local_fs_read_many(void *self, struct lb_reads *reads)
{
  (void)self;
  size_t i = 0;
  struct lb_ticks ticks = lb_ticks_begin(reads->n);
  for (; i < reads->n; i++) {
    const struct lb_io *io = &reads->io[i];
    int64_t n =
        read_at(lb_io_file(io, reads->fd), io->buf ? io->buf : reads->scratch,
                io->length, io->offset);
    if (n != (int64_t)io->length) {
      reads->other = result(n);
      break;
    }
    reads->done_ns[i] = lb_ticks_now(&ticks);
  }
  lb_ticks_end(&ticks, reads->done_ns, i);
  return i;
}

static int64_t do_write(const struct lb_io *io, int fd[LB_IO_SLOTS],
                        uint64_t offset, void *buf, size_t length)
{
  return result(pwrite(lb_io_file(io, fd), buf, length, (off_t)offset));
}

static int64_t do_sync(const struct lb_io *io, int fd[LB_IO_SLOTS],
                       uint64_t offset, void *buf, size_t length)
{
  (void)offset, (void)buf, (void)length;
  int file = lb_io_file(io, fd);
  return result(io->flags & LB_IO_ALL ? syncfs(file) : fsync(file));
}

static int64_t do_close(const struct lb_io *io, int fd[LB_IO_SLOTS],
                        uint64_t offset, void *buf, size_t length)
{
  (void)offset, (void)buf, (void)length;
  int old = lb_io_file(io, fd);
  if (old < 0)
    return -EBADF;
  fd[io->slot] = -1; /* Linux gives the number back whatever close says */
  return close(old) < 0 && errno != EINTR ? -errno : 0;
}

/* What some file systems do not tell (DT_UNKNOWN) counts as a file. */
static bool is_special(unsigned char type)
{
  return type == DT_FIFO || type == DT_SOCK || type == DT_CHR || type == DT_BLK;
}

/* One getdents64, its names moved to the front of the same buffer: a name is
 * shorter than the entry that it came in. */
static int64_t do_list(const struct lb_io *io, int fd[LB_IO_SLOTS],
                       uint64_t offset, void *buf, size_t length)
{
  (void)offset;
  char *bytes = buf;
  for (;;) {
    ssize_t n = getdents64(lb_io_file(io, fd), bytes, length);
    if (n <= 0)
      return result(n);
    size_t used = 0;
    for (ssize_t at = 0; at < n;) {
      const struct dirent64 *d = (const void *)(bytes + at);
      at += d->d_reclen;
      size_t size = strlen(d->d_name) + 1;
      if (strcmp(d->d_name, ".") != 0 && strcmp(d->d_name, "..") != 0) {
        bool special = is_special(d->d_type);
        memmove(bytes + used, d->d_name, size);
        used += size;
        if (special) { /* a record has more room than its name takes */
          bytes[used - 1] = '/';
          bytes[used++] = '\0';
        }
      }
    }
    if (used) /* only "." and ".." would read as the end */
      return (int64_t)used;
  }
}

static int64_t do_mkdir(const struct lb_io *io, int fd[LB_IO_SLOTS],
                        uint64_t offset, void *buf, size_t length)
{
  (void)fd, (void)offset, (void)buf, (void)length;
  return result(mkdir(io->path, 0777));
}

static int64_t do_rmdir(const struct lb_io *io, int fd[LB_IO_SLOTS],
                        uint64_t offset, void *buf, size_t length)
{
  (void)fd, (void)offset, (void)buf, (void)length;
  return result(rmdir(io->path));
}

static int64_t do_rename(const struct lb_io *io, int fd[LB_IO_SLOTS],
                         uint64_t offset, void *buf, size_t length)
{
  (void)fd, (void)offset, (void)buf, (void)length;
  return result(rename(io->path, io->path2));
}

static int64_t do_link(const struct lb_io *io, int fd[LB_IO_SLOTS],
                       uint64_t offset, void *buf, size_t length)
{
  (void)fd, (void)offset, (void)buf, (void)length;
  return result(link(io->path, io->path2));
}

static int64_t do_unlink(const struct lb_io *io, int fd[LB_IO_SLOTS],
                         uint64_t offset, void *buf, size_t length)
{
  (void)fd, (void)offset, (void)buf, (void)length;
  return result(unlink(io->path));
}

/* A lock of the open file, not of the process: two readers of one rank
 * exclude each other as processes would. */
static int64_t do_lock(const struct lb_io *io, int fd[LB_IO_SLOTS],
                       uint64_t offset, void *buf, size_t length)
{
  (void)offset, (void)buf, (void)length;
  struct flock lock = {.l_type = io->flags & LB_IO_WRITE ? F_WRLCK : F_RDLCK,
                       .l_whence = SEEK_SET};
  return result(fcntl(lb_io_file(io, fd), F_OFD_SETLK, &lock));
}

static operation *const operations[LB_N_OPS] = {
    [LB_OP_OPEN] = do_open,   [LB_OP_STAT] = do_stat,
    [LB_OP_READ] = do_read,   [LB_OP_WRITE] = do_write,
    [LB_OP_SYNC] = do_sync,   [LB_OP_CLOSE] = do_close,
    [LB_OP_LIST] = do_list,   [LB_OP_MKDIR] = do_mkdir,
    [LB_OP_RMDIR] = do_rmdir, [LB_OP_RENAME] = do_rename,
    [LB_OP_LINK] = do_link,   [LB_OP_UNLINK] = do_unlink,
    [LB_OP_LOCK] = do_lock,
};

int64_t lb_local_fs_perform(void *self, struct lb_io *io, int fd[LB_IO_SLOTS],
                            uint64_t offset, void *buf, size_t length)
{
  (void)self;
  if (io->op == LB_OP_READ && io->cache != LB_CACHE_OFF)
    return read_telling(io, fd, offset, buf, length);
  return operations[io->op](io, fd, offset, buf, length);
}

static int local_fs_open(void **self, const void *options,
                         const struct lb_storage_env *env, struct lb_err *err)
{
  (void)options, (void)env, (void)err;
  *self = NULL;
  return 0;
}

static void local_fs_close(void *self)
{
  (void)self;
}

const struct lb_backend lb_backend_local_fs = {
    .name = "local_fs",
    .doc = "Files of a mounted file system, through POSIX calls.",
    .tells_cache = true,
    .open = local_fs_open,
    .close = local_fs_close,
    .perform = lb_local_fs_perform,
    .read_many = lb_local_fs_read_many,
};

static unsigned always_direct(const void *options)
{
  (void)options;
  return LB_IO_DIRECT;
}

const struct lb_backend lb_backend_direct_fs = {
    .name = "direct_fs",
    .doc = "Files of a mounted file system with O_DIRECT, past the page cache.",
    .open_flags = always_direct,
    .open = local_fs_open,
    .close = local_fs_close,
    .perform = lb_local_fs_perform,
};
