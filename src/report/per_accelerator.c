/* SPDX-License-Identifier: GPL-3.0-or-later */
/* <a>_output.json and <a>_per_epoch_stats.json, in DLIO's shape: epochs as
 * keys, blocks as keys within.  A rank makes the texts of its accelerators;
 * rank 0, whose folder it is, writes them, one rank's at a time. */
#include "lb-config.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loadbank/metrics_detail.h"
#include "loadbank/slurp.h"
#include "loadbank/units.h"
#include "loadbank/wholefile.h"
#include "report/json.h"
#include "report/report_impl.h"

static const size_t max_bytes = (size_t)1 << 30;

/* o[key], made an object when it is not there.  Borrowed. */
static json_t *child(json_t *o, const char *key)
{
  json_t *c = json_object_get(o, key);
  if (c)
    return c;
  json_object_set_new(o, key, json_object());
  return json_object_get(o, key);
}

static json_t *epoch_of(json_t *o, int64_t epoch)
{
  char key[24];
  snprintf(key, sizeof key, "%" PRId64, epoch);
  return child(o, key);
}

static void block_name(char name[32], const struct lb_block_record *b)
{
  if (b->set == LB_SET_EVAL)
    snprintf(name, 32, "eval");
  else
    snprintf(name, 32, "block%" PRId64, b->block);
}

static void set_number(json_t *epoch, const char *what, const char *block,
                       double v)
{
  lb_json_put_number(child(epoch, what), block, v);
}

static void add_block(json_t *epoch, const struct lb_block_record *b,
                      const struct lb_block_sums *sums, int64_t batch)
{
  char name[32];
  block_name(name, b);
  double load = (double)sums->all_load_ns / 1e9;
  double compute = (double)sums->all_compute_ns / 1e9;
  double rate = b->set == LB_SET_EVAL ? (double)(sums->steps * batch) /
                                            ((double)sums->block_ns / 1e9)
                                      : lb_au_samples_per_s(sums, batch);
  lb_json_put_int(child(epoch, "steps"), name, sums->steps);
  set_number(epoch, "load", name, load);
  set_number(epoch, "compute", name, compute);
  set_number(epoch, "proc", name, load + compute);
  set_number(epoch, "throughput", name, rate);
  set_number(epoch, "au", name, lb_au_percent(sums));
  set_number(epoch, "nominal_au", name, lb_au_nominal_percent(sums));
}

static json_t *output(const struct lb_world *w, const struct lb_metrics *m,
                      int acc, double memory_bytes)
{
  const struct lb_metrics_config *c = lb_metrics_config(m);
  json_t *o = json_object();
  lb_json_put_int(o, "accelerator", c->first + acc);
  lb_json_put_int(o, "num_accelerators", w->accelerators);
  lb_json_put_int(o, "rank", w->rank);
  lb_json_put_text(o, "hostname", w->node_name);
  lb_json_put_number(o, "host_memory_GB", memory_bytes / LB_GIB);
  size_t n;
  const struct lb_block_record *b = lb_metrics_blocks(m, &n);
  for (size_t i = 0; i < n; i++)
    add_block(epoch_of(o, b[i].epoch), &b[i], lb_metrics_block(m, i, acc),
              c->batch[b[i].set]);
  return o;
}

static void set_span(json_t *o, uint64_t start_utc_ns, uint64_t duration_ns)
{
  json_object_set_new(o, "start", lb_json_time(start_utc_ns));
  json_object_set_new(o, "end", lb_json_time(start_utc_ns + duration_ns));
  lb_json_put_number(o, "duration", (double)duration_ns / 1e9);
}

static void add_checkpoint(json_t *o, const struct lb_span *s)
{
  json_t *epoch = epoch_of(o, s->epoch);
  const char *what = s->kind == LB_SPAN_LOAD ? "load_ckpt" : "save_ckpt";
  char name[48];
  int n = 1; /* numbered within the epoch */
  do
    snprintf(name, sizeof name, "%s%d", what, n++);
  while (json_object_get(epoch, name));
  json_t *c = child(epoch, name);
  set_span(c, s->start_utc_ns, s->duration_ns);
  double seconds = (double)s->duration_ns / 1e9;
  lb_json_put_number(c, "throughput", (double)s->bytes / LB_GIB / seconds);
}

