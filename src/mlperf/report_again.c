/* SPDX-License-Identifier: GPL-3.0-or-later */
/* AU and throughput of a training leaf once more, and whether its summary says
 * the same.  What can be wrong with a leaf besides is report_run.c's. */
#include "lb-config.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "loadbank/json.h"
#include "loadbank/steps_au.h"
#include "mlperf/report_run.h"
#include "mlperf/slurp.h"

/* Points of AU, and a ratio of throughputs, that a stored value may be off
 * whatever the steps are. */
static const double least_slack = 0.05;
/* Times of steps.h5 are whole units: each of three may be off by half a one. */
static const double rounding_s = 3 * 50e-9;

/* reader.batch_size, of whichever file says so. */
static int64_t batch_of(const struct lb_mlperf_leaf *leaf)
{
  int64_t n = lb_report_count_at(leaf->file[LB_MLPERF_SUMMARY].json,
                                 "loadbank.plan.batch_size_train");
  return n ? n
           : lb_report_count_at(leaf->file[LB_MLPERF_METADATA].json,
                                "parameters.reader.batch_size");
}

static bool has(const struct lb_mlperf_leaf *leaf, const char *name)
{
  for (size_t i = 0; i < leaf->n_entries; i++)
    if (!strcmp(leaf->entry[i], name))
      return true;
  return false;
}

/* ---- steps.h5 ---- */

static bool by_steps(const struct lb_mlperf_leaf *leaf,
                     struct lb_mlperf_again *out)
{
  struct lb_err err = LB_ERR_INIT;
  struct lb_steps_au a;
  char path[PATH_MAX + 16];
  int64_t batch = batch_of(leaf);
  snprintf(path, sizeof path, "%s/steps.h5", leaf->path);
  if (!has(leaf, "steps.h5")) {
    snprintf(out->why, sizeof out->why, "no steps.h5");
  } else if (lb_steps_au(path, batch, &a, &err)) {
    snprintf(out->why, sizeof out->why, "%.390s", err.msg);
  } else if (a.lost > 0) {
    snprintf(out->why, sizeof out->why,
             "steps.h5 lacks %" PRId64 " of %" PRId64 " steps", a.lost,
             a.accelerators * a.steps);
  } else if (isnan(a.au)) {
    snprintf(out->why, sizeof out->why, "steps.h5 has no metric window");
  } else {
    double step_s = a.seconds / (double)a.steps;
    out->source = "steps.h5";
    out->au = a.au;
    out->samples_per_s = batch ? a.samples_per_s : NAN;
    out->seconds = a.seconds;
    out->accelerators = a.accelerators;
    out->steps = a.steps;
    /* The computes may be off, too: a third of what the sum may. */
    out->au_slack = least_slack + 100 * rounding_s * 4 / 3 / step_s;
    out->rate_slack = least_slack / 100 + rounding_s / step_s;
  }
  return out->source != NULL;
}

/* ---- <a>_output.json ---- */

/* Of an epoch's block: what its mean is weighted by.  DLIO lists single steps
 * where we have their number. */
static double weight_of(const json_t *epoch, const char *block)
{
  const json_t *steps = json_object_get(json_object_get(epoch, "steps"), block);
  const json_t *list = json_object_get(json_object_get(epoch, "proc"), block);
  if (json_is_number(steps))
    return json_number_value(steps);
  return json_is_array(list) ? (double)json_array_size(list) : 1;
}

/* NAN: no block has a value. */
static double mean_of_epoch(const json_t *epoch, const char *what)
{
  const char *block;
  json_t *v;
  double sum = 0, weight = 0;
  json_object_foreach(json_object_get(epoch, what), block, v)
  {
    double w = weight_of(epoch, block);
    if (strncmp(block, "block", 5) != 0 || !json_is_number(v))
      continue;
    sum += w * json_number_value(v);
    weight += w;
  }
  return weight > 0 ? sum / weight : NAN;
}

