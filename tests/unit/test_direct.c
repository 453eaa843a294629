/* SPDX-License-Identifier: GPL-3.0-or-later */
/* O_DIRECT: any offset and length, the end of a file, writes that are no whole
 * blocks, what is counted, and file systems that refuse it.  Beside it what
 * mappings do when their file is cut, and Lustre's layout. */
#include "lb-config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "loadbank/faulty.h"
#include "loadbank/storage.h"
#include "storage/lustre.h"
#include "storage/storage_impl.h"
#include "tap.h"

enum { FILE_BYTES = 1000003, SCRATCH = 65536 };

static struct lb_storage *s;
static struct lb_iothread t;
static struct lb_err err;
static char path[300];
static unsigned char *content, *in;

static void spans(void)
{
  static const struct {
    uint64_t offset;
    size_t length, align;
    struct lb_span want;
  } rows[] = {
      {0, 4096, 4096, {0, 4096, 0}},
      {1, 1, 512, {0, 512, 1}},
      {511, 2, 512, {0, 1024, 511}},
      {512, 512, 512, {512, 512, 0}},
      {10000, 0, 4096, {8192, 4096, 1808}},
      {4096, 4097, 4096, {4096, 8192, 0}},
      {UINT64_C(1) << 40, 7, 4096, {UINT64_C(1) << 40, 4096, 0}},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct lb_span got =
        lb_direct_widen(rows[i].offset, rows[i].length, rows[i].align);
    ok(got.offset == rows[i].want.offset && got.length == rows[i].want.length &&
           got.skip == rows[i].want.skip,
       "row %zu: %llu + %zu, skip %zu", i, (unsigned long long)got.offset,
       got.length, got.skip);
  }
  const struct lb_span span = {.skip = 100};
  is_int(lb_direct_useful(&span, 50, 10), 0, "nothing of what was asked");
  is_int(lb_direct_useful(&span, 105, 10), 5, "its beginning");
  is_int(lb_direct_useful(&span, 4096, 10), 10, "all of it");
}

static int run(struct lb_iolist *l, int fd[LB_IO_SLOTS])
{
  err = (struct lb_err)LB_ERR_INIT;
  return lb_storage_run(s, l, fd, &t, &err);
}

static bool opened(int fd[LB_IO_SLOTS])
{
  struct lb_io open = {.op = LB_OP_OPEN, .path = path, .flags = LB_IO_DIRECT};
  for (int i = 0; i < LB_IO_SLOTS; i++)
    fd[i] = -1;
  err = (struct lb_err)LB_ERR_INIT;
  return !lb_storage_op(s, &open, fd, &t, &err);
}

/* One READ; is what it brings what the file holds? */
static bool reads(int fd[LB_IO_SLOTS], uint64_t offset, size_t length,
                  uint32_t request, bool buffer)
{
  struct lb_io io = {.op = LB_OP_READ,
                     .offset = offset,
                     .length = length,
                     .request = request,
                     .buf = buffer ? in : NULL};
  memset(in, 0xee, FILE_BYTES);
  err = (struct lb_err)LB_ERR_INIT;
  if (lb_storage_op(s, &io, fd, &t, &err) || io.result != (int64_t)length)
    return false;
  return !buffer || !memcmp(in, content + offset, length);
}

