/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A comparison for people. */
#include "lb-config.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "loadbank/compare.h"

enum { CELL_LEN = 80, MOST_DIFFERENCES = 12, MOST_LEFT_OUT = 20 };

/* "17.69 +- 0.5 (10)": mean, half of its 95 % interval, of how many. */
static void put_mean(char out[CELL_LEN], const struct lb_mean *m)
{
  if (m->n > 1)
    snprintf(out, CELL_LEN, "%.5g +- %.2g", m->mean,
             lb_mean_half_width(m, 0.95));
  else
    snprintf(out, CELL_LEN, "%.5g", m->mean);
}

static void put_ratio(char out[CELL_LEN], const struct lb_judgement *j)
{
  if (!isfinite(j->ratio))
    snprintf(out, CELL_LEN, "-");
  else if (j->basis == LB_BASIS_NONE)
    snprintf(out, CELL_LEN, "%.4g", j->ratio);
  else if (isinf(j->ends[0]) || isinf(j->ends[1]))
    snprintf(out, CELL_LEN, "%.4g (no bounds)", j->ratio);
  else
    snprintf(out, CELL_LEN, "%.4g (%.4g .. %.4g)", j->ratio, j->ends[0],
             j->ends[1]);
}

static void put_cause(struct lb_buf *out, const struct lb_judgement *j,
                      const struct lb_match *m)
{
  const struct lb_cause *c = &j->cause;
  const char *by = lb_result_text(m->b.run[0], "loadbank.limited_by");
  if (!c->operation) {
    lb_buf_printf(out,
                  "    no operation of phase %s took longer; limited by: %s\n",
                  c->phase, by ? by : "unknown");
    return;
  }
  lb_buf_printf(out,
                "    because of %s in phase %s%s%s%s: %+.4g s in a run, %.0f "
                "%% of what took longer;\n",
                c->operation, c->phase, c->files ? " (" : "",
                c->files ? c->files : "", c->files ? " files)" : "", c->extra_s,
                100 * c->share);
  if (isfinite(c->count_ratio))
    lb_buf_printf(out,
                  "    %.4g times as many, each %.4g s instead of %.4g s\n",
                  c->count_ratio, c->latency_s[1], c->latency_s[0]);
  else
    lb_buf_printf(out, "    there were none before; each %.4g s\n",
                  c->latency_s[1]);
}

/* Rows of the same phase have the same cause. */
static bool said_before(const struct lb_judgement *j, const struct lb_match *m)
{
  for (const struct lb_judgement *k = m->judgement; k < j; k++)
    if (k->verdict == LB_VERDICT_WORSE && k->cause.phase == j->cause.phase)
      return true;
  return false;
}

/* What a row says before its verdict. */
enum { NAME, OF_A, OF_B, RATIO, N_CELLS };
struct row {
  char cell[N_CELLS][CELL_LEN];
};

static struct row row_of(const struct lb_judgement *j)
{
  struct row r;
  snprintf(r.cell[NAME], CELL_LEN, "%s (%s)", j->quantity->label,
           j->quantity->unit);
  put_mean(r.cell[OF_A], &j->a);
  put_mean(r.cell[OF_B], &j->b);
  put_ratio(r.cell[RATIO], j);
  return r;
}

/* As wide as their longest, in all tables. */
struct columns {
  int width[N_CELLS];
};

static struct columns columns_of(const struct lb_comparison *c)
{
  struct columns w = {{37, 20, 20, 28}};
  for (size_t i = 0; i < c->n; i++)
    for (size_t k = 0; k < c->match[i].n; k++) {
      struct row r = row_of(&c->match[i].judgement[k]);
      for (int cell = 0; cell < N_CELLS; cell++) {
        int n = (int)strlen(r.cell[cell]);
        w.width[cell] = n > w.width[cell] ? n : w.width[cell];
      }
    }
  return w;
}

static void put_line(struct lb_buf *out, const struct columns *w,
                     const char *const cell[N_CELLS], const char *verdict)
{
  lb_buf_puts(out, " ");
  for (int i = 0; i < N_CELLS; i++)
    lb_buf_printf(out, " %-*s", w->width[i], cell[i]);
  lb_buf_printf(out, " %s\n", verdict);
}

static void put_row(struct lb_buf *out, const struct columns *w,
                    const struct lb_judgement *j, const struct lb_match *m)
{
  const struct row r = row_of(j);
  const char *const cell[N_CELLS] = {r.cell[NAME], r.cell[OF_A], r.cell[OF_B],
                                     r.cell[RATIO]};
  put_line(out, w, cell, lb_verdict_names[j->verdict]);
  if (j->verdict == LB_VERDICT_WORSE && !said_before(j, m))
    put_cause(out, j, m);
}

static void put_rows(struct lb_buf *out, const struct columns *w,
                     const struct lb_match *m, bool counts, const char *title)
{
  const char *const head[N_CELLS] = {title, "A", "B", "B / A"};
  bool begun = false;
  for (size_t i = 0; i < m->n; i++) {
    if (m->judgement[i].counts != counts)
      continue;
    if (!begun)
      put_line(out, w, head, "verdict");
    begun = true;
    put_row(out, w, &m->judgement[i], m);
  }
}

