/* SPDX-License-Identifier: GPL-3.0-or-later */
/* loadbank selftest: runs with known answers, and how far off they were. */
#include "lb-config.h"

#include "cli/cli_impl.h"

#include <math.h>
#include <stdio.h>

#include "loadbank/log.h"
#include "loadbank/nearest.h"
#include "loadbank/scratch.h"
#include "loadbank/selftest.h"
#include "loadbank/units.h"

/* What is done so far. */
struct session {
  struct lb_cli *cli;
  struct lb_scratch scratch; /* for results */
  struct lb_buf text;        /* that is not printed yet */
  int done, off;
};

static bool is_json(const struct session *s)
{
  return s->cli->args.format == LB_OUTPUT_JSON;
}

static int check_names(const struct lb_cli *cli, struct lb_err *err)
{
  for (int i = 0; i < cli->n_operands; i++) {
    if (lb_selftest_find(cli->operand[i]))
      continue;
    struct lb_nearest near = {.word = cli->operand[i]};
    char hint[LB_NEAREST_LEN];
    for (const struct lb_selftest_case *c = lb_selftest_cases; c->name; c++)
      lb_nearest_try(&near, c->name);
    lb_nearest_hint(&near, "; see docs/accuracy.md", hint);
    return lb_err_set(err, LB_USAGE, "selftest: unknown case '%.60s'%s",
                      cli->operand[i], hint);
  }
  if (cli->args.format == LB_OUTPUT_CSV)
    return lb_err_set(err, LB_USAGE,
                      "selftest: --format csv is for results; text and json "
                      "are allowed");
  return 0;
}

static void json_number(struct lb_buf *out, const char *key, double v)
{
  char number[LB_REAL_LEN] = "null";
  if (isfinite(v))
    lb_format_real(v, number);
  lb_buf_printf(out, ", \"%s\": %s", key, number);
}

static void add_json(struct session *s, const struct lb_selftest_case *c,
                     int accelerators, const struct lb_selftest_result *r)
{
  struct lb_buf *out = &s->text;
  lb_buf_printf(out, "%s\n  {\"case\": \"%s\", \"accelerators\": %d",
                s->done ? "," : "{\"cases\": [", c->name, accelerators);
  lb_buf_printf(out, ", \"unit\": \"%s\"", c->unit);
  json_number(out, "expected", r->expected);
  json_number(out, "measured", r->measured);
  json_number(out, "difference", r->measured - r->expected);
  json_number(out, "tolerance", r->tolerance);
  json_number(out, "busy", r->busy);
  lb_buf_printf(out, ", \"tries\": %d, \"good\": %s}", r->tries,
                r->good ? "true" : "false");
}

static void add_text(struct session *s, const struct lb_selftest_case *c,
                     int accelerators, const struct lb_selftest_result *r)
{
  struct lb_buf *out = &s->text;
  if (s->done == 0)
    lb_buf_printf(out, "%-15s %12s %10s %10s %10s %9s %-6s\n", "case",
                  "accelerators", "expected", "measured", "difference",
                  "allowed", "unit");
  lb_buf_printf(out, "%-15s %12d %10.3f %10.3f %+10.3f %9.3f %-6s %s", c->name,
                accelerators, r->expected, r->measured,
                r->measured - r->expected, r->tolerance, c->unit,
                r->good ? "ok" : "OFF");
  if (r->tries > 1)
    lb_buf_printf(out, ", %d tries on a busy machine", r->tries);
  lb_buf_puts(out, "\n");
}

/* Collective.  The case with every number of accelerators. */
static int try_case(struct session *s, const struct lb_selftest_case *c,
                    struct lb_err *err)
{
  struct lb_world *w = s->cli->world;
  int rc = 0, n;
  for (int i = 0; !rc && (n = lb_selftest_accelerators(w->n_ranks, i)) > 0;
       i++) {
    struct lb_selftest_result r;
    rc = lb_selftest_try(w, c, n, s->scratch.folder, &r, err);
    if (rc)
      break;
    (is_json(s) ? add_json : add_text)(s, c, n, &r);
    s->done++;
    s->off += !r.good;
    if (is_json(s))
      continue;
    lb_print(s->cli, &s->text, err);
    lb_buf_reset(&s->text);
    rc = lb_err_agree(w, err, NULL);
  }
  return rc;
}

static int try_all(struct session *s, struct lb_err *err)
{
  const struct lb_cli *cli = s->cli;
  int rc = 0;
  if (cli->n_operands == 0)
    for (const struct lb_selftest_case *c = lb_selftest_cases; c->name && !rc;
         c++)
      rc = try_case(s, c, err);
  for (int i = 0; i < cli->n_operands && !rc; i++)
    rc = try_case(s, lb_selftest_find(cli->operand[i]), err);
  return rc;
}

static int conclude(struct session *s, struct lb_err *err)
{
  if (is_json(s))
    lb_buf_printf(&s->text, "\n ],\n \"off\": %d\n}\n", s->off);
  else
    lb_buf_printf(&s->text, "%d of %d figures are as they must be\n",
                  s->done - s->off, s->done);
  lb_print(s->cli, &s->text, err);
  if (lb_err_agree(s->cli->world, err, NULL))
    return -err->code;
  if (s->off) /* all ranks say so: no one is to blame */
    return lb_err_set(err, LB_FAILED, "selftest: %d of %d figures are off",
                      s->off, s->done);
  return 0;
}

/* Collective. */
int lb_cmd_selftest(struct lb_cli *cli, struct lb_err *err)
{
  struct session s = {.cli = cli};
  int rc = check_names(cli, err);
  if (rc)
    return rc; /* the same on every rank */
  lb_buf_init(&s.text, 1 << 20);
  rc = lb_scratch_make(&s.scratch, cli->world, "selftest", err);
  /* What runs warn of is part of the cases: nothing to read, no accelerator
   * that computes. */
  lb_log_speaker(false, "");
  if (!rc)
    rc = try_all(&s, err);
  lb_log_speaker(!cli->silent, "");
  if (!rc)
    rc = conclude(&s, err);
  lb_scratch_remove(&s.scratch, cli->world);
  lb_buf_fini(&s.text);
  return rc;
}
