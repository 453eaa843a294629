/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The benchmark's "md5-tree-v2": MD5 of each file's path and bytes, in the
 * order of the paths' bytes. */
#include "lb-config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef HAVE_NETTLE
#include <nettle/md5.h>
#endif

#include "mlperf/image_impl.h"

#include "loadbank/path.h"

enum { MAX_DEPTH = 32, MAX_FILES = 100000, PART = 1 << 16 };

/* What does not count, at any depth: patterns of names. */
static const char *const no_folders[] = {
    ".git",    ".idea",        ".vscode",    ".claude",       ".agent",
    ".agents", ".roo",         ".planning",  ".gsd-tmp",      "__pycache__",
    ".venv",   "build",        "dist",       ".tox",          "test",
    "tests",   "node_modules", "*.egg-info", ".pytest_cache", NULL};
static const char *const no_files[] = {LB_IMAGE_RECORD, "*.pyc",     "*.pyo",
                                       ".DS_Store",     "Thumbs.db", NULL};

static int no_memory(const char *name, struct lb_err *err)
{
  return lb_err_set(err, LB_FAILED, "%s: no memory", name);
}

void lb_tree_fini(struct lb_tree_files *t)
{
  for (size_t i = 0; i < t->n; i++) {
    free(t->file[i].name);
    free(t->file[i].from);
  }
  free(t->file);
  *t = (struct lb_tree_files){0};
}

int lb_tree_add(struct lb_tree_files *t, const char *name, const char *text,
                size_t len, const char *from, struct lb_err *err)
{
  if (t->n == MAX_FILES)
    return lb_err_set(err, LB_USAGE, "%s: more files than an image can have",
                      name);
  if (t->n == t->max) {
    size_t max = t->max ? 2 * t->max : 16;
    struct lb_tree_file *more = realloc(t->file, max * sizeof *more);
    if (!more)
      return no_memory(name, err);
    t->file = more;
    t->max = max;
  }
  struct lb_tree_file *f = &t->file[t->n++];
  *f = (struct lb_tree_file){.name = strdup(name),
                             .text = text,
                             .len = len,
                             .from = from ? strdup(from) : NULL};
  return f->name && (!from || f->from) ? 0 : no_memory(name, err);
}

static bool is_left_out(const char *const *patterns, const char *name)
{
  for (; *patterns; patterns++)
    if (!fnmatch(*patterns, name, 0))
      return true;
  return false;
}

/* root: characters of the path up to the tree's own names. */
static int walk(struct lb_tree_files *t, const char *folder, size_t root,
                int depth, struct lb_err *err)
{
  char path[PATH_MAX];
  struct stat st;
  const struct dirent *e = NULL;
  int rc = 0;
  DIR *d = opendir(folder);
  if (!d)
    return lb_err_sys(err, LB_FAILED, errno, "%s", folder);
  while (!rc && (errno = 0, e = readdir(d)) != NULL) {
    if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
      continue;
    if (lb_path_join(folder, e->d_name, path, LB_FAILED, err))
      rc = -err->code;
    else if (lstat(path, &st))
      rc = lb_err_sys(err, LB_FAILED, errno, "%s", path);
    else if (S_ISREG(st.st_mode) && !is_left_out(no_files, e->d_name))
      rc = lb_tree_add(t, path + root, NULL, 0, path, err);
    else if (S_ISDIR(st.st_mode) && !is_left_out(no_folders, e->d_name))
      rc = depth < MAX_DEPTH
               ? walk(t, path, root, depth + 1, err)
               : lb_err_set(err, LB_USAGE, "%s: deeper than an image", path);
  }
  if (!rc && errno)
    rc = lb_err_sys(err, LB_FAILED, errno, "%s", folder);
  closedir(d);
  return rc;
}

int lb_mlperf_tree_hash(const char *folder, char hash[LB_MLPERF_TREE_HASH],
                        struct lb_err *err)
{
  struct lb_tree_files t = {0};
  int rc = walk(&t, folder, strlen(folder) + 1, 0, err);
  if (!rc)
    rc = lb_tree_hash(&t, hash, err);
  lb_tree_fini(&t);
  return rc;
}

#ifdef HAVE_NETTLE
/* strcmp compares bytes as unsigned. */
static int by_name(const void *a, const void *b)
{
  const struct lb_tree_file *x = a, *y = b;
  return strcmp(x->name, y->name);
}

static int add_file(struct md5_ctx *md5, const char *path, struct lb_err *err)
{
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  unsigned char *part = malloc(PART);
  ssize_t n = fd < 0 || !part ? -1 : 1;
  while (n > 0) {
    n = read(fd, part, PART);
    if (n < 0 && errno == EINTR)
      n = 1;
    else if (n > 0)
      md5_update(md5, (size_t)n, part);
  }
  int sys = n < 0 ? errno : 0;
  free(part);
  if (fd >= 0)
    close(fd);
  return sys ? lb_err_sys(err, LB_FAILED, sys, "%s: read", path) : 0;
}

int lb_tree_hash(struct lb_tree_files *t, char hash[LB_MLPERF_TREE_HASH],
                 struct lb_err *err)
{
  struct md5_ctx md5;
  uint8_t digest[MD5_DIGEST_SIZE];
  md5_init(&md5);
  if (t->n)
    qsort(t->file, t->n, sizeof *t->file, by_name);
  for (size_t i = 0; i < t->n; i++) {
    const struct lb_tree_file *f = &t->file[i];
    md5_update(&md5, strlen(f->name), (const uint8_t *)f->name);
    if (f->text)
      md5_update(&md5, f->len, (const uint8_t *)f->text);
    else if (add_file(&md5, f->from, err))
      return -err->code;
  }
  md5_digest(&md5, sizeof digest, digest);
  for (size_t i = 0; i < sizeof digest; i++)
    snprintf(hash + 2 * i, 3, "%02x", digest[i]);
  return 0;
}
#else
int lb_tree_hash(struct lb_tree_files *t, char hash[LB_MLPERF_TREE_HASH],
                 struct lb_err *err)
{
  (void)t, (void)hash;
  return lb_err_set(err, LB_USAGE,
                    "hashes are not in this build; configure --with-nettle");
}
#endif
