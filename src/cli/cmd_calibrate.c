/* SPDX-License-Identifier: GPL-3.0-or-later */
/* loadbank calibrate: what this client can do, and how many accelerators of a
 * workload it can emulate.  The measuring is in src/bench. */
#include "lb-config.h"

#include "cli/cli_impl.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>

#include "loadbank/bench.h"
#include "loadbank/calibrate.h"
#include "loadbank/format.h"
#include "loadbank/json.h"
#include "loadbank/log.h"
#include "loadbank/plan.h"
#include "loadbank/report.h"
#include "loadbank/scratch.h"
#include "loadbank/units.h"

enum { MAX_FORMATS = 64 };
/* All that is measured; the same on every rank. */
struct findings {
  struct lb_client_facts client;
  struct {
    const char *name;
    struct lb_delivery is;
  } format[MAX_FORMATS];
  int n_formats;
  struct lb_delivery step;
  const char *workload; /* NULL: none was named */
  struct lb_delivery delivery;
  struct lb_client_load load;
  struct lb_estimate estimate;
};

/* ---- measuring ---- */

/* Collective. */
static int measure_formats(struct lb_world *w, const char *folder,
                           struct findings *f, struct lb_err *err)
{
  int rc = 0;
  for (size_t i = 0; lb_formats[i] && !rc && f->n_formats < MAX_FORMATS; i++) {
    if (lb_formats[i]->unavailable)
      continue;
    f->format[f->n_formats].name = lb_formats[i]->name;
    rc = lb_calibrate_format(w, lb_formats[i]->name, folder,
                             &f->format[f->n_formats++].is, err);
  }
  return rc;
}

static struct lb_client client_of(const struct findings *f)
{
  const struct lb_client_facts *c = &f->client;
  return (struct lb_client){
      .ranks = c->ranks,
      .cores = c->cores,
      .read_bytes_per_core_s = c->read_one,
      .copy_bytes_per_s = c->copy_all * c->hosts,
      .operation_s = c->operation_s,
      .step_s = f->step.step_cpu_s,
      .late_s = (double)c->tailed.p95 / 1e9 + c->gate_s,
  };
}

/* Collective. */
static int measure_workload(struct lb_cli *cli, const char *folder,
                            const struct lb_loaded *l, struct findings *f,
                            struct lb_err *err)
{
  struct lb_calibrate_what what = {.yaml = l->yaml,
                                   .yaml_len = l->yaml_len,
                                   .name = l->what,
                                   .overrides = l->overrides,
                                   .n_overrides = l->n_overrides};
  int rc = lb_calibrate_workload(cli->world, &what, folder, &f->delivery,
                                 &f->load, err);
  if (rc)
    return rc;
  struct lb_client c = client_of(f);
  f->workload = l->what;
  f->estimate = lb_estimate_make(&c, &f->load);
  return 0;
}

/* Collective. */
static int measure(struct lb_cli *cli, const struct lb_loaded *l,
                   struct findings *f, struct lb_err *err)
{
  struct lb_world *w = cli->world;
  struct lb_scratch scratch;
  lb_bench_catch_signals(); /* what was made is removed */
  int rc = lb_scratch_make(&scratch, w, "calibrate", err);
  if (!rc)
    rc = lb_calibrate_client(w, scratch.root, &f->client, err);
  if (!rc)
    rc = lb_bench_signal(w);
  if (!rc)
    rc = lb_calibrate_step(w, scratch.folder, &f->step, err);
  if (!rc)
    rc = measure_formats(w, scratch.folder, f, err);
  if (!rc && l->workload)
    rc = measure_workload(cli, scratch.folder, l, f, err);
  lb_scratch_remove(&scratch, w);
  return rc;
}

/* ---- saying it ---- */

static void text_lateness(struct lb_buf *out, const char *what,
                          const struct lb_lateness *l)
{
  lb_plan_row(out, what, "p50 %.1f us, p95 %.1f us, max %.1f us late",
              (double)l->p50 / 1e3, (double)l->p95 / 1e3, (double)l->max / 1e3);
}