static enum lb_basis basis_of(const struct lb_match *m)
{
  enum lb_basis most = LB_BASIS_NONE;
  for (size_t i = 0; i < m->n; i++)
    if (m->judgement[i].counts && m->judgement[i].basis > most)
      most = m->judgement[i].basis;
  return most;
}

static const char *const basis_texts[LB_N_BASES] = {
    [LB_BASIS_NONE] = "single values say nothing of how much they vary: repeat "
                      "the runs",
    [LB_BASIS_RUNS] = NULL,
    [LB_BASIS_ONE] = "a single run is held against the spread of the other "
                     "side's runs",
    [LB_BASIS_PARTS] = "single runs: by the spread of their own epochs or "
                       "checkpoints; what varies from\n  run to run is not in "
                       "it",
};

static void put_versions(struct lb_buf *out, const struct lb_match *m)
{
  const char *a = m->a.run[0]->version, *b = m->b.run[0]->version;
  if (strcmp(a, b) != 0)
    lb_buf_printf(out, "  loadbank is %s in A, %s in B\n", a, b);
}

static void put_differences(struct lb_buf *out, const struct lb_match *m)
{
  for (size_t i = 0; i < m->n_differs && i < MOST_DIFFERENCES; i++) {
    const struct lb_difference *d = &m->differs[i];
    lb_buf_printf(out, "  %s is %s in A, %s in B\n", d->key,
                  d->a ? d->a : "not there", d->b ? d->b : "not there");
  }
  if (m->n_differs > MOST_DIFFERENCES)
    lb_buf_printf(out, "  and %zu more keys differ\n",
                  m->n_differs - MOST_DIFFERENCES);
}

/* What the client made late says little about the storage. */
static void put_clients(struct lb_buf *out, const struct lb_match *m)
{
  size_t a = lb_group_client_bound(&m->a), b = lb_group_client_bound(&m->b);
  if (a || b)
    lb_buf_printf(out,
                  "  the client was the limit in %zu of A's runs and %zu of "
                  "B's: they say little about the storage\n",
                  a, b);
}

/* What the two are of; of both where --allow-mismatch let them differ. */
static void put_title(struct lb_buf *out, const struct lb_result *a,
                      const struct lb_result *b)
{
  lb_buf_printf(out, "\n%s", a->workload);
  if (strcmp(a->workload, b->workload) != 0)
    lb_buf_printf(out, " against %s", b->workload);
  lb_buf_printf(out, ", %" PRId64 " %s", a->accelerators,
                a->accelerators == 1 ? "accelerator" : "accelerators");
  if (a->accelerators != b->accelerators)
    lb_buf_printf(out, " against %" PRId64, b->accelerators);
  if (strcmp(a->name, ".") != 0)
    lb_buf_printf(out, ", %s", a->name);
}

static void put_match(struct lb_buf *out, const struct columns *w,
                      const struct lb_match *m)
{
  put_title(out, m->a.run[0], m->b.run[0]);
  lb_buf_printf(out, ": %zu %s of A against %zu of B: %s\n", m->a.n,
                m->a.n == 1 ? "run" : "runs", m->b.n,
                lb_verdict_names[m->verdict]);
  put_versions(out, m);
  put_differences(out, m);
  put_clients(out, m);
  if (basis_texts[basis_of(m)])
    lb_buf_printf(out, "  %s\n", basis_texts[basis_of(m)]);
  put_rows(out, w, m, true, "");
  put_rows(out, w, m, false, "does not count:");
}

static void put_set(struct lb_buf *out, const struct lb_compared *c, int side)
{
  const struct lb_results *s = c->set[side];
  size_t bad = 0;
  for (size_t i = 0; i < s->n; i++)
    bad += s->result[i].state != LB_RESULT_COMPLETE;
  lb_buf_printf(out, "%c  %s: %zu complete", "AB"[side], c -> name[side],
                s -> n - bad);
  lb_buf_printf(out, bad ? ", %zu left out:\n" : "\n", bad);
  for (size_t i = 0, said = 0; i < s->n && said < MOST_LEFT_OUT; i++) {
    const struct lb_result *r = &s->result[i];
    if (r->state == LB_RESULT_COMPLETE)
      continue;
    lb_buf_printf(out, "     %s is %s: %s\n", r->path,
                  lb_result_state_names[r->state], r->reason);
    said++;
  }
  if (bad > MOST_LEFT_OUT)
    lb_buf_printf(out, "     and %zu more\n", bad - MOST_LEFT_OUT);
  for (size_t i = 0; i < c->result->n_alone[side]; i++)
    lb_buf_printf(out, "     %s: nothing to compare it with\n",
                  c->result->alone[side][i]->path);
}

void lb_comparison_text(const struct lb_compared *c, struct lb_buf *out)
{
  if (!c->name[0]) {
    lb_buf_printf(out, "nothing to compare with; kept as %s\n", c->kept);
    return;
  }
  put_set(out, c, 0);
  put_set(out, c, 1);
  const struct columns w = columns_of(c->result);
  for (size_t i = 0; i < c->result->n; i++)
    put_match(out, &w, &c->result->match[i]);
  lb_buf_printf(out, "\nB is %s%s (tolerance %.4g %%)\n",
                lb_verdict_names[c->result->verdict],
                c->result->verdict == LB_VERDICT_SAME ? " as A" : "",
                100 * c->result->tolerance);
  if (c->kept)
    lb_buf_printf(out, "kept as %s\n", c->kept);
}
