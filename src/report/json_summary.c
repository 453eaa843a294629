/* SPDX-License-Identifier: GPL-3.0-or-later */
/* summary.json: DLIO's keys at the top and in `metric'.  What DLIO does not
 * have is in the object `loadbank': json_loadbank.c. */
#include "lb-config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "report/json.h"

static const double gib = 1 << 30;

/* What a host's page cache could hold. */
static double usable_gib(const struct lb_host *h)
{
  uint64_t n = h->memory_bytes;
  if (h->limit_bytes && h->limit_bytes < n)
    n = h->limit_bytes;
  return (double)n / gib;
}

bool lb_json_caches(const struct lb_report *r, const struct lb_facts *f,
                    const struct lb_host *h)
{
  return r->data_folder && !r->direct && r->dataset_bytes > 0 &&
         (double)r->dataset_bytes / gib <= usable_gib(h) * (double)f->n_hosts;
}

/* The first paragraph of "key : value" lines as an object: of /proc/cpuinfo
 * that is the first processor.  NULL: null. */
static json_t *fields(const char *text)
{
  json_t *o = text ? json_object() : json_null();
  while (text && *text && *text != '\n') {
    size_t line = strcspn(text, "\n"), key = strcspn(text, ":\n");
    if (key < line) {
      const char *value = text + key + 1;
      size_t n = line - key - 1;
      while (n && (*value == ' ' || *value == '\t'))
        value++, n--;
      while (key && (text[key - 1] == ' ' || text[key - 1] == '\t'))
        key--;
      char name[64];
      snprintf(name, sizeof name, "%.*s", (int)(key < 63 ? key : 63), text);
      json_object_set_new(o, name, json_stringn(value, n));
    }
    text += line + (text[line] == '\n');
  }
  return o;
}

static void add_hosts(json_t *o, const struct lb_report *r,
                      const struct lb_facts *f)
{
  double per_host =
      f->n_hosts ? (double)r->dataset_bytes / gib / (double)f->n_hosts : 0;
  json_t *memory = json_array(), *cpus = json_array(), *caching = json_array();
  for (size_t i = 0; i < f->n_hosts; i++) {
    const struct lb_host *h = &f->host[i];
    json_array_append_new(memory,
                          lb_json_number((double)h->memory_bytes / gib));
    json_array_append_new(cpus, json_integer(h->cpus));
    json_array_append_new(caching, json_integer(lb_json_caches(r, f, h)));
  }
  const struct lb_host *first = f->n_hosts ? &f->host[0] : NULL;
  json_object_set_new(o, "num_hosts", json_integer((json_int_t)f->n_hosts));
  json_object_set_new(o, "hostname",
                      lb_json_string(first ? first->name : NULL));
  json_object_set_new(o, "host_memory_GB", memory);
  json_object_set_new(o, "host_cpu_count", cpus);
  json_object_set_new(o, "host_processor_name",
                      lb_json_string(first ? first->processor : NULL));
  json_object_set_new(o, "host_cpuinfo", fields(f->cpuinfo));
  json_object_set_new(o, "host_meminfo", fields(f->meminfo));
  json_object_set_new(o, "potential_caching", caching);
  json_object_set_new(o, "data_size_per_host_GB", lb_json_number(per_host));
}

static const char *expectation(const struct lb_summary *s, enum lb_set set,
                               double threshold)
{
  return lb_summary_meets(s, set, threshold) ? "success" : "fail";
}

static json_t *metric(const struct lb_report *r, const struct lb_summary *s)
{
  json_t *o = json_object();
  for (const struct lb_metric *row = lb_metrics_table; row->key; row++)
    if (row->dlio && lb_metric_present(s, row->group))
      json_object_set_new(o, row->key, lb_json_metric(row, s));
  if (lb_metric_present(s, LB_METRIC_TRAIN))
    json_object_set_new(
        o, "train_au_meet_expectation",
        json_string(expectation(s, LB_SET_TRAIN, r->au_threshold)));
  if (lb_metric_present(s, LB_METRIC_EVAL))
    json_object_set_new(
        o, "eval_au_meet_expectation",
        json_string(expectation(s, LB_SET_EVAL, r->au_threshold)));
  return o;
}

json_t *lb_json_summary(const struct lb_report *r, const struct lb_summary *s,
                        const struct lb_facts *f)
{
  json_t *o = json_object();
  json_object_set_new(o, "start", lb_json_time(r->start_utc_ns));
  json_object_set_new(o, "end", lb_json_time(r->end_utc_ns));
  json_object_set_new(o, "start_time", lb_json_time(r->start_utc_ns));
  json_object_set_new(o, "end_time", lb_json_time(r->end_utc_ns));
  json_object_set_new(o, "num_accelerators", json_integer(s->accelerators));
  add_hosts(o, r, f);
  json_object_set_new(o, "num_files_train",
                      json_integer(r->files[LB_SET_TRAIN]));
  json_object_set_new(o, "num_files_eval", json_integer(r->files[LB_SET_EVAL]));
  json_object_set_new(o, "num_samples_per_file",
                      json_integer(r->samples_per_file));
  json_object_set_new(o, "epochs", json_integer(r->epochs));
  json_object_set_new(o, "metric", metric(r, s));
  json_object_set_new(o, "loadbank", lb_json_loadbank(r, s, f));
  return o;
}
