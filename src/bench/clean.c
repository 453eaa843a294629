/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Removing a workload's dataset: on request (loadbank clean), and at the end of
 * a run with dataset.keep_files off.  Only what the manifest claims, and only
 * if it is the workload's own. */
#include "lb-config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench_impl.h"
#include "dataset_impl.h"
#include "loadbank/clean.h"
#include "loadbank/log.h"
#include "loadbank/units.h"

enum { NAMED_STRANGERS = 20, SCRATCH_BYTES = 65536 };

/* ---- loadbank clean ---- */

struct clean {
  struct lb_bench b;
  bool dry_run;
  struct lb_manifest disk;
  struct lb_layout layout;
  struct lb_removed done;
  int64_t strangers;
  struct lb_buf *out;
};

/* Without a manifest nothing is this program's.  1: nothing is there at all. */
static int nothing(struct clean *c, struct lb_err *err)
{
  struct lb_bench *b = &c->b;
  char path[PATH_MAX];
  for (int set = 0; set < LB_N_SETS; set++) {
    int rc = lb_inventory_any(&b->layout, set, b->storage, &b->io, path, err);
    if (rc < 0)
      return rc;
    if (rc > 0)
      return lb_err_set(err, LB_USAGE,
                        "%s: there is no manifest; nothing is removed that "
                        "loadbank did not make (%s)",
                        b->layout.root, path);
  }
  lb_buf_printf(c->out, "%s: there is no dataset\n", b->layout.root);
  return 1;
}

/* Is the dataset on disk the workload's, and this program's?  1: there is none.
 */
static int find_claim(struct clean *c, struct lb_err *err)
{
  const char *root = c->b.layout.root;
  int found = lb_manifest_read(&c->disk, root, err);
  if (found < 0)
    return found;
  if (!found)
    return nothing(c, err);
  if (lb_manifest_compare(&c->disk, &c->b.manifest, err))
    return lb_err_wrap(err, "%s: nothing is removed", root);
  if (!lb_layout_of_manifest(&c->layout, &c->disk, root))
    return lb_err_set(err, LB_USAGE, "%s: made in format %s: not in this build",
                      root, c->disk.format);
  return 0;
}

static void note_stranger(void *arg, const char *path)
{
  struct clean *c = arg;
  if (c->strangers++ < NAMED_STRANGERS)
    lb_buf_printf(c->out, "stays: %s\n", path);
}

static int remove_all(struct clean *c, struct lb_err *err)
{
  struct lb_bench *b = &c->b;
  const struct lb_remover r = {.format = b->w->derived.format,
                               .layout = &c->layout,
                               .storage = b->storage,
                               .io = &b->io,
                               .step = 1,
                               .unfinished = !c->disk.complete,
                               .dry_run = c->dry_run};
  int rc = 0;
  for (int set = 0; !rc && set < LB_N_SETS; set++)
    rc = lb_dataset_strangers(&r, set, note_stranger, c, err);
  if (!rc && !c->dry_run && c->disk.complete) { /* no longer, from here on */
    c->disk.complete = false;
    rc = lb_manifest_write(&c->disk, b->layout.root, err);
  }
  for (int set = 0; !rc && set < LB_N_SETS; set++)
    rc = lb_dataset_remove_set(&r, set, &c->done, err);
  if (!rc && !c->dry_run)
    rc = lb_manifest_remove(b->layout.root, b->storage, &b->io, err);
  if (rc)
    return rc;
  lb_dataset_release(b->layout.root, &b->claim); /* its file stands there */
  return lb_dataset_remove_folders(&r, &c->done, err);
}

