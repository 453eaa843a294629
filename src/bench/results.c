/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From the recorders to the results folder. */
#include "lb-config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "bench_impl.h"
#include "dataset_impl.h"
#include "loadbank/clock.h"
#include "loadbank/config.h"
#include "loadbank/filelock.h"
#include "loadbank/log.h"
#include "loadbank/metric_table.h"
#include "loadbank/simulated.h"
#include "loadbank/versions.h"

/* A run has its log locked until it ends. */
static int busy(const char *folder, struct lb_err *err)
{
  return lb_err_set(err, LB_USAGE,
                    "%s: another run writes its results here now; choose "
                    "another output.folder",
                    folder);
}

/* --force: what an earlier run left is removed, but not under a run's feet. */
static int clear(const struct lb_bench *b, const char *folder,
                 struct lb_err *err)
{
  char path[PATH_MAX];
  snprintf(path, sizeof path, "%s/%s", folder, b->w->output.log_file);
  int fd = open(path, O_WRONLY | O_CLOEXEC);
  bool locked = fd >= 0 && !lb_file_lock(fd);
  if (fd >= 0)
    close(fd);
  return locked ? busy(folder, err) : lb_results_clear(folder, err);
}

static int open_log(struct lb_bench *b, struct lb_err *err)
{
  char path[PATH_MAX];
  int n =
      snprintf(path, sizeof path, "%s/%s", b->folder, b->w->output.log_file);
  if (n < 0 || (size_t)n >= sizeof path)
    return lb_err_set(err, LB_FAILED, "%s: the path is too long", b->folder);
  /* Not cut to nothing before it is known to be nobody else's. */
  int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (fd < 0)
    return lb_err_sys(err, LB_FAILED, errno, "%s: open", path);
  if (!lb_file_lock(fd)) {
    close(fd);
    return busy(b->folder, err);
  }
  if (ftruncate(fd, 0) || !(b->log = fdopen(fd, "w"))) {
    lb_err_sys(err, LB_FAILED, errno, "%s: open", path);
    close(fd);
    return -err->code;
  }
  lb_log_file(b->log);
  lb_info("%s", b->o->command_line);
  const struct lb_rehearsal *r = b->o->rehearsal;
  if (r)
    lb_info("a rehearsal: files x %.9g, bytes x %.9g, time x %.9g", r->files,
            r->bytes, r->time);
  return 0;
}

/* Collective.  Of all results only raw steps are written by other nodes than
 * the first: without a common folder there are none.  The log is what the
 * first rank has just made there. */
static void look_everywhere(struct lb_bench *b)
{
  char path[PATH_MAX];
  int n =
      snprintf(path, sizeof path, "%s/%s", b->folder, b->w->output.log_file);
  uint64_t there = n > 0 && (size_t)n < sizeof path && !access(path, F_OK) &&
                   !access(b->folder, W_OK | X_OK);
  lb_world_min_u64(b->world, &there, 1);
  b->folder_everywhere = there;
}

int lb_bench_open_results(struct lb_bench *b, struct lb_err *err)
{
  const char *folder = b->w->output.folder;
  size_t len = 0;
  b->start_utc_ns = lb_clock_utc_ns();
  b->start_ns = lb_clock_ns();
  if (b->world->rank == 0) {
    if (!(b->o->force && folder[0] && clear(b, folder, err)) &&
        !lb_results_folder(&b->folder, folder[0] ? folder : NULL, b->w->name,
                           b->start_utc_ns, err))
      open_log(b, err);
    len = b->folder ? strlen(b->folder) : 0;
    lb_progress_init(&b->progress, b->o->progress, stderr);
  }
  int rc = lb_world_bcast_text(b->world, &b->folder, &len, err);
  if (!rc)
    look_everywhere(b);
  return rc;
}

/* ---- YAML of the run, as Hydra saves it ---- */

enum { TEXT_MAX = 4 << 20 };
struct texts {
  struct lb_buf config, hydra, overrides;
};

/* The effective configuration below the key `workload'. */
static void write_config(struct lb_bench *b, struct lb_buf *out)
{
  struct lb_buf flat;
  lb_buf_init(&flat, TEXT_MAX);
  lb_workload_print(b->w, &flat);
  lb_buf_puts(out, "workload:\n");
  out->failed |= flat.failed;
  for (const char *line = flat.data; line && *line;) {
    size_t n = strcspn(line, "\n");
    lb_buf_puts(out, n ? "  " : "");
    lb_buf_add(out, line, n);
    lb_buf_puts(out, "\n");
    line += n + (line[n] == '\n');
  }
  lb_buf_fini(&flat);
}

