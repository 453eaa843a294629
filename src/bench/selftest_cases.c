/* SPDX-License-Identifier: GPL-3.0-or-later */
/* THE table of self tests.  Their derivations are in docs/accuracy.md, the
 * formulas in closed_forms.c; here is which workload goes with which. */
#include "lb-config.h"

#include "loadbank/selftest.h"

#include <math.h>
#include <string.h>

#include "loadbank/closed_forms.h"
#include "loadbank/loader.h"
#include "loadbank/simulated.h"
#include "loadbank/units.h"

const char lb_selftest_yaml[] =
    "model: {name: selftest}\n"
    "framework: pytorch\n"
    "workflow: {generate_data: false, train: true}\n"
    "storage: {storage_type: simulated}\n"
    "dataset: {data_folder: data, format: npy, record_length_bytes: 64KiB}\n"
    "reader: {data_loader: pytorch, read_threads: 1, prefetch_size: 2}\n"
    "checkpoint: {checkpoint_folder: checkpoints}\n"
    "output: {steps: none}\n";

static const struct lb_simulated *server(const struct lb_trial *t)
{
  return t->workload->derived.backend_options;
}

/* Operations of one kind that all samples of a batch need. */
static double per_batch(const struct lb_trial *t, const uint64_t v[LB_N_OPS],
                        enum lb_op op)
{
  return (double)t->plan->set[LB_SET_TRAIN].batch * (double)v[op];
}

/* Either latencies count or bandwidth does. */
static struct lb_closed model(const struct lb_trial *t)
{
  const struct lb_workload *w = t->workload;
  const struct lb_plan_set *set = &t->plan->set[LB_SET_TRAIN];
  const struct lb_simulated *s = server(t);
  struct lb_closed c = {.steps = set->steps,
                        .readers = w->reader.read_threads,
                        .ahead = t->plan->pace.ahead,
                        .compute = lb_dist_mean(w->derived.compute)};
  c.read = per_batch(t, set->ops, LB_OP_OPEN) * lb_dist_mean(&s->open_latency);
  if (s->read_bandwidth > 0) {
    int sharing =
        s->scope == LB_SCOPE_JOB ? t->accelerators : t->node_accelerators;
    double service =
        per_batch(t, set->op_bytes, LB_OP_READ) / (double)s->read_bandwidth;
    c.read = lb_closed_read_shared(sharing, c.readers, service);
  }
  return c;
}

/* ---- utilisation ---- */

static double au(const struct lb_trial *t, const struct lb_summary *s)
{
  (void)t;
  return s->set[LB_SET_TRAIN].au;
}

static double expect_au(const struct lb_trial *t)
{
  struct lb_closed c = model(t);
  return lb_closed_au(&c);
}

enum { BLOCK_STEPS = 20, BURST = 10 };
static const double slower = 2, fast = 0.2;

static double expect_blocks(const struct lb_trial *t)
{
  struct lb_closed c = model(t);
  int64_t blocks = c.steps / BLOCK_STEPS;
  c.steps = BLOCK_STEPS;
  return lb_closed_au_blocks(&c, blocks);
}

static double straggle(const void *arg, int accelerator, uint64_t step)
{
  (void)arg, (void)step;
  return accelerator == 0 ? slower : 1;
}

static double expect_straggler(const struct lb_trial *t)
{
  return lb_closed_au_straggler(t->accelerators,
                                t->plan->set[LB_SET_TRAIN].steps, slower);
}

static double burst(const void *arg, int accelerator, uint64_t step)
{
  (void)arg, (void)accelerator;
  return step / BURST % 2 ? fast : 1;
}

static double expect_bursty(const struct lb_trial *t)
{
  struct lb_closed c = model(t);
  return lb_closed_au_bursty(&c, BURST, fast * c.compute);
}

/* ---- rates ---- */

static double seconds(const struct lb_summary *s)
{
  const struct lb_set_summary *set = &s->set[LB_SET_TRAIN];
  return set->n_epochs ? set->epoch[0].seconds : NAN;
}

static double samples(const struct lb_trial *t)
{
  const struct lb_plan_set *set = &t->plan->set[LB_SET_TRAIN];
  return (double)t->accelerators * (double)set->steps * (double)set->batch;
}

static double rate(const struct lb_trial *t, const struct lb_summary *s)
{
  const struct lb_plan_set *set = &t->plan->set[LB_SET_TRAIN];
  return samples(t) * (double)set->op_bytes[LB_OP_READ] / LB_MIB / seconds(s);
}

static double expect_rate(const struct lb_trial *t)
{
  return (double)server(t)->read_bandwidth / LB_MIB;
}

/* Samples so large that they take 0.4 s together. */
static void size_for(const struct lb_trial *t, struct lb_buf *lines,
                     double rate)
{
  const struct lb_selftest_case *c = t->what;
  double n = (double)(c->steps * c->batch) * t->accelerators;
  lb_buf_printf(lines, "storage.storage_options.read_bandwidth=%.0f\n", rate);
  lb_buf_printf(lines, "dataset.record_length_bytes=%.0f\n", 0.4 * rate / n);
}

