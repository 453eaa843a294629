/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the leaves of a results tree and reads their JSON files. */
#include "lb-config.h"

#include "mlperf/tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "loadbank/path.h"
#include "mlperf/slurp.h"

/* Folders from the root to what a leaf holds; deeper ones are no business of a
 * tree. */
enum { MAX_DEPTH = 9, MAX_ENTRIES = 100000, REASON = 400 };

/* Which file of a leaf is it?  As the benchmark's checker does: the words may
 * stand anywhere in the name. */
static const struct {
  const char *part;
  bool whole; /* the name, not a part of it */
} names[LB_MLPERF_N_FILES] = {
    [LB_MLPERF_METADATA] = {"metadata", false},
    [LB_MLPERF_SUMMARY] = {LB_MLPERF_SUMMARY_NAME, false},
    [LB_MLPERF_FS_SEPARATION] = {LB_MLPERF_SEPARATION_NAME, true},
    [LB_MLPERF_PROVENANCE] = {LB_MLPERF_PROVENANCE_NAME, true},
};

static int no_memory(const char *path, struct lb_err *err)
{
  return lb_err_set(err, LB_FAILED, "%s: no memory", path);
}

struct name {
  char *text;
  char type;
};

static int by_text(const void *a, const void *b)
{
  return strcmp(((const struct name *)a)->text, ((const struct name *)b)->text);
}

static char type_of(DIR *d, const struct dirent *e)
{
  struct stat st;
  switch (e->d_type) {
  case DT_DIR:
    return 'd';
  case DT_REG:
    return 'f';
  case DT_LNK:
    return 'l';
  case DT_UNKNOWN:
    break;
  default:
    return '?';
  }
  if (fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW))
    return '?';
  return S_ISDIR(st.st_mode)   ? 'd'
         : S_ISREG(st.st_mode) ? 'f'
         : S_ISLNK(st.st_mode) ? 'l'
                               : '?';
}

/* All names but "." and "..", in no order.  An errno (E2BIG: there are too
 * many), or -1: no memory. */
static int list(DIR *d, struct name **out, size_t *n)
{
  const struct dirent *e = NULL;
  size_t max = 0;
  while ((errno = 0, e = readdir(d)) != NULL) {
    if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
      continue;
    if (*n == MAX_ENTRIES)
      return E2BIG;
    if (*n == max) {
      max = max ? 2 * max : 16;
      struct name *more = realloc(*out, max * sizeof **out);
      if (!more)
        return -1;
      *out = more;
    }
    (*out)[*n] = (struct name){strdup(e->d_name), type_of(d, e)};
    if (!(*out)[*n].text)
      return -1;
    ++*n;
  }
  return errno;
}

/* Moves the names into the folder. */
static int take_names(struct lb_mlperf_folder *f, struct name *name, size_t n)
{
  f->entry = calloc(n + 1, sizeof *f->entry);
  f->type = calloc(n + 1, 1);
  if (!f->entry || !f->type)
    return -1;
  qsort(name, n, sizeof *name, by_text);
  for (size_t i = 0; i < n; i++) {
    f->entry[i] = name[i].text;
    f->type[i] = name[i].type;
  }
  f->n_entries = n;
  return 0;
}

static int list_folder(struct lb_mlperf_folder *f, struct lb_err *err)
{
  struct name *name = NULL;
  size_t n = 0;
  DIR *d = opendir(f->path);
  int sys = d ? list(d, &name, &n) : errno;
  if (d)
    closedir(d);
  if (sys == 0 && n)
    sys = take_names(f, name, n);
  if (sys) {
    for (size_t i = 0; i < n; i++)
      free(name[i].text);
    if (sys > 0)
      f->reason = strdup(sys == E2BIG ? "it has more than 100000 names"
                                      : strerror(sys));
  }
  free(name);
  return sys < 0 || (sys && !f->reason) ? no_memory(f->path, err) : 0;
}

static bool matches(const char *name, size_t file)
{
  return names[file].whole ? !strcmp(name, names[file].part)
                           : strstr(name, names[file].part) != NULL;
}

static int load_json(const char *folder, const char *name,
                     struct lb_mlperf_json *out, struct lb_err *err)
{
  char path[PATH_MAX], why[LB_MLPERF_UNREAD] = "its path is too long";
  out->name = strdup(name);
  if (!out->name)
    return no_memory(folder, err);
  if (snprintf(path, sizeof path, "%s/%s", folder, name) < (int)sizeof path)
    out->json = lb_mlperf_slurp_json(path, why);
  if (out->json && !json_is_object(out->json)) {
    json_decref(out->json);
    out->json = NULL;
    snprintf(why, sizeof why, "no JSON object");
  }
  out->reason = out->json ? NULL : strdup(why);
  return out->json || out->reason ? 0 : no_memory(folder, err);
}

static int load_leaf(struct lb_mlperf_leaf *l, struct lb_err *err)
{
  int rc = 0;
  for (size_t f = 0; f < LB_MLPERF_N_FILES && !rc; f++)
    for (size_t i = 0; i < l->n_entries && !rc && !l->file[f].name; i++)
      if (matches(l->entry[i], f))
        rc = load_json(l->path, l->entry[i], &l->file[f], err);
  return rc;
}

bool lb_mlperf_room(void **array, size_t n, size_t *max, size_t size)
{
  if (n < *max)
    return true;
  size_t wanted = *max ? 2 * *max : 64;
  void *more = realloc(*array, wanted * size);
  if (!more)
    return false;
  *array = more;
  *max = wanted;
  return true;
}

