/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which runs of LENGTH bytes or more stand in these files twice, at any
 * offsets?
 *
 *   repeats LENGTH FILE...
 *
 * Prints how many bytes stand in runs that have come before, and the longest.
 * LENGTH is 128 at least.  By winnowing: of all 64-byte strings that begin in
 * LENGTH - 63 neighbouring places the one with the least hash is kept, so two
 * equal runs keep the same.  Those are sorted, and equal ones extended in both
 * directions.  The files are read into memory, one behind the other. */
#include "lb-config.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { GRAM = 64, PAIRS = 64 };
#define BASE UINT64_C(0x9e3779b97f4a7c15)

struct mark {
  uint64_t hash;
  size_t at;
};
struct marks {
  struct mark *v;
  size_t n, cap;
};
struct text {
  unsigned char *b;
  size_t n;
};
struct run { /* comes before, too */
  size_t at, end;
};
struct runs {
  struct run *v;
  size_t n, cap;
};

static void die(const char *what)
{
  fprintf(stderr, "repeats: %s\n", what);
  exit(2); /* lint: exit, a tool of one file */
}

static struct text read_all(int n_files, char **path)
{
  struct text t = {.n = 0};
  struct stat st;
  for (int i = 0; i < n_files; i++) {
    if (stat(path[i], &st) != 0)
      die(path[i]);
    t.n += (size_t)st.st_size;
  }
  t.b = malloc(t.n + 1);
  if (!t.b)
    die("no memory");
  size_t at = 0, got;
  for (int i = 0; i < n_files; i++) {
    FILE *f = fopen(path[i], "rb");
    while (f && (got = fread(t.b + at, 1, t.n - at, f)) > 0)
      at += got;
    if (!f || fclose(f) != 0)
      die(path[i]);
  }
  t.n = at;
  return t;
}

static void keep(struct marks *m, uint64_t hash, size_t at)
{
  if (m->n > 0 && m->v[m->n - 1].at == at)
    return;
  if (m->n == m->cap) {
    m->cap = m->cap ? 2 * m->cap : 1 << 16;
    m->v = realloc(m->v, m->cap * sizeof *m->v);
    if (!m->v)
      die("no memory");
  }
  m->v[m->n++] = (struct mark){hash, at};
}

static uint64_t mix(uint64_t x)
{
  x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
  return x ^ (x >> 31);
}

/* The least of the last `window' hashes: a queue of those that may still
 * become it, their hashes ascending. */
static struct marks winnow(const struct text *t, size_t window)
{
  struct marks m = {.n = 0};
  struct mark *queue = malloc(window * sizeof *queue);
  if (!queue)
    die("no memory");
  size_t head = 0, n = 0; /* of the queue, a ring */
  uint64_t h = 0, out = 1;
  for (int i = 0; i < GRAM; i++)
    out *= BASE;
  for (size_t i = 0; i < t->n; i++) {
    h = h * BASE + t->b[i] + 1 - (i < GRAM ? 0 : out * (t->b[i - GRAM] + 1U));
    if (i + 1 < GRAM)
      continue;
    struct mark here = {mix(h), i + 1 - GRAM};
    while (n > 0 && queue[(head + n - 1) % window].hash >= here.hash)
      n--;
    if (n > 0 && queue[head].at + window <= here.at) {
      head = (head + 1) % window;
      n--;
    }
    queue[(head + n++) % window] = here;
    if (here.at + 1 >= window)
      keep(&m, queue[head].hash, queue[head].at);
  }
  free(queue);
  return m;
}

static int by_hash(const void *a, const void *b)
{
  const struct mark *x = a, *y = b;
  if (x->hash != y->hash)
    return x->hash < y->hash ? -1 : 1;
  return x->at < y->at ? -1 : x->at > y->at;
}

static void add(struct runs *r, struct run run)
{
  if (r->n == r->cap) {
    r->cap = r->cap ? 2 * r->cap : 1 << 10;
    r->v = realloc(r->v, r->cap * sizeof *r->v);
    if (!r->v)
      die("no memory");
  }
  r->v[r->n++] = run;
}

/* What is equal around two places, a before b. */
static struct run extend(const struct text *t, size_t a, size_t b)
{
  struct run r = {b, b};
  size_t end = a;
  while (a > 0 && t->b[a - 1] == t->b[r.at - 1]) {
    a--;
    r.at--;
  }
  while (r.end < t->n && t->b[end] == t->b[r.end]) {
    end++;
    r.end++;
  }
  return r;
}

static int by_place(const void *a, const void *b)
{
  const struct run *x = a, *y = b;
  return x->at < y->at ? -1 : x->at > y->at;
}

/* Of all pairs of equal hashes; of very many (runs of one byte) only of those
 * that are near. */
static struct runs find(const struct text *t, const struct marks *m,
                        size_t length)
{
  struct runs r = {.n = 0};
  for (size_t i = 0; i < m->n; i++)
    for (size_t k = i + 1;
         k < m->n && k <= i + PAIRS && m->v[k].hash == m->v[i].hash; k++) {
      struct run run = extend(t, m->v[i].at, m->v[k].at);
      if (run.end - run.at >= length)
        add(&r, run);
    }
  if (r.n)
    qsort(r.v, r.n, sizeof *r.v, by_place);
  return r;
}

int main(int argc, char **argv)
{
  size_t length = argc > 2 ? strtoul(argv[1], NULL, 10) : 0;
  if (length < 2 * (size_t)GRAM)
    die("usage: repeats LENGTH FILE...; LENGTH is 128 at least");
  struct text t = read_all(argc - 2, argv + 2);
  struct marks m = winnow(&t, length - GRAM + 1);
  if (m.n)
    qsort(m.v, m.n, sizeof *m.v, by_hash);
  struct runs r = find(&t, &m, length);
  size_t bytes = 0, longest = 0, end = 0;
  for (size_t i = 0; i < r.n; i++) {
    size_t from = r.v[i].at > end ? r.v[i].at : end;
    bytes += r.v[i].end > from ? r.v[i].end - from : 0;
    end = r.v[i].end > end ? r.v[i].end : end;
    if (r.v[i].end - r.v[i].at > longest)
      longest = r.v[i].end - r.v[i].at;
  }
  printf("%zu %zu\n", bytes, longest);
  free(r.v);
  free(m.v);
  free(t.b);
  return 0;
}
