/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Keys, points and runs. */
#include "lb-config.h"

#include "loadbank/sweep.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loadbank/rng.h"

/* These say how a point runs, not what. */
static bool is_own(const char *name, size_t len)
{
  return (len == 12 && !strncmp(name, "accelerators", len)) ||
         (len == 5 && !strncmp(name, "ranks", len));
}

/* "++workload.a.b" is "a.b". */
static const char *plain(const char *key)
{
  key += strspn(key, "+");
  return strncmp(key, "workload.", 9) ? key : key + 9;
}

static struct lb_sweep_key *find_key(const struct lb_sweep *s, const char *name,
                                     size_t len)
{
  for (size_t i = 0; i < s->n_keys; i++)
    if (strlen(s->key[i].name) == len && !memcmp(s->key[i].name, name, len))
      return &s->key[i];
  return NULL;
}

static struct lb_sweep_key *new_key(struct lb_sweep *s, const char *name,
                                    size_t len, struct lb_err *err)
{
  struct lb_sweep_key *more =
      len && len < sizeof more->name
          ? realloc(s->key, (s->n_keys + 1) * sizeof *more)
          : NULL;
  if (!more) {
    lb_err_set(err, LB_USAGE, "'%.60s': not a key", name);
    return NULL;
  }
  s->key = more;
  more += s->n_keys++;
  *more = (struct lb_sweep_key){.name = ""};
  memcpy(more->name, name, len);
  return more;
}

/* It is no longer swept. */
static void drop_key(struct lb_sweep *s, struct lb_sweep_key *key)
{
  lb_texts_fini(&key->values);
  size_t at = (size_t)(key - s->key);
  memmove(key, key + 1, (--s->n_keys - at) * sizeof *key);
}

/* What an override is of, "~a.b" of all of it too. */
static bool is_of(const char *override, const char *name, size_t len)
{
  const char *key = plain(override + strspn(override, "~"));
  return strcspn(key, "=") == len && !strncmp(key, name, len);
}

static void drop_fixed(struct lb_sweep *s, const char *name, size_t len)
{
  size_t kept = 0;
  for (size_t i = 0; i < s->fixed.n; i++)
    if (is_of(s->fixed.text[i], name, len))
      free(s->fixed.text[i]);
    else
      s->fixed.text[kept++] = s->fixed.text[i];
  s->fixed.n = kept;
}

static int set_fixed(struct lb_sweep *s, const char *override,
                     struct lb_err *err)
{
  const char *name = plain(override + strspn(override, "~"));
  size_t len = strcspn(name, "=");
  struct lb_sweep_key *key = find_key(s, name, len);
  drop_fixed(s, name, len);
  if (key)
    drop_key(s, key);
  return lb_texts_add(&s->fixed, override, strlen(override), err);
}

/* Takes the values. */
static int set_key(struct lb_sweep *s, const char *name, size_t len,
                   struct lb_texts *values, struct lb_err *err)
{
  struct lb_sweep_key *key = find_key(s, name, len);
  drop_fixed(s, name, len);
  if (key)
    lb_texts_fini(&key->values);
  else
    key = new_key(s, name, len, err);
  if (!key)
    return -err->code;
  key->values = *values;
  *values = (struct lb_texts){.n = 0};
  return 0;
}

/* One value is an override, several are a key's. */
static int set(struct lb_sweep *s, const char *name, size_t len,
               struct lb_texts *values, struct lb_err *err)
{
  if (values->n != 1 || is_own(name, len))
    return set_key(s, name, len, values, err);
  struct lb_buf line;
  lb_buf_init(&line, 1 << 20);
  lb_buf_add(&line, name, len);
  lb_buf_printf(&line, "=%s", values->text[0]);
  int rc = line.failed ? lb_err_set(err, LB_FAILED, "out of memory")
                       : set_fixed(s, line.data, err);
  lb_buf_fini(&line);
  return rc;
}

int lb_sweep_add(struct lb_sweep *s, const char *operand, struct lb_err *err)
{
  const char *name = plain(operand), *equals = strchr(name, '=');
  struct lb_texts values = {.n = 0};
  if (operand[0] == '~' || !equals || !equals[1])
    return set_fixed(s, operand, err);
  size_t len = (size_t)(equals - name);
  int rc = lb_sweep_values(equals + 1, &values, err);
  if (rc)
    lb_err_wrap(err, "%.*s", (int)(len < 200 ? len : 200), name);
  else
    rc = set(s, name, len, &values, err);
  lb_texts_fini(&values);
  return rc;
}

int lb_sweep_add_values(struct lb_sweep *s, const char *key,
                        struct lb_texts *values, struct lb_err *err)
{
  const char *name = plain(key);
  return set(s, name, strlen(name), values, err);
}

int lb_sweep_count(struct lb_sweep *s, struct lb_err *err)
{
  size_t n = 1;
  for (size_t i = 0; i < s->n_keys && n <= LB_SWEEP_RUNS; i++)
    n *= s->key[i].values.n;
  if (n > LB_SWEEP_RUNS || s->repeat > LB_SWEEP_RUNS ||
      n * (size_t)s->repeat > LB_SWEEP_RUNS)
    return lb_err_set(err, LB_USAGE, "a sweep has at most %d runs",
                      LB_SWEEP_RUNS);
  s->n_points = n;
  s->n_runs = n * (size_t)s->repeat;
  return 0;
}

void lb_sweep_fini(struct lb_sweep *s)
{
  for (size_t i = 0; i < s->n_keys; i++)
    lb_texts_fini(&s->key[i].values);
  free(s->key);
  lb_texts_fini(&s->fixed);
  *s = (struct lb_sweep){.n_keys = 0};
}

const char *lb_sweep_value(const struct lb_sweep *s, size_t point, size_t key)
{
  for (size_t i = s->n_keys - 1; i > key; i--)
    point /= s->key[i].values.n;
  return s->key[key].values.text[point % s->key[key].values.n];
}

const char *lb_sweep_value_of(const struct lb_sweep *s, size_t point,
                              const char *name)
{
  for (size_t i = 0; i < s->n_keys; i++)
    if (!strcmp(s->key[i].name, name))
      return lb_sweep_value(s, point, i);
  return NULL;
}

void lb_sweep_describe(const struct lb_sweep *s, size_t point,
                       struct lb_buf *out)
{
  for (size_t i = 0; i < s->n_keys; i++)
    lb_buf_printf(out, "%s%s=%s", i ? " " : "", s->key[i].name,
                  lb_sweep_value(s, point, i));
}

/* Fisher and Yates. */
static void shuffle(size_t *run, size_t n, struct lb_rng rng)
{
  for (size_t i = n; i > 1; i--) {
    size_t j = (size_t)(lb_rng_u64(&rng) % i), had = run[i - 1];
    run[i - 1] = run[j];
    run[j] = had;
  }
}

size_t *lb_sweep_order(const struct lb_sweep *s)
{
  size_t *run = malloc((s->n_runs ? s->n_runs : 1) * sizeof *run);
  size_t repeats = (size_t)s->repeat;
  for (size_t r = 0; run && r < repeats; r++) {
    size_t *part = run + r * s->n_points;
    for (size_t p = 0; p < s->n_points; p++)
      part[p] = p * repeats + r;
    shuffle(part, s->n_points, lb_rng_stream(s->seed, LB_RNG_SWEEP, r, 0));
  }
  return run;
}
