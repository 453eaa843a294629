/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every target once more in `make check': a whole file, what was found by
 * fuzzing (tests/fuzz/inputs/TARGET/), and some hundred damaged ones.
 * `replay --seed TARGET FILE' leaves the whole file for tools/fuzz. */
#include "lb-config.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loadbank/rng.h"
#include "tap.h"
#include "targets.h"

enum { MUTANTS = 300 };

static unsigned char *whole_file(const struct fuzz_target *t, struct fixture *x,
                                 size_t *n)
{
  char path[600];
  fuzz_path(x, t, path);
  return fixture_slurp(path, n);
}

static int replay_found(struct fixture *x, const struct fuzz_target *t)
{
  const char *top = getenv("LB_TOP_SRCDIR");
  char folder[600], path[900];
  int found = 0;
  snprintf(folder, sizeof folder, "%s/tests/fuzz/inputs/%s", top ? top : ".",
           t->name);
  DIR *d = opendir(folder);
  for (struct dirent *e; d && (e = readdir(d));) {
    size_t n;
    snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
    unsigned char *bytes = e->d_name[0] == '.' ? NULL : fixture_slurp(path, &n);
    if (!bytes)
      continue;
    fuzz_read(x, t, bytes, n);
    free(bytes);
    found++;
  }
  if (d)
    closedir(d);
  return found;
}

/* A few bytes changed, or the end cut off. */
static void replay_damaged(struct fixture *x, const struct fuzz_target *t,
                           const unsigned char *whole, size_t n)
{
  unsigned char *bytes = malloc(n);
  struct lb_rng rng = {.key = 1};
  for (int i = 0; bytes && i < MUTANTS; i++) {
    size_t size = i % 4 ? n : (size_t)(lb_rng_u64(&rng) % n);
    memcpy(bytes, whole, n);
    for (int k = 0; k < 1 + i % 3; k++)
      bytes[lb_rng_u64(&rng) % n] = (unsigned char)lb_rng_u64(&rng);
    fuzz_read(x, t, bytes, size);
  }
  free(bytes);
}

static void replay(struct fixture *x, const struct fuzz_target *t)
{
  size_t n;
  if (!fuzz_make(x, t)) {
    const struct lb_format *f = t->text ? NULL : lb_format_find(t->format);
    ok(f && (f->unavailable || t->compression),
       "%s: only a format or a compression that is missing", t->name);
    return;
  }
  unsigned char *whole = whole_file(t, x, &n);
  if (!ok(whole && n, "%s: was made", t->name))
    return;
  replay_damaged(x, t, whole, n);
  ok(true, "%s: survived damage and %d inputs found before", t->name,
     replay_found(x, t));
  free(whole);
}

static int leave_seed(struct fixture *x, const char *name, const char *path)
{
  const struct fuzz_target *t = fuzz_target_find(name);
  size_t n;
  unsigned char *whole = t && fuzz_make(x, t) ? whole_file(t, x, &n) : NULL;
  bool good = whole && fixture_spit(path, whole, n);
  free(whole);
  return good ? 0 : 1;
}

int main(int argc, char **argv)
{
  struct fixture x;
  if (!fixture_init(&x))
    return 1;
  if (argc == 2 && !strcmp(argv[1], "--list")) {
    for (const struct fuzz_target *t = fuzz_targets; t->name; t++)
      printf("%s\n", t->name);
    return 0;
  }
  if (argc == 4 && !strcmp(argv[1], "--seed"))
    return leave_seed(&x, argv[2], argv[3]);
  for (const struct fuzz_target *t = fuzz_targets; t->name; t++)
    replay(&x, t);
  fixture_fini(&x);
  return done();
}