static void set_1_mib(const struct lb_trial *t, struct lb_buf *lines)
{
  size_for(t, lines, LB_MIB);
}

static void set_1_gib(const struct lb_trial *t, struct lb_buf *lines)
{
  size_for(t, lines, 1024 * LB_MIB);
}

static void set_20_gib(const struct lb_trial *t, struct lb_buf *lines)
{
  size_for(t, lines, 20 * 1024 * LB_MIB);
}

/* ---- contention ---- */

enum { FOLDERS = 8, FEW_READERS = 2, MANY_FOLDERS = 64 };

/* An open occupies its folder so long that all of them take 0.4 s. */
static void set_service(const struct lb_trial *t, struct lb_buf *lines,
                        int64_t readers, int64_t folders)
{
  const struct lb_selftest_case *c = t->what;
  double each = (double)(c->steps * c->batch) / (double)readers;
  double crowd = (double)(t->accelerators * readers) / (double)folders;
  lb_buf_printf(lines, "reader.read_threads=%d\n", (int)readers);
  lb_buf_printf(lines, "dataset.num_subfolders_train=%d\n", (int)folders);
  lb_buf_printf(lines,
                "storage.storage_options.open_concurrency.service=%.12f\n",
                0.4 / (each * fmax(crowd, 1)));
}

static void set_one_folder(const struct lb_trial *t, struct lb_buf *lines)
{
  set_service(t, lines, FOLDERS, 1);
}

static void set_folders(const struct lb_trial *t, struct lb_buf *lines)
{
  set_service(t, lines, FOLDERS, FOLDERS);
}

static void set_many_folders(const struct lb_trial *t, struct lb_buf *lines)
{
  set_service(t, lines, FEW_READERS, MANY_FOLDERS);
}

/* How many times as fast as one folder could be. */
static double gain(const struct lb_trial *t, const struct lb_summary *s)
{
  return samples(t) * server(t)->open_concurrency.service / seconds(s);
}

/* A node has its share of the servers, and its readers. */
static double expect_gain(const struct lb_trial *t)
{
  const struct lb_workload *w = t->workload;
  double service = server(t)->open_concurrency.service;
  double share = (double)t->node_accelerators / t->accelerators;
  int64_t readers = w->reader.read_threads;
  int64_t each = t->what->steps * t->what->batch / readers;
  return samples(t) * service /
         lb_closed_queues(readers * t->node_accelerators, each,
                          w->dataset.num_subfolders_train, service / share);
}

/* One sample of the file for each accelerator. */
static void set_one_file(const struct lb_trial *t, struct lb_buf *lines)
{
  lb_buf_printf(lines, "dataset.num_files_train=1\n");
  lb_buf_printf(lines, "dataset.num_samples_per_file=%d\n", t->accelerators);
}

static double restore_s(const struct lb_trial *t, const struct lb_summary *s)
{
  (void)t;
  return seconds(s);
}

/* One reader comes first; all others find its open in flight. */
static double expect_restore(const struct lb_trial *t)
{
  const struct lb_simulated *s = server(t);
  return lb_dist_mean(&s->open_latency) +
         (t->node_accelerators > 1 ? s->same_file_open_stall.time : 0);
}

static double save_s(const struct lb_trial *t, const struct lb_summary *s)
{
  (void)t;
  return s->n_checkpoints ? s->checkpoint[0].seconds : NAN;
}

static double expect_save(const struct lb_trial *t)
{
  const struct lb_simulated *s = server(t);
  return lb_dist_mean(&s->open_latency) +
         (double)t->workload->model.model_size_bytes /
             (double)s->write_bandwidth;
}

#define AU .unit = "%", .tolerance = 1, .measure = au
#define RATE                                                        \
  .unit = "MiB/s", .tolerance = 0.01, .relative = true,             \
  .overrides = {"reader.read_threads=2", "reader.prefetch_size=4"}, \
  .expect = expect_rate, .measure = rate
#define GAIN                                                          \
  .unit = "times", .tolerance = 0.02, .relative = true,               \
  .overrides = {"reader.prefetch_size=16",                            \
                "storage.storage_options.open_concurrency.servers=1", \
                "storage.storage_options.open_concurrency.scope="     \
                "directory"},                                         \
  .expect = expect_gain, .measure = gain
#define STALL                                                                  \
  .unit = "s", .tolerance = 0.01, .steps = 1, .batch = 1, .set = set_one_file, \
  .overrides = {"storage.storage_options.open_latency=0.001",                  \
                "storage.storage_options.same_file_open_stall.time=0.4",       \
                "storage.storage_options.write_bandwidth=320MiB",              \
                "model.model_size_bytes=32MiB",                                \
                "workflow.checkpoint=true",                                    \
                "output.metric.exclude_start_steps=0"}

