/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See names.h.  Knows nothing of datasets. */
#include "lb-config.h"

#include "dataset/names.h"

#include <stdlib.h>
#include <string.h>

/* Makes room for n items of `size' bytes at *items; doubles. */
static bool reserve(void **items, size_t *room, size_t n, size_t size)
{
  if (n <= *room)
    return true;
  size_t more = *room ? 2 * *room : 1024, bytes;
  while (more < n)
    more *= 2;
  if (__builtin_mul_overflow(more, size, &bytes))
    return false;
  void *grown = realloc(*items, bytes);
  if (!grown)
    return false;
  *items = grown;
  *room = more;
  return true;
}

bool lb_names_add(struct lb_names *t, const char *folder, const char *name)
{
  size_t head = folder ? strlen(folder) + 1 : 0, tail = strlen(name) + 1;
  void *text = t->text, *at = t->at;
  bool good = reserve(&text, &t->room, t->bytes + head + tail, 1);
  t->text = text;
  good = good && reserve(&at, &t->slots, t->n + 1, sizeof *t->at);
  t->at = at;
  if (!good)
    return false;
  t->at[t->n++] = t->bytes;
  char *to = t->text + t->bytes;
  if (folder) {
    memcpy(to, folder, head - 1);
    to[head - 1] = '/';
  }
  memcpy(to + head, name, tail);
  t->bytes += head + tail;
  return true;
}

void lb_names_fini(struct lb_names *t)
{
  free(t->text);
  free(t->at);
  *t = (struct lb_names){0};
}

static int by_name(const void *a, const void *b, void *text)
{
  const char *names = text;
  return strcmp(names + *(const uint64_t *)a, names + *(const uint64_t *)b);
}

/* Bytes of a name's folder, the slash included. */
static size_t folder_bytes(const char *name)
{
  const char *slash = strrchr(name, '/');
  return slash ? (size_t)(slash - name) + 1 : 0;
}

static bool same_folder(const struct lb_names *t, size_t i, size_t k)
{
  const char *a = t->text + t->at[i], *b = t->text + t->at[k];
  size_t n = folder_bytes(a);
  return n == folder_bytes(b) && !memcmp(a, b, n);
}

/* A folder's names [next, end) that are still to be taken; after sorting they
 * stand together. */
struct run {
  size_t next, end;
};

static size_t find_runs(const struct lb_names *t, struct run *runs)
{
  size_t n = 0;
  for (size_t i = 0; i < t->n; i++) {
    if (i == 0 || !same_folder(t, i - 1, i))
      runs[n++].next = i;
    runs[n - 1].end = i + 1;
  }
  return n;
}

/* One name of each run in turn; empty runs leave, the others keep their
 * order. */
static void deal(const struct lb_names *t, struct run *runs, size_t n_runs,
                 uint64_t *out)
{
  while (n_runs > 0) {
    size_t kept = 0;
    for (size_t r = 0; r < n_runs; r++) {
      *out++ = t->at[runs[r].next++];
      if (runs[r].next < runs[r].end)
        runs[kept++] = runs[r];
    }
    n_runs = kept;
  }
}

bool lb_names_order(struct lb_names *t)
{
  if (t->n == 0)
    return true;
  qsort_r(t->at, t->n, sizeof *t->at, by_name, t->text);
  size_t folders = 1;
  for (size_t i = 1; i < t->n; i++)
    folders += !same_folder(t, i - 1, i);
  if (folders == 1)
    return true;
  struct run *runs = calloc(folders, sizeof *runs);
  uint64_t *order = malloc(t->n * sizeof *order);
  bool good = runs && order;
  if (good) {
    deal(t, runs, find_runs(t, runs), order);
    free(t->at);
    t->at = order;
    t->slots = t->n;
    order = NULL;
  }
  free(order);
  free(runs);
  return good;
}
