/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reading files of /proc and /sys that may not be there. */
#include "lb-config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mlperf/host_impl.h"

/* f->path, and the root before it in `out'. */
__attribute__((format(printf, 3, 0))) static bool
place(struct lb_facts *f, char out[PATH_MAX], const char *fmt, va_list ap)
{
  int n = vsnprintf(f->path, sizeof f->path, fmt, ap);
  bool fits = n < PATH_MAX && (size_t)n + strlen(f->root) < PATH_MAX;
  f->sys = fits ? 0 : ENAMETOOLONG;
  if (fits) {
    size_t root = strlen(f->root);
    memcpy(out, f->root, root);
    memcpy(out + root, f->path, (size_t)n + 1);
  }
  return fits;
}

static bool read_text(struct lb_facts *f, const char *path)
{
  size_t n = 0;
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) {
    f->sys = errno;
    return false;
  }
  for (ssize_t got; n < sizeof f->text - 1; n += (size_t)got) {
    got = read(fd, f->text + n, sizeof f->text - 1 - n);
    if (got < 0)
      f->sys = errno;
    if (got <= 0)
      break;
  }
  close(fd);
  while (n && (f->text[n - 1] == '\n' || f->text[n - 1] == ' '))
    n--;
  f->text[n] = '\0';
  for (char *p = f->text; *p; p++)
    if ((*p > 0 && *p < ' ' && *p != '\n' && *p != '\t') || *p == 0x7f)
      *p = '?';
  return !f->sys;
}

bool lb_fact_read(struct lb_facts *f, const char *fmt, ...)
{
  char path[PATH_MAX];
  va_list ap;
  va_start(ap, fmt);
  bool good = place(f, path, fmt, ap);
  va_end(ap);
  *f->text = '\0';
  return good && read_text(f, path);
}

bool lb_fact_number(struct lb_facts *f, int64_t *v, const char *fmt, ...)
{
  char path[PATH_MAX], *end;
  va_list ap;
  va_start(ap, fmt);
  bool good = place(f, path, fmt, ap);
  va_end(ap);
  *f->text = '\0';
  if (!good || !read_text(f, path))
    return false;
  errno = 0;
  long long n = strtoll(f->text, &end, 10);
  if (end == f->text || errno)
    return false;
  *v = n;
  return true;
}

bool lb_fact_exists(struct lb_facts *f, const char *fmt, ...)
{
  char path[PATH_MAX];
  struct stat st;
  va_list ap;
  va_start(ap, fmt);
  bool good = place(f, path, fmt, ap);
  va_end(ap);
  return good && !stat(path, &st);
}

__attribute__((format(printf, 3, 4))) static bool
place_of(struct lb_facts *f, char out[PATH_MAX], const char *fmt, ...)
{
  va_list ap;
  va_start(ap, fmt);
  bool good = place(f, out, fmt, ap);
  va_end(ap);
  return good;
}

static int visible(const struct dirent *e)
{
  return e->d_name[0] != '.';
}

bool lb_fact_each(struct lb_facts *f, const char *folder,
                  void (*each)(struct lb_facts *f, const char *name))
{
  char path[PATH_MAX];
  struct dirent **name;
  if (!place_of(f, path, "%s", folder))
    return false;
  int n = scandir(path, &name, visible, alphasort);
  if (n < 0) {
    f->sys = errno;
    return false;
  }
  for (int i = 0; i < n; i++) {
    each(f, name[i]->d_name);
    free(name[i]);
  }
  free(name);
  return true;
}

void lb_fact_missing(struct lb_facts *f, const char *fact, const char *reason)
{
  struct lb_mlperf_host *h = f->host;
  for (int i = 0; i < h->n_missing; i++)
    if (!strcmp(h->missing[i].fact, fact))
      return;
  if (h->n_missing == LB_MLPERF_MISSING)
    return;
  struct lb_mlperf_missing *m = &h->missing[h->n_missing++];
  snprintf(m->fact, sizeof m->fact, "%s", fact);
  snprintf(m->reason, sizeof m->reason, "%.80s: %s", f->path,
           reason ? reason : strerror(f->sys));
}

void lb_fact_name(char *names, size_t size, const char *name)
{
  size_t n = strlen(names);
  if (n + strlen(name) + 2 <= size)
    snprintf(names + n, size - n, "%s%s", n ? " " : "", name);
}