/* Without training: from the first checkpoint to the end of the last. */
static void set_checkpoints_epoch(json_t *o, struct lb_span first,
                                  struct lb_span last)
{
  uint64_t end = last.start_utc_ns + last.duration_ns;
  if (end > first.start_utc_ns)
    set_span(epoch_of(o, first.epoch), first.start_utc_ns,
             end - first.start_utc_ns);
}

static json_t *epoch_stats(const struct lb_metrics *m, int acc)
{
  json_t *o = json_object();
  for (size_t i = 0; i < lb_metrics_n_epochs(m); i++) {
    struct lb_span s = lb_metrics_epoch(m, i);
    if (s.kind == LB_SPAN_TRAIN)
      set_span(epoch_of(o, s.epoch), s.start_utc_ns, s.duration_ns);
  }
  size_t n;
  const struct lb_block_record *b = lb_metrics_blocks(m, &n);
  for (size_t i = 0; i < n; i++) {
    char name[32];
    block_name(name, &b[i]);
    /* Its own end, where there is no gate. */
    set_span(child(epoch_of(o, b[i].epoch), name), b[i].start_utc_ns,
             lb_metrics_block(m, i, acc)->block_ns);
  }
  size_t saves = lb_metrics_n_checkpoints(m);
  if (saves && lb_metrics_n_epochs(m) == 0)
    set_checkpoints_epoch(o, lb_metrics_checkpoint_span(m, 0),
                          lb_metrics_checkpoint_span(m, saves - 1));
  for (size_t i = 0; i < saves; i++) {
    struct lb_span s = lb_metrics_checkpoint_span(m, i);
    add_checkpoint(o, &s);
  }
  return o;
}

/* ---- on the way to rank 0: {accelerator, length} and the text, twice ---- */

struct head {
  int64_t acc;
  uint64_t length;
};

static void pack(struct lb_buf *b, int acc, json_t *v)
{
  size_t at = b->len;
  struct head h = {.acc = acc};
  lb_buf_add(b, &h, sizeof h);
  size_t start = b->len;
  lb_json_text(b, v);
  json_decref(v);
  if (b->failed)
    return;
  h.length = b->len - start;
  memcpy(b->data + at, &h, sizeof h);
}

static int take(void *arg, int rank, const void *bytes, size_t n,
                struct lb_err *err)
{
  const struct lb_report *r = arg;
  static const char *const endings[] = {"output", "per_epoch_stats"};
  const char *p = bytes;
  int rc = 0;
  for (int i = 0; n > 0 && !rc; i++) {
    struct head h = {0};
    if (n >= sizeof h)
      memcpy(&h, p, sizeof h);
    if (n < sizeof h || h.length > n - sizeof h)
      return lb_err_set(err, LB_FAILED, "results of rank %d are cut off", rank);
    char name[64];
    snprintf(name, sizeof name, "%" PRId64 "_%s.json", h.acc, endings[i % 2]);
    rc = lb_write_file(r->folder, name, p + sizeof h, h.length, err);
    p += sizeof h + h.length;
    n -= sizeof h + h.length;
  }
  return rc;
}

int lb_report_per_accelerator(const struct lb_world *w,
                              const struct lb_metrics *m,
                              const struct lb_report *r, struct lb_err *err)
{
  struct lb_buf b;
  char *meminfo = lb_slurp("/proc/meminfo");
  double memory = meminfo ? (double)lb_meminfo_bytes(meminfo, "MemTotal") : NAN;
  free(meminfo);
  lb_buf_init(&b, max_bytes);
  const struct lb_metrics_config *c = m ? lb_metrics_config(m) : NULL;
  for (int a = 0; c && a < c->detail; a++) {
    pack(&b, c->first + a, output(w, m, a, memory));
    pack(&b, c->first + a, epoch_stats(m, a));
  }
  if (b.failed)
    lb_err_set(err, LB_FAILED, "no memory for <accelerator>_output.json");
  int rc = lb_world_collect(w, b.data, b.failed ? 0 : b.len, take,
                            (void *)(uintptr_t)r, err);
  lb_buf_fini(&b);
  return rc;
}
