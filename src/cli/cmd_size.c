/* SPDX-License-Identifier: GPL-3.0-or-later */
/* loadbank size: how many accelerators the storage feeds, or whether it takes
 * checkpoints fast enough.  The measuring is in src/bench/size*.c. */
#include "lb-config.h"

#include "cli/cli_impl.h"
#include "cli/size_folder.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "loadbank/clock.h"
#include "loadbank/config.h"
#include "loadbank/log.h"
#include "loadbank/report.h"
#include "loadbank/size.h"
#include "loadbank/size_saves.h"
#include "loadbank/sweep.h"
#include "loadbank/units.h"
#include "loadbank/wholefile.h"
#include "loadbank/world.h"

enum { MAX_OUTPUT = 4 << 20 };

struct session {
  struct lb_cli *cli;
  struct lb_loaded loaded;
  double time_limit_s;      /* 0: none */
  char *folder;             /* for results, once it is made; on every rank */
  struct lb_size_folder at; /* rank 0's: the same */
  struct lb_buf text, json; /* rank 0's: to be printed, and written */
};

/* ---- before ---- */

static int check_args(const struct lb_args *a, double *time_limit_s,
                      struct lb_err *err)
{
  *time_limit_s = 0;
  if (a->time_limit[0] && lb_sweep_time_limit(a->time_limit, time_limit_s, err))
    return -err->code;
  if (a->format == LB_OUTPUT_CSV)
    return lb_err_set(err, LB_USAGE,
                      "size: --format csv is for results; text and json are "
                      "allowed");
  if (a->checkpoint && (a->every <= 0 || a->at_most <= 0))
    return lb_err_set(err, LB_USAGE,
                      "size: --checkpoint needs --every MINUTES and --at-most "
                      "PERCENT, both above 0");
  if (!a->checkpoint && (a->every > 0 || a->at_most > 0))
    return lb_err_set(err, LB_USAGE,
                      "size: --every and --at-most are for --checkpoint");
  return 0;
}

/* Collective. */
static const char *open_folder(void *arg, uint64_t hash, struct lb_err *err)
{
  struct session *s = arg;
  size_t len = 0;
  const struct lb_workload *w = s->loaded.workload;
  if (s->cli->world->rank == 0 &&
      !lb_size_folder_open(&s->at, w->output.folder, w->name, hash,
                           s->cli->args.force, err)) {
    s->folder = s->at.path;
    len = strlen(s->folder);
  }
  return lb_world_bcast_text(s->cli->world, &s->folder, &len, err) ? NULL
                                                                   : s->folder;
}

/* ---- after each run ---- */

static bool tells(const struct lb_cli *cli)
{
  return !cli->silent &&
         (cli->args.progress == LB_PROGRESS_ALWAYS ||
          (cli->args.progress == LB_PROGRESS_AUTO && isatty(STDERR_FILENO)));
}

static int write_json(const struct session *s, const struct lb_buf *json,
                      struct lb_err *err)
{
  if (json->failed)
    return lb_err_set(err, LB_FAILED, LB_SIZE_RESULT ": too large");
  return lb_write_file(s->folder, LB_SIZE_RESULT, json->data, json->len, err);
}

/* What is there of an answer, for the job that goes on if this one is killed;
 * and a line for people. */
static int keep(void *arg, const struct lb_size_result *r, struct lb_err *err)
{
  struct session *s = arg;
  const struct lb_size_point *p = &r->search.point[r->search.n_points - 1];
  struct lb_buf json;
  lb_buf_init(&json, MAX_OUTPUT);
  if (!lb_size_json(r, NULL, 0, &json, err))
    write_json(s, &json, err);
  lb_buf_fini(&json);
  if (tells(s->cli))
    fprintf(stderr,
            "loadbank: run %d: %" PRId64 " accelerator%s: AU %.2f %% (%.2f .. "
            "%.2f), %s\n",
            r->runs, p->n, lb_plural(p->n), p->au, p->low, p->high,
            lb_size_side_names[p->side]);
  return -err->code;
}

static int keep_saves(void *arg, const struct lb_size_saves *saves,
                      struct lb_err *err)
{
  struct lb_buf json;
  lb_buf_init(&json, MAX_OUTPUT);
  if (!lb_size_saves_json(saves, &json, err))
    write_json(arg, &json, err);
  lb_buf_fini(&json);
  return -err->code;
}

/* ---- measuring ---- */

static struct lb_size_ask ask(struct session *s, const char *command_line)
{
  const struct lb_args *a = &s->cli->args;
  const struct lb_loaded *l = &s->loaded;
  int64_t given = a->accelerators ? a->accelerators : s->cli->world->n_ranks;
  return (struct lb_size_ask){
      .yaml = l->yaml,
      .yaml_len = l->yaml_len,
      .name = l->what,
      .overrides = l->overrides,
      .n_overrides = l->n_overrides,
      .max = a->max ? a->max : given,
      .au = 100 * a->au,
      .min_seconds = a->min_seconds,
      .min_steps = a->min_steps,
      .max_repeats = (int)a->max_repeats,
      .dry = a->dry_run,
      .time_limit_s = s->time_limit_s,
      .run = {.command_line = command_line,
              .allow_mismatch = a->allow_mismatch,
              .force = a->force,
              .regenerate = a->regenerate,
              .progress = LB_PROGRESS_NEVER,
              .gate_timeout_s = a->gate_timeout,
              .max_threads = a->max_threads},
      .keep = keep,
      .open = open_folder,
      .arg = s,
  };
}

