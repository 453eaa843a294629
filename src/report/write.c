/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes a run's results.  summary.json comes last: where it is, the rest is
 * there too. */
#include "lb-config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "loadbank/log.h"
#include "loadbank/slurp.h"
#include "loadbank/units.h"
#include "loadbank/wholefile.h"
#include "report/json.h"
#include "report/report_impl.h"

/* The first failure is kept; the other files are still tried. */
static void keep(struct lb_err *err, const struct lb_err *e)
{
  if (lb_err_is_set(e) && !lb_err_is_set(err))
    *err = *e;
}

static int take_host(void *arg, int rank, const void *bytes, size_t n,
                     struct lb_err *err)
{
  struct lb_facts *f = arg;
  (void)rank;
  if (n != sizeof *f->host)
    return 0; /* not the first rank of its host */
  void *more = realloc(f->host, (f->n_hosts + 1) * sizeof *f->host);
  if (!more)
    return lb_err_set(err, LB_FAILED, "no memory for the facts of hosts");
  f->host = more;
  memcpy(&f->host[f->n_hosts++], bytes, n);
  return 0;
}

static int take_roots(void *arg, int rank, const void *bytes, size_t n,
                      struct lb_err *err)
{
  struct lb_facts *f = arg;
  size_t roots = n / sizeof *f->root;
  (void)rank;
  if (roots == 0)
    return 0;
  void *more = realloc(f->root, (f->n_roots + roots) * sizeof *f->root);
  if (!more)
    return lb_err_set(err, LB_FAILED, "no memory for the facts of mounts");
  f->root = more;
  memcpy(&f->root[f->n_roots], bytes, n);
  f->n_roots += roots;
  return 0;
}

/* The roots as each host has them mounted. */
static void gather_roots(const struct lb_world *w, const struct lb_report *r,
                         struct lb_facts *f, struct lb_err *err)
{
  size_t n = w->host_first ? r->n_roots : 0;
  struct lb_filesystem *mine = n ? calloc(n, sizeof *mine) : NULL;
  struct lb_err e = LB_ERR_INIT;
  if (r->n_roots == 0)
    return;
  if (n && !mine)
    lb_err_set(&e, LB_FAILED, "no memory for the facts of mounts");
  for (size_t i = 0; mine && i < n; i++)
    lb_filesystem_probe(&mine[i], r->roots[i].path);
  keep(err, &e);
  e = (struct lb_err)LB_ERR_INIT;
  lb_world_collect(w, mine, mine ? n * sizeof *mine : 0, take_roots, f, &e);
  keep(err, &e);
  free(mine);
}

static void gather_hosts(const struct lb_world *w, struct lb_facts *f,
                         struct lb_err *err)
{
  struct lb_host h;
  if (w->host_first)
    lb_host_probe(&h);
  struct lb_err e = LB_ERR_INIT;
  lb_world_collect(w, &h, w->host_first ? sizeof h : 0, take_host, f, &e);
  keep(err, &e);
}

static void write_csv(const struct lb_report *r, const struct lb_summary *s,
                      struct lb_err *err)
{
  char *text = NULL;
  size_t n = 0;
  FILE *f = open_memstream(&text, &n);
  int rc = f ? lb_report_csv(f, s) : -ENOMEM;
  if (f && fclose(f))
    rc = -ENOMEM;
  if (rc)
    lb_err_set(err, LB_FAILED, "no memory for metrics.csv");
  else
    lb_write_file(r->folder, "metrics.csv", text, n, err);
  free(text);
}

