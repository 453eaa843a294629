/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A configuration for people: what it is, what the rules say about it, and the
 * merged parameters as the metadata has them. */
#include "lb-config.h"

#include "mlperf/config.h"

#include "loadbank/json.h"

void lb_mlperf_config_text(const struct lb_mlperf_args *args,
                           const struct lb_mlperf_config *c, struct lb_buf *out)
{
  char rehearsal[200];
  const char *class = lb_mlperf_class(c->hash);
  lb_buf_printf(out, "workload    %s (%s)\n", c->row->workload, c->path);
  lb_buf_printf(out, "division    %s, asked for as %s\n",
                lb_mlperf_verdict_names[c->findings.verdict],
                lb_mlperf_mode_names[args->mode]);
  if (c->hash_keys)
    lb_buf_printf(out, "core config %s, %s%s\n", c->hash,
                  class ? "class " : "of no class", class ? class : "");
  else
    lb_buf_puts(out, "core config unknown: this build has no hashes "
                     "(configure --with-nettle)\n");
  for (int i = 0; i < c->findings.n; i++) {
    const struct lb_mlperf_finding *f = &c->findings.f[i];
    lb_buf_printf(out, "%-11s rule %s: %s: %s\n",
                  lb_mlperf_verdict_names[f->verdict], f->rule, f->key,
                  f->message);
  }
  const struct lb_mlperf_scale scale = lb_mlperf_scale_of(args);
  lb_mlperf_rehearsal_text(&scale, rehearsal, sizeof rehearsal);
  if (*rehearsal)
    lb_buf_printf(out, "%s\n", rehearsal);
  for (int i = 0; i < c->n_overrides; i++)
    lb_buf_printf(out, "override    %s\n", c->override[i]);
  lb_json_text(out, c->parameters);
}
