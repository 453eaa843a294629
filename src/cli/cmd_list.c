/* SPDX-License-Identifier: GPL-3.0-or-later */
/* loadbank list: what this build has.  Every list is some module's table. */
#include "lb-config.h"

#include "cli/cli_impl.h"

#include <string.h>

#include "loadbank/checkpoint.h"
#include "loadbank/dist.h"
#include "loadbank/format.h"
#include "loadbank/iostats.h"
#include "loadbank/loader.h"
#include "loadbank/metric_table.h"
#include "loadbank/nearest.h"
#include "loadbank/storage.h"
#include "loadbank/summary.h"

static void put(struct lb_buf *out, const char *name, const char *doc,
                const char *unavailable)
{
  lb_buf_printf(out, "  %-16s %s\n", name, doc);
  if (unavailable)
    lb_buf_printf(out, "  %-16s not available: %s\n", "", unavailable);
}

static void put_formats(struct lb_buf *out)
{
  for (size_t i = 0; lb_formats[i]; i++)
    put(out, lb_formats[i]->name, lb_formats[i]->doc,
        lb_formats[i]->unavailable);
}

static void put_storage(struct lb_buf *out)
{
  for (size_t i = 0; lb_backends[i]; i++)
    put(out, lb_backends[i]->name, lb_backends[i]->doc,
        lb_backends[i]->unavailable);
}

static void put_loaders(struct lb_buf *out)
{
  for (size_t i = 0; lb_loaders[i]; i++)
    put(out, lb_loaders[i]->name, lb_loaders[i]->doc, NULL);
}

static void put_schemes(struct lb_buf *out)
{
  for (size_t i = 0; lb_checkpoint_schemes[i]; i++)
    put(out, lb_checkpoint_schemes[i]->name, lb_checkpoint_schemes[i]->doc,
        lb_checkpoint_schemes[i]->unavailable);
}

static void put_distributions(struct lb_buf *out)
{
  for (size_t i = 0; lb_dist_kinds[i]; i++)
    put(out, lb_dist_kinds[i]->name, lb_dist_kinds[i]->doc,
        lb_dist_kinds[i]->unavailable);
}

static void put_phases(struct lb_buf *out)
{
  for (size_t i = 0; i < LB_N_PHASES; i++)
    put(out, lb_phases[i].name, lb_phases[i].doc, NULL);
}

static void put_metrics(struct lb_buf *out)
{
  for (const struct lb_metric *m = lb_metrics_table; m->key; m++)
    lb_buf_printf(out, "  %s [%s]\n      %s\n", m->key,
                  m->unit && m->unit[0] ? m->unit : "-", m->doc);
}

static const struct {
  const char *name, *where;
  void (*put)(struct lb_buf *out);
} lists[] = {
    {"formats", "dataset.format", put_formats},
    {"storage", "storage.storage_type", put_storage},
    {"loaders", "reader.data_loader", put_loaders},
    {"schemes", "checkpoint.scheme", put_schemes},
    {"distributions", "type, in the map of a time", put_distributions},
    {"phases", "of the statistics of operations", put_phases},
    {"metrics", "keys of results", put_metrics},
};
enum { N_LISTS = sizeof lists / sizeof lists[0] };

int lb_cmd_list(struct lb_cli *cli, struct lb_err *err)
{
  const char *only = cli->n_operands > 0 ? cli->operand[0] : NULL;
  struct lb_nearest near = {.word = only ? only : ""};
  struct lb_buf text;
  char hint[LB_NEAREST_LEN];
  int rc = 0, found = 0;
  lb_buf_init(&text, 1 << 20);
  for (size_t i = 0; i < N_LISTS; i++) {
    lb_nearest_try(&near, lists[i].name);
    if (only && strcmp(only, lists[i].name) != 0)
      continue;
    lb_buf_printf(&text, "%s%s (%s):\n", found++ ? "\n" : "", lists[i].name,
                  lists[i].where);
    lists[i].put(&text);
  }
  lb_nearest_hint(&near, "; see loadbank list --help", hint);
  if (!found)
    rc = lb_err_set(err, LB_USAGE, "list: no list '%.60s'%s", only, hint);
  if (rc == 0)
    rc = lb_print(cli, &text, err);
  lb_buf_fini(&text);
  return rc;
}
