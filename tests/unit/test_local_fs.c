/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every operation of the blocking backends, on real files. */
#include "lb-config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "loadbank/faulty.h"
#include "loadbank/storage.h"
#include "tap.h"

static struct lb_storage *s;
static struct lb_iothread t;
static struct lb_err err;
static char base[250], a[300], b[300], dir[300];
static const struct lb_backend *backend;

/* Requests of O_DIRECT are whole blocks; their bytes come behind the start of
 * scratch. */
static bool direct(void)
{
  return lb_backend_open_flags(backend, NULL) & LB_IO_DIRECT;
}

static int64_t run_alone(struct lb_io io)
{
  err = (struct lb_err)LB_ERR_INIT;
  return lb_storage_do(s, io, &t, &err);
}

static int run_list(struct lb_iolist *l, int fd[LB_IO_SLOTS])
{
  err = (struct lb_err)LB_ERR_INIT;
  return lb_storage_run(s, l, fd, &t, &err);
}

static void bytes_go_round(void)
{
  static char out[100000], in[100000];
  for (size_t i = 0; i < sizeof out; i++)
    out[i] = (char)(i * 7 + i / 256);
  int fd[LB_IO_SLOTS] = {-1, -1, -1, -1};
  struct lb_iolist l;
  lb_iolist_init(&l);
  lb_iolist_open(&l, a, LB_IO_WRITE | LB_IO_CREATE | LB_IO_EXCLUSIVE);
  lb_iolist_write(&l, 0, sizeof out, 4096, out);
  lb_iolist_add(&l, (struct lb_io){.op = LB_OP_SYNC});
  lb_iolist_close(&l);
  is_int(run_list(&l, fd), 0, "create, write, sync, close: %s", err.msg);
  is_int(l.v[1].result, sizeof out, "all bytes written");
  is_int(fd[0], -1, "the slot is empty again");

  lb_iolist_clear(&l);
  lb_iolist_open(&l, a, 0);
  lb_iolist_stat(&l);
  lb_iolist_read(&l, 0, 70000, 999, in);
  lb_iolist_read(&l, 70000, 30000, 0, in + 70000);
  is_int(run_list(&l, fd), 0, "open, stat, read: %s", err.msg);
  is_int(l.v[1].result, sizeof out, "stat gives the size");
  is_int(l.v[2].result + l.v[3].result, sizeof in, "all bytes read");
  ok(!memcmp(in, out, sizeof in), "and they are the same");
  ok(fcntl(fd[0], F_GETFD) & FD_CLOEXEC, "children do not get the file");
  struct lb_iolist next;
  lb_iolist_init(&next);
  lb_iolist_read(&next, 5, 10, 0, NULL);
  lb_iolist_close(&next);
  is_int(run_list(&next, fd), 0, "a later list goes on with the open file");
  ok(!memcmp((char *)t.scratch + (direct() ? 5 : 0), out + 5, 10),
     "reads without a buffer use scratch");
  lb_iolist_fini(&next);

  lb_iolist_clear(&l);
  struct lb_io *o = lb_iolist_open(&l, a, LB_IO_WRITE | LB_IO_TRUNCATE);
  o->slot = 2;
  lb_iolist_write(&l, 10, 5, 0, NULL)->slot = 2;
  lb_iolist_close(&l)->slot = 2;
  is_int(run_list(&l, fd), 0, "another slot, bytes from scratch");
  is_int(run_alone((struct lb_io){.op = LB_OP_STAT, .path = a}), 15,
         "truncated, then written at an offset");
  lb_iolist_fini(&l);
}

static void names_change(void)
{
  is_int(run_alone((struct lb_io){.op = LB_OP_RENAME, .path = a, .path2 = b}),
         0, "rename");
  is_int(access(a, F_OK), -1, "the old name is gone");
  is_int(run_alone((struct lb_io){.op = LB_OP_LINK, .path = b, .path2 = a}), 0,
         "link");
  struct stat st;
  ok(!stat(a, &st) && st.st_nlink == 2, "one file, two names");
  is_int(run_alone((struct lb_io){.op = LB_OP_UNLINK, .path = a}), 0, "unlink");
  ok(access(a, F_OK) == -1 && !access(b, F_OK), "removes one of them");
  is_int(run_alone((struct lb_io){.op = LB_OP_MKDIR, .path = dir}), 0, "mkdir");
  ok(!stat(dir, &st) && S_ISDIR(st.st_mode), "a folder");
  is_int(run_alone((struct lb_io){
             .op = LB_OP_STAT, .path = b, .flags = LB_IO_DIRECTORY}),
         -LB_FAILED, "stat of a folder that is a file");
  is_int(err.sys, ENOTDIR, "is refused");
  is_int(run_alone((struct lb_io){.op = LB_OP_RMDIR, .path = dir}), 0, "rmdir");
  is_int(access(dir, F_OK), -1, "and gone");
}