const struct lb_selftest_case lb_selftest_cases[] = {
    {.name = "constant",
     .doc = "Storage that never makes anyone wait.",
     AU,
     .steps = 20,
     .batch = 4,
     .overrides = {"train.computation_time=0.05"},
     .expect = expect_au},
    {.name = "bandwidth",
     .doc = "All readers share a server that is too slow for them.",
     AU,
     .steps = 60,
     .batch = 8,
     .bandwidth = 40 << 20,
     .overrides = {"reader.read_threads=2", "reader.prefetch_size=4",
                   "train.computation_time=0.01"},
     .expect = expect_au},
    {.name = "latency",
     .doc = "One reader, whose latencies are longer than the compute.",
     AU,
     .steps = 60,
     .batch = 4,
     .overrides = {"train.computation_time=0.01",
                   "storage.storage_options.open_latency=0.004"},
     .expect = expect_au},
    {.name = "readers",
     .doc = "Four readers are too few to hide the latencies.",
     AU,
     .steps = 80,
     .batch = 4,
     .overrides = {"reader.read_threads=4", "reader.prefetch_size=8",
                   "train.computation_time=0.006",
                   "storage.storage_options.open_latency=0.01"},
     .expect = expect_au},
    {.name = "enough_readers",
     .doc = "Eight readers are enough: only the first step waits.",
     AU,
     .steps = 20,
     .batch = 4,
     .overrides = {"reader.read_threads=8", "reader.prefetch_size=16",
                   "train.computation_time=0.04",
                   "storage.storage_options.open_latency=0.01"},
     .expect = expect_au},
    {.name = "no_reader",
     .doc = "The accelerator reads itself, then computes.",
     AU,
     .steps = 20,
     .batch = 4,
     .overrides = {"reader.read_threads=0", "train.computation_time=0.024",
                   "storage.storage_options.open_latency=0.004"},
     .expect = expect_au},
    {.name = "straggler",
     .doc = "One accelerator computes twice as long; the others wait for it.",
     AU,
     .steps = 16,
     .batch = 4,
     .overrides = {"train.computation_time=0.03"},
     .scale = {.of = straggle},
     .expect = expect_straggler},
    {.name = "bursty",
     .doc = "Steps in turn slower and faster than the storage.",
     AU,
     .steps = 4 * BURST,
     .batch = 4,
     .overrides = {"reader.prefetch_size=4", "train.computation_time=0.04",
                   "storage.storage_options.open_latency=0.005"},
     .scale = {.of = burst},
     .expect = expect_bursty},
    {.name = "checkpoint",
     .doc = "Checkpoints in between: readers go on while one is saved.",
     AU,
     .steps = 3 * BLOCK_STEPS,
     .batch = 4,
     .overrides = {"reader.prefetch_size=4", "train.computation_time=0.01",
                   "storage.storage_options.open_latency=0.004",
                   "storage.storage_options.write_bandwidth=320MiB",
                   "workflow.checkpoint=true", "model.model_size_bytes=32MiB",
                   "checkpoint.steps_between_checkpoints=20"},
     .expect = expect_blocks},
    {.name = "nodes",
     .doc = "Each node has a server of its own.",
     AU,
     .steps = 60,
     .batch = 8,
     .bandwidth = 40 << 20,
     .overrides = {"storage.storage_options.scope=node",
                   "train.computation_time=0.01"},
     .expect = expect_au},
    {.name = "rate_1_mib",
     .doc = "1 MiB/s.",
     RATE,
     .steps = 8,
     .batch = 4,
     .set = set_1_mib},
    {.name = "rate_1_gib",
     .doc = "1 GiB/s.",
     RATE,
     .steps = 8,
     .batch = 4,
     .set = set_1_gib},
    {.name = "rate_20_gib",
     .doc = "20 GiB/s.",
     RATE,
     .steps = 8,
     .batch = 4,
     .set = set_20_gib},
    {.name = "one_folder",
     .doc = "Small files in one folder that serves one open at a time.",
     GAIN,
     .steps = 16,
     .batch = 16,
     .set = set_one_folder},
    {.name = "folders",
     .doc = "The same files in eight folders: eight times as fast.",
     GAIN,
     .steps = 16,
     .batch = 16,
     .set = set_folders},
    {.name = "many_folders",
     .doc = "In more folders than there are readers: these are the limit.",
     GAIN,
     .steps = 8,
     .batch = 64,
     .set = set_many_folders},
    {.name = "stall_restore",
     .doc = "All read one file at once, and opens of the same file stall.",
     STALL,
     .expect = expect_restore,
     .measure = restore_s},
    {.name = "stall_save",
     .doc = "The same storage takes a checkpoint without a stall.",
     STALL,
     .expect = expect_save,
     .measure = save_s},
    {.name = NULL},
};
#undef AU
#undef RATE
#undef GAIN
#undef STALL

const struct lb_selftest_case *lb_selftest_find(const char *name)
{
  for (const struct lb_selftest_case *c = lb_selftest_cases; c->name; c++)
    if (!strcmp(c->name, name))
      return c;
  return NULL;
}

int lb_selftest_accelerators(int ranks, int i)
{
  static const int counts[] = {1, 4, 32};
  int last = 0;
  for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
    int n = (counts[k] + ranks - 1) / ranks * ranks;
    if (n != last && i-- == 0)
      return n;
    last = n;
  }
  return 0;
}