static void text_client(const struct findings *f, struct lb_buf *out)
{
  const struct lb_client_facts *c = &f->client;
  lb_plan_row(out, "client", "%d rank%s on %d host%s, %d core%s", c->ranks,
              lb_plural(c->ranks), c->hosts, lb_plural(c->hosts), c->cores,
              lb_plural(c->cores));
  lb_plan_row(out, "memory copy",
              "%.0f MiB/s by one thread, %.0f MiB/s by %d at once",
              c->copy_one / LB_MIB, c->copy_all / LB_MIB, c->copy_threads);
  lb_plan_row(out, "cached file",
              "%.0f MiB/s by one thread, %.2f us an operation",
              c->read_one / LB_MIB, c->operation_s * 1e6);
  text_lateness(out, "sleep", &c->plain);
  if (c->tail_ns)
    text_lateness(out, "sleep, tail spun", &c->tailed);
  else
    lb_plan_row(out, "tail", "no core is free for one");
  lb_plan_row(out, "gate", "%.2f us for %d rank%s", c->gate_s * 1e6, c->ranks,
              lb_plural(c->ranks));
  lb_plan_row(out, "system call", "%.3f us", c->call_s * 1e6);
  lb_plan_row(out, "data generation", "%.0f MiB/s by one thread",
              c->content_bytes_per_s / LB_MIB);
  lb_plan_row(out, "accelerator-step",
              "%.2f us of CPU time, a sample of 4 KiB included",
              f->step.step_cpu_s * 1e6);
}

static void text_delivery(const char *what, const struct lb_delivery *d,
                          struct lb_buf *out)
{
  lb_buf_printf(out, "  %-16s %12.0f %12.0f %12.3f\n", what, d->samples_per_s,
                d->bytes_per_s / LB_MIB, d->sample_cpu_s * 1e6);
}

static void text_most(const struct findings *f, struct lb_buf *out)
{
  const struct lb_estimate *e = &f->estimate;
  lb_buf_printf(out, "estimate for %s\n", f->workload);
  lb_buf_printf(out, "  %-16s %.3f us of CPU time\n", "a sample",
                e->sample_cpu_s * 1e6);
  if (!e->known) {
    lb_buf_puts(out, "  without compute there is no pace to hold: the rates "
                     "above are the limit\n");
    return;
  }
  for (int i = 0; i < LB_N_BOUNDS; i++)
    if (isfinite(e->accelerators[i]))
      lb_buf_printf(out, "  %-16s all used up by %.0f accelerator%s\n",
                    lb_bound_names[i], floor(e->accelerators[i]),
                    floor(e->accelerators[i]) == 1 ? "" : "s");
  lb_buf_printf(out,
                "  it can emulate   %lld accelerator%s, with half of its %s in "
                "reserve\n",
                (long long)e->most, lb_plural(e->most),
                lb_bound_names[e->first]);
  lb_buf_printf(out, "  a step ends late by %.2f %% of its compute%s\n",
                e->late_percent,
                e->precise ? "" : ": more than 2 %, the steps are too short");
  lb_buf_puts(out, "an estimate, not a promise: docs/usage.md says what it "
                   "takes for granted\n");
}

static void make_text(const struct findings *f, struct lb_buf *out)
{
  text_client(f, out);
  lb_buf_printf(out, "storage none       %12s %12s %12s\n", "samples/s",
                "MiB/s", "CPU us");
  for (int i = 0; i < f->n_formats; i++)
    text_delivery(f->format[i].name, &f->format[i].is, out);
  if (!f->workload)
    return;
  text_delivery("this workload", &f->delivery, out);
  text_most(f, out);
}

static json_t *json_lateness(const struct lb_lateness *l)
{
  json_t *o = json_object();
  lb_json_put_number(o, "p50_seconds", (double)l->p50 / 1e9);
  lb_json_put_number(o, "p95_seconds", (double)l->p95 / 1e9);
  lb_json_put_number(o, "max_seconds", (double)l->max / 1e9);
  return o;
}

static json_t *json_client(const struct findings *f)
{
  const struct lb_client_facts *c = &f->client;
  json_t *o = json_object();
  lb_json_put_int(o, "ranks", c->ranks);
  lb_json_put_int(o, "hosts", c->hosts);
  lb_json_put_int(o, "cores", c->cores);
  lb_json_put_number(o, "copy_one_MiB_per_second", c->copy_one / LB_MIB);
  lb_json_put_number(o, "copy_all_MiB_per_second", c->copy_all / LB_MIB);
  lb_json_put_int(o, "copy_threads", c->copy_threads);
  json_object_set_new(o, "sleep_late", json_lateness(&c->plain));
  json_object_set_new(o, "sleep_with_tail_late",
                      c->tail_ns ? json_lateness(&c->tailed) : json_null());
  lb_json_put_number(o, "tail_seconds", (double)c->tail_ns / 1e9);
  lb_json_put_number(o, "gate_seconds", c->gate_s);
  lb_json_put_number(o, "cached_read_MiB_per_second", c->read_one / LB_MIB);
  lb_json_put_number(o, "file_operation_seconds", c->operation_s);
  lb_json_put_number(o, "system_call_seconds", c->call_s);
  lb_json_put_number(o, "generation_MiB_per_second",
                     c->content_bytes_per_s / LB_MIB);
  lb_json_put_number(o, "step_cpu_seconds", f->step.step_cpu_s);
  return o;
}

