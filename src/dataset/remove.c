/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Removes a dataset: only files that its layout names, what goes with them, and
 * folders that are empty after that.  Whose they are is decided by whoever
 * calls. */
#include "lb-config.h"

#include "loadbank/dataset.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "loadbank/manifest.h"
#include "loadbank/path.h"

enum { LOOK_EVERY = 1024 }; /* files */

bool lb_layout_of_manifest(struct lb_layout *l, const struct lb_manifest *m,
                           const char *root)
{
  const struct lb_format *format = lb_format_find(m->format);
  if (!format)
    return false;
  *l = (struct lb_layout){.names = {NULL}};
  snprintf(l->root, sizeof l->root, "%s", root);
  snprintf(l->prefix, sizeof l->prefix, "%s", m->file_prefix);
  lb_format_extension(format, m->compression, l->extension,
                      sizeof l->extension);
  for (int set = 0; set < LB_N_SETS; set++) {
    l->n_files[set] = l->n_used[set] = m->n_files[set];
    l->n_folders[set] = m->n_folders[set];
  }
  return true;
}

/* What is to be removed, and so far was. */
struct removal {
  const struct lb_remover *r;
  struct lb_removed *done;
  struct lb_err *err;
};

/* One file or empty folder; absent is fine, so is a folder that is not empty
 * (left says so). */
static int remove_one(struct removal *m, enum lb_op op, const char *path,
                      int64_t *n, bool *left)
{
  const struct lb_remover *r = m->r;
  bool absent;
  *left = false;
  struct lb_io look = {.op = LB_OP_STAT, .slot = -1, .path = path};
  struct lb_io io = {.op = op, .slot = -1, .path = path};
  if (r->dry_run) {
    if (lb_storage_probe(r->storage, look, ENOENT, &absent, r->io, m->err) < 0)
      return -m->err->code;
    *n += !absent;
    return 0;
  }
  if (op == LB_OP_RMDIR) {
    int64_t rc =
        lb_storage_probe(r->storage, io, ENOTEMPTY, left, r->io, m->err);
    if (rc < 0 && (m->err->sys == ENOENT || m->err->sys == EEXIST)) {
      *left = m->err->sys == EEXIST;
      *m->err = (struct lb_err)LB_ERR_INIT;
      return 0;
    }
    *n += rc >= 0 && !*left;
    return (int)rc;
  }
  int64_t rc = lb_storage_probe(r->storage, io, ENOENT, &absent, r->io, m->err);
  *n += rc >= 0 && !absent;
  return (int)rc;
}

/* A file and, of a generation that was cut off, its temporary one. */
static int remove_file(struct removal *m, char path[PATH_MAX], int length,
                       int64_t *n)
{
  bool left;
  if (length < 0)
    return lb_err_sys(m->err, LB_FAILED, ENAMETOOLONG, "%s",
                      m->r->layout->root);
  int rc = remove_one(m, LB_OP_UNLINK, path, n, &left);
  if (rc || !m->r->unfinished || lb_layout_hide(path, PATH_MAX) < 0)
    return rc;
  return remove_one(m, LB_OP_UNLINK, path, &m->done->unfinished, &left);
}

static int remove_index(struct removal *m, enum lb_set set, int64_t i)
{
  const struct lb_remover *r = m->r;
  char path[PATH_MAX];
  int n = lb_layout_path(r->layout, set, i, path, sizeof path);
  int rc = remove_file(m, path, n, &m->done->files);
  for (size_t k = 0; !rc && k < r->format->n_sidecars; k++) {
    n = lb_layout_sidecar(r->layout, set, i, &r->format->sidecars[k], path,
                          sizeof path);
    rc = remove_file(m, path, n, &m->done->beside);
  }
  return rc;
}

int lb_dataset_remove_set(const struct lb_remover *r, enum lb_set set,
                          struct lb_removed *done, struct lb_err *err)
{
  struct removal m = {.r = r, .done = done, .err = err};
  int64_t n = 0;
  for (int64_t i = r->first; i < r->layout->n_files[set]; i += r->step) {
    if (r->tick && n++ % LOOK_EVERY == 0 && !r->tick(r->tick_arg))
      return 1;
    int rc = remove_index(&m, set, i);
    if (rc)
      return rc < 0 ? rc : -err->code;
  }
  return 0;
}

/* ---- folders ---- */

/* A folder, and the one above it: DLIO's index/train leaves index. */
static int remove_folder(struct removal *m, char *path, int n)
{
  bool left;
  if (n <= 0)
    return n < 0 ? lb_err_sys(m->err, LB_FAILED, ENAMETOOLONG, "%s",
                              m->r->layout->root)
                 : 0;
  if (m->r->dry_run)
    return 0; /* whether it would be empty shows only then */
  return remove_one(m, LB_OP_RMDIR, path, &m->done->folders, &left);
}

static int remove_set_folders(struct removal *m, enum lb_set set)
{
  const struct lb_layout *l = m->r->layout;
  char path[PATH_MAX];
  int rc = 0;
  int64_t subs = l->n_folders[set] > 1 ? l->n_folders[set] : 0;
  for (int64_t i = subs; !rc && i-- >= 0;)
    rc = remove_folder(m, path, lb_layout_folder(l, set, i, path, sizeof path));
  for (size_t k = 0; !rc && k < m->r->format->n_sidecars; k++)
    rc = remove_folder(m, path,
                       lb_layout_sidecar_folder(l, set,
                                                &m->r->format->sidecars[k],
                                                path, sizeof path));
  return rc;
}

