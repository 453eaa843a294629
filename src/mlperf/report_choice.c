/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which runs of a group count.  Pure: knows no file. */
#include "lb-config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "mlperf/params.h"
#include "mlperf/report_run.h"

/* ---- do two runs repeat each other? ---- */

/* Below these the leaves of one group always differ. */
static const char *const own[] = {"output", "checkpoint.num_checkpoints_write",
                                  "checkpoint.num_checkpoints_read"};
enum { N_OWN = sizeof own / sizeof *own };

enum { KEY_PATH = 160 };

static bool trees_differ(const json_t *a, const json_t *b, char path[KEY_PATH]);

/* Members of a that b lacks or has otherwise. */
static bool members_differ(const json_t *a, const json_t *b,
                           char path[KEY_PATH])
{
  const char *key;
  json_t *v;
  size_t length = strlen(path);
  json_object_foreach((json_t *)(uintptr_t)a, key, v)
  {
    snprintf(path + length, KEY_PATH - length, "%s%s", length ? "." : "", key);
    if (lb_mlperf_word(own, N_OWN, path) < 0 &&
        trees_differ(v, json_object_get(b, key), path))
      return true;
    path[length] = '\0';
  }
  return false;
}

/* path: the first key below it that differs, when one does. */
static bool trees_differ(const json_t *a, const json_t *b, char path[KEY_PATH])
{
  if (json_is_object(a) && json_is_object(b))
    return members_differ(a, b, path) || members_differ(b, a, path);
  if (json_is_number(a) && json_is_number(b))
    return json_number_value(a) != json_number_value(b);
  return !a != !b || (a && !json_equal(a, b));
}

/* What makes two runs no repetitions of each other: false and "" if nothing. */
static bool runs_differ(const struct lb_report_run *a,
                        const struct lb_report_run *b, char why[LB_MLPERF_WHY])
{
  char path[KEY_PATH] = "";
  *why = '\0';
  if (strcmp(a->version, b->version) != 0)
    snprintf(why, LB_MLPERF_WHY, "made by version %s, not %s",
             *a->version ? a->version : "unknown",
             *b->version ? b->version : "unknown");
  else if (!lb_mlperf_same_scale(&a->scale, &b->scale, true))
    snprintf(why, LB_MLPERF_WHY,
             "of scale %g (bytes %g, time %g), not %g (bytes %g, time %g)",
             a->scale.files, a->scale.bytes, a->scale.time, b->scale.files,
             b->scale.bytes, b->scale.time);
  else if (a->accelerators != b->accelerators || a->hosts != b->hosts)
    snprintf(why, LB_MLPERF_WHY,
             "of %" PRId64 " accelerators on %" PRId64 " hosts, not %" PRId64
             " on %" PRId64,
             a->accelerators, a->hosts, b->accelerators, b->hosts);
  else if (trees_differ(a->parameters, b->parameters, path))
    snprintf(why, LB_MLPERF_WHY, "with another %s",
             *path ? path : "configuration");
  return *why != '\0';
}

/* ---- training ---- */

struct span {
  size_t first, n;
};

/* From `first' on, runs that may be averaged with each other. */
static size_t stretch(const struct lb_report_run *run, size_t n, size_t first)
{
  char why[LB_MLPERF_WHY];
  size_t end = first;
  while (end < n && lb_report_run_usable(&run[end]) &&
         !runs_differ(&run[end], &run[first], why))
    end++;
  return end - first;
}

/* The last window; without one, the longest stretch, of equals the last. */
static struct span last_window(const struct lb_report_run *run, size_t n)
{
  struct span best = {0, 0};
  for (size_t i = 0, length; i < n; i += length ? length : 1) {
    length = stretch(run, n, i);
    if (length >= LB_MLPERF_RUNS)
      best = (struct span){i + length - LB_MLPERF_RUNS, LB_MLPERF_RUNS};
    else if (length && length >= best.n)
      best = (struct span){i, length};
  }
  return best;
}

/* ---- checkpointing ---- */

/* want 0: any number. */
static bool enough(size_t n, size_t want)
{
  return want ? n == want : n > 0;
}

static bool is_pair(const struct lb_report_run *run, size_t n, size_t i)
{
  char why[LB_MLPERF_WHY];
  return i + 1 < n && lb_report_run_usable(&run[i]) &&
         lb_report_run_usable(&run[i + 1]) && run[i].n_loads == 0 &&
         run[i + 1].n_saves == 0 && !runs_differ(&run[i + 1], &run[i], why);
}

/* The last that has all; without one, the last that has anything. */
static struct span last_checkpoints(const struct lb_report_run *run, size_t n,
                                    size_t saves, size_t loads)
{
  struct span some = {0, 0};
  for (size_t i = n; i-- > 0;) {
    if (!lb_report_run_usable(&run[i]))
      continue;
    bool pair = is_pair(run, n, i);
    size_t last = i + pair;
    if (enough(run[i].n_saves, saves) && enough(run[last].n_loads, loads))
      return (struct span){i, 1 + pair};
    if (some.n == 0 || (pair && i + 1 == some.first))
      some = (struct span){i, 1 + pair};
  }
  return some;
}

/* ---- both ---- */

/* A run that may be averaged, but not with those that are taken. */
static void say_why(struct lb_report_run *run,
                    const struct lb_report_run *first, int kind)
{
  char why[LB_MLPERF_WHY];
  if (runs_differ(run, first, why))
    lb_report_run_problem(run, "%s as the runs that are taken", why);
  else if (kind == LB_MLPERF_TRAINING)
    lb_report_run_problem(run, "not among the last %d in a row",
                          LB_MLPERF_RUNS);
  else
    lb_report_run_problem(run, "a later run is taken");
}

void lb_report_choose(struct lb_report_run *run, size_t n, int kind,
                      size_t saves, size_t loads)
{
  bool training = kind == LB_MLPERF_TRAINING;
  struct span s =
      training ? last_window(run, n) : last_checkpoints(run, n, saves, loads);
  for (size_t i = 0; i < n; i++) {
    bool in = i >= s.first && i < s.first + s.n;
    if (in)
      run[i].role =
          training && s.n > 1 && i == s.first ? LB_RUN_WARM_UP : LB_RUN_TAKEN;
    else if (lb_report_run_usable(&run[i]))
      say_why(&run[i], &run[s.first], kind);
  }
}
