/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What goes wrong on a file system: exact messages, counted errors, and no
 * file left open. */
#include "lb-config.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "loadbank/clock.h"
#include "loadbank/faulty.h"
#include "loadbank/storage.h"
#include "tap.h"

static const struct lb_backend *backend;
static struct lb_storage *s;
static struct lb_iothread t;
static struct lb_err err;
static int fd[LB_IO_SLOTS] = {-1, -1, -1, -1};
static char path[300], want[1000];

/* Runs the list, checks the message and that nothing stays open. */
static void fails(struct lb_iolist *l, const char *message, const char *what)
{
  int before = tap_open_files();
  err = (struct lb_err)LB_ERR_INIT;
  is_int(lb_storage_run(s, l, fd, &t, &err), -LB_FAILED, "%s: fails", what);
  is_str(err.msg, message, "%s: says why", what);
  lb_storage_release(s, fd);
  is_int(tap_open_files(), before, "%s: no file is left open", what);
  lb_iolist_clear(l);
}

static void make_file(size_t bytes)
{
  FILE *f = fopen(path, "w");
  for (size_t i = 0; f && i < bytes; i++)
    putc('x', f);
  ok(f && !fclose(f), "a file of %zu bytes", bytes);
}

static void opening_fails(struct lb_iolist *l)
{
  lb_iolist_open(l, "/nowhere/at/all", 0);
  fails(l, "open: /nowhere/at/all: No such file or directory (errno 2)",
        "missing");
  is_int(err.sys, ENOENT, "the cause is there for programs, too");

  lb_iolist_open(l, path, LB_IO_WRITE | LB_IO_CREATE | LB_IO_EXCLUSIVE);
  snprintf(want, sizeof want, "open: %s: File exists (errno 17)", path);
  fails(l, want, "already there");

  lb_iolist_open(l, tap_tmpdir(), LB_IO_WRITE);
  snprintf(want, sizeof want, "open: %s: Is a directory (errno 21)",
           tap_tmpdir());
  fails(l, want, "a folder");

  lb_iolist_open(l, path, 0);
  lb_iolist_open(l, path, 0);
  snprintf(want, sizeof want, "open: %s: Device or resource busy (errno 16)",
           path);
  fails(l, want, "a slot that is in use");

  /* root may read everything: be somebody else. */
  bool root = geteuid() == 0;
  if (root && seteuid(65534))
    return;
  if (!root)
    chmod(tap_tmpdir(), 0);
  lb_iolist_open(l, path, 0);
  snprintf(want, sizeof want, "open: %s: Permission denied (errno 13)", path);
  fails(l, want, "a folder without permission");
  if (root)
    ok(!seteuid(0), "root again");
  else
    chmod(tap_tmpdir(), 0700);
}

static void reading_fails(struct lb_iolist *l)
{
  lb_iolist_open(l, path, 0);
  lb_iolist_read(l, 0, 2000, 300, NULL);
  snprintf(want, sizeof want, "short read: %s: offset 900: wanted 300, got 100",
           path);
  fails(l, want, "a short file");
  is_int(err.sys, 0, "which is no errno");

  err = (struct lb_err)LB_ERR_INIT;
  lb_iolist_open(l, path, 0);
  is_int(lb_storage_run(s, l, fd, &t, &err), 0, "open in one list");
  lb_iolist_clear(l);
  lb_iolist_read(l, 5000, 10, 0, NULL);
  snprintf(want, sizeof want, "short read: %s: offset 5000: wanted 10, got 0",
           path);
  int before = tap_open_files();
  is_int(lb_storage_run(s, l, fd, &t, &err), -LB_FAILED, "fail in the next");
  is_str(err.msg, want, "the path is known there, too");
  lb_storage_release(s, fd);
  is_int(tap_open_files(), before - 1, "and closed");
  lb_iolist_clear(l);

  lb_iolist_read(l, 0, 10, 0, NULL)->slot = 3;
  fails(l,
        "read: slot 3: offset 0: wanted 10, got 0: Bad file descriptor "
        "(errno 9)",
        "a slot without file");

  lb_iolist_open(l, path, 0);
  lb_iolist_read(l, 0, 1 << 20, 0, NULL);
  fails(l,
        "read: a request of 1048576 bytes does not fit the scratch buffer of "
        "65536",
        "a request beyond scratch");
}

