/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rules about code images: the pool, the pointers of leaves into it, and the
 * older layout, in which an organisation has code/ of its own. */
#include "lb-config.h"

#include "mlperf/checks.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "mlperf/image.h"

static bool is_folder(const char *path)
{
  struct stat st;
  return !stat(path, &st) && S_ISDIR(st.st_mode);
}

static bool join(char out[PATH_MAX], const char *a, const char *b,
                 const char *c)
{
  return snprintf(out, PATH_MAX, "%s/%s%s%s", a, b, c ? "/" : "", c ? c : "") <
         PATH_MAX;
}

/* The pool of all, or of the organisation alone as the first release had it. */
static const char *pool_of(const struct lb_mlperf_check *c)
{
  return lb_mlperf_is_pool(c->tree->root, LB_MLPERF_POOL) ? LB_MLPERF_POOL
         : lb_mlperf_is_pool(c->tree->root, c->place.org) ? c->place.org
                                                          : NULL;
}

/* The next folder of the subject, from `at' on, that has a code/: the layout
 * before pools had one in an organisation, or in each workload.  Or
 * LB_MLPERF_NOWHERE. */
static size_t next_code(const struct lb_mlperf_check *c, size_t at)
{
  const char *name = lb_mlperf_here(c)->name;
  size_t n = strlen(name);
  for (; at < c->tree->n_folders; at++) {
    const struct lb_mlperf_folder *f = &c->tree->folder[at];
    if (strncmp(f->name, name, n) != 0 || (f->name[n] && f->name[n] != '/'))
      break;
    if (lb_mlperf_entry_type(f, "code") == 'd')
      return at;
  }
  return LB_MLPERF_NOWHERE;
}

static bool has_code(const struct lb_mlperf_check *c)
{
  return next_code(c, c->folder) != LB_MLPERF_NOWHERE;
}

static bool has_image(const struct lb_mlperf_check *c, const char *hash)
{
  char path[PATH_MAX], name[64];
  lb_mlperf_image_name(hash, name);
  const char *base = strrchr(name, '/');
  return (join(path, c->tree->root, name, NULL) && is_folder(path)) ||
         (join(path, c->tree->root, c->place.org, base ? base + 1 : name) &&
          is_folder(path));
}

static void check_pointer(struct lb_mlperf_check *c,
                          const struct lb_mlperf_leaf *l)
{
  char hash[LB_MLPERF_TREE_HASH];
  struct lb_err err = LB_ERR_INIT;
  if (lb_mlperf_pointer_read(l->path, hash, &err))
    lb_mlperf_say(c, LB_MLPERF_ERROR, l->name, LB_MLPERF_POINTER, "%s",
                  err.sys == ENOENT
                      ? "this file, which names the code image, is missing"
                      : err.msg);
  else if (!has_image(c, hash))
    lb_mlperf_say(c, LB_MLPERF_ERROR, l->name, LB_MLPERF_POINTER,
                  "it names the code image %s, which is not in the pool", hash);
}

/* ---- the images of a pool ---- */

static int is_image(const struct dirent *e)
{
  return !strncmp(e->d_name, "code-", 5);
}

/* Calls f with the path below the root and with the whole one of each image;
 * how many there are. */
static size_t each_image(struct lb_mlperf_check *c, const char *pool,
                         void (*f)(struct lb_mlperf_check *c, const char *name,
                                   const char *path))
{
  char folder[PATH_MAX], path[PATH_MAX], name[PATH_MAX];
  struct dirent **list = NULL;
  size_t images = 0;
  if (!join(folder, c->tree->root, pool, NULL))
    return 0;
  int n = scandir(folder, &list, is_image, alphasort);
  for (int i = 0; i < n; i++) {
    if (join(path, folder, list[i]->d_name, NULL) && is_folder(path) &&
        join(name, pool, list[i]->d_name, NULL)) {
      images++;
      if (f)
        f(c, name, path);
    }
    free(list[i]);
  }
  free(list);
  return images;
}

/* All pools of the root: that of all, and those of one organisation. */
static void each_pool(struct lb_mlperf_check *c,
                      void (*f)(struct lb_mlperf_check *c, const char *name,
                                const char *path))
{
  const struct lb_mlperf_folder *root = &c->tree->folder[0];
  for (size_t i = 0; i < root->n_entries; i++)
    if (root->type[i] == 'd' &&
        lb_mlperf_is_pool(c->tree->root, root->entry[i]))
      each_image(c, root->entry[i], f);
}

static void verify(struct lb_mlperf_check *c, const char *name,
                   const char *path)
{
  char hash[LB_MLPERF_TREE_HASH];
  struct lb_err err = LB_ERR_INIT;
  if (lb_mlperf_image_verify(path, hash, &err))
    lb_mlperf_say(c, LB_MLPERF_ERROR, name, NULL, "%s", err.msg);
}

/* CHECK-02 */
void lb_mlperf_check_images(struct lb_mlperf_check *c)
{
  each_pool(c, verify);
}

