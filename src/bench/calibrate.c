/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the loader delivers, measured by lb_bench_measure like any other run,
 * with storage that answers at once and no compute: what is left is the
 * emulator's own cost. */
#include "lb-config.h"

#include "loadbank/calibrate.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lines.h"
#include "loadbank/bench.h"
#include "loadbank/config.h"
#include "loadbank/point.h"
#include "loadbank/scratch.h"

/* A run first finds out how fast it is, then lasts about that long. */
static const double run_s = 0.4;
enum {
  PILOT_SAMPLES = 4096, /* of a rank */
  MAX_K = 16,           /* accelerators of a rank */
  MAX_STEPS = 1000000,
  MAX_TEXT = 1 << 16,
  MAX_LINES = 24
};

/* Formats are compared with samples of 128 KiB, four a step. */
static const char formats_yaml[] =
    "model: {name: calibrate}\n"
    "framework: pytorch\n"
    "dataset: {data_folder: data, record_length_bytes: 128KiB}\n"
    "reader: {data_loader: pytorch, batch_size: 4, read_threads: 4}\n"
    "train: {computation_time: 0}\n";

/* A run of this many steps on every rank. */
struct size {
  int k;
  int64_t steps;
};

/* What a run must be to measure the loader and nothing else, one a line. */
static void write_overrides(const struct lb_workload *w, const struct size *s,
                            int ranks, struct lb_buf *out)
{
  int64_t samples = s->steps * s->k * ranks * w->reader.batch_size;
  int64_t per_file = w->dataset.num_samples_per_file;
  lb_buf_printf(out, "dataset.num_files_train=%" PRId64 "\n",
                (samples + per_file - 1) / per_file);
  lb_buf_puts(out, "output.steps=none\n"
                   "storage.storage_type=none\n"
                   "workflow.generate_data=false\n"
                   "workflow.train=true\n"
                   "workflow.evaluation=false\n"
                   "workflow.checkpoint=false\n"
                   "dataset.num_subfolders_train=0\n"
                   "reader.preprocess_time=0\n"
                   "train.epochs=1\n"
                   "train.total_training_steps=-1\n"
                   "train.computation_time=0\n");
}

/* What the summary, on rank 0, says of a run. */
static void read_summary(const struct lb_summary *s, const struct lb_plan *plan,
                         double *seconds, struct lb_delivery *out)
{
  const struct lb_set_summary *set = &s->set[LB_SET_TRAIN];
  double cpu = (double)s->cost.cpu_ns / 1e9;
  *seconds = set->n_epochs ? set->epoch[0].seconds : 0;
  if (*seconds <= 0 || set->samples <= 0 || set->steps <= 0)
    return;
  out->samples_per_s = (double)set->samples / *seconds;
  out->bytes_per_s = out->samples_per_s * plan->set[LB_SET_TRAIN].sample_bytes;
  out->sample_cpu_s = cpu / (double)set->samples;
  out->step_cpu_s = cpu / (double)set->steps;
}

/* Its overrides, and behind them the lines of text, which is cut up; malloc'ed.
 */
static const char **all_lines(const struct lb_calibrate_what *what, char *text,
                              int *n)
{
  const char **line =
      calloc((size_t)what->n_overrides + MAX_LINES, sizeof *line);
  for (int i = 0; line && i < what->n_overrides; i++)
    line[i] = what->overrides[i];
  if (line)
    *n = lb_split_lines(text, line, what->n_overrides,
                        what->n_overrides + MAX_LINES);
  return line;
}

/* Collective.  The run is a point of its own. */
static int run_point(struct lb_world *world, const struct lb_point *p,
                     double *seconds, struct lb_plan *plan,
                     struct lb_delivery *out, struct lb_err *err)
{
  struct lb_point_result r;
  int rc = lb_point_run(world, p, &r, err);
  *plan = r.plan;
  if (!rc && r.reason[0])
    rc = lb_err_set(err, (enum lb_code)r.code, "%s", r.reason);
  if (!rc && world->rank == 0)
    read_summary(&r.summary, plan, seconds, out);
  if (world->rank == 0)
    lb_scratch_clear(p->folder);
  lb_point_result_fini(&r);
  return rc;
}