/* Alone on the stream, the same as in the file. */
static void print(const struct lb_report *r, const struct lb_summary *s,
                  const json_t *summary, struct lb_err *err)
{
  struct lb_buf text;
  lb_buf_init(&text, (size_t)1 << 30);
  errno = 0;
  if (r->output == LB_OUTPUT_TEXT)
    lb_report_text(r->out, isatty(fileno(r->out)) == 1, r, s);
  else if (r->output == LB_OUTPUT_CSV)
    lb_report_csv(r->out, s);
  else if (summary) {
    lb_json_text(&text, summary);
    fwrite(text.data, 1, text.len, r->out);
  }
  if (text.failed)
    lb_err_set(err, LB_FAILED, "no memory to print the results");
  else if (fflush(r->out) || ferror(r->out))
    lb_err_sys(err, LB_FAILED, errno, "stdout");
  lb_buf_fini(&text);
}

/* A dataset that is read from memory says little about the storage. */
static void warn_cached(const struct lb_report *r, const struct lb_summary *s,
                        const struct lb_facts *f)
{
  const struct lb_host *h = f->n_hosts ? &f->host[0] : NULL;
  bool read = lb_metric_present(s, LB_METRIC_TRAIN) ||
              lb_metric_present(s, LB_METRIC_EVAL);
  if (!h || !read || !lb_json_caches(r, f, h))
    return;
  uint64_t memory = h->limit_bytes && h->limit_bytes < h->memory_bytes
                        ? h->limit_bytes
                        : h->memory_bytes;
  lb_warn("what is read of the dataset, %.4g GiB for each host, fits into its "
          "memory of %.4g GiB: reads may have come from there, not from the "
          "storage",
          (double)r->cacheable_bytes / LB_GIB / (double)f->n_hosts,
          (double)memory / LB_GIB);
}

static void write_first(const struct lb_report *r, const struct lb_summary *s,
                        struct lb_facts *f, struct lb_err *err)
{
  struct lb_err e = LB_ERR_INIT;
  if (r->data_folder)
    lb_filesystem_probe(&f->data, r->data_folder);
  if (r->checkpoint_folder)
    lb_filesystem_probe(&f->checkpoint, r->checkpoint_folder);
  lb_filesystem_probe(&f->results, r->folder);
  f->cpuinfo = lb_slurp("/proc/cpuinfo");
  f->meminfo = lb_slurp("/proc/meminfo");
  lb_report_hydra(r, &e);
  keep(err, &e);
  if (r->output == LB_OUTPUT_CSV) {
    e = (struct lb_err)LB_ERR_INIT;
    write_csv(r, s, &e);
    keep(err, &e);
  }
  warn_cached(r, s, f);
  e = (struct lb_err)LB_ERR_INIT;
  json_t *summary = lb_json_summary(r, s, f);
  lb_json_write(r->folder, "summary.json", json_incref(summary), &e);
  keep(err, &e);
  if (r->out) {
    e = (struct lb_err)LB_ERR_INIT;
    print(r, s, summary, &e);
    keep(err, &e);
  }
  if (r->log)
    lb_report_text(r->log, false, r, s);
  json_decref(summary);
}

int lb_report_write(const struct lb_world *w, struct lb_metrics *m,
                    const struct lb_report *r, const struct lb_summary *s,
                    struct lb_err *err)
{
  struct lb_facts f = {0};
  struct lb_err mine = LB_ERR_INIT, e = LB_ERR_INIT;
  char reason[sizeof e.msg];
  gather_hosts(w, &f, &mine);
  gather_roots(w, r, &f, &mine);
  f.steps_file = lb_report_steps(w, m, r, reason, sizeof reason);
  f.steps_reason = f.steps_file ? NULL : reason;
  if (w->rank == 0 && m && r->steps == LB_STEPS_ALL && !f.steps_file)
    lb_warn("no steps.h5: %s", reason);
  lb_report_per_accelerator(w, m, r, &e);
  keep(&mine, &e);
  e = (struct lb_err)LB_ERR_INIT;
  lb_report_per_second(w, r, &e);
  keep(&mine, &e);
  if (w->rank == 0)
    write_first(r, s, &f, &mine);
  free(f.host);
  free(f.root);
  free(f.cpuinfo);
  free(f.meminfo);
  keep(err, &mine);
  return lb_err_agree(w, err, NULL);
}