int lb_dataset_remove_folders(const struct lb_remover *r,
                              struct lb_removed *done, struct lb_err *err)
{
  struct removal m = {.r = r, .done = done, .err = err};
  char path[PATH_MAX];
  int rc = 0;
  for (int set = 0; !rc && set < LB_N_SETS; set++)
    rc = remove_set_folders(&m, set);
  for (size_t k = 0; !rc && k < r->format->n_sidecars; k++)
    if (r->format->sidecars[k].folder)
      rc = remove_folder(&m, path,
                         snprintf(path, sizeof path, "%s/%s", r->layout->root,
                                  r->format->sidecars[k].folder));
  int n = snprintf(path, sizeof path, "%s", r->layout->root);
  return rc ? rc : remove_folder(&m, path, n);
}

int lb_manifest_remove(const char *root, struct lb_storage *s,
                       struct lb_iothread *t, struct lb_err *err)
{
  char path[PATH_MAX];
  bool absent;
  struct lb_io io = {.op = LB_OP_UNLINK, .slot = -1, .path = path};
  if (lb_path_join(root, LB_MANIFEST_NAME, path, LB_FAILED, err))
    return -err->code;
  return (int)lb_storage_probe(s, io, ENOENT, &absent, t, err);
}

/* ---- what is not the dataset's ---- */

struct strangers {
  const struct lb_remover *r;
  enum lb_set set;
  const char *folder; /* now listed */
  int64_t sub;        /* which of the set's sub-folders; -1: its own */
  int64_t subs;
  void (*each)(void *arg, const char *path);
  void *arg;
};

/* Digits behind the prefix: the index that the name claims; -1: none. */
static int64_t claimed_index(const struct lb_layout *l, const char *name)
{
  size_t n = strlen(l->prefix);
  int64_t index = 0;
  if (strncmp(name, l->prefix, n) != 0 || name[n] != '_')
    return -1;
  const char *p = name + n + 1;
  if (*p < '0' || *p > '9')
    return -1;
  for (; *p >= '0' && *p <= '9' && index < INT64_MAX / 20; p++)
    index = 10 * index + (*p - '0');
  return index;
}

/* Is that the path of the file, or of what goes with it; or the temporary one?
 */
static bool is_named(const struct lb_remover *r, enum lb_set set, int64_t index,
                     const char *path)
{
  char want[PATH_MAX];
  for (size_t k = 0; k <= r->format->n_sidecars; k++) {
    int n =
        k ? lb_layout_sidecar(r->layout, set, index,
                              &r->format->sidecars[k - 1], want, sizeof want)
          : lb_layout_path(r->layout, set, index, want, sizeof want);
    if (n < 0)
      continue;
    if (!strcmp(want, path))
      return true;
    if (r->unfinished && lb_layout_hide(want, sizeof want) >= 0 &&
        !strcmp(want, path))
      return true;
  }
  return false;
}

static bool is_subfolder(const struct strangers *s, const char *path)
{
  char want[PATH_MAX];
  for (int64_t i = 0; s->sub < 0 && i < s->subs; i++)
    if (lb_layout_folder(s->r->layout, s->set, i, want, sizeof want) >= 0 &&
        !strcmp(want, path))
      return true;
  return false;
}

static int each_name(void *arg, const char *name)
{
  struct strangers *s = arg;
  char path[PATH_MAX];
  int n = snprintf(path, sizeof path, "%s/%s", s->folder, name);
  if (n < 0 || n >= PATH_MAX)
    return 0;
  int64_t index = claimed_index(s->r->layout, name[0] == '.' ? name + 1 : name);
  bool ours = index >= 0 && index < s->r->layout->n_files[s->set] &&
              is_named(s->r, s->set, index, path);
  if (!ours && !is_subfolder(s, path))
    s->each(s->arg, path);
  return 0;
}

int lb_dataset_strangers(const struct lb_remover *r, enum lb_set set,
                         void (*each)(void *arg, const char *path), void *arg,
                         struct lb_err *err)
{
  const struct lb_layout *l = r->layout;
  char folder[PATH_MAX];
  struct strangers s = {.r = r,
                        .set = set,
                        .folder = folder,
                        .subs = l->n_folders[set] > 1 ? l->n_folders[set] : 0,
                        .each = each,
                        .arg = arg};
  for (s.sub = -1; s.sub < s.subs; s.sub++) {
    if (lb_layout_folder(l, set, s.sub, folder, sizeof folder) < 0)
      return lb_err_sys(err, LB_FAILED, ENAMETOOLONG, "%s", l->root);
    struct lb_io look = {.op = LB_OP_STAT, .slot = -1, .path = folder};
    bool absent;
    if (lb_storage_probe(r->storage, look, ENOENT, &absent, r->io, err) < 0)
      return -err->code;
    if (!absent &&
        lb_storage_list(r->storage, folder, each_name, &s, r->io, err) < 0)
      return -err->code;
  }
  return 0;
}
