/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a validation found, for people and as JSON. */
#include "lb-config.h"

#include "mlperf/checks.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loadbank/json.h"
#include "loadbank/units.h"

/* ---- text ---- */

/* The length of what is the same in sibling leaves: the path up to the last
 * '/' that is followed by a stamp; 0: it is not of a leaf. */
static size_t group_length(const char *path, const char **rest)
{
  enum { STAMP = LB_MLPERF_STAMP - 1 };
  for (const char *p = strchr(path, '/'); p; p = strchr(p + 1, '/')) {
    char stamp[LB_MLPERF_STAMP];
    if (snprintf(stamp, sizeof stamp, "%s", p + 1) >= STAMP &&
        lb_mlperf_is_stamp(stamp) &&
        (p[1 + STAMP] == '\0' || p[1 + STAMP] == '/')) {
      *rest = p + 1 + STAMP;
      return (size_t)(p - path);
    }
  }
  return 0;
}

/* What is compared of a remark: of what a rehearsal cannot but miss, leaf by
 * leaf, the numbers do not count. */
static const char *words(const struct lb_mlperf_remark *r, size_t group)
{
  return group && r->severity == LB_MLPERF_WAIVED ? "" : r->text;
}

/* 0: the same is said of two leaves of a group, or they are the same. */
static int compare(const struct lb_mlperf_remark *a,
                   const struct lb_mlperf_remark *b)
{
  const char *a_rest = "", *b_rest = "";
  if (a->rule != b->rule)
    return a->rule < b->rule ? -1 : 1;
  if (a->severity != b->severity)
    return a->severity < b->severity ? -1 : 1;
  size_t a_len = group_length(a->path, &a_rest);
  size_t b_len = group_length(b->path, &b_rest);
  int order = strcmp(words(a, a_len), words(b, b_len));
  if (!order && a_len && a_len == b_len)
    order = strncmp(a->path, b->path, a_len);
  else
    order = order ? order : strcmp(a->path, b->path);
  return order ? order : strcmp(a_rest, b_rest);
}

struct sorted {
  const struct lb_mlperf_remark *remark;
};

static int by_group(const void *a, const void *b)
{
  const struct lb_mlperf_remark *x = ((const struct sorted *)a)->remark;
  const struct lb_mlperf_remark *y = ((const struct sorted *)b)->remark;
  int order = compare(x, y);
  return order ? order : x < y ? -1 : x > y;
}

/* How often each is said again of leaves behind; SAID: it was said before. */
#define SAID SIZE_MAX
static size_t *repetitions(const struct lb_mlperf_validation *v)
{
  struct sorted *sorted = calloc(v->n + 1, sizeof *sorted);
  size_t *again = calloc(v->n + 1, sizeof *again);
  for (size_t i = 0; sorted && i < v->n; i++)
    sorted[i].remark = &v->remark[i];
  if (sorted && again)
    qsort(sorted, v->n, sizeof *sorted, by_group);
  for (size_t i = 0, first = 0; sorted && again && i < v->n; i++) {
    if (i && !compare(sorted[first].remark, sorted[i].remark)) {
      again[sorted[first].remark - v->remark]++;
      again[sorted[i].remark - v->remark] = SAID;
    } else {
      first = i;
    }
  }
  free(sorted);
  return again;
}

static void upper(struct lb_buf *b, const char *word)
{
  for (; *word; word++)
    lb_buf_printf(b, "%c", toupper((unsigned char)*word));
}

static void put_remark(const struct lb_mlperf_remark *r, size_t more,
                       struct lb_buf *b)
{
  if (more == SAID)
    return;
  upper(b, lb_mlperf_severity_names[r->severity]);
  lb_buf_printf(b, " %s %s: %s", r->rule->id, r->path, r->text);
  if (more)
    lb_buf_printf(b, " (and %s of %zu more %s)",
                  r->severity == LB_MLPERF_WAIVED ? "the like" : "the same",
                  more, more == 1 ? "leaf" : "leaves");
  lb_buf_puts(b, "\n");
}

static const char *verdict(const struct lb_mlperf_submission *s)
{
  if (s->n[LB_MLPERF_ERROR])
    return "fails";
  if (s->place.mode == LB_MLPERF_WHATIF)
    return "passes, what-if: it cannot be submitted";
  return s->rehearsal ? "passes as a rehearsal: it cannot be submitted"
                      : "passes";
}

static void plural(struct lb_buf *b, size_t n, const char *word)
{
  lb_buf_printf(b, "%zu %s%s", n, word, lb_plural((int64_t)n));
}

