/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Making files: whole or not there, resumed, with a format of one page. */
#include "lb-config.h"

#include "loadbank/dataset.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "loadbank/faulty.h"
#include "tap.h"

enum { HEAD = 16 };

/* A head, and a byte that depends on the file for each byte of payload. */
static int tiny_sizes(const struct lb_format_params *p, const struct lb_file *f,
                      struct lb_file_sizes *out, struct lb_err *err)
{
  (void)p, (void)err;
  uint64_t payload = (uint64_t)(f->samples * f->sample_bytes);
  *out = (struct lb_file_sizes){.payload_bytes = payload,
                                .file_bytes = payload + HEAD};
  return 0;
}

/* The options say how many bytes too few it writes. */
static int tiny_make(const struct lb_format_params *p, const struct lb_file *f,
                     struct lb_sink *sink, struct lb_err *err)
{
  uint64_t left = (uint64_t)(f->samples * f->sample_bytes), at = HEAD;
  left -= p->options ? *(const unsigned *)p->options : 0;
  memset(sink->scratch, 'a' + (int)f->index, sink->scratch_bytes);
  while (left > 0) {
    size_t n = left < sink->scratch_bytes ? (size_t)left : sink->scratch_bytes;
    if (sink->write(sink, at, sink->scratch, n, err) < 0)
      return -err->code;
    at += n;
    left -= n;
  }
  return sink->write(sink, 0, "0123456789abcdef", HEAD, err); /* last */
}

static const struct lb_format tiny = {.name = "tiny",
                                      .extension = "tiny",
                                      .sizes = tiny_sizes,
                                      .make = tiny_make};

static struct lb_storage *storage;
static struct lb_iothread thread;
static struct lb_layout layout;
static struct lb_sizes sizes;
static struct lb_format_params params;

static struct lb_maker maker(void)
{
  return (struct lb_maker){.format = &tiny,
                           .params = &params,
                           .layout = &layout,
                           .sizes = &sizes,
                           .storage = storage};
}

static const char *path_of(int index)
{
  static char path[PATH_MAX];
  lb_layout_path(&layout, LB_SET_TRAIN, index, path, sizeof path);
  return path;
}

static bool temporary_is_left(int index)
{
  char path[PATH_MAX];
  lb_layout_temporary(&layout, LB_SET_TRAIN, index, path, sizeof path);
  return access(path, F_OK) == 0;
}

static int make(const struct lb_maker *m, int index, int *made,
                struct lb_err *err)
{
  *err = (struct lb_err)LB_ERR_INIT;
  return lb_dataset_make_file(m, LB_SET_TRAIN, index, &thread, made, err);
}

static void test_make(void)
{
  struct lb_maker m = maker();
  struct lb_err err = LB_ERR_INIT;
  int made = 0;
  is_int(make(&m, 3, &made, &err), -LB_FAILED, "no folder yet");
  is_int(err.sys, ENOENT, "... says so: %s", err.msg);
  err = (struct lb_err)LB_ERR_INIT;
  is_int(lb_dataset_make_folders(&layout, m.format, storage, &thread, &err), 0,
         "folders %s", err.msg);
  is_int(make(&m, 3, &made, &err), 0, "a file is made %s", err.msg);
  is_int(made, 1, "... and said so");
  struct stat st;
  uint64_t want = HEAD + 3 * (uint64_t)lb_sizes_sample_bytes(&sizes, 0, 3);
  ok(stat(path_of(3), &st) == 0 && (uint64_t)st.st_size == want,
     "... of the planned size, %d bytes", (int)want);
  ok(!temporary_is_left(3), "... under its final name only");
  const struct lb_iostat *stats = thread.stats->cell[thread.phase][LB_OP_STAT];
  ok(stats && stats->ns.count > 0 && stats->errors == 0,
     "... and that it was not there is no error");
  char text[HEAD + 3] = "";
  int fd = open(path_of(3), O_RDONLY);
  ok(fd >= 0 && read(fd, text, HEAD + 2) == HEAD + 2, "... readable");
  is_str(text, "0123456789abcdefdd", "... with its bytes");
  if (fd >= 0)
    close(fd);
}

static void test_resume(void)
{
  struct lb_maker m = maker();
  struct lb_err err;
  struct stat before, after;
  int made = 1;
  stat(path_of(3), &before);
  is_int(make(&m, 3, &made, &err), 0, "a whole file is kept");
  is_int(made, 0, "... and said so");
  stat(path_of(3), &after);
  ok(before.st_ino == after.st_ino, "... untouched");
  ok(truncate(path_of(3), 100) == 0, "a short one");
  is_int(make(&m, 3, &made, &err), 0, "... is made again");
  is_int(made, 1, "... and said so");
  stat(path_of(3), &after);
  is_int(after.st_size, before.st_size, "... whole");
}

