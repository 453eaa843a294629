/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What two configurations differ in: those that runs have saved, which are
 * always written the same way (a line a key, two spaces a level), so that
 * their lines can be compared. */
#include "lb-config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "results/compare_impl.h"

enum { LINE_LEN = 4096, DEEPEST = 16, KEY_LEN = 400, PATH_LEN = 4352 };
static const size_t most_keys = 4096;

struct value {
  char *key, *text;
};
struct values {
  struct value *v;
  size_t n;
};

static void values_fini(struct values *s)
{
  for (size_t i = 0; i < s->n; i++) {
    free(s->v[i].key);
    free(s->v[i].text);
  }
  free(s->v);
}

/* Where the names of the sections that a line is in end in `key'. */
struct sections {
  char key[KEY_LEN];
  size_t end[DEEPEST + 1];
};

/* False: no line of ours. */
static bool take_line(struct values *out, struct sections *in, char *line)
{
  size_t indent = strspn(line, " "), depth = indent / 2;
  char *name = line + indent, *colon = strstr(name, ":");
  if (!colon || depth > DEEPEST || out->n == most_keys)
    return false;
  *colon = '\0';
  char *text = colon + 1 + strspn(colon + 1, " ");
  size_t at = depth ? in->end[depth - 1] : 0;
  int n = snprintf(in->key + at, KEY_LEN - at, "%s%s", at ? "." : "", name);
  if (n < 0 || (size_t)n >= KEY_LEN - at)
    return false;
  in->end[depth] = depth ? at + (size_t)n : 0; /* `workload' has all */
  if (!*text)
    return true;
  out->v[out->n].key = strdup(in->key);
  out->v[out->n].text = strdup(text);
  out->n++;
  return true;
}

/* None when there is no such file, or it is no such text. */
static int load(const struct lb_result *r, struct values *out,
                struct lb_err *err)
{
  char path[PATH_LEN], line[LINE_LEN];
  struct sections in = {.key = ""};
  *out = (struct values){.v = calloc(most_keys, sizeof *out->v)};
  if (!out->v)
    return lb_err_set(err, LB_FAILED, "no memory to compare configurations");
  snprintf(path, sizeof path, "%s/.hydra/config.yaml", r->path);
  FILE *f = fopen(path, "re");
  while (f && fgets(line, sizeof line, f)) {
    line[strcspn(line, "\n")] = '\0';
    if (!take_line(out, &in, line))
      break;
  }
  if (f)
    fclose(f);
  return 0;
}

static const char *text_of(const struct values *s, const char *key)
{
  for (size_t i = 0; i < s->n; i++)
    if (s->v[i].key && !strcmp(s->v[i].key, key))
      return s->v[i].text;
  return NULL;
}

static int add(struct lb_match *m, const char *key, const char *a,
               const char *b, struct lb_err *err)
{
  bool equal = a && b ? !strcmp(a, b) : a == b;
  if (equal || !strcmp(key, "output.folder"))
    return 0;
  void *more = realloc(m->differs, (m->n_differs + 1) * sizeof *m->differs);
  if (!more)
    return lb_err_set(err, LB_FAILED, "no memory to compare configurations");
  m->differs = more;
  m->differs[m->n_differs++] = (struct lb_difference){
      .key = strdup(key), .a = a ? strdup(a) : NULL, .b = b ? strdup(b) : NULL};
  return 0;
}

int lb_differences_of(const struct lb_result *a, const struct lb_result *b,
                      struct lb_match *m, struct lb_err *err)
{
  struct values va = {.n = 0}, vb = {.n = 0};
  int rc = load(a, &va, err);
  rc = rc ? rc : load(b, &vb, err);
  bool both = va.n && vb.n;
  for (size_t i = 0; rc == 0 && both && i < va.n; i++)
    rc = add(m, va.v[i].key, va.v[i].text, text_of(&vb, va.v[i].key), err);
  for (size_t i = 0; rc == 0 && both && i < vb.n; i++)
    if (!text_of(&va, vb.v[i].key))
      rc = add(m, vb.v[i].key, NULL, vb.v[i].text, err);
  values_fini(&va);
  values_fini(&vb);
  return rc;
}
