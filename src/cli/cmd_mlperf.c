/* SPDX-License-Identifier: GPL-3.0-or-later */
/* loadbank mlperf: one program in two roles.  Alone, it checks what is asked
 * for and does it, or becomes the launcher of the ranks that do; started by a
 * launcher, it is one of these.  The doing is in src/mlperf. */
#include "lb-config.h"

#include "cli/cli_impl.h"

#include <stdlib.h>
#include <unistd.h>

#include "loadbank/log.h"
#include "loadbank/mlperf_cli.h"
#include "loadbank/mlperf_launch.h"
#include "loadbank/world.h"

/* Will this process do the work itself, as a rank? */
static bool is_rank(const struct lb_mlperf_call *call)
{
  char host[256] = "";
  int rank, size;
  if (!call->verb->launches || call->args.dry_run)
    return false;
  gethostname(host, sizeof host - 1);
  return call->args.launched || lb_world_launched(&rank, &size) ||
         lb_mlperf_alone(&call->args, host);
}

int lb_cmd_mlperf_parse(struct lb_cli *cli, struct lb_err *err)
{
  cli->mlperf = calloc(1, sizeof *cli->mlperf);
  if (!cli->mlperf)
    return lb_err_set(err, LB_FAILED, "out of memory");
  int rc = lb_mlperf_parse(cli->argc - 2, cli->argv + 2, cli->mlperf, err);
  if (rc || cli->mlperf->help)
    return rc;
  cli->mpi = is_rank(cli->mlperf);
  cli->args.log_ranks = cli->mlperf->args.debug;
  return 0;
}

static void warn_ignored(const struct lb_mlperf_call *call)
{
  char name[LB_MLPERF_FLAG_LEN];
  for (int i = 0; lb_mlperf_flags[i].option.key; i++)
    if (call->text[i] && lb_mlperf_flags[i].option.ignored) {
      lb_mlperf_flag_name(&lb_mlperf_flags[i], name);
      lb_warn("%s is ignored: %s", name, lb_mlperf_flags[i].option.ignored);
    }
}

static int absent(const struct lb_mlperf_call *call, struct lb_err *err)
{
  return lb_err_set(err, LB_USAGE, "mlperf: %s: not in this build",
                    call->verb->words);
}

/* A command that is not in the history is carried out all the same. */
static void record(const struct lb_mlperf_call *call)
{
  struct lb_err err = LB_ERR_INIT;
  if (lb_mlperf_history_add(call->args.results_dir, call->command_line, &err))
    lb_warn("not in the history: %s", err.msg);
}

/* ---- alone ---- */

/* All that can be wrong is found before the history knows of it. */
static int launch(struct lb_mlperf_call *call, struct lb_err *err)
{
  const char **argv;
  if (lb_mlperf_check(&call->args, err) ||
      lb_mlperf_launch_make(call, &argv, err))
    return -err->code;
  record(call);
  return lb_mlperf_launch(argv, err);
}

static int by_itself(struct lb_mlperf_call *call, struct lb_err *err)
{
  const struct lb_mlperf_verb *v = call->verb;
  bool dry = call->args.dry_run;
  warn_ignored(call);
  if (!v->run && !v->launches)
    return absent(call, err);
  if (v->writes &&
      lb_mlperf_sentinel_read(call->args.results_dir, call->org, err))
    return -err->code;
  if (v->launches)
    return dry ? lb_mlperf_configview(call, err) : launch(call, err);
  if (v->writes && !dry)
    record(call);
  return v->run(call, err);
}

/* ---- as one of the ranks ---- */

/* Collective. */
static int as_rank(struct lb_mlperf_call *call, struct lb_err *err)
{
  const struct lb_world *w = call->world;
  bool first = w->rank == 0;
  if (lb_mlperf_check_ranks(&call->args, w->n_ranks, err))
    return -err->code;
  if (first && lb_mlperf_sentinel_read(call->args.results_dir, call->org, err))
    lb_err_wrap(err, "mlperf");
  if (lb_err_agree(w, err, NULL))
    return -err->code;
  if (!call->verb->run)
    return absent(call, err);
  lb_world_bcast(w, call->org, sizeof call->org);
  if (first && !call->args.launched) {
    warn_ignored(call);
    record(call);
  }
  return call->verb->run(call, err);
}

/* Collective when this is a rank. */
int lb_cmd_mlperf(struct lb_cli *cli, struct lb_err *err)
{
  struct lb_mlperf_call *call = cli->mlperf;
  bool quiet = call->args.quiet;
  int rc = 0;
  call->world = cli->world;
  call->silent = cli->silent;
  if (!call->world)
    lb_log_speaker(!cli->silent && !quiet, "");
  else if (quiet)
    lb_log_speaker(false, "");
  lb_log_verbose(call->args.verbose || call->args.debug);
  if (call->help)
    lb_help_mlperf(call, &call->out);
  else
    rc = call->world ? as_rank(call, err) : by_itself(call, err);
  if (quiet)
    lb_log_speaker(!cli->silent, "");
  if (rc >= 0 && !(quiet && call->world) && lb_print(cli, &call->out, err))
    rc = -err->code;
  return rc;
}
