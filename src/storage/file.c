/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Single operations and the few helpers made of them, for set-up: outside the
 * timed part, so these may allocate. */
#include "lb-config.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "storage/storage_impl.h"

enum { NAMES_BYTES = 65536 }; /* of one LIST */

/* One operation over r->fd. */
static int64_t one(struct lb_run *r, struct lb_io io, struct lb_err *err)
{
  struct lb_iolist l = {.v = &io, .n = 1, .cap = 1};
  size_t next;
  r->l = &l;
  int rc = lb_run_operation(r, 0, &next, err);
  r->l = NULL;
  return rc ? rc : io.result;
}

int64_t lb_storage_probe(struct lb_storage *s, struct lb_io io, int expected,
                         bool *answered, struct lb_iothread *t,
                         struct lb_err *err)
{
  *answered = false;
  if (s->backend->is_virtual)
    return 0;
  int fd[LB_IO_SLOTS] = {-1, -1, -1, -1};
  struct lb_run r = {.s = s, .fd = fd, .t = t, .expected = expected};
  int64_t rc = one(&r, io, err);
  *answered = r.answer != 0;
  return rc;
}

int64_t lb_storage_do(struct lb_storage *s, struct lb_io io,
                      struct lb_iothread *t, struct lb_err *err)
{
  bool answered;
  return lb_storage_probe(s, io, 0, &answered, t, err);
}

/* Calls `each' with the names of one LIST. */
static int each_name(const char *names, int64_t n,
                     int (*each)(void *arg, const char *name), void *arg)
{
  int rc = 0;
  for (const char *at = names; at < names + n && !rc; at += strlen(at) + 1)
    rc = each(arg, at);
  return rc;
}

int lb_storage_list(struct lb_storage *s, const char *folder,
                    int (*each)(void *arg, const char *name), void *arg,
                    struct lb_iothread *t, struct lb_err *err)
{
  if (s->backend->is_virtual)
    return 0;
  char *names = malloc(NAMES_BYTES);
  if (!names)
    return lb_err_sys(err, LB_FAILED, ENOMEM, "list: %s", folder);
  int fd[LB_IO_SLOTS] = {-1, -1, -1, -1};
  struct lb_run r = {.s = s, .fd = fd, .t = t};
  struct lb_io open = {
      .op = LB_OP_OPEN, .path = folder, .flags = LB_IO_DIRECTORY};
  struct lb_io list = {
      .op = LB_OP_LIST, .buf = names, .length = NAMES_BYTES, .path = folder};
  int rc = (int)one(&r, open, err);
  while (!rc) {
    int64_t n = one(&r, list, err);
    if (n <= 0) {
      rc = (int)n;
      break;
    }
    rc = each_name(names, n, each, arg);
  }
  if (!rc)
    rc = (int)one(&r, (struct lb_io){.op = LB_OP_CLOSE, .path = folder}, err);
  lb_storage_release(s, fd);
  free(names);
  return rc;
}

/* Is `path' a folder?  0 with r->answer ENOENT: nothing is there. */
static int look(struct lb_run *r, const char *path, int expected,
                struct lb_err *err)
{
  struct lb_io io = {.op = LB_OP_STAT, .path = path, .flags = LB_IO_DIRECTORY};
  r->expected = expected;
  int64_t rc = one(r, io, err);
  return rc < 0 ? (int)rc : 0;
}

/* Ends `path' after its longest part that exists; it may be empty. */
static int cut_to_existing(struct lb_run *r, char *path, struct lb_err *err)
{
  for (;;) {
    int rc = look(r, path, ENOENT, err);
    if (rc || !r->answer)
      return rc;
    char *slash = strrchr(path, '/');
    *(slash ? slash : path) = '\0';
    if (!*path)
      return 0; /* the root or the working folder, which exist */
  }
}

int lb_storage_sync_folder(struct lb_storage *s, const char *folder,
                           unsigned flags, struct lb_iothread *t,
                           struct lb_err *err)
{
  int fd[LB_IO_SLOTS] = {-1, -1, -1, -1};
  struct lb_io v[] = {
      {.op = LB_OP_OPEN, .path = folder, .flags = LB_IO_DIRECTORY},
      {.op = LB_OP_SYNC, .path = folder, .flags = flags},
      {.op = LB_OP_CLOSE, .path = folder}};
  size_t n = sizeof v / sizeof *v;
  struct lb_iolist l = {.v = v, .n = n, .cap = n};
  int rc = lb_storage_run(s, &l, fd, t, err);
  lb_storage_release(s, fd);
  return rc;
}

/* Syncs the folder that `path' is in; path is cut there for a moment. */
static int sync_parent(struct lb_run *r, char *path, struct lb_err *err)
{
  char *slash = strrchr(path, '/');
  if (!slash || slash == path)
    return lb_storage_sync_folder(r->s, slash ? "/" : ".", 0, r->t, err);
  *slash = '\0';
  int rc = lb_storage_sync_folder(r->s, path, 0, r->t, err);
  *slash = '/';
  return rc;
}

int lb_storage_mkdirs(struct lb_storage *s, const char *folder, bool sync,
                      struct lb_iothread *t, struct lb_err *err)
{
  char path[PATH_MAX];
  size_t n = strlen(folder);
  if (s->backend->is_virtual)
    return 0;
  if (n >= sizeof path)
    return lb_err_sys(err, LB_FAILED, ENAMETOOLONG, "mkdir: %s", folder);
  memcpy(path, folder, n + 1);
  int fd[LB_IO_SLOTS] = {-1, -1, -1, -1};
  struct lb_run r = {.s = s, .fd = fd, .t = t};
  int rc = cut_to_existing(&r, path, err);
  size_t there = strlen(path);
  while (!rc && there < n) {
    there += 1 + strcspn(folder + there + 1, "/");
    memcpy(path, folder, there);
    path[there] = '\0';
    r.expected = EEXIST; /* another rank was faster */
    rc = (int)one(&r, (struct lb_io){.op = LB_OP_MKDIR, .path = path}, err);
    if (!rc && !r.answer && sync)
      rc = sync_parent(&r, path, err);
  }
  if (!rc && r.answer) /* and made a folder, not a file */
    rc = look(&r, folder, 0, err);
  return rc;
}