static void reading(void)
{
  int fd[LB_IO_SLOTS];
  ok(opened(fd) && fcntl(fd[0], F_GETFL) & O_DIRECT, "open: %s", err.msg);
  size_t align = lb_direct_align(s, fd[0]);
  ok(align >= 512 && !(align & (align - 1)), "alignment %zu", align);
  static const size_t lengths[] = {1, 10, 511, 512, 4095, 4097, 65536};
  bool good = true;
  for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
    for (uint64_t offset = 0; offset < 9000; offset += 1499)
      for (int buffer = 0; buffer < 2; buffer++)
        good = good && reads(fd, offset, lengths[i], 0, buffer);
  ok(good, "any offset and length: %s", err.msg);
  ok(reads(fd, 777, 500000, 30001, true), "in requests: %s", err.msg);
  ok(reads(fd, 3, FILE_BYTES - 3, 0, true), "larger than scratch: %s", err.msg);
  ok(reads(fd, FILE_BYTES - 5, 5, 0, true), "the last bytes: %s", err.msg);
  ok(!reads(fd, FILE_BYTES - 5, 6, 0, true) &&
         strstr(err.msg, "offset 999998: wanted 6, got 5"),
     "one more: %s", err.msg);
  ok(!reads(fd, FILE_BYTES + 8192, 1, 0, true) &&
         strstr(err.msg, "wanted 1, got 0"),
     "behind the end: %s", err.msg);
  lb_iostats_fini(t.stats);
  ok(reads(fd, 100, 10, 0, true), "ten bytes");
  struct lb_iostat *c = t.stats->cell[LB_PHASE_SETUP][LB_OP_READ];
  is_int(c->ns.count, 1, "are one request");
  is_int(c->bytes, (int64_t)align, "of a whole block");
  lb_storage_release(s, fd);
}

/* Pieces of all kinds, as formats write them. */
static void writing(void)
{
  static const size_t ends[] = {128,    65536 - 128, 65536,     131072,
                                131073, 140000,      FILE_BYTES};
  int fd[LB_IO_SLOTS] = {-1, -1, -1, -1};
  struct lb_iolist l;
  lb_iolist_init(&l);
  unlink(path);
  lb_iolist_open(&l, path, LB_IO_WRITE | LB_IO_CREATE | LB_IO_DIRECT);
  size_t at = 0;
  for (size_t i = 0; i < sizeof ends / sizeof *ends; at = ends[i++])
    lb_iolist_write(&l, at, ends[i] - at, 0, content + at);
  lb_iolist_close(&l);
  is_int(run(&l, fd), 0, "pieces of all kinds: %s", err.msg);
  lb_iolist_clear(&l);
  lb_iolist_open(&l, path, 0);
  lb_iolist_stat(&l);
  lb_iolist_read(&l, 0, FILE_BYTES, 0, in);
  lb_iolist_close(&l);
  is_int(run(&l, fd), 0, "through the page cache: %s", err.msg);
  is_int(l.v[1].result, FILE_BYTES, "no byte more");
  ok(!memcmp(in, content, FILE_BYTES), "all bytes are there");
  lb_iolist_fini(&l);
}

static void refusals(void)
{
  int fd[LB_IO_SLOTS] = {-1, -1, -1, -1};
  struct lb_io open = {
      .op = LB_OP_OPEN, .path = "/proc/self/status", .flags = LB_IO_DIRECT};
  err = (struct lb_err)LB_ERR_INIT;
  is_int(lb_storage_op(s, &open, fd, &t, &err), -LB_FAILED, "/proc refuses");
  is_str(err.msg,
         "open: /proc/self/status: O_DIRECT, which its file system may refuse: "
         "Invalid argument (errno 22)",
         "and is named");
  is_int(err.sys, EINVAL, "with the cause");
  is_int(fd[0], -1, "nothing is open");
  open.flags = 0;
  is_int(lb_storage_op(s, &open, fd, &t, &err) == 0, !s->open_flags,
         "%s: without the flag", s->backend->name);
  ok(!lb_direct_align(s, fd[0]), "no alignment");
  lb_storage_release(s, fd);
}

static void one_backend(const char *name)
{
  err = (struct lb_err)LB_ERR_INIT;
  is_int(lb_storage_open(&s, lb_backend_find(name), NULL, NULL, &err), 0, "%s",
         name);
  writing();
  reading();
  refusals();
  lb_storage_close(s);
}

/* ---- mappings ---- */