/* "2.1.7, 3.4.2": rules that a rehearsal waived, each once. */
static void put_waived(const struct lb_mlperf_validation *v, struct lb_buf *b)
{
  const char *comma = "waived by the rehearsal: ";
  for (size_t r = 0; r < lb_mlperf_n_rules; r++)
    for (size_t i = 0; i < v->n; i++)
      if (v->remark[i].severity == LB_MLPERF_WAIVED &&
          v->remark[i].rule == &lb_mlperf_rules[r]) {
        lb_buf_printf(b, "%s%s", comma, lb_mlperf_rules[r].id);
        comma = ", ";
        break;
      }
  if (*comma == ',')
    lb_buf_puts(b, "\n");
}

void lb_mlperf_validation_text(const struct lb_mlperf_validation *v,
                               struct lb_buf *b)
{
  size_t *again = repetitions(v);
  for (size_t i = 0; again && i < v->n; i++)
    put_remark(&v->remark[i], again[i], b);
  b->failed |= !again;
  free(again);
  if (v->n)
    lb_buf_puts(b, "\n");
  for (size_t i = 0; i < v->n_submissions; i++) {
    const struct lb_mlperf_submission *s = &v->submission[i];
    lb_buf_printf(b, "%s: %s (", s->name, verdict(s));
    plural(b, s->n[LB_MLPERF_ERROR], "error");
    lb_buf_puts(b, ", ");
    plural(b, s->n[LB_MLPERF_WARNING], "warning");
    lb_buf_printf(b, ", %zu waived; %zu %s)\n", s->n[LB_MLPERF_WAIVED],
                  s->leaves, s->leaves == 1 ? "leaf" : "leaves");
  }
  put_waived(v, b);
  plural(b, v->total[LB_MLPERF_ERROR], "error");
  lb_buf_puts(b, ", ");
  plural(b, v->total[LB_MLPERF_WARNING], "warning");
  lb_buf_printf(b,
                ", %zu waived; MLPerf-style: an official submission needs the "
                "official tool and its checker\n",
                v->total[LB_MLPERF_WAIVED]);
}

/* ---- JSON ---- */

static json_t *counts(const size_t n[LB_MLPERF_N_SEVERITIES])
{
  json_t *o = json_object();
  for (int s = 0; s < LB_MLPERF_N_SEVERITIES; s++)
    lb_json_put_int(o, lb_mlperf_severity_names[s], (int64_t)n[s]);
  return o;
}

static json_t *remark_json(const struct lb_mlperf_remark *r)
{
  json_t *o = json_object();
  lb_json_put_text(o, "severity", lb_mlperf_severity_names[r->severity]);
  lb_json_put_text(o, "id", r->rule->id);
  lb_json_put_text(o, "name", r->rule->name);
  lb_json_put_text(o, "path", r->path);
  lb_json_put_text(o, "message", r->text);
  return o;
}

static json_t *submission_json(const struct lb_mlperf_submission *s)
{
  json_t *o = json_object();
  lb_json_put_text(o, "path", s->name);
  lb_json_put_text(o, "division", lb_mlperf_mode_names[s->place.mode]);
  lb_json_put_text(o, "organisation", s->place.org);
  lb_json_put_text(o, "system", s->place.system);
  lb_json_put_text(o, "kind", lb_mlperf_kind_names[s->place.kind]);
  lb_json_put_text(o, "model", s->place.model);
  lb_json_put_int(o, "leaves", (int64_t)s->leaves);
  lb_json_put_bool(o, "passes", s->n[LB_MLPERF_ERROR] == 0);
  lb_json_put_bool(o, "rehearsal", s->rehearsal);
  lb_json_put_bool(o, "can_be_submitted",
                   s->n[LB_MLPERF_ERROR] == 0 && !s->rehearsal &&
                       s->place.mode != LB_MLPERF_WHATIF);
  json_object_set_new(o, "remarks", counts(s->n));
  return o;
}

json_t *lb_mlperf_validation_json(const struct lb_mlperf_validation *v)
{
  json_t *o = json_object(), *remarks = json_array(), *parts = json_array();
  for (size_t i = 0; i < v->n; i++)
    json_array_append_new(remarks, remark_json(&v->remark[i]));
  for (size_t i = 0; i < v->n_submissions; i++)
    json_array_append_new(parts, submission_json(&v->submission[i]));
  lb_json_put_int(o, "schema_version", 1);
  lb_json_put_text(o, "style",
                   "MLPerf-style; no verdict of the benchmark's own checker");
  lb_json_put_bool(o, "passes", v->total[LB_MLPERF_ERROR] == 0);
  json_object_set_new(o, "remarks", remarks);
  json_object_set_new(o, "submissions", parts);
  json_object_set_new(o, "total", counts(v->total));
  return o;
}