static void writing_fails(struct lb_iolist *l)
{
  lb_iolist_open(l, "/dev/full", LB_IO_WRITE);
  lb_iolist_write(l, 0, 1000, 400, NULL);
  fails(l,
        "write: /dev/full: offset 0: wanted 400, got 0: No space left on "
        "device (errno 28)",
        "a full disk");
  is_int(err.sys, ENOSPC, "the cause");

  lb_iolist_add(l, (struct lb_io){.op = LB_OP_RENAME,
                                  .path = "/nowhere/a",
                                  .path2 = "/nowhere/b"});
  fails(l,
        "rename: /nowhere/a to /nowhere/b: No such file or directory (errno 2)",
        "rename");
}

static struct lb_storage *with_fault(struct lb_fault fault)
{
  struct lb_storage *inner, *faulty;
  err = (struct lb_err)LB_ERR_INIT;
  lb_storage_open(&inner, backend, NULL, NULL, &err);
  is_int(lb_faulty_open(&faulty, inner, &fault, &err), 0, "decorator");
  return faulty;
}

static void orders_are_followed(struct lb_iolist *l)
{
  struct lb_storage *plain = s;
  s = with_fault((struct lb_fault){
      .op = LB_OP_READ, .path = "/file", .after = 2, .times = 1, .sys = EIO});
  lb_iolist_open(l, path, 0);
  lb_iolist_read(l, 0, 1000, 100, NULL);
  snprintf(want, sizeof want,
           "read: %s: offset 200: wanted 100, got 0: Input/output error "
           "(errno 5)",
           path);
  fails(l, want, "the third read");
  is_int(lb_faulty_count(s), 1, "one fault");
  lb_iolist_open(l, path, 0);
  lb_iolist_read(l, 0, 1000, 100, NULL);
  err = (struct lb_err)LB_ERR_INIT;
  is_int(lb_storage_run(s, l, fd, &t, &err), 0, "then all is well");
  lb_storage_release(s, fd);
  lb_storage_close(s);

  s = with_fault(
      (struct lb_fault){.op = LB_OP_READ, .path = "/other", .sys = EIO});
  is_int(lb_storage_run(s, l, fd, &t, &err), 0, "other paths do not matter");
  lb_storage_release(s, fd);
  lb_storage_close(s);

  s = with_fault((struct lb_fault){.op = LB_OP_OPEN, .delay_ns = 20000000});
  uint64_t start = lb_clock_ns();
  is_int(lb_storage_run(s, l, fd, &t, &err), 0, "a slow open");
  ok(lb_clock_ns() - start >= 20000000, "takes its time");
  lb_storage_release(s, fd);
  lb_storage_close(s);
  lb_iolist_clear(l);
  s = plain;
}

static void failures_are_counted(struct lb_iolist *l)
{
  lb_iostats_fini(t.stats);
  lb_iolist_open(l, path, 0);
  lb_iolist_read(l, 0, 2000, 300, NULL);
  err = (struct lb_err)LB_ERR_INIT;
  lb_storage_run(s, l, fd, &t, &err);
  lb_storage_release(s, fd);
  struct lb_iostat *c = t.stats->cell[LB_PHASE_SETUP][LB_OP_READ];
  is_int(c->ns.count, 4, "four requests were made");
  is_int(c->errors, 1, "one failed");
  is_int(c->bytes, 1000, "bytes are those that arrived");
  ok(!t.stats->cell[LB_PHASE_SETUP][LB_OP_CLOSE],
     "giving up a file is no operation of the list");
  lb_iolist_clear(l);
}

/* O_DIRECT moves whole blocks and has other devices to fail on: test_direct. */
static void walk_through(const struct lb_backend *b, struct lb_iolist *l)
{
  backend = b;
  err = (struct lb_err)LB_ERR_INIT;
  is_int(lb_storage_open(&s, b, NULL, NULL, &err), 0, "%s: %s", b->name,
         err.msg);
  is_int(lb_iothread_init(&t, 1 << 16, &err), 0, "thread");
  opening_fails(l);
  reading_fails(l);
  writing_fails(l);
  orders_are_followed(l);
  failures_are_counted(l);
  lb_iothread_fini(&t);
  lb_storage_close(s);
}

int main(void)
{
  struct lb_iolist l;
  lb_iolist_init(&l);
  snprintf(path, sizeof path, "%s/file", tap_tmpdir());
  make_file(1000);
  for (const struct lb_backend *const *b = lb_backends; *b; b++)
    if (!(*b)->unavailable && !(*b)->is_virtual &&
        !lb_backend_open_flags(*b, NULL))
      walk_through(*b, &l);
  lb_iolist_fini(&l);
  return done();
}
