/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the leaves of a results tree and reads their JSON files. */
#include "lb-config.h"

#include "loadbank/mlperf_tree.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Folders from the root to a leaf; deeper ones are no business of a tree. */
enum { MAX_DEPTH = 8, MAX_ENTRIES = 100000, REASON = 400 };

/* Which file of a leaf is it?  As the benchmark's checker does: the words may
 * stand anywhere in the name. */
static const struct {
  const char *part;
  bool whole; /* the name, not a part of it */
} names[LB_MLPERF_N_FILES] = {
    [LB_MLPERF_METADATA] = {"metadata", false},
    [LB_MLPERF_SUMMARY] = {"summary.json", false},
    [LB_MLPERF_FS_SEPARATION] = {"fs_separation.json", true},
    [LB_MLPERF_PROVENANCE] = {"provenance.json", true},
};

static int no_memory(const char *path, struct lb_err *err)
{
  return lb_err_set(err, LB_FAILED, "%s: no memory", path);
}

static int by_name(const void *a, const void *b)
{
  return strcmp(*(char *const *)a, *(char *const *)b);
}

/* All names but "." and "..", sorted. */
static int list(const char *path, char ***out, size_t *n, struct lb_err *err)
{
  struct dirent *e = NULL;
  size_t max = 0;
  int rc = 0;
  *out = NULL;
  *n = 0;
  DIR *d = opendir(path);
  if (!d)
    return lb_err_sys(err, LB_FAILED, errno, "%s", path);
  while (!rc && (errno = 0, e = readdir(d)) != NULL) {
    if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
      continue;
    if (*n == max) {
      max = max ? 2 * max : 16;
      char **more =
          max <= MAX_ENTRIES ? realloc(*out, max * sizeof **out) : NULL;
      if (!more) {
        rc = no_memory(path, err);
        break;
      }
      *out = more;
    }
    (*out)[*n] = strdup(e->d_name);
    if (!(*out)[*n])
      rc = no_memory(path, err);
    else
      ++*n;
  }
  if (!rc && errno)
    rc = lb_err_sys(err, LB_FAILED, errno, "%s", path);
  closedir(d);
  if (*n)
    qsort(*out, *n, sizeof **out, by_name);
  return rc;
}

static void free_names(char **name, size_t n)
{
  for (size_t i = 0; i < n; i++)
    free(name[i]);
  free(name);
}

static bool matches(const char *name, size_t file)
{
  return names[file].whole ? !strcmp(name, names[file].part)
                           : strstr(name, names[file].part) != NULL;
}

static int load_json(const char *folder, const char *name,
                     struct lb_mlperf_json *out, struct lb_err *err)
{
  char path[PATH_MAX], reason[REASON] = "";
  json_error_t bad;
  struct stat st;
  out->name = strdup(name);
  if (!out->name)
    return no_memory(folder, err);
  if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path)
    snprintf(reason, sizeof reason, "its path is too long");
  else if (stat(path, &st) || !S_ISREG(st.st_mode))
    snprintf(reason, sizeof reason, "no plain file");
  else
    out->json = json_load_file(path, JSON_REJECT_DUPLICATES, &bad);
  if (out->json && !json_is_object(out->json)) {
    json_decref(out->json);
    out->json = NULL;
    snprintf(reason, sizeof reason, "no JSON object");
  } else if (!out->json && !*reason) {
    snprintf(reason, sizeof reason, "line %d: %s", bad.line, bad.text);
  }
  out->reason = out->json ? NULL : strdup(reason);
  return out->json || out->reason ? 0 : no_memory(folder, err);
}

static int load_leaf(struct lb_mlperf_leaf *l, struct lb_err *err)
{
  int rc = list(l->path, &l->entry, &l->n_entries, err);
  for (size_t f = 0; f < LB_MLPERF_N_FILES && !rc; f++)
    for (size_t i = 0; i < l->n_entries && !rc && !l->file[f].name; i++)
      if (matches(l->entry[i], f))
        rc = load_json(l->path, l->entry[i], &l->file[f], err);
  return rc;
}

static int add_leaf(struct lb_mlperf_tree *t, const char *path,
                    const struct lb_mlperf_place *place, struct lb_err *err)
{
  struct lb_mlperf_leaf *more = realloc(t->leaf, (t->n + 1) * sizeof *t->leaf);
  if (!more)
    return no_memory(path, err);
  t->leaf = more;
  struct lb_mlperf_leaf *l = &more[t->n];
  *l = (struct lb_mlperf_leaf){.path = strdup(path), .place = *place};
  if (!l->path)
    return no_memory(path, err);
  l->name = l->path + strlen(t->root) + 1;
  t->n++;
  return load_leaf(l, err);
}

/* Is it a folder itself, not a link to one? */
static bool is_folder(const char *path)
{
  struct stat st;
  return !lstat(path, &st) && S_ISDIR(st.st_mode);
}

static int walk(struct lb_mlperf_tree *t, const char *path, int depth,
                struct lb_err *err)
{
  char **name, below[PATH_MAX];
  struct lb_mlperf_place place;
  size_t n;
  int rc = list(path, &name, &n, err);
  for (size_t i = 0; i < n && !rc; i++) {
    if (name[i][0] == '.' ||
        snprintf(below, sizeof below, "%s/%s", path, name[i]) >=
            (int)sizeof below ||
        !is_folder(below))
      continue;
    if (lb_mlperf_leaf_parse(below + strlen(t->root) + 1, &place))
      rc = add_leaf(t, below, &place, err);
    else if (depth < MAX_DEPTH)
      rc = walk(t, below, depth + 1, err);
  }
  free_names(name, n);
  return rc;
}

int lb_mlperf_tree_read(const char *root, struct lb_mlperf_tree *t,
                        struct lb_err *err)
{
  *t = (struct lb_mlperf_tree){.root = strdup(root)};
  if (!t->root)
    return no_memory(root, err);
  for (size_t n = strlen(t->root); n > 1 && t->root[n - 1] == '/';)
    t->root[--n] = '\0';
  struct stat st;
  if (stat(t->root, &st) || !S_ISDIR(st.st_mode))
    return lb_err_set(err, LB_USAGE, "%s: no folder", root);
  return walk(t, t->root, 1, err);
}

void lb_mlperf_tree_fini(struct lb_mlperf_tree *t)
{
  for (size_t i = 0; i < t->n; i++) {
    struct lb_mlperf_leaf *l = &t->leaf[i];
    for (size_t f = 0; f < LB_MLPERF_N_FILES; f++) {
      free(l->file[f].name);
      free(l->file[f].reason);
      json_decref(l->file[f].json);
    }
    free_names(l->entry, l->n_entries);
    free(l->path);
  }
  free(t->leaf);
  free(t->root);
  *t = (struct lb_mlperf_tree){0};
}

size_t lb_mlperf_group_end(const struct lb_mlperf_tree *t, size_t first)
{
  const struct lb_mlperf_leaf *a = &t->leaf[first];
  size_t length = strlen(a->name) - strlen(a->place.stamp);
  size_t end = first + 1;
  while (end < t->n && !strncmp(a->name, t->leaf[end].name, length) &&
         t->leaf[end].place.kind == a->place.kind &&
         strlen(t->leaf[end].name) == strlen(a->name))
    end++;
  return end;
}