/* Single quotes, which keep what was typed, have no way to write control
 * characters. */
static bool needs_escapes(const char *text)
{
  for (; *text; text++)
    if ((unsigned char)*text < ' ' || (unsigned char)*text >= 127)
      return true;
  return false;
}

/* A YAML scalar in quotes. */
static void add_quoted(struct lb_buf *out, const char *text)
{
  if (needs_escapes(text)) {
    lb_yaml_quote(text, out);
    lb_buf_puts(out, "\n");
    return;
  }
  lb_buf_puts(out, "'");
  for (; *text; text++)
    lb_buf_add(out, *text == '\'' ? "''" : text, *text == '\'' ? 2 : 1);
  lb_buf_puts(out, "'\n");
}

/* A comment at the top. */
static void add_rehearsal(const struct lb_rehearsal *r, struct lb_buf *out)
{
  if (r)
    lb_buf_printf(out,
                  "# A rehearsal: files x %.9g, bytes x %.9g, time x %.9g\n",
                  r->files, r->bytes, r->time);
}

static int write_texts(struct lb_bench *b, struct texts *t, struct lb_err *err)
{
  lb_buf_init(&t->config, TEXT_MAX);
  lb_buf_init(&t->hydra, TEXT_MAX);
  lb_buf_init(&t->overrides, TEXT_MAX);
  add_rehearsal(b->o->rehearsal, &t->config);
  add_rehearsal(b->o->rehearsal, &t->hydra);
  add_rehearsal(b->o->rehearsal, &t->overrides);
  write_config(b, &t->config);
  lb_buf_puts(&t->hydra, "hydra:\n  job:\n    name: ");
  add_quoted(&t->hydra, "loadbank");
  lb_buf_puts(&t->hydra, "    command: ");
  add_quoted(&t->hydra, b->o->command_line);
  lb_buf_puts(&t->hydra, "  run:\n    dir: ");
  add_quoted(&t->hydra, b->folder);
  lb_buf_puts(&t->hydra, "  output_subdir: ");
  add_quoted(&t->hydra, b->w->output.hydra_folder);
  lb_buf_printf(&t->overrides, "- 'workload=%s'\n", b->w->name);
  for (int i = 0; i < b->o->n_overrides; i++) {
    lb_buf_puts(&t->overrides, "- ");
    add_quoted(&t->overrides, b->o->overrides[i]);
  }
  if (!t->config.failed && !t->hydra.failed && !t->overrides.failed)
    return 0;
  return lb_err_set(err, LB_FAILED,
                    "%s/%s: the configuration is not saved: its text is "
                    "longer than %d bytes, or there is no memory",
                    b->folder, b->w->output.hydra_folder, TEXT_MAX);
}

static void free_texts(struct texts *t)
{
  lb_buf_fini(&t->config);
  lb_buf_fini(&t->hydra);
  lb_buf_fini(&t->overrides);
}

/* ---- the report ---- */

static void describe_run(struct lb_bench *b, struct lb_report *r)
{
  const struct lb_workload *w = b->w;
  static const enum lb_status status[] = {[LB_STOP_NONE] = LB_STATUS_COMPLETE,
                                          [LB_STOP_SIGNAL] =
                                              LB_STATUS_INTERRUPTED,
                                          [LB_STOP_FAILED] = LB_STATUS_FAILED};
  static const char *const frameworks[] = {[LB_FRAMEWORK_TENSORFLOW] =
                                               "tensorflow",
                                           [LB_FRAMEWORK_PYTORCH] = "pytorch"};
  r->folder = b->folder;
  r->steps = w->workflow.train ? w->output.steps : LB_STEPS_NONE;
  r->no_steps = b->folder_everywhere
                    ? NULL
                    : "the folder of the results is not on every node";
  r->per_accelerator = w->output.per_accelerator;
  r->pace = &b->io.stats->pace;
  r->start_ns = b->start_ns;
  r->status = status[b->stop];
  r->start_utc_ns = b->start_utc_ns;
  r->end_utc_ns = lb_clock_utc_ns();
  r->workload = w->name;
  r->model = w->model.name;
  r->framework = frameworks[w->framework];
  r->format = w->dataset.format;
  r->data_loader = w->derived.loader->name;
  r->storage_type = w->storage.storage_type;
  r->command = b->o->command_line;
  r->au_threshold = w->metric.au;
  r->train_seed = w->derived.order_seed;
  r->dataset_seed = w->derived.content_seed;
  r->fingerprint = b->fingerprint[0] ? b->fingerprint : NULL;
  r->direct = b->params.open_flags & LB_IO_DIRECT;
  if (!w->derived.backend->is_virtual) { /* else no file system is touched */
    r->data_folder = w->derived.data_folder;
    r->checkpoint_folder =
        w->workflow.checkpoint ? w->derived.checkpoint_folder : NULL;
  }
  r->gate_shared = lb_gate_cost(b->gate).shared;
  r->clocks = &b->clocks;
  r->placement = &b->placement;
  r->hydra_subdir = w->output.hydra_folder;
}