static void say(const struct clean *c)
{
  const struct lb_removed *d = &c->done;
  if (c->strangers > NAMED_STRANGERS)
    lb_buf_printf(c->out, "stays: %" PRId64 " more\n",
                  c->strangers - NAMED_STRANGERS);
  lb_buf_printf(c->out, "%s: %s %" PRId64 " file%s", c->b.layout.root,
                c->dry_run ? "would remove" : "removed", d->files,
                lb_plural(d->files));
  if (d->beside)
    lb_buf_printf(c->out, ", %" PRId64 " that go%s with them", d->beside,
                  d->beside == 1 ? "es" : "");
  if (d->unfinished)
    lb_buf_printf(c->out, ", %" PRId64 " unfinished", d->unfinished);
  lb_buf_puts(c->out, ", the manifest");
  if (d->folders)
    lb_buf_printf(c->out, ", %" PRId64 " folder%s", d->folders,
                  lb_plural(d->folders));
  if (c->strangers)
    lb_buf_printf(c->out, "; %" PRId64 " other%s %s", c->strangers,
                  lb_plural(c->strangers),
                  c->strangers == 1 ? "stays" : "stay");
  lb_buf_puts(c->out, "\n");
}

int lb_bench_clean(struct lb_workload *w, bool dry_run, struct lb_buf *out,
                   struct lb_err *err)
{
  struct clean c = {.b = {.w = w, .claim = -1}, .dry_run = dry_run, .out = out};
  struct lb_bench *b = &c.b;
  const struct lb_derived *d = &w->derived;
  const struct lb_storage_env env = {.bandwidth_share = 1};
  if (!d->format || !d->backend || d->backend->is_virtual)
    return lb_err_set(err, LB_USAGE,
                      "storage '%s', format '%s': there are no files to remove",
                      w->storage.storage_type, w->dataset.format);
  int rc = lb_bench_describe(b, err);
  if (!rc)
    rc =
        lb_storage_open(&b->storage, d->backend, d->backend_options, &env, err);
  if (!rc)
    rc = lb_iothread_init(&b->io, SCRATCH_BYTES, err);
  if (!rc)
    rc = find_claim(&c, err);
  if (!rc && !dry_run) /* nobody generates here now */
    rc = lb_dataset_claim(b->layout.root, &b->claim, err);
  if (!rc)
    rc = remove_all(&c, err);
  if (!rc)
    say(&c);
  lb_dataset_release(b->layout.root, &b->claim);
  lb_iothread_fini(&b->io);
  lb_storage_close(b->storage);
  free(b->mounts);
  return rc < 0 ? rc : 0;
}

/* ---- at the end of a run ---- */

/* Collective. */
static int remove_share(struct lb_bench *b, const struct lb_remover *r,
                        struct lb_removed *done, struct lb_err *err)
{
  for (int set = 0; !lb_err_is_set(err) && set < LB_N_SETS; set++)
    lb_dataset_remove_set(r, set, done, err);
  return lb_bench_agree(b->world, err);
}

int lb_bench_remove_dataset(struct lb_bench *b, struct lb_err *err)
{
  struct lb_manifest disk = {.complete = false};
  struct lb_layout layout;
  struct lb_removed done = {0};
  const struct lb_remover r = {.format = b->w->derived.format,
                               .layout = &layout,
                               .storage = b->storage,
                               .io = &b->io,
                               .first = b->world->rank,
                               .step = b->world->n_ranks,
                               .tick = lb_bench_look_round,
                               .tick_arg = b};
  int found = 0;
  if (b->world->rank == 0) {
    found = lb_manifest_read(&disk, b->layout.root, err) > 0 &&
            !lb_manifest_compare(&disk, &b->manifest, err);
    if (found) {
      disk.complete = false;
      lb_manifest_write(&disk, b->layout.root, err);
    }
  }
  int rc = lb_bench_agree(b->world, err);
  lb_world_bcast(b->world, &found, sizeof found);
  lb_world_bcast(b->world, &disk, sizeof disk);
  if (rc || !found || !lb_layout_of_manifest(&layout, &disk, b->layout.root)) {
    if (!rc && b->world->rank == 0)
      lb_warn("dataset.keep_files is off, but no manifest claims the files in "
              "%s: they stay",
              b->layout.root);
    return rc;
  }
  rc = remove_share(b, &r, &done, err);
  if (!rc && b->world->rank == 0 &&
      !lb_manifest_remove(b->layout.root, b->storage, &b->io, err))
    lb_dataset_remove_folders(&r, &done, err);
  rc = lb_bench_agree(b->world, err);
  if (!rc && b->world->rank == 0)
    lb_info("%s: the dataset was removed (dataset.keep_files is off)",
            b->layout.root);
  return rc;
}