/* The answer is about the client when that was the limit. */
static int judge(const struct lb_size_result *r, bool require_au,
                 struct lb_err *err)
{
  int decisive = r->answer.decisive;
  if (decisive >= 0 && lb_size_blames_client(r, decisive)) {
    err->named = true;
    return lb_err_set(err, LB_FAILED,
                      "size: with %" PRId64
                      " accelerator%s the client was the limit, not the "
                      "storage: more ranks, hosts or processors are needed, or "
                      "fewer readers (loadbank calibrate)",
                      r->search.point[decisive].n,
                      lb_plural(r->search.point[decisive].n));
  }
  if (r->end == LB_SIZE_TIME)
    return LB_UNFINISHED;
  return require_au && r->end != LB_SIZE_DRY && r->answer.meets < r->search.max
             ? LB_AU_UNMET
             : 0;
}

/* Collective. */
static int size_accelerators(struct session *s, const struct lb_size_ask *a,
                             struct lb_err *err)
{
  const struct lb_cli *cli = s->cli;
  struct lb_size_result *r = calloc(1, sizeof *r);
  struct lb_size_other others[LB_SIZE_OTHERS];
  const char *dir = cli->args.config_dir;
  if (!r)
    lb_err_set(err, LB_FAILED, "out of memory");
  int rc = lb_err_agree(cli->world, err, NULL);
  if (!rc && r)
    rc = lb_size_run(cli->world, a, r, err);
  if (r && cli->world->rank == 0 && (rc >= 0 || r->runs > 0)) {
    int n = lb_size_others(r, &dir, dir[0] != '\0', others);
    lb_size_text(r, others, n, &s->text);
    lb_size_json(r, others, n, &s->json, err);
  }
  if (!rc && r)
    rc = judge(r, cli->args.require_au, err);
  if (r)
    lb_size_result_fini(r);
  free(r);
  return rc;
}

/* Collective. */
static int size_saves(struct session *s, const struct lb_size_ask *a,
                      struct lb_err *err)
{
  const struct lb_args *args = &s->cli->args;
  struct lb_size_saves saves;
  struct lb_size_pace pace = {.every_s = 60 * args->every,
                              .at_most = args->at_most};
  int rc = lb_size_save(s->cli->world, a, &pace, keep_saves, &saves, err);
  if (s->cli->world->rank == 0 && (rc >= 0 || saves.runs > 0)) {
    lb_size_saves_text(&saves, &s->text);
    lb_size_saves_json(&saves, &s->json, err);
  }
  lb_size_saves_fini(&saves);
  if (!rc && saves.end == LB_SIZE_TIME)
    return LB_UNFINISHED;
  return !rc && args->require_au && saves.end != LB_SIZE_DRY &&
                 saves.side != LB_SIDE_MEETS
             ? LB_AU_UNMET
             : rc;
}

/* ---- after ---- */

/* Rank 0.  What took hours is said, even if it cannot be written. */
static int show(struct session *s, struct lb_err *err)
{
  bool json = s->cli->args.format == LB_OUTPUT_JSON;
  if (s->folder)
    write_json(s, &s->json, err);
  if (s->folder && !json && !err->code)
    lb_buf_printf(&s->text, "Results: %s\n", s->folder);
  lb_print(s->cli, json ? &s->json : &s->text, err);
  return -err->code;
}

/* Collective.  Findings that are less than they should be are shown, too. */
static int measure(struct session *s, struct lb_err *err)
{
  struct lb_buf line;
  struct lb_err shown = LB_ERR_INIT;
  lb_buf_init(&line, 1 << 20);
  lb_command_line(s->cli, &line);
  struct lb_size_ask a = ask(s, line.data ? line.data : "loadbank");
  int rc = s->cli->args.checkpoint ? size_saves(s, &a, err)
                                   : size_accelerators(s, &a, err);
  if (s->json.len)
    show(s, &shown);
  if (lb_err_agree(s->cli->world, &shown, NULL) && rc >= 0) {
    *err = shown;
    rc = -shown.code;
  }
  lb_buf_fini(&line);
  return rc;
}

/* Collective. */
int lb_cmd_size(struct lb_cli *cli, struct lb_err *err)
{
  struct session s = {.cli = cli, .at.claim = -1};
  int rc =
      check_args(&cli->args, &s.time_limit_s, err); /* the same on every rank */
  if (rc)
    return rc;
  lb_log_verbose(cli->args.verbose);
  lb_buf_init(&s.text, MAX_OUTPUT);
  lb_buf_init(&s.json, MAX_OUTPUT);
  rc = lb_loaded_init(&s.loaded, cli, 0, err);
  if (!rc)
    rc = measure(&s, err);
  lb_size_folder_close(&s.at);
  free(s.folder ? s.folder : s.at.path);
  lb_loaded_fini(&s.loaded);
  lb_buf_fini(&s.text);
  lb_buf_fini(&s.json);
  return rc;
}
