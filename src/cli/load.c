/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From the operands to a workload.  Rank 0 finds and reads the text, every
 * rank loads the same bytes. */
#include "lb-config.h"

#include "cli/cli_impl.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "loadbank/config.h"
#include "loadbank/log.h"
#include "loadbank/world.h"

/* KEY=VALUE, +KEY=VALUE, ~KEY; a path may have a '=' after its first '/'. */
bool lb_is_override(const char *operand)
{
  return operand[0] == '+' || operand[0] == '~' ||
         operand[strcspn(operand, "=/")] == '=';
}

/* As a quoted YAML text, in which a quote is written twice. */
static void results_override(const char *folder, char out[LB_RESULTS_LEN])
{
  size_t n = (size_t)snprintf(out, LB_RESULTS_LEN, "output.folder='");
  for (const char *p = folder; *p; p++) {
    if (*p == '\'')
      out[n++] = '\'';
    out[n++] = *p;
  }
  memcpy(out + n, "'", 2);
}

static int take_operands(struct lb_loaded *l, const struct lb_cli *cli,
                         int first, struct lb_err *err)
{
  const char *command = cli->command->name;
  l->overrides = calloc((size_t)cli->n_operands + 1, sizeof *l->overrides);
  if (!l->overrides)
    return lb_err_set(err, LB_FAILED, "out of memory");
  for (int i = first; i < cli->n_operands; i++) {
    const char *operand = cli->operand[i];
    if (lb_is_override(operand))
      l->overrides[l->n_overrides++] = operand;
    else if (!l->what)
      l->what = operand;
    else
      return lb_err_set(err, LB_USAGE,
                        "%s: two workloads, '%.200s' and '%.200s'; overrides "
                        "are KEY=VALUE",
                        command, l->what, operand);
  }
  const char *named = lb_override_workload(l->overrides, l->n_overrides);
  if (named && l->what)
    return lb_err_set(err, LB_USAGE,
                      "%s: two workloads, '%.200s' and workload=%.200s",
                      command, l->what, named);
  l->what = named ? named : l->what;
  if (!l->what)
    return lb_err_set(err, LB_USAGE,
                      "%s: which workload? see loadbank workloads", command);
  if (cli->args.results[0]) {
    results_override(cli->args.results, l->results);
    l->overrides[l->n_overrides++] = l->results;
  }
  return 0;
}

int lb_read_workload(const struct lb_cli *cli, const char *what, char **text,
                     size_t *len, char path[PATH_MAX], struct lb_err *err)
{
  const char *dir = cli->args.config_dir;
  bool reads = !cli->world || cli->world->rank == 0;
  if (!lb_err_is_set(err) && reads && dir[0] && access(dir, R_OK | X_OK))
    lb_err_sys(err, LB_USAGE, errno, "--config-dir %s", dir);
  if (!lb_err_is_set(err) && reads)
    lb_workload_find(what, &dir, dir[0] != '\0', text, len, path, err);
  if (!cli->world)
    return -err->code;
  if (lb_world_bcast_text(cli->world, text, len, err) < 0)
    return -err->code;
  lb_world_bcast(cli->world, path, PATH_MAX);
  return 0;
}

/* Collective when there is a world. */
static void draw_seed(struct lb_workload *w, const struct lb_cli *cli)
{
  if (!w->derived.seed_is_random)
    return;
  uint64_t seed = lb_random_seed();
  if (cli->world)
    lb_world_bcast(cli->world, &seed, sizeof seed);
  lb_workload_set_seed(w, seed);
}

void lb_command_line(const struct lb_cli *cli, struct lb_buf *out)
{
  for (int i = 0; i < cli->argc; i++)
    lb_buf_printf(out, "%s%s", i ? " " : "", cli->argv[i]);
}

int lb_loaded_init(struct lb_loaded *l, struct lb_cli *cli, int first,
                   struct lb_err *err)
{
  char path[PATH_MAX] = "";
  *l = (struct lb_loaded){0};
  take_operands(l, cli, first, err);
  if (lb_read_workload(cli, l->what, &l->yaml, &l->yaml_len, path, err) < 0)
    return -err->code;
  if (!lb_workload_load(l->yaml, l->yaml_len, path, l->overrides,
                        l->n_overrides, &l->workload, err))
    lb_workload_read_files(l->workload, err);
  if (cli->world)
    lb_err_agree(cli->world, err, NULL);
  if (!lb_err_is_set(err))
    draw_seed(l->workload, cli);
  return -err->code;
}

void lb_loaded_fini(struct lb_loaded *l)
{
  lb_workload_free(l->workload);
  free(l->yaml);
  free(l->overrides);
  *l = (struct lb_loaded){0};
}