static void locks_exclude(void)
{
  int fd[LB_IO_SLOTS] = {-1, -1, -1, -1};
  struct lb_iolist l;
  lb_iolist_init(&l);
  struct lb_io lock = {.op = LB_OP_LOCK, .flags = LB_IO_WRITE};
  lb_iolist_open(&l, b, LB_IO_WRITE);
  lb_iolist_add(&l, lock);
  is_int(run_list(&l, fd), 0, "a lock");
  int other[LB_IO_SLOTS] = {-1, -1, -1, -1};
  is_int(run_list(&l, other), -LB_FAILED, "the same file, opened again");
  is_int(err.sys, EAGAIN, "is locked, also within the process");
  lb_storage_release(s, fd);
  lb_storage_release(s, other);
  is_int(run_list(&l, other), 0, "until it is closed");
  lb_storage_release(s, other);
  lb_iolist_clear(&l);
  lb_iolist_open(&l, b, 0);
  lock.flags = 0;
  lb_iolist_add(&l, lock);
  is_int(run_list(&l, fd), 0, "a shared lock");
  is_int(run_list(&l, other), 0, "can be had twice");
  lb_storage_release(s, fd);
  lb_storage_release(s, other);
  lb_iolist_fini(&l);
}

struct seen {
  int n, stop_at;
  bool mark[3000];
};

static int see(void *arg, const char *name)
{
  struct seen *seen = arg;
  char *end;
  long i = strtol(name + 1, &end, 10);
  if (name[0] != 'f' || *end || i < 0 || i >= 3000 || seen->mark[i])
    return 99;
  seen->mark[i] = true;
  return ++seen->n == seen->stop_at ? 7 : 0;
}

static int list(const char *folder, struct seen *seen)
{
  err = (struct lb_err)LB_ERR_INIT;
  return lb_storage_list(s, folder, see, seen, &t, &err);
}

/* 3000 names need more than one LIST; all backends list in the same way. */
static void folders_are_listed(void)
{
  const int n = backend == lb_backends[0] ? 3000 : 100;
  static struct seen seen, some;
  seen = some = (struct seen){0};
  mkdir(dir, 0777);
  is_int(list(dir, &seen), 0, "an empty folder");
  is_int(seen.n, 0, "has no names");
  for (int i = 0; i < n; i++) {
    char name[400];
    snprintf(name, sizeof name, "%s/f%d", dir, i);
    close(open(name, O_CREAT | O_WRONLY, 0666));
  }
  is_int(list(dir, &seen), 0, "a large one: %s", err.msg);
  is_int(seen.n, n, "each name once, without the dots");
  some.stop_at = 10;
  is_int(list(dir, &some), 7, "the callback can stop");
  is_int(some.n, 10, "at once");
  struct lb_iolist l;
  int fd[LB_IO_SLOTS] = {-1, -1, -1, -1};
  lb_iolist_init(&l);
  lb_iolist_open(&l, dir, LB_IO_DIRECTORY);
  lb_iolist_add(&l, (struct lb_io){.op = LB_OP_LIST});
  lb_iolist_add(&l, (struct lb_io){.op = LB_OP_SYNC});
  lb_iolist_close(&l);
  is_int(run_list(&l, fd), 0, "a folder in a list of operations");
  ok(l.v[1].result > 0 && ((char *)t.scratch)[0] == 'f',
     "its names arrive in scratch");
  lb_iolist_fini(&l);
  is_int(list(b, &seen), -LB_FAILED, "a file");
  is_int(err.sys, ENOTDIR, "is no folder");
}

static void folders_are_made(void)
{
  char path[400], deep[400];
  snprintf(deep, sizeof deep, "%s/x//y/z/", base);
  err = (struct lb_err)LB_ERR_INIT;
  is_int(lb_storage_mkdirs(s, deep, false, &t, &err), 0, "mkdirs: %s", err.msg);
  is_int(access(deep, F_OK), 0, "is there");
  is_int(lb_storage_mkdirs(s, deep, false, &t, &err), 0, "a second time");
  is_int(lb_storage_mkdirs(s, "/", false, &t, &err), 0, "the root");
  snprintf(path, sizeof path, "%s/c/d", b);
  is_int(lb_storage_mkdirs(s, path, false, &t, &err), -LB_FAILED,
         "below a file");
  is_int(err.sys, ENOTDIR, "cannot be");
  err = (struct lb_err)LB_ERR_INIT;
  is_int(lb_storage_mkdirs(s, b, false, &t, &err), -LB_FAILED, "over a file");
  is_int(err.sys, ENOTDIR, "neither");
  snprintf(path, sizeof path, "%s/dangling", base);
  is_int(symlink("nowhere", path), 0, "a link to nowhere");
  err = (struct lb_err)LB_ERR_INIT;
  is_int(lb_storage_mkdirs(s, path, false, &t, &err), -LB_FAILED,
         "is not taken");
  is_int(err.sys, ENOENT, "for a folder");
  if (!chdir(base)) {
    err = (struct lb_err)LB_ERR_INIT;
    is_int(lb_storage_mkdirs(s, "r/s", false, &t, &err), 0, "a relative path");
    is_int(access("r/s", F_OK), 0, "works");
  }
}

