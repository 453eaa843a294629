/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A rehearsal: the same path with less of everything.  Records and times of a
 * training job are multiplied; a checkpoint's transformer gets narrower, with
 * its layers, its heads and its parallelism as they were, so that the files and
 * who writes them stay the same. */
#include "lb-config.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "loadbank/checkpoint.h"
#include "loadbank/config.h"
#include "loadbank/format_cost.h"
#include "loadbank/json.h"
#include "loadbank/plan.h"
#include "loadbank/units.h"
#include "mlperf/overrides.h"

struct lb_mlperf_scale lb_mlperf_scale_of(const struct lb_mlperf_args *args)
{
  struct lb_mlperf_scale s = args->scale;
  if (args->kind == LB_MLPERF_CHECKPOINTING) {
    s.bytes = s.files;
    s.files = 1;
  }
  return s;
}

json_t *lb_mlperf_rehearsal_json(const struct lb_mlperf_scale *s)
{
  if (!lb_mlperf_is_rehearsal(s))
    return json_null();
  json_t *o = json_object();
  lb_json_put_number(o, "files", s->files);
  lb_json_put_number(o, "bytes", s->bytes);
  lb_json_put_number(o, "time", s->time);
  return o;
}

void lb_mlperf_rehearsal_text(const struct lb_mlperf_scale *s, char *buf,
                              size_t size)
{
  char files[LB_REAL_LEN], bytes[LB_REAL_LEN], time[LB_REAL_LEN];
  buf[0] = '\0';
  if (!lb_mlperf_is_rehearsal(s))
    return;
  lb_format_real(s->files, files);
  lb_format_real(s->bytes, bytes);
  lb_format_real(s->time, time);
  snprintf(buf, size,
           "rehearsal, no submission: files x %s, bytes x %s, time x %s", files,
           bytes, time);
}

/* To 12 digits: 0.1 x 0.162 is 0.0162, not 0.016200000000000003. */
static void add_product(struct lb_overrides *o, const char *key, double a,
                        double b)
{
  lb_overrides_add(o, key, "%.12g", a * b);
}

static int shrink_record(const struct lb_mlperf_args *args,
                         const struct lb_workload *w, struct lb_overrides *out,
                         struct lb_err *err)
{
  double factor = args->scale.bytes;
  if (!strcmp(w->dataset.format, "parquet"))
    return lb_err_set(err, LB_USAGE,
                      "--scale-bytes: a row of %s is its columns; allowed "
                      "here: --scale, --scale-time",
                      args->model);
  int64_t bytes = (int64_t)ceil((double)w->dataset.record_length_bytes *
                                factor * (1 - 1e-12));
  lb_overrides_add(out, "dataset.record_length_bytes", "%" PRId64,
                   bytes < 1 ? 1 : bytes);
  if (w->dataset.record_length_bytes_stdev > 0)
    add_product(out, "dataset.record_length_bytes_stdev",
                w->dataset.record_length_bytes_stdev, factor);
  return 0;
}

static int shrink_compute(const struct lb_mlperf_args *args,
                          const struct lb_workload *w, struct lb_overrides *out,
                          struct lb_err *err)
{
  if (!lb_dist_is_constant(&w->train.computation_time))
    return lb_err_set(err, LB_USAGE,
                      "--scale-time: train.computation_time varies; allowed: a "
                      "number of seconds");
  add_product(out, "train.computation_time",
              lb_dist_mean(&w->train.computation_time), args->scale.time);
  return 0;
}

static uint64_t bytes_of(const struct lb_checkpoint_scheme *s,
                         const struct lb_checkpoint_model *m)
{
  uint64_t sum = 0;
  for (int a = 0; a < m->accelerators; a++)
    sum += lb_checkpoint_bytes(s, m, a);
  return sum;
}

/* The feed-forward width whose checkpoint comes nearest to so many bytes: it
 * makes up for the hidden width, which must be a multiple of the heads. */
static void fit_ffn(const struct lb_checkpoint_scheme *s,
                    struct lb_checkpoint_model *m, double bytes)
{
  int64_t low = 1, high = 2 * m->ffn;
  while (low < high) {
    m->ffn = low + (high - low) / 2;
    if ((double)bytes_of(s, m) < bytes)
      low = m->ffn + 1;
    else
      high = m->ffn;
  }
  m->ffn = low;
  double over = (double)bytes_of(s, m) - bytes;
  m->ffn = low > 1 ? low - 1 : 1;
  double under = bytes - (double)bytes_of(s, m);
  if (over <= under)
    m->ffn = low;
}

static int64_t nearest(double v)
{
  return v < 1 ? 1 : (int64_t)(v + 0.5);
}

static int shrink_model(const struct lb_mlperf_args *args,
                        const struct lb_workload *w, int64_t accelerators,
                        struct lb_overrides *out, struct lb_err *err)
{
  const struct lb_checkpoint_scheme *s =
      lb_checkpoint_schemes[w->checkpoint.scheme];
  struct lb_mlperf_checkpoint_size full;
  struct lb_checkpoint_model m;
  int rc = lb_mlperf_checkpoint_size(w, accelerators, &full, err);
  if (rc)
    return rc;
  double width = sqrt(args->scale.files);
  lb_plan_checkpoint_model(w, (int)accelerators, &m);
  m.hidden = m.heads * nearest((double)m.hidden * width / (double)m.heads);
  m.vocab = nearest((double)m.vocab * width);
  fit_ffn(s, &m, (double)full.total_bytes * args->scale.files);
  lb_overrides_add(out, "model.transformer.hidden_size", "%" PRId64, m.hidden);
  lb_overrides_add(out, "model.transformer.ffn_hidden_size", "%" PRId64, m.ffn);
  lb_overrides_add(out, "model.transformer.vocab_size", "%" PRId64, m.vocab);
  return 0;
}

int lb_overrides_of_rehearsal(const struct lb_mlperf_args *args,
                              const struct lb_workload *w, int64_t accelerators,
                              struct lb_overrides *out, struct lb_err *err)
{
  const struct lb_mlperf_scale *s = &args->scale;
  bool training = args->kind == LB_MLPERF_TRAINING;
  int rc = 0;
  if (training && s->bytes < 1)
    rc = shrink_record(args, w, out, err);
  if (!rc && training && s->time < 1)
    rc = shrink_compute(args, w, out, err);
  if (!rc && !training && s->files < 1)
    rc = shrink_model(args, w, accelerators, out, err);
  if (!rc && !training && s->time < 1 &&
      w->checkpoint.time_between_checkpoints > 0)
    add_product(out, "checkpoint.time_between_checkpoints",
                w->checkpoint.time_between_checkpoints, s->time);
  return rc;
}

int lb_rehearsal_check(const struct lb_mlperf_args *args,
                       const struct lb_workload *w, struct lb_err *err)
{
  struct lb_format_params params = {0};
  uint64_t count[LB_N_OPS], bytes[LB_N_OPS];
  const struct lb_sample s = {
      .file = {.set = LB_SET_TRAIN,
               .samples = w->dataset.num_samples_per_file,
               .sample_bytes = w->derived.sample_bytes,
               .path = "file"}};
  if (args->kind != LB_MLPERF_TRAINING || args->scale.bytes >= 1 ||
      !w->derived.format)
    return 0;
  lb_workload_format_params(w, &params);
  return lb_format_cost(w->derived.format, &params, &s, count, bytes, err) < 0
             ? lb_err_wrap(err, "--scale-bytes %g", args->scale.bytes)
             : 0;
}