/* roots: for as many as there may be. */
static void describe_roots(const struct lb_bench *b,
                           struct lb_report_root *roots, struct lb_report *r)
{
  int n = b->w->derived.n_roots, all = b->world->accelerators;
  r->roots = roots;
  r->n_roots = n > 1 ? (size_t)n : 0;
  for (int m = 0; m < n; m++)
    roots[m] = (struct lb_report_root){.path = b->mounts[m].root,
                                       .accelerators = all / n + (m < all % n)};
}

static void describe_plan(struct lb_bench *b, struct lb_report *r)
{
  const struct lb_plan *p = &b->plan;
  uint64_t read = 0, written = 0;
  for (int set = 0; set < LB_N_SETS; set++) {
    r->files[set] = p->set[set].files;
    r->batch[set] = p->set[set].batch;
    r->steps_planned[set] = p->set[set].steps;
    read += p->set[set].read ? p->set[set].file_bytes : 0;
    written += p->set[set].written ? p->set[set].file_bytes : 0;
  }
  r->dataset_bytes = read ? read : written;
  r->cacheable_bytes = read ? lb_plan_bytes_met(p) : written;
  r->samples_per_file = p->set[LB_SET_TRAIN].samples_per_file;
  r->epochs = lb_plan_epochs(p);
  r->read_threads = (int)b->plan.pace.readers;
}

/* Files whose samples are not as long as planned: said once, with the mean. */
static void check_sizes_seen(struct lb_bench *b)
{
  uint64_t v[2] = {b->totals[LB_SET_TRAIN].samples_seen,
                   b->totals[LB_SET_TRAIN].sample_bytes_seen};
  lb_world_sum_u64(b->world, v, 2);
  double planned = b->plan.set[LB_SET_TRAIN].sample_bytes;
  if (b->world->rank || !v[0] || b->sizes.stdev > 0)
    return;
  double seen = (double)v[1] / (double)v[0];
  if (seen < planned - 0.5 || seen > planned + 0.5)
    lb_warn("samples on disk have %.0f bytes on average, %.0f are configured",
            seen, planned);
}

static const double clock_limit_s = 1;

static void check_clocks(struct lb_bench *b)
{
  double offset_s = 0;
  lb_clocks_end(&b->clocks, b->world);
  const struct lb_node_clock *n =
      lb_clocks_worst(&b->clocks, clock_limit_s, &offset_s);
  if (n)
    lb_warn("the clock of node %s is %.3g s %s that of the first node: time "
            "stamps of several nodes do not fit together (durations are not "
            "touched)",
            n->name, offset_s < 0 ? -offset_s : offset_s,
            offset_s < 0 ? "behind" : "ahead of");
}

/* What a number of the result cannot be understood without. */
struct notes {
  char bandwidth[128], drops[200], lacks[LB_NOTE_MAX], direct[LB_NOTE_MAX];
  char roots[128];
  struct lb_pair pair[7];
};

/* What is known of the page cache. */
static void describe_cache(const struct lb_bench *b, struct notes *n,
                           const struct lb_summary *s, struct lb_report *r)
{
  if (b->drops.times > 0) {
    lb_bench_say_drops(b, n->drops, sizeof n->drops);
    n->pair[r->n_notes++] = (struct lb_pair){"drop_caches", n->drops};
  }
  if (!b->w->reader.cache_hits || b->world->rank != 0 ||
      b->plan.pace.readers == 0 || !lb_metric_present(s, LB_METRIC_TRAIN) ||
      lb_metric_present(s, LB_METRIC_CACHE))
    return;
  static const char *const why =
      "this kernel cannot tell for this file system (preadv2 with RWF_NOWAIT)";
  n->pair[r->n_notes++] = (struct lb_pair){"cache_hits", why};
  lb_warn("reader.cache_hits: %s", why);
}