/* What the interruption of a system call, or a network file system, does. */
static void parts_are_put_together(void)
{
  const struct lb_fault faults[] = {
      {.op = LB_OP_READ, .limit = direct() ? 4096 : 1000},
      {.op = LB_OP_READ, .sys = EINTR, .times = 3},
      {.op = LB_OP_WRITE, .limit = direct() ? 4096 : 77},
  };
  static char out[30000], in[30000];
  memset(out, 'q', sizeof out);
  struct lb_storage *plain = s;
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
    struct lb_storage *inner;
    lb_storage_open(&inner, backend, NULL, NULL, &err);
    is_int(lb_faulty_open(&s, inner, &faults[i], &err), 0, "decorator");
    int fd[LB_IO_SLOTS] = {-1, -1, -1, -1};
    struct lb_iolist l;
    lb_iolist_init(&l);
    lb_iolist_open(&l, a, LB_IO_WRITE | LB_IO_CREATE);
    lb_iolist_write(&l, 0, sizeof out, 8192, out);
    lb_iolist_close(&l);
    lb_iolist_open(&l, a, 0);
    lb_iolist_read(&l, 0, sizeof in, 8192, in);
    lb_iolist_close(&l);
    struct lb_iostats before = *t.stats;
    lb_iostats_init(t.stats);
    is_int(run_list(&l, fd), 0, "partial answers: %s", err.msg);
    ok(!memcmp(in, out, sizeof in), "all bytes arrived");
    ok(lb_faulty_count(s) >= 3, "in parts");
    struct lb_iostat *c = t.stats->cell[LB_PHASE_SETUP][LB_OP_READ];
    is_int(c->ns.count, 4, "a request in parts counts once");
    is_int(c->errors, 0, "without error");
    is_int(c->bytes, sizeof in, "all its bytes");
    lb_iostats_fini(t.stats);
    *t.stats = before;
    lb_iolist_fini(&l);
    lb_storage_close(s);
    memset(in, 0, sizeof in);
  }
  s = plain;
}

/* What was just written is in the page cache, if the kernel can tell. */
static void cache_is_told(void)
{
  static const struct lb_storage_env env = {.bandwidth_share = 1,
                                            .tell_cache = true};
  struct lb_storage *plain = s;
  int fd[LB_IO_SLOTS] = {-1, -1, -1, -1};
  static char bytes[8192];
  struct lb_iolist l;
  lb_iolist_init(&l);
  t.phase = LB_PHASE_EVAL; /* nobody else's */
  is_int(lb_storage_open(&s, backend, NULL, &env, &err), 0,
         "a storage that is asked");
  lb_iolist_open(&l, b, LB_IO_WRITE | LB_IO_CREATE | LB_IO_TRUNCATE);
  lb_iolist_write(&l, 0, sizeof bytes, 0, bytes);
  lb_iolist_close(&l);
  lb_iolist_open(&l, b, 0);
  lb_iolist_read(&l, 0, sizeof bytes, 4096, bytes);
  lb_iolist_close(&l);
  is_int(run_list(&l, fd), 0, "read once more: %s", err.msg);
  struct lb_iostat **row = t.stats->cell[LB_PHASE_EVAL];
  ok(!row[LB_STAT_MISS], "no miss");
  ok(!row[LB_STAT_HIT] || row[LB_STAT_HIT]->ns.count == 2,
     "two hits, or the kernel cannot tell");
  ok(row[LB_OP_READ]->ns.count == 2, "each counts as a read, too");
  lb_iolist_fini(&l);
  lb_storage_close(s);
  t.phase = LB_PHASE_SETUP;
  s = plain;
}

static void walk_through(const struct lb_backend *which)
{
  backend = which;
  err = (struct lb_err)LB_ERR_INIT;
  snprintf(base, sizeof base, "%s/%s", tap_tmpdir(), backend->name);
  snprintf(a, sizeof a, "%s/a", base);
  snprintf(b, sizeof b, "%s/b", base);
  snprintf(dir, sizeof dir, "%s/d", base);
  mkdir(base, 0777);
  is_int(lb_storage_open(&s, backend, NULL, NULL, &err), 0, "%s: %s",
         backend->name, err.msg);
  is_int(lb_iothread_init(&t, 1 << 16, &err), 0, "thread");
  bytes_go_round();
  names_change();
  locks_exclude();
  folders_are_listed();
  folders_are_made();
  parts_are_put_together();
  if (backend->tells_cache)
    cache_is_told();
  for (int op = 0; op < LB_N_OPS; op++)
    ok(t.stats->cell[LB_PHASE_SETUP][op], "%s was tried", lb_op_names[op]);
  lb_iothread_fini(&t);
  lb_storage_close(s);
}

int main(void)
{
  for (const struct lb_backend *const *row = lb_backends; *row; row++)
    if (!(*row)->unavailable && !(*row)->is_virtual)
      walk_through(*row);
  return done();
}
