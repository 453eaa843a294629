/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where a workload's text comes from: a file, or a built-in by its name.  The
 * only file of the configuration that reads files; rank 0 calls it. */
#include "lb-config.h"

#include "config/config_impl.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "loadbank/nearest.h"

enum { MAX_DIRS = 64, MAX_BUILTINS = 512 };

/* Folders to look in, in order. */
struct places {
  char v[MAX_DIRS][PATH_MAX];
  int n;
};

static void add_place(struct places *p, const char *dir, const char *below)
{
  if (p->n == MAX_DIRS || !*dir)
    return;
  int n = snprintf(p->v[p->n], PATH_MAX, "%s%s", dir, below);
  p->n += n < PATH_MAX;
}

/* In a build tree: workloads/ beside the program, and the folder that its file
 * workloads/path names (the sources' when they are elsewhere). */
static void add_build_tree(struct places *p)
{
  char exe[PATH_MAX], line[PATH_MAX], name[PATH_MAX + 32];
  ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
  if (n <= 0)
    return;
  exe[n] = '\0';
  char *slash = strrchr(exe, '/');
  if (!slash)
    return;
  *slash = '\0';
  add_place(p, exe, "/workloads");
  snprintf(name, sizeof name, "%s/workloads/path", exe);
  FILE *f = fopen(name, "re");
  if (!f)
    return;
  if (fgets(line, sizeof line, f)) {
    line[strcspn(line, "\n")] = '\0';
    add_place(p, line, "");
  }
  fclose(f);
}

static struct places *list_places(const char *const *dirs, int n)
{
  struct places *p = calloc(1, sizeof *p);
  if (!p)
    return NULL;
  for (int i = 0; i < n; i++) {
    add_place(p, dirs[i], "");
    add_place(p, dirs[i], "/workload");
  }
  const char *env = getenv("LB_WORKLOADDIR");
  if (env)
    add_place(p, env, "");
  add_build_tree(p);
  add_place(p, LB_WORKLOADDIR, "");
  return p;
}

static int read_all(int fd, const char *path, char **text, size_t *len,
                    struct lb_err *err)
{
  size_t size = LB_WORKLOAD_MAX + 2, n = 0;
  char *bytes = malloc(size);
  if (!bytes)
    return lb_err_set(err, LB_FAILED, "%s: no memory", path);
  ssize_t got = 1;
  while (got > 0 && n < size - 1) {
    got = read(fd, bytes + n, size - 1 - n);
    if (got < 0 && errno == EINTR)
      got = 1;
    else if (got > 0)
      n += (size_t)got;
  }
  int rc = 0;
  if (got < 0)
    rc = lb_err_sys(err, LB_USAGE, errno, "%s: read", path);
  else if (n > LB_WORKLOAD_MAX)
    rc = lb_err_set(err, LB_USAGE, "%s: larger than %d bytes, so no workload",
                    path, LB_WORKLOAD_MAX);
  if (rc) {
    free(bytes);
    return rc;
  }
  bytes[n] = '\0';
  *text = bytes;
  *len = n;
  return 0;
}

static int read_file(const char *path, char **text, size_t *len,
                     struct lb_err *err)
{
  struct stat st;
  /* Not blocking: a pipe that nobody writes to must not hang the job. */
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0)
    return lb_err_sys(err, LB_USAGE, errno, "%s: open", path);
  int rc = 0;
  if (fstat(fd, &st))
    rc = lb_err_sys(err, LB_USAGE, errno, "%s: stat", path);
  else if (S_ISDIR(st.st_mode))
    rc = lb_err_set(err, LB_USAGE, "%s: a folder, not a workload", path);
  else
    rc = read_all(fd, path, text, len, err);
  close(fd);
  return rc;
}

static bool ends_in(const char *name, const char *end)
{
  size_t n = strlen(name), m = strlen(end);
  return n > m && !strcmp(name + n - m, end);
}

struct near {
  const char *what;
  size_t best;
  char name[LB_NAME_LEN];
};

static void nearest_builtin(void *arg, const char *name, const char *path,
                            const char *line)
{
  struct near *n = arg;
  (void)path;
  (void)line;
  size_t d = lb_edit_distance(n->what, name);
  if (d < n->best) {
    n->best = d;
    snprintf(n->name, sizeof n->name, "%s", name);
  }
}

