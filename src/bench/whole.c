/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All bytes of a checkpoint are on a tier: from here on it is whole there. With
 * checkpoint.atomic its mark says so before one that had its name is removed:
 * wherever that is cut off, one of the two is whole. */
#include "lb-config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "checkpoint_impl.h"
#include "loadbank/clock.h"
#include "loadbank/path.h"

static const char suffix[] = ".part";

int lb_bench_part_folder(const struct lb_tier *t, const char *name,
                         char out[PATH_MAX])
{
  int n = snprintf(out, PATH_MAX, "%s/.%s%s", t->root, name, suffix);
  return n < 0 || n >= PATH_MAX ? -1 : 0;
}

/* The folder gets its name. */
static int appear(struct lb_bench *b, const struct lb_tier *t,
                  const char *folder, const char *final, struct lb_iothread *io,
                  uint64_t part_ns[LB_N_PARTS], struct lb_err *err)
{
  struct lb_io rename = {
      .op = LB_OP_RENAME, .slot = -1, .path = folder, .path2 = final};
  uint64_t start = lb_clock_ns();
  int64_t rc = lb_storage_do(t->storage, rename, io, err);
  uint64_t renamed = lb_clock_ns();
  if (rc >= 0 && b->w->checkpoint.fsync)
    rc = lb_storage_sync_folder(t->storage, t->root, 0, io, err);
  part_ns[LB_PART_RENAME] += renamed - start;
  part_ns[LB_PART_SYNC] += lb_clock_ns() - renamed;
  return rc < 0 ? (int)rc : 0;
}

int lb_bench_make_whole(struct lb_bench *b, int tier, struct lb_iothread *io,
                        uint64_t part_ns[LB_N_PARTS], uint64_t *ns,
                        struct lb_err *err)
{
  const struct lb_tier *t = &b->saver->tier[tier];
  const struct lb_bench_save *s = &b->saver->save;
  const struct lb_save_place *at = &s->at[tier];
  struct lb_mark mark = s->mark;
  *ns = 0;
  if (b->w->derived.backend->is_virtual)
    return 0;
  mark.complete = true;
  int rc = lb_mark_write(&mark, at->folder, err);
  if (!rc && t->atomic)
    rc = lb_bench_remove_alone(b, t, s->name, io, err);
  if (rc || !t->atomic)
    return rc;
  uint64_t start = lb_clock_ns();
  rc = appear(b, t, at->folder, at->final, io, part_ns, err);
  *ns = lb_clock_ns() - start;
  return rc;
}

/* Of `.NAME.part' the name.  false: it is none such. */
static bool name_of(const char *part, char *name, size_t size)
{
  size_t n = strlen(part), tail = sizeof suffix - 1;
  if (*part != '.' || n <= tail + 1 || strcmp(part + n - tail, suffix) != 0)
    return false;
  return snprintf(name, size, "%.*s", (int)(n - tail - 1), part + 1) > 0;
}

static int name_one(struct lb_bench *b, const struct lb_tier *t,
                    const char *name, struct lb_err *err)
{
  char folder[PATH_MAX], final[PATH_MAX];
  uint64_t unused[LB_N_PARTS] = {0};
  if (lb_path_join(t->root, name, final, LB_FAILED, err))
    return -err->code;
  if (lb_bench_part_folder(t, name, folder))
    return lb_err_sys(err, LB_FAILED, ENAMETOOLONG, "%s", final);
  int rc = lb_bench_remove_alone(b, t, name, &b->io, err);
  return rc ? rc : appear(b, t, folder, final, &b->io, unused, err);
}

int lb_bench_name_whole(struct lb_bench *b, const struct lb_tier *t,
                        struct lb_err *err)
{
  struct lb_found_list list;
  char name[sizeof list.v->name];
  int rc = lb_found_list(&list, t->root, t->storage, &b->io, err);
  for (size_t i = 0; !rc && i < list.n; i++)
    if (list.v[i].complete && name_of(list.v[i].name, name, sizeof name))
      rc = name_one(b, t, name, err);
  lb_found_fini(&list);
  return rc;
}