static bool is_epoch(const char *key)
{
  return *key && strspn(key, "0123456789") == strlen(key);
}

/* Mean over the epochs that have a value. */
static double mean_of_file(const json_t *file, const char *what)
{
  const char *key;
  json_t *epoch;
  double sum = 0, n = 0;
  json_object_foreach((json_t *)(uintptr_t)file, key, epoch)
  {
    double v = is_epoch(key) ? mean_of_epoch(epoch, what) : NAN;
    if (isnan(v))
      continue;
    sum += v;
    n++;
  }
  return n > 0 ? sum / n : NAN;
}

static bool by_outputs(const struct lb_mlperf_leaf *leaf,
                       struct lb_mlperf_again *out)
{
  int64_t n = lb_report_count_at(leaf->file[LB_MLPERF_SUMMARY].json,
                                 "num_accelerators"),
          a = 0;
  double au = 0, rate = 0;
  char path[PATH_MAX + 32], name[40], unread[LB_MLPERF_UNREAD];
  for (; a < n; a++) {
    snprintf(name, sizeof name, "%" PRId64 "_output.json", a);
    snprintf(path, sizeof path, "%s/%s", leaf->path, name);
    json_t *file = has(leaf, name) ? lb_mlperf_slurp_json(path, unread) : NULL;
    if (!file)
      break;
    au += mean_of_file(file, "au") / (double)n;
    rate += mean_of_file(file, "throughput");
    json_decref(file);
  }
  size_t length = strlen(out->why);
  if (n == 0 || a < n || isnan(au)) {
    snprintf(out->why + length, sizeof out->why - length,
             "; %" PRId64 "_output.json, of %" PRId64
             " accelerators, is missing or says no AU",
             a < n ? a : 0, n);
    return false;
  }
  out->source = "<a>_output.json";
  out->au = au;
  out->samples_per_s = rate;
  out->accelerators = n;
  out->au_slack = least_slack;
  out->rate_slack = least_slack / 100;
  return true;
}

void lb_mlperf_again(const struct lb_mlperf_leaf *leaf,
                     struct lb_mlperf_again *out)
{
  *out =
      (struct lb_mlperf_again){.au = NAN, .samples_per_s = NAN, .seconds = NAN};
  if (!by_steps(leaf, out))
    by_outputs(leaf, out);
  if (out->source)
    *out->why = '\0';
}

/* ---- against the summary ---- */

bool lb_mlperf_again_agrees(const struct lb_mlperf_leaf *leaf,
                            const struct lb_mlperf_again *again,
                            char why[LB_MLPERF_WHY])
{
  const json_t *metric =
      lb_json_at(leaf->file[LB_MLPERF_SUMMARY].json, "metric");
  double au = lb_json_real(lb_json_at(metric, "train_au_mean_percentage"));
  double rate = lb_json_real(
      lb_json_at(metric, "train_throughput_mean_samples_per_second"));
  *why = '\0';
  if (!again->source)
    return true;
  if (isnan(au) || isnan(rate))
    snprintf(why, LB_MLPERF_WHY, "summary.json has no %s, %s gives %.4f",
             isnan(au) ? "AU" : "samples/s", again->source,
             isnan(au) ? again->au : again->samples_per_s);
  else if (!(fabs(au - again->au) <= again->au_slack))
    snprintf(why, LB_MLPERF_WHY,
             "summary.json says AU %.4f %%, %s gives %.4f %% (they may differ "
             "by %.4f)",
             au, again->source, again->au, again->au_slack);
  else if (!isnan(again->samples_per_s) &&
           !(fabs(rate - again->samples_per_s) <=
             again->rate_slack * again->samples_per_s))
    snprintf(why, LB_MLPERF_WHY,
             "summary.json says %.4f samples/s, %s gives %.4f (they may differ "
             "by %.4f)",
             rate, again->source, again->samples_per_s,
             again->rate_slack * again->samples_per_s);
  return !*why;
}