static int not_found(const char *what, const char *const *dirs, int n_dirs,
                     struct lb_err *err)
{
  struct near near = {.what = what, .best = 1 + strlen(what) / 2};
  struct lb_err ignored = LB_ERR_INIT;
  lb_workload_each(dirs, n_dirs, nearest_builtin, &near, &ignored);
  if (near.name[0])
    return lb_err_set(err, LB_USAGE,
                      "no workload '%.200s'; did you mean %s? `loadbank "
                      "workloads' lists them, a file needs a / or .yaml",
                      what, near.name);
  return lb_err_set(err, LB_USAGE,
                    "no workload '%.200s'; `loadbank workloads' lists them, a "
                    "file needs a / or .yaml",
                    what);
}

int lb_workload_find(const char *what, const char *const *dirs, int n_dirs,
                     char **text, size_t *len, char path[PATH_MAX],
                     struct lb_err *err)
{
  *text = NULL;
  *len = 0;
  snprintf(path, PATH_MAX, "%s", what);
  if (!*what)
    return lb_err_set(err, LB_USAGE, "no workload is named");
  if (strlen(what) >= PATH_MAX)
    return lb_err_set(err, LB_USAGE, "a workload's name that is too long");
  if (strchr(what, '/') || ends_in(what, ".yaml") || ends_in(what, ".yml"))
    return read_file(what, text, len, err);
  struct places *p = list_places(dirs, n_dirs);
  if (!p)
    return lb_err_set(err, LB_FAILED, "no memory");
  int rc = 0;
  bool found = false;
  for (int i = 0; i < p->n && !found; i++) {
    int n = snprintf(path, PATH_MAX, "%.3000s/%.1000s.yaml", p->v[i], what);
    found = n < PATH_MAX && !access(path, F_OK);
  }
  rc = found ? read_file(path, text, len, err)
             : not_found(what, dirs, n_dirs, err);
  free(p);
  return rc;
}

struct builtin {
  char name[LB_NAME_LEN], path[PATH_MAX];
};

struct builtins {
  struct builtin *v;
  size_t n;
};

/* Names of a folder that are not there from one before. */
static int list_place(struct builtins *b, const char *dir, struct lb_err *err)
{
  DIR *d = opendir(dir);
  if (!d)
    return 0; /* a place need not exist */
  int rc = 0;
  for (struct dirent *e; !rc && (e = readdir(d)) && b->n < MAX_BUILTINS;) {
    if (e->d_name[0] == '.' || !ends_in(e->d_name, ".yaml"))
      continue;
    struct builtin *v = realloc(b->v, (b->n + 1) * sizeof *v);
    if (!v) {
      rc = lb_err_set(err, LB_FAILED, "no memory");
      break;
    }
    b->v = v;
    struct builtin *new = &v[b->n];
    snprintf(new->name, sizeof new->name, "%.*s", (int)strlen(e->d_name) - 5,
             e->d_name);
    snprintf(new->path, sizeof new->path, "%.3000s/%s", dir, e->d_name);
    bool known = false;
    for (size_t i = 0; i < b->n; i++)
      known |= !strcmp(v[i].name, new->name);
    b->n += !known;
  }
  closedir(d);
  return rc;
}

static int by_name(const void *a, const void *b)
{
  return strcmp(((const struct builtin *)a)->name,
                ((const struct builtin *)b)->name);
}

/* The first line without its "# ", "" when it is no comment. */
static void first_line(const char *path, char *out, int size)
{
  FILE *f = fopen(path, "re");
  out[0] = '\0';
  if (!f)
    return;
  if (!fgets(out, size, f) || out[0] != '#')
    out[0] = '\0';
  fclose(f);
  out[strcspn(out, "\n")] = '\0';
  size_t skip = strspn(out, "# ");
  memmove(out, out + skip, strlen(out + skip) + 1);
}

int lb_workload_each(const char *const *dirs, int n_dirs,
                     void (*each)(void *arg, const char *name, const char *path,
                                  const char *line),
                     void *arg, struct lb_err *err)
{
  struct builtins b = {0};
  struct places *p = list_places(dirs, n_dirs);
  if (!p)
    return lb_err_set(err, LB_FAILED, "no memory");
  int rc = 0;
  for (int i = 0; i < p->n && !rc; i++)
    rc = list_place(&b, p->v[i], err);
  if (!rc && b.n)
    qsort(b.v, b.n, sizeof *b.v, by_name);
  for (size_t i = 0; i < b.n && !rc; i++) {
    char line[512];
    first_line(b.v[i].path, line, sizeof line);
    each(arg, b.v[i].name, b.v[i].path, line);
  }
  free(b.v);
  free(p);
  return rc;
}