static int add_leaf(struct lb_mlperf_tree *t, size_t folder,
                    const struct lb_mlperf_place *place, struct lb_err *err)
{
  struct lb_mlperf_folder *f = &t->folder[folder];
  void *array = t->leaf;
  if (!lb_mlperf_room(&array, t->n, &t->max, sizeof *t->leaf))
    return no_memory(f->path, err);
  t->leaf = array;
  struct lb_mlperf_leaf *l = &t->leaf[t->n];
  *l = (struct lb_mlperf_leaf){.path = strdup(f->path),
                               .place = *place,
                               .entry = f->entry,
                               .n_entries = f->n_entries,
                               .folder = folder};
  if (!l->path)
    return no_memory(f->path, err);
  l->name = l->path + strlen(t->root) + 1;
  f->leaf = t->n++;
  return load_leaf(l, err);
}

/* A folder with its names; *index is where it is. */
static int add_folder(struct lb_mlperf_tree *t, const char *path, size_t parent,
                      size_t *index, struct lb_err *err)
{
  void *array = t->folder;
  if (!lb_mlperf_room(&array, t->n_folders, &t->max_folders, sizeof *t->folder))
    return no_memory(path, err);
  t->folder = array;
  struct lb_mlperf_folder *f = &t->folder[t->n_folders];
  *f = (struct lb_mlperf_folder){.path = strdup(path),
                                 .parent = parent,
                                 .first = LB_MLPERF_NOWHERE,
                                 .next = LB_MLPERF_NOWHERE,
                                 .leaf = LB_MLPERF_NOWHERE};
  if (!f->path)
    return no_memory(path, err);
  *index = t->n_folders++;
  size_t root = strlen(t->root);
  f->name = parent == LB_MLPERF_NOWHERE ? f->path + root : f->path + root + 1;
  f->base = parent == LB_MLPERF_NOWHERE ? f->name : strrchr(f->path, '/') + 1;
  return list_folder(f, err);
}

static bool is_mode(const char *name)
{
  for (int m = 0; m < LB_MLPERF_N_MODES; m++)
    if (!strcmp(name, lb_mlperf_mode_names[m]))
      return true;
  return false;
}

/* Does the walk go down into this entry of a folder at `depth' (root: 0)? */
static bool goes_down(const struct lb_mlperf_folder *f, size_t entry, int depth)
{
  const char *name = f->entry[entry];
  return f->type[entry] == 'd' && name[0] != '.' && strcmp(name, "code") != 0 &&
         (depth > 0 || is_mode(name));
}

static int walk(struct lb_mlperf_tree *t, size_t at, int depth,
                struct lb_err *err)
{
  char below[PATH_MAX];
  struct lb_mlperf_place place;
  size_t in = 0, last = LB_MLPERF_NOWHERE;
  int rc = 0;
  if (depth == MAX_DEPTH)
    return 0;
  for (size_t i = 0; i < t->folder[at].n_entries && !rc; i++) {
    const struct lb_mlperf_folder *f = &t->folder[at];
    if (!goes_down(f, i, depth) ||
        snprintf(below, sizeof below, "%s/%s", f->path, f->entry[i]) >=
            (int)sizeof below)
      continue;
    rc = add_folder(t, below, at, &in, err);
    if (rc)
      break;
    if (last == LB_MLPERF_NOWHERE)
      t->folder[at].first = in;
    else
      t->folder[last].next = in;
    last = in;
    if (lb_mlperf_leaf_parse(t->folder[in].name, &place))
      rc = add_leaf(t, in, &place, err);
    rc = rc ? rc : walk(t, in, depth + 1, err);
  }
  return rc;
}

int lb_mlperf_tree_read(const char *root, struct lb_mlperf_tree *t,
                        struct lb_err *err)
{
  size_t top = 0;
  *t = (struct lb_mlperf_tree){.root = strdup(root)};
  if (!t->root)
    return no_memory(root, err);
  t->root[lb_path_length(t->root)] = '\0';
  struct stat st;
  if (stat(t->root, &st) || !S_ISDIR(st.st_mode))
    return lb_err_set(err, LB_USAGE, "%s: no folder", root);
  int rc = add_folder(t, t->root, LB_MLPERF_NOWHERE, &top, err);
  return rc ? rc : walk(t, top, 0, err);
}

static void fini_leaf(struct lb_mlperf_leaf *l)
{
  for (size_t f = 0; f < LB_MLPERF_N_FILES; f++) {
    free(l->file[f].name);
    free(l->file[f].reason);
    json_decref(l->file[f].json);
  }
  free(l->path);
}

void lb_mlperf_tree_fini(struct lb_mlperf_tree *t)
{
  for (size_t i = 0; i < t->n; i++)
    fini_leaf(&t->leaf[i]);
  for (size_t i = 0; i < t->n_folders; i++) {
    struct lb_mlperf_folder *f = &t->folder[i];
    for (size_t k = 0; k < f->n_entries; k++)
      free(f->entry[k]);
    free(f->entry);
    free(f->type);
    free(f->reason);
    free(f->path);
  }
  free(t->leaf);
  free(t->folder);
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

size_t lb_mlperf_folder_in(const struct lb_mlperf_tree *t, size_t in,
                           const char *name)
{
  if (in == LB_MLPERF_NOWHERE)
    return in;
  size_t i = t->folder[in].first;
  while (i != LB_MLPERF_NOWHERE && strcmp(t->folder[i].base, name) != 0)
    i = t->folder[i].next;
  return i;
}

static int by_name(const void *key, const void *entry)
{
  return strcmp(key, *(char *const *)entry);
}

char lb_mlperf_entry_type(const struct lb_mlperf_folder *f, const char *name)
{
  char **found = f->n_entries ? bsearch(name, f->entry, f->n_entries,
                                        sizeof *f->entry, by_name)
                              : NULL;
  return found ? f->type[found - f->entry] : '\0';
}