static void find_user(struct lb_mlperf_check *c, const char *name,
                      const char *path)
{
  char hash[LB_MLPERF_TREE_HASH], used[LB_MLPERF_TREE_HASH];
  struct lb_err err = LB_ERR_INIT;
  if (lb_mlperf_image_recorded(path, hash, &err)) /* CHECK-02 */
    return;
  for (size_t i = 0; i < c->tree->n; i++) {
    struct lb_err none = LB_ERR_INIT;
    if (!lb_mlperf_pointer_read(c->tree->leaf[i].path, used, &none) &&
        !strcmp(hash, used))
      return;
  }
  lb_mlperf_say(c, LB_MLPERF_ERROR, name, NULL,
                "no leaf names this code image");
}

/* CHECK-03 */
void lb_mlperf_check_orphans(struct lb_mlperf_check *c)
{
  each_pool(c, find_user);
}

static void check_code_folder(struct lb_mlperf_check *c, size_t folder)
{
  if (lb_mlperf_entry_type(&c->tree->folder[folder], "code") == 'd')
    lb_mlperf_say(
        c, LB_MLPERF_ERROR, c->tree->folder[folder].name, "code",
        "code of the older layout stands beside a pool of images: one "
        "of them is allowed");
}

/* CHECK-04 */
void lb_mlperf_check_old_layout(struct lb_mlperf_check *c)
{
  const struct lb_mlperf_folder *root = &c->tree->folder[0];
  bool there = lb_mlperf_entry_type(root, LB_MLPERF_POOL) == 'd';
  bool pool = lb_mlperf_is_pool(c->tree->root, LB_MLPERF_POOL);
  if (there && !pool)
    lb_mlperf_say(c, LB_MLPERF_ERROR, LB_MLPERF_POOL, LB_MLPERF_POOL_MARKER,
                  "this file, which marks a pool of code images, is missing");
  else if (pool && !each_image(c, LB_MLPERF_POOL, NULL))
    lb_mlperf_say(c, LB_MLPERF_WARNING, LB_MLPERF_POOL, NULL,
                  "the pool has no code image");
  for (size_t i = 0; i < c->tree->n_folders && pool; i++)
    check_code_folder(c, i);
}

static void check_recorded(struct lb_mlperf_check *c,
                           const struct lb_mlperf_folder *f)
{
  char hash[LB_MLPERF_TREE_HASH], found[LB_MLPERF_TREE_HASH], path[PATH_MAX];
  struct lb_err err = LB_ERR_INIT;
  if (!join(path, f->path, "code", NULL))
    return;
  if (lb_mlperf_image_recorded(path, hash, &err) ||
      lb_mlperf_tree_hash(path, found, &err))
    lb_mlperf_say(c, LB_MLPERF_ERROR, f->name, "code", "%s", err.msg);
  else if (strcmp(hash, found) != 0)
    lb_mlperf_say(c, LB_MLPERF_ERROR, f->name, "code",
                  ".code-hash.json records the hash %s, its files have %s",
                  hash, found);
}

/* 2.1.6 */
void lb_mlperf_check_code(struct lb_mlperf_check *c)
{
  if (pool_of(c)) /* CHECK-04 */
    return;
  for (size_t i = next_code(c, c->folder); i != LB_MLPERF_NOWHERE;
       i = next_code(c, i + 1))
    check_recorded(c, &c->tree->folder[i]);
}

/* 3.6.1 */
void lb_mlperf_check_same_code(struct lb_mlperf_check *c)
{
  char first[LB_MLPERF_TREE_HASH] = "", hash[LB_MLPERF_TREE_HASH];
  const char *reference = c->options->reference;
  for (size_t i = c->first; i < c->end; i++) {
    const struct lb_mlperf_leaf *l = &c->tree->leaf[i];
    struct lb_err err = LB_ERR_INIT;
    if (l->place.command != LB_MLPERF_RUN ||
        lb_mlperf_pointer_read(l->path, hash, &err)) /* CHECK-01 */
      continue;
    if (!first[0])
      memcpy(first, hash, sizeof first);
    if (reference && strcmp(reference, hash) != 0)
      lb_mlperf_say(c, LB_MLPERF_ERROR, l->name, NULL,
                    "it was made by the code image %s, the reference is %s",
                    hash, reference);
    else if (!reference && strcmp(first, hash) != 0)
      lb_mlperf_say(c, LB_MLPERF_ERROR, l->name, NULL,
                    "it was made by the code image %s, the run before by %s: "
                    "the runs of a result must be of one program",
                    hash, first);
  }
}

/* ---- pointers ---- */

/* CHECK-01 */
void lb_mlperf_check_pointers(struct lb_mlperf_check *c)
{
  const char *pool = pool_of(c);
  if (!pool && has_code(c)) /* 2.1.6 */
    return;
  if (!pool && lb_mlperf_entry_type(&c->tree->folder[0], LB_MLPERF_POOL) ==
                   'd') /* CHECK-04 */
    return;
  if (!pool)
    lb_mlperf_say(c, LB_MLPERF_ERROR, lb_mlperf_here(c)->name, NULL,
                  "there are no code images: %s/%s is missing", LB_MLPERF_POOL,
                  LB_MLPERF_POOL_MARKER);
  for (size_t i = c->first; i < c->end && pool; i++)
    if (c->tree->leaf[i].n_entries) /* else it lacks more than that */
      check_pointer(c, &c->tree->leaf[i]);
}