/* Reading what this host has just written may read its memory. */
static void describe_loads(const struct lb_bench *b, struct notes *n,
                           struct lb_report *r)
{
  if (b->loads_cached)
    n->pair[r->n_notes++] = (struct lb_pair){
        "load_checkpoint",
        "may have come from the page cache: storage.drop_caches is never"};
}

static void describe_notes(const struct lb_bench *b, struct notes *n,
                           const struct lb_summary *sum, struct lb_report *r)
{
  const struct lb_derived *d = &b->w->derived;
  const struct lb_world *w = b->world;
  r->notes = n->pair;
  describe_cache(b, n, sum, r);
  describe_loads(b, n, r);
  lb_bench_storage_notes(b, n->lacks, n->direct, sizeof n->lacks);
  if (*n->lacks)
    n->pair[r->n_notes++] = (struct lb_pair){"storage", n->lacks};
  if (*n->direct)
    n->pair[r->n_notes++] = (struct lb_pair){"odirect", n->direct};
  lb_bench_say_roots(b, n->roots, sizeof n->roots);
  if (*n->roots)
    n->pair[r->n_notes++] = (struct lb_pair){"storage_root", n->roots};
  if (strcmp(d->backend->name, "simulated") != 0 || w->n_nodes == 1)
    return;
  const struct lb_simulated *s = d->backend_options;
  if (s->scope != LB_SCOPE_JOB)
    return;
  snprintf(n->bandwidth, sizeof n->bandwidth,
           "each of %d nodes serves its accelerators' share of the job's "
           "bandwidth; the first: %d of %d",
           w->n_nodes, w->node_accelerators, w->accelerators);
  n->pair[r->n_notes++] = (struct lb_pair){"scope", n->bandwidth};
}

enum { N_VERSIONS = 6 };

static void list_versions(struct lb_pair out[N_VERSIONS])
{
  const struct lb_pair all[N_VERSIONS] = {
      {"loadbank", PACKAGE_VERSION},  {"mpi", lb_world_mpi_version()},
      {"hdf5", lb_hdf5_version()},    {"gsl", lb_gsl_version()},
      {"libyaml", lb_yaml_version()}, {"hwloc", lb_hwloc_version()}};
  memcpy(out, all, sizeof all);
}

int lb_bench_write_results(struct lb_bench *b, struct lb_summary *summary,
                           const struct lb_err *why, struct lb_err *err)
{
  struct lb_report r = {0};
  struct texts t;
  struct notes notes = {.bandwidth = ""};
  char hash[LB_HASH_LEN];
  struct lb_pair versions[N_VERSIONS];
  struct lb_report_root roots[LB_LIST_MAX];
  check_sizes_seen(b);
  check_clocks(b);
  lb_bench_cost_total(b);
  int rc =
      lb_metrics_reduce(b->metrics, b->world, &b->cost,
                        b->plan.set[LB_SET_TRAIN].sample_bytes, summary, err);
  if (rc)
    return rc;
  lb_bench_warn_crowded(b, summary);
  describe_run(b, &r);
  describe_roots(b, roots, &r);
  describe_plan(b, &r);
  describe_notes(b, &notes, summary, &r);
  if (!write_texts(b, &t, err)) { /* else: the error, after all the rest */
    r.config_yaml = t.config.data;
    r.hydra_yaml = t.hydra.data;
    r.overrides_yaml = t.overrides.data;
  }
  lb_workload_hash(b->w, hash);
  r.config_hash = hash;
  list_versions(versions);
  r.versions = versions;
  r.n_versions = N_VERSIONS;
  if (b->stop == LB_STOP_FAILED)
    r.reason = why->msg;
  else if (b->stop == LB_STOP_SIGNAL)
    r.reason = strsignal(b->signal);
  r.output = b->o->output;
  r.out = r.output == LB_OUTPUT_NONE ? NULL : b->o->out ? b->o->out : stdout;
  r.rehearsal = b->o->rehearsal;
  r.log = b->log;
  rc = lb_report_write(b->world, b->metrics, &r, summary, err);
  free_texts(&t);
  return rc;
}