static void cut_mapping(void)
{
  int fd[LB_IO_SLOTS];
  err = (struct lb_err)LB_ERR_INIT;
  if (lb_storage_open(&s, lb_backend_find("mmap"), NULL, NULL, &err)) {
    ok(true, "mmap # SKIP %s", err.msg);
    return;
  }
  for (int i = 0; i < LB_IO_SLOTS; i++)
    fd[i] = -1;
  struct lb_io open = {.op = LB_OP_OPEN, .path = path};
  is_int(lb_storage_op(s, &open, fd, &t, &err), 0, "mapped: %s", err.msg);
  ok(reads(fd, 5, FILE_BYTES - 5, 65536, true), "read: %s", err.msg);
  ok(!reads(fd, FILE_BYTES - 5, 6, 0, true) && strstr(err.msg, "got 5"),
     "not behind the end: %s", err.msg);
  is_int(truncate(path, 70000), 0, "somebody cuts the file");
  ok(!reads(fd, 65536, 65536, 0, true) && strstr(err.msg, "short read: ") &&
         strstr(err.msg, "got 4464"),
     "what is left: %s", err.msg);
  ok(!reads(fd, 500000, 10, 0, true) && strstr(err.msg, "got 0"),
     "what is gone: %s", err.msg);
  lb_storage_release(s, fd);
  lb_storage_close(s);
}

static int mappings(void)
{
  char line[600];
  int n = 0;
  FILE *f = fopen("/proc/self/maps", "r");
  while (f && fgets(line, sizeof line, f))
    n += strstr(line, path) != NULL;
  if (f)
    fclose(f);
  return n;
}

/* A file that somebody else closes stays mapped, until nobody reads. */
static void left_mapping(void)
{
  int fd[LB_IO_SLOTS] = {-1, -1, -1, -1};
  struct lb_io open = {.op = LB_OP_OPEN, .path = path};
  err = (struct lb_err)LB_ERR_INIT;
  if (lb_storage_open(&s, lb_backend_find("mmap"), NULL, NULL, &err)) {
    ok(true, "mmap # SKIP %s", err.msg);
    return;
  }
  is_int(lb_storage_op(s, &open, fd, &t, &err), 0, "mapped: %s", err.msg);
  close(fd[0]);
  fd[0] = -1;
  is_int(mappings(), 1, "closed by its owner: still mapped");
  is_int(lb_storage_op(s, &open, fd, &t, &err), 0, "opened again");
  is_int(mappings(), 1, "the number has one mapping");
  lb_storage_settle(s);
  is_int(mappings(), 0, "none when nobody reads");
  ok(reads(fd, 5, 60000, 0, true), "what is open can still be read: %s",
     err.msg);
  lb_storage_release(s, fd);
  lb_storage_close(s);
}

static void stripes(void)
{
  static const unsigned char want[LB_LUSTRE_LAYOUT_BYTES] = {
      0xd0, 0x0b, 0xd1, 0x0b, [26] = 0x10, [28] = 8, [30] = 0xff, 0xff};
  unsigned char got[LB_LUSTRE_LAYOUT_BYTES];
  lb_lustre_layout(8, 1 << 20, got);
  ok(!memcmp(got, want, sizeof got), "8 stripes of 1 MiB, on any targets");
  lb_lustre_layout(-1, 0, got);
  ok(got[28] == 0xff && got[29] == 0xff && !got[26], "on all targets");
  ok(!lb_lustre_has("/proc/not/there"), "/proc is no Lustre");
}

int main(void)
{
  content = malloc(FILE_BYTES);
  in = malloc(FILE_BYTES);
  if (!content || !in)
    return 1;
  for (size_t i = 0; i < FILE_BYTES; i++)
    content[i] = (unsigned char)(i * 7 + i / 251);
  snprintf(path, sizeof path, "%s/file", tap_tmpdir());
  is_int(lb_iothread_init(&t, SCRATCH, &err), 0, "thread");
  spans();
  one_backend("local_fs");
  one_backend("direct_fs");
  left_mapping();
  cut_mapping();
  stripes();
  lb_iothread_fini(&t);
  free(content);
  free(in);
  return done();
}
