/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Removes the files of a checkpoint that its mark names, and nothing else. */
#include "lb-config.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "loadbank/retention.h"

/* That one, absent or not; and one that is not empty is left. */
static int remove_one(const struct lb_shard_remover *r, enum lb_op op,
                      const char *path, bool *left, struct lb_err *err)
{
  bool answered;
  struct lb_io io = {.op = op, .slot = -1, .path = path};
  int expected = op == LB_OP_RMDIR ? ENOTEMPTY : ENOENT;
  int64_t rc =
      lb_storage_probe(r->storage, io, expected, &answered, r->io, err);
  if (op == LB_OP_RMDIR)
    *left = answered;
  if (rc < 0 && op == LB_OP_RMDIR &&
      (err->sys == ENOENT || err->sys == EEXIST)) {
    *left = err->sys == EEXIST;
    *err = (struct lb_err)LB_ERR_INIT;
    return 0;
  }
  return rc < 0 ? (int)rc : 0;
}

/* Folders between the checkpoint's and the file, when it was the last there. */
static int remove_parents(const struct lb_shard_remover *r, char *path,
                          struct lb_err *err)
{
  size_t top = strlen(r->folder);
  bool left = false;
  for (char *slash; !left && (slash = strrchr(path, '/')) > path + top;) {
    *slash = '\0';
    if (remove_one(r, LB_OP_RMDIR, path, &left, err))
      return -err->code;
  }
  return 0;
}

static int remove_shard(const struct lb_shard_remover *r,
                        const struct lb_shard_ref *ref, struct lb_err *err)
{
  char final[PATH_MAX], temporary[PATH_MAX];
  struct lb_shard shard;
  bool left;
  r->mark->scheme->shard(&r->mark->model, ref, &shard);
  int rc = lb_shard_paths(r->folder, &shard, final, temporary, err);
  if (!rc)
    rc = remove_one(r, LB_OP_UNLINK, final, &left, err);
  if (!rc && !r->mark->complete)
    rc = remove_one(r, LB_OP_UNLINK, temporary, &left, err);
  return rc ? rc : remove_parents(r, final, err);
}

int lb_shards_remove(const struct lb_shard_remover *r, struct lb_err *err)
{
  const struct lb_mark *m = r->mark;
  for (int a = r->first; a < m->model.accelerators; a += r->step)
    for (int stage = 0; stage < m->scheme->stages; stage++) {
      int64_t n = m->scheme->count(&m->model, stage, a);
      for (int64_t i = 0; i < n; i++) {
        const struct lb_shard_ref ref = {
            .stage = stage, .accelerator = a, .i = i};
        if (remove_shard(r, &ref, err))
          return -err->code;
        if (r->tick && !r->tick(r->tick_arg))
          return 1;
      }
    }
  return 0;
}

int lb_checkpoint_rmdir(const struct lb_shard_remover *r, bool *left,
                        struct lb_err *err)
{
  int rc = lb_mark_remove(r->folder, err);
  return rc ? rc : remove_one(r, LB_OP_RMDIR, r->folder, left, err);
}