/* Collective.  One run of that size; how long it took. */
static int run(struct lb_world *world, const struct lb_calibrate_what *what,
               const struct lb_workload *as, const struct size *size,
               const char *folder, double *seconds, struct lb_plan *plan,
               struct lb_delivery *out, struct lb_err *err)
{
  struct lb_buf text;
  const char **line = NULL;
  struct lb_point p = {.yaml = what->yaml,
                       .yaml_len = what->yaml_len,
                       .name = what->name,
                       .accelerators = (int64_t)size->k * world->n_ranks,
                       .folder = folder,
                       .run = {.command_line = "loadbank calibrate",
                               .progress = LB_PROGRESS_NEVER,
                               .force = true}};
  *out = (struct lb_delivery){0};
  *seconds = 0;
  lb_buf_init(&text, MAX_TEXT);
  write_overrides(as, size, world->n_ranks, &text);
  if (text.failed || !(line = all_lines(what, text.data, &p.n_overrides)))
    lb_err_set(err, LB_FAILED, "out of memory");
  p.overrides = line;
  int rc = lb_bench_agree(world, err);
  if (!rc)
    rc = run_point(world, &p, seconds, plan, out, err);
  free(line);
  lb_buf_fini(&text);
  lb_world_bcast(world, seconds, sizeof *seconds);
  lb_world_bcast(world, out, sizeof *out);
  return rc;
}

/* So many accelerators a rank that a step of all is not too much work. */
static struct size first_size(const struct lb_workload *w)
{
  int64_t k = PILOT_SAMPLES / w->reader.batch_size;
  struct size s = {.k = k < 1 ? 1 : k > MAX_K ? MAX_K : (int)k};
  s.steps = PILOT_SAMPLES / (s.k * w->reader.batch_size);
  s.steps = s.steps < 2 ? 2 : s.steps;
  return s;
}

/* Collective.  A short run, and one that lasts long enough. */
static int deliver(struct lb_world *world, const struct lb_calibrate_what *what,
                   const struct lb_workload *as, const char *folder,
                   struct lb_plan *plan, struct lb_delivery *out,
                   struct lb_err *err)
{
  struct size size = first_size(as);
  double seconds;
  int rc = run(world, what, as, &size, folder, &seconds, plan, out, err);
  if (rc || seconds >= run_s)
    return rc;
  double longer = seconds > 0 ? run_s / seconds : MAX_STEPS;
  double steps = (double)size.steps * longer;
  size.steps = steps > MAX_STEPS ? MAX_STEPS : (int64_t)steps;
  return run(world, what, as, &size, folder, &seconds, plan, out, err);
}

/* Collective.  What the text says as it stands, then that. */
static int deliver_text(struct lb_world *world,
                        const struct lb_calibrate_what *what,
                        const char *folder, struct lb_plan *plan,
                        struct lb_delivery *out, struct lb_client_load *l,
                        struct lb_err *err)
{
  struct lb_workload *as = NULL;
  lb_workload_load(what->yaml, what->yaml_len, what->name, what->overrides,
                   what->n_overrides, &as, err);
  if (as)
    lb_workload_read_files(as, err);
  int rc = lb_bench_agree(world, err);
  if (!rc && as)
    rc = deliver(world, what, as, folder, plan, out, err);
  if (!rc && as && l)
    *l = (struct lb_client_load){.is_virtual = as->derived.backend &&
                                               as->derived.backend->is_virtual,
                                 .compute_s = lb_dist_mean(as->derived.compute),
                                 .batch = (double)as->reader.batch_size};
  lb_workload_free(as);
  return rc;
}

static int deliver_built_in(struct lb_world *w, const char *const *overrides,
                            int n, const char *folder, struct lb_delivery *out,
                            struct lb_err *err)
{
  struct lb_plan plan;
  struct lb_calibrate_what what = {.yaml = formats_yaml,
                                   .yaml_len = strlen(formats_yaml),
                                   .name = "calibrate.yaml",
                                   .overrides = overrides,
                                   .n_overrides = n};
  return deliver_text(w, &what, folder, &plan, out, NULL, err);
}

int lb_calibrate_format(struct lb_world *w, const char *format,
                        const char *folder, struct lb_delivery *out,
                        struct lb_err *err)
{
  char line[64];
  const char *const lines[] = {line};
  snprintf(line, sizeof line, "dataset.format=%s", format);
  return deliver_built_in(w, lines, 1, folder, out, err);
}

int lb_calibrate_step(struct lb_world *w, const char *folder,
                      struct lb_delivery *out, struct lb_err *err)
{
  const char *const lines[] = {"dataset.format=npy", "reader.batch_size=1",
                               "dataset.record_length_bytes=4KiB"};
  return deliver_built_in(w, lines, 3, folder, out, err);
}

int lb_calibrate_workload(struct lb_world *w,
                          const struct lb_calibrate_what *what,
                          const char *folder, struct lb_delivery *out,
                          struct lb_client_load *load, struct lb_err *err)
{
  struct lb_plan plan = {0};
  int rc = deliver_text(w, what, folder, &plan, out, load, err);
  if (rc)
    return rc;
  const struct lb_plan_set *set = &plan.set[LB_SET_TRAIN];
  load->sample_s = out->sample_cpu_s;
  load->sample_copied = set->read_bytes;
  load->sample_calls = set->requests;
  return 0;
}