static json_t *json_delivery(const struct lb_delivery *d)
{
  json_t *o = json_object();
  lb_json_put_number(o, "samples_per_second", d->samples_per_s);
  lb_json_put_number(o, "MiB_per_second", d->bytes_per_s / LB_MIB);
  lb_json_put_number(o, "sample_cpu_seconds", d->sample_cpu_s);
  return o;
}

static json_t *json_workload(const struct findings *f)
{
  const struct lb_estimate *e = &f->estimate;
  json_t *o = json_delivery(&f->delivery), *bounds = json_object();
  json_object_set_new(o, "workload", json_string(f->workload));
  lb_json_put_number(o, "compute_seconds", f->load.compute_s);
  lb_json_put_number(o, "batch", f->load.batch);
  lb_json_put_number(o, "sample_operations", f->load.sample_calls);
  lb_json_put_number(o, "sample_bytes_read", f->load.sample_copied);
  lb_json_put_number(o, "sample_cpu_seconds_in_all", e->sample_cpu_s);
  for (int i = 0; e->known && i < LB_N_BOUNDS; i++)
    lb_json_put_number(bounds, lb_bound_names[i], e->accelerators[i]);
  json_object_set_new(o, "accelerators_by", bounds);
  json_object_set_new(o, "first",
                      e->known ? json_string(lb_bound_names[e->first])
                               : json_null());
  json_object_set_new(o, "accelerators",
                      e->known ? json_integer(e->most) : json_null());
  lb_json_put_number(o, "late_percent", e->known ? e->late_percent : NAN);
  json_object_set_new(o, "precise",
                      e->known ? json_boolean(e->precise) : json_null());
  return o;
}

static int make_json(const struct findings *f, struct lb_buf *out,
                     struct lb_err *err)
{
  json_t *o = json_object(), *formats = json_object();
  json_object_set_new(o, "client", json_client(f));
  for (int i = 0; i < f->n_formats; i++)
    json_object_set_new(formats, f->format[i].name,
                        json_delivery(&f->format[i].is));
  json_object_set_new(o, "formats", formats);
  json_object_set_new(o, "estimate",
                      f->workload ? json_workload(f) : json_null());
  char *text = json_dumps(o, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
  json_decref(o);
  if (!text)
    return lb_err_set(err, LB_FAILED, "the findings as JSON: out of memory");
  lb_buf_puts(out, text);
  lb_buf_puts(out, "\n");
  free(text);
  return 0;
}

static int print(struct lb_cli *cli, const struct findings *f,
                 struct lb_err *err)
{
  struct lb_buf text;
  int rc = 0;
  lb_buf_init(&text, 1 << 20);
  if (cli->args.format == LB_OUTPUT_JSON)
    rc = make_json(f, &text, err);
  else
    make_text(f, &text);
  if (!rc)
    lb_print(cli, &text, err);
  lb_buf_fini(&text);
  return lb_err_agree(cli->world, err, NULL);
}

/* Collective. */
int lb_cmd_calibrate(struct lb_cli *cli, struct lb_err *err)
{
  struct lb_loaded loaded = {0};
  struct findings f = {.n_formats = 0};
  int rc = 0;
  if (cli->args.format == LB_OUTPUT_CSV)
    return lb_err_set(err, LB_USAGE,
                      "calibrate: --format csv is for results; text and json "
                      "are allowed");
  if (cli->n_operands)
    rc = lb_loaded_init(&loaded, cli, 0, err);
  /* What the runs warn of is how they are meant: short, nothing to read. */
  lb_log_speaker(false, "");
  if (!rc)
    rc = measure(cli, &loaded, &f, err);
  lb_log_speaker(!cli->silent, "");
  if (!rc)
    rc = print(cli, &f, err);
  lb_loaded_fini(&loaded);
  return rc;
}