static void test_limit(void)
{
  struct lb_maker m = maker();
  struct lb_err err;
  struct rlimit old, small;
  int made;
  getrlimit(RLIMIT_FSIZE, &old);
  small = old;
  small.rlim_cur = 100000; /* in the middle of a write */
  signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &small);
  int rc = make(&m, 5, &made, &err);
  setrlimit(RLIMIT_FSIZE, &old);
  is_int(rc, -LB_FAILED, "a limit is met");
  is_int(err.sys, EFBIG, "... with its errno");
  ok(strstr(err.msg, path_of(5)) != NULL, "... and path: %s", err.msg);
  ok(access(path_of(5), F_OK) != 0, "... no file is left");
  ok(!temporary_is_left(5), "... and no temporary one");
}

/* Each operation fails in turn. */
static void test_faults(void)
{
  static const struct {
    enum lb_op op;
    uint64_t after;
    int sys;
  } rows[] = {
      {LB_OP_STAT, 0, EACCES},   {LB_OP_OPEN, 0, EROFS},
      {LB_OP_WRITE, 0, ENOSPC},  {LB_OP_WRITE, 2, ENOSPC},
      {LB_OP_STAT, 1, EIO},      {LB_OP_CLOSE, 0, EDQUOT},
      {LB_OP_RENAME, 0, EACCES},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    struct lb_maker m = maker();
    struct lb_err err = LB_ERR_INIT;
    struct lb_storage *inner = NULL;
    struct lb_fault fault = {.op = rows[i].op,
                             .after = rows[i].after,
                             .times = 1,
                             .sys = rows[i].sys};
    int made;
    lb_storage_open(&inner, lb_backend_find("local_fs"), NULL,
                    &(struct lb_storage_env){0}, &err);
    is_int(lb_faulty_open(&m.storage, inner, &fault, &err), 0, "a fault");
    int rc = make(&m, 6, &made, &err);
    is_int(rc, -LB_FAILED, "%s %d fails: %s", lb_op_names[rows[i].op],
           (int)rows[i].after, err.msg);
    is_int(err.sys, rows[i].sys, "... with its errno");
    ok(access(path_of(6), F_OK) != 0 && !temporary_is_left(6),
       "... nothing is left");
    is_int(make(&m, 6, &made, &err), 0, "... and the next try succeeds %s",
           err.msg);
    unlink(path_of(6));
    lb_storage_close(m.storage);
  }
}

static void test_wrong_size(void)
{
  struct lb_maker m = maker();
  struct lb_err err;
  int made;
  unsigned missing = 7;
  params.options = &missing;
  /* The head comes last, so that the end is what is missing. */
  is_int(make(&m, 7, &made, &err), -LB_FAILED, "a file that is too short");
  ok(strstr(err.msg, "were planned") != NULL, "... says: %s", err.msg);
  ok(access(path_of(7), F_OK) != 0 && !temporary_is_left(7),
     "... nothing is left");
  params.options = NULL;
}

static void test_virtual(void)
{
  struct lb_maker m = maker();
  struct lb_err err = LB_ERR_INIT;
  int made = 0;
  lb_storage_open(&m.storage, lb_backend_find("none"), NULL,
                  &(struct lb_storage_env){0}, &err);
  is_int(make(&m, 8, &made, &err), 0, "a virtual backend");
  is_int(made, 1, "... has it made at once");
  ok(access(path_of(8), F_OK) != 0, "... and writes nothing");
  lb_storage_close(m.storage);
}

static void test_free_bytes(void)
{
  struct lb_err err = LB_ERR_INIT;
  uint64_t here = 0, below = 0, root = 0;
  char path[PATH_MAX];
  is_int(lb_free_bytes(tap_tmpdir(), &here, &err), 0, "free space %s", err.msg);
  ok(here > 0, "... there is some");
  snprintf(path, sizeof path, "%s/not/yet/there", tap_tmpdir());
  is_int(lb_free_bytes(path, &below, &err), 0, "below an existing folder");
  ok(below > here / 2 && below < here * 2 + 1, "... about the same");
  is_int(lb_free_bytes("/not-there", &root, &err), 0, "below the root");
  is_int(lb_free_bytes("not-there/x", &root, &err), 0, "a relative path");
  int n = lb_layout_path(&layout, LB_SET_TRAIN, 3, path, sizeof path - 2);
  memcpy(path + n, "/x", sizeof "/x");
  is_int(lb_free_bytes(path, &below, &err), -LB_FAILED, "below a file: %s",
         err.msg);
}

int main(void)
{
  struct lb_err err = LB_ERR_INIT;
  if (lb_storage_open(&storage, lb_backend_find("local_fs"), NULL,
                      &(struct lb_storage_env){0}, &err) ||
      lb_iothread_init(&thread, 65536, &err) ||
      lb_sizes_init(&sizes, 10, 100000, 20000, &err))
    return 99;
  layout = (struct lb_layout){.prefix = "img",
                              .extension = "tiny",
                              .n_files = {10, 0},
                              .n_used = {10, 0},
                              .n_folders = {3, 1}};
  snprintf(layout.root, sizeof layout.root, "%s/set", tap_tmpdir());
  params.samples_per_file = 3;
  test_make();
  test_resume();
  test_limit();
  test_faults();
  test_wrong_size();
  test_virtual();
  test_free_bytes();
  lb_iothread_fini(&thread);
  lb_storage_close(storage);
  return done();
}
