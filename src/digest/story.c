/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What sections share: values of the summary as arrays, pictures with ids. */
#include "lb-config.h"

#include "digest/story.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ID_LEN = 64, KEY_LEN = 120 };

double *lb_story_doubles(struct lb_story *s, size_t n)
{
  void *more = realloc(s->memory, (s->n_memory + 1) * sizeof *s->memory);
  if (more)
    s->memory = more;
  double *v = more ? calloc(n ? n : 1, sizeof *v) : NULL;
  s->failed |= !v;
  if (v)
    s->memory[s->n_memory++] = v;
  return v;
}

double *lb_story_numbers(struct lb_story *s, size_t n)
{
  double *v = lb_story_doubles(s, n);
  for (size_t i = 0; v && i < n; i++)
    v[i] = (double)i + 1;
  return v;
}

double *lb_story_list(struct lb_story *s, const char *path, size_t *n)
{
  *n = lb_result_list(s->r, path, NULL, 0);
  double *v = *n ? lb_story_doubles(s, *n) : NULL;
  if (v)
    lb_result_list(s->r, path, v, *n);
  else
    *n = 0;
  return v;
}

const json_t *lb_story_at(const struct lb_story *s, const char *path)
{
  const json_t *v = s->r->summary;
  char key[KEY_LEN];
  while (v && *path) {
    size_t n = strcspn(path, ".");
    snprintf(key, sizeof key, "%.*s", (int)n, path);
    v = json_object_get(v, key);
    path += n + (path[n] == '.');
  }
  return v;
}

double lb_story_real(const json_t *object, const char *key)
{
  const json_t *v = json_object_get(object, key);
  return json_is_number(v) ? json_number_value(v) : NAN;
}

void lb_story_picture(struct lb_story *s, struct lb_picture *p, const char *id,
                      const char *note)
{
  char whole[ID_LEN];
  if (s->failed)
    return;
  snprintf(whole, sizeof whole, "r%d-%s", s->number, id);
  p->id = whole;
  lb_page_picture(s->page, p, note);
}

void lb_story_fini(struct lb_story *s)
{
  for (size_t i = 0; i < s->n_memory; i++)
    free(s->memory[i]);
  free(s->memory);
  lb_step_digest_fini(&s->steps);
  lb_seconds_fini(&s->seconds);
}
