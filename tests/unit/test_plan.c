/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Plans of whole workloads: hand-computed numbers, errors with their numbers,
 * warnings, and JSON. */
#include "lb-config.h"

#include "loadbank/plan.h"

#include <jansson.h>
#include <string.h>

#include "loadbank/config.h"
#include "loadbank/spool.h"
#include "tap.h"

/* U-Net3D on H100, but 170 files of one size. */
static const char unet3d[] =
    "workflow: {train: true}\n"
    "dataset: {format: npz, num_files_train: 170,\n"
    "  record_length_bytes: 146600628, num_samples_per_file: 1}\n"
    "reader: {data_loader: pytorch, batch_size: 7, read_threads: 4}\n"
    "train: {epochs: 5, computation_time: 0.323}\n"
    "metric: {au: 0.9}\n";

static struct lb_err error;

static int plan(struct lb_plan *p, int ranks, int64_t accelerators, int n,
                const char *const *overrides)
{
  struct lb_workload *w;
  error = (struct lb_err)LB_ERR_INIT;
  if (lb_workload_load(unet3d, sizeof unet3d - 1, "t.yaml", overrides, n, &w,
                       &error) < 0)
    return -error.code;
  int rc = lb_plan_make(w, ranks, accelerators, p, &error);
  lb_workload_free(w);
  return rc;
}
#define PLAN(p, ranks, accelerators, ...)                             \
  plan(p, ranks, accelerators,                                        \
       (int)(sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *)), \
       (const char *[]){__VA_ARGS__})

static void join(void *arg, const char *text)
{
  lb_buf_printf(arg, "%s\n", text);
}

/* Is the text in the plan's warnings? */
static bool warns(const struct lb_plan *p, const char *text)
{
  struct lb_buf all;
  lb_buf_init(&all, 1 << 16);
  lb_plan_warnings(p, join, &all);
  bool found = all.data && strstr(all.data, text);
  if (!found)
    printf("# warnings: %s\n", all.data ? all.data : "none");
  lb_buf_fini(&all);
  return found;
}

static void numbers(void)
{
  struct lb_plan p;
  const struct lb_plan_set *t = &p.set[LB_SET_TRAIN];
  is_int(PLAN(&p, 2, 8, "model.name=x"), 0, "8 accelerators on 2 ranks");
  is_int(p.k, 4, "four on each rank");
  is_int(t->steps, 3, "floor(170 / 7 / 8) = 3 steps");
  is_int(t->dropped, 170 - 3 * 7 * 8, "2 samples are dropped");
  is_int(t->payload_bytes, 170 * 146600628L, "payload of 170 samples");
  ok(t->exact && t->known, "exactly");
  ok(t->file_bytes > t->payload_bytes &&
         t->file_bytes < t->payload_bytes + 170 * 4096,
     "files have headers");
  is_int(t->ops[LB_OP_OPEN], 1, "a sample is one open");
  is_int(t->ops[LB_OP_CLOSE], 1, "and one close");
  ok(t->op_bytes[LB_OP_READ] >= 146600628, "and all its bytes");
  is_int(lb_plan_steps(&p), 15, "5 epochs of 3 steps");
  is_near(p.full_s, 15 * 0.323, 1e-9, "15 x 0.323 s at full utilisation");
  is_near(p.demand.job_bytes_per_s[LB_AT_FULL], 8 * 7 * 146600628.0 / 0.323, 1,
          "all ask for 8 x 7 x 146600628 / 0.323");
  is_int(p.memory.threads, 16, "4 accelerators x 4 readers on a rank");
  is_int(p.memory.rank_bytes,
         16 * 262144 + p.memory.readers_bytes + lb_spool_bytes(),
         "with 256 KiB each, what they note, and raw steps");
  is_int(p.memory.main_bytes, 0, "nothing is written: no buffer for it");
  ok(warns(&p, "train: the last 2 of 170 samples"), "the drop is told");
  is_int(PLAN(&p, 3, 8, "reader.read_threads=4"), 0, "8 on 3 ranks");
  ok(p.k == 3 && p.memory.threads == 12, "the first have one more");
  is_int(PLAN(&p, 3, 8, "checkpoint.recovery_rank_shift=true"), -LB_USAGE,
         "not with recovery_rank_shift");
  is_int(PLAN(&p, 3, 2, "model.name=x"), -LB_USAGE, "fewer than ranks");
  is_int(PLAN(&p, 3, 0, "model.name=x"), 0, "no --accelerators");
  is_int(p.accelerators, 3, "one for each rank");
}

static void errors(void)
{
  struct lb_plan p;
  struct lb_err uneven = LB_ERR_INIT;
  is_int(lb_plan_check_even(3, 8, &uneven), -LB_USAGE,
         "8 on 3 ranks is refused where a multiple is wanted");
  ok(strstr(uneven.msg, "8") && strstr(uneven.msg, "3"), "with both numbers");
  is_int(PLAN(&p, 1, 32, "model.name=x"), -LB_USAGE,
         "more accelerators than batches");
  ok(strstr(error.msg, "dataset.num_files_train: an epoch has no step: 170 "
                       "files x 1 sample = 170 are fewer than batch 7 x 32 "
                       "accelerators = 224") &&
         !strncmp(error.msg, "t.yaml:", 7),
     "with its place and all numbers: %s", error.msg);
  is_int(PLAN(&p, 1, 0, "train.total_training_steps=121"), -LB_USAGE,
         "a limit above all steps");
  ok(strstr(error.msg, "121") && strstr(error.msg, "120"), "with both numbers");
  is_int(PLAN(&p, 1, 0, "train.total_training_steps=120"), 0,
         "a limit at all steps is fine");
  is_int(PLAN(&p, 1, 0, "dataset.num_files_train=1000000000000",
              "dataset.record_length_bytes=1000000000000"),
         -LB_USAGE, "more than 2^63 bytes");
  is_int(PLAN(&p, 1, 32, "workflow.train=false"), 0,
         "without training no step is needed");
  is_int(lb_plan_steps(&p), 0, "and there is none");
}

/* npy reads the whole file for each sample, and with read_type memory once. */
static void really_read(void)
{
  struct lb_plan p;
  const struct lb_plan_set *t = &p.set[LB_SET_TRAIN];
#define FOUR                                                             \
  "dataset.format=npy", "dataset.num_samples_per_file=4",                \
      "dataset.record_length_bytes=65536", "dataset.num_files_train=28", \
      "dataset.record_length_bytes_stdev=0", "reader.file_shuffle=off",  \
      "reader.sample_shuffle=off"
  PLAN(&p, 1, 4, FOUR);
  ok(t->read_bytes > 4 * 65536 && t->read_bytes < 4 * 65536 + 16384,
     "4 samples for each");
  is_near(p.demand.job_bytes_per_s[LB_AT_FULL], 4 * 7 * 65536 / 0.323, 1,
          "the nominal demand counts one");
  is_near(p.demand.job_read_bytes_per_s[LB_AT_FULL],
          4 * 7 * t->read_bytes / 0.323, 1, "the real one four");
  ok(warns(&p, "times the nominal demand"), "and that is told");
  PLAN(&p, 1, 4, FOUR, "reader.read_type=memory", "reader.read_threads=1");
  is_near(t->read_bytes / (9.0 / 28 * (4 * 65536 + 4224)), 1, 0.02,
          "memory: at most 9 files for 28 samples");
  ok(!warns(&p, "times the nominal demand"), "no warning");
  is_near(p.spread.best_au, 1, 0, "constant computes: no limit");
  PLAN(&p, 1, 8, "train.computation_time={type: exponential, scale: 0.3}");
  ok(warns(&p, "cannot be reached"),
     "computes that vary: metric.au is too much");
}

static void idle(void)
{
  struct lb_plan p;
  PLAN(&p, 1, 0, "workflow.train=false");
  ok(warns(&p, "nothing to do"), "all of the workflow off: it is told");
  PLAN(&p, 1, 0, "model.name=x");
  ok(!warns(&p, "nothing to do"), "training is something");
  PLAN(&p, 1, 0, "workflow.train=false", "workflow.generate_data=true");
  ok(!warns(&p, "nothing to do"), "so is a generation");
  PLAN(&p, 1, 0, "workflow.train=false", "workflow.generate_data=true",
       "workflow.checkpoint=true");
  ok(warns(&p, "checkpoints are saved during training"),
     "a generation's checkpoints: none, and it is told");
  ok(!warns(&p, "refuses"), "but that runs");
  PLAN(&p, 1, 0, "workflow.train=false", "workflow.checkpoint=true");
  ok(warns(&p, "run refuses this workload") &&
         warns(&p, "checkpoint.num_checkpoints_write"),
     "checkpoints alone: refused, and the plan says so");
  PLAN(&p, 2, 2, "storage.storage_root=[a,b,c]");
  ok(warns(&p, "the last 1 is not used"), "more roots than accelerators");
  PLAN(&p, 2, 4, "storage.storage_root=[a,b,c]");
  ok(!warns(&p, "is not used"), "not more");
  PLAN(&p, 1, 0, "workflow.query=true");
  ok(warns(&p, "run refuses") && warns(&p, "workflow.query"),
     "what is still to come is told by the plan");
}

static void limits(void)
{
  struct lb_plan p;
  is_int(PLAN(&p, 1, 0, "train.total_training_steps=50"), 0, "50 steps");
  is_int(lb_plan_steps(&p), 50, "of 24 an epoch");
  ok(warns(&p, "would make 120"), "DLIO: 24 in each of 5 epochs");
  PLAN(&p, 1, 0, "train.total_training_steps=10");
  ok(warns(&p, "would make 50"), "DLIO: 10 in each of 5 epochs");
}

static void evaluation(void)
{
  struct lb_plan p;
  is_int(PLAN(&p, 1, 4, "workflow.evaluation=true", "dataset.num_files_eval=3",
              "evaluation.eval_time=0.1"),
         0, "3 samples for 4 accelerators");
  ok(!p.eval && p.evals == 0, "no evaluation");
  ok(warns(&p, "evaluation has no step"), "but a warning");
  is_int(PLAN(&p, 1, 4, "workflow.evaluation=true", "dataset.num_files_eval=17",
              "evaluation.eval_time=0.1", "evaluation.eval_after_epoch=2",
              "evaluation.epochs_between_evals=2"),
         0, "17 samples for 4 accelerators");
  is_int(p.set[LB_SET_EVAL].steps, 4, "4 steps each");
  is_int(p.evals, 2, "after epochs 2 and 4");
  is_near(p.full_s, 30 * 0.323 + 8 * 0.1, 1e-9, "and their time counts");
}

static void sizes(void)
{
  struct lb_plan p;
  PLAN(&p, 1, 0, "dataset.num_files_train=10000000",
       "dataset.record_length_bytes_stdev=68341808");
  ok(!p.set[LB_SET_TRAIN].exact, "10^7 files of varying size: by the mean");
  is_int(p.set[LB_SET_TRAIN].payload_bytes, 1466006280000000,
         "10^7 x 146600628 bytes");
  PLAN(&p, 1, 0, "dataset.num_files_train=10000000");
  ok(p.set[LB_SET_TRAIN].exact, "of one size: exactly");
  PLAN(&p, 1, 0, "dataset.num_files_train=10000",
       "dataset.record_length_bytes_stdev=68341808");
  ok(p.set[LB_SET_TRAIN].exact, "10^4 are summed");
  is_near((double)p.set[LB_SET_TRAIN].payload_bytes / 10000, 146600628,
          4 * 683418, "to within 4 standard errors of the mean");
}

static void checkpoints_and_memory(void)
{
  struct lb_plan p;
  PLAN(&p, 1, 0, "workflow.checkpoint=true", "model.model_size_bytes=1000",
       "checkpoint.steps_between_checkpoints=10");
  is_int(p.checkpoints.count, 10, "24 steps, every 10: two in each epoch");
  is_int(p.checkpoints.total_bytes, 10000, "10 x 1000 bytes");
  PLAN(&p, 1, 0, "workflow.checkpoint=true",
       "checkpoint.checkpoint_after_epoch=6");
  ok(warns(&p, "no checkpoint is due"), "none is due, and that is told");
  struct lb_plan without;
  PLAN(&without, 1, 0, "dataset.num_files_train=819200");
  PLAN(&p, 1, 0, "reader.read_type=memory", "dataset.num_files_train=819200");
  is_near((double)(p.memory.readers_bytes - without.memory.readers_bytes),
          4 * 819200 / 8, 4 * 1024, "a bit for each file");
  PLAN(&p, 1, 0, "reader.read_type=memory");
  ok(p.memory.real_bytes >= 4 * 170 * 146600628L, "real readers keep it all");
  PLAN(&p, 1, 512, "storage.storage_type=none",
       "dataset.num_files_train=10000");
  is_int(p.memory.threads, 0, "none needs no threads");
  is_int(lb_plan_check_threads(&p, 1, &error), 0, "and no limit of them");
}

/* What the loader makes of read_threads, not the key itself. */
static void pace(void)
{
  struct lb_plan p;
  PLAN(&p, 1, 0, "reader.data_loader=none", "reader.read_threads=8");
  is_int(p.pace.readers, 1, "data_loader none has one reader");
  is_int(p.memory.threads, 1, "and one thread");
  ok(p.demand.read_s[LB_AT_FULL] <= 0, "with nothing ahead");
  PLAN(&p, 1, 0, "reader.read_threads=0");
  is_int(p.memory.threads, 1, "no workers: the one that reads for the step");
  PLAN(&p, 1, 0, "workflow.train=false", "workflow.generate_data=true",
       "dataset.generation_buffer_size=1MiB");
  is_int(p.memory.threads, 0, "no training: no reader");
  is_int(p.memory.rank_bytes, 1 << 20, "but a buffer to write from");
}

/* Readers that keep HDF5 files open. */
static void open_files(void)
{
#ifdef HAVE_HDF5
  struct lb_plan p;
  PLAN(&p, 1, 0, "dataset.format=hdf5", "reader.read_type=memory");
  /* 24 steps of 7 for 4 readers: 6 batches each. */
  is_int(p.memory.open_files, 4 * (1 + 42), "each keeps 42 files open");
  ok(p.memory.readers_bytes >= 4 * 24 * 170, "and 24 bytes of every file");
  PLAN(&p, 1, 0, "dataset.format=hdf5", "reader.read_type=memory",
       "dataset.num_files_train=17", "dataset.num_samples_per_file=10");
  is_int(p.memory.open_files, 4 * (1 + 17), "not more than there are");
  PLAN(&p, 1, 0, "dataset.format=hdf5");
  is_int(p.memory.open_files, 4, "one at a time on demand");
#else
  ok(true, "# SKIP without HDF5");
#endif
}

static void json(void)
{
  struct lb_plan p;
  struct lb_workload *w;
  struct lb_buf text;
  error = (struct lb_err)LB_ERR_INIT;
  lb_buf_init(&text, 1 << 16);
  lb_workload_load(unet3d, sizeof unet3d - 1, "t.yaml", NULL, 0, &w, &error);
  lb_plan_make(w, 2, 8, &p, &error);
  is_int(lb_plan_json(&p, w, &text, &error), 0, "as JSON");
  json_t *o = json_loads(text.data, 0, NULL);
  ok(o != NULL, "that parses");
  is_int(json_integer_value(json_object_get(o, "steps")), 15, "15 steps");
  is_int(json_array_size(json_object_get(o, "warnings")), 1, "one warning");
  json_decref(o);
  lb_buf_fini(&text);
  lb_workload_free(w);
}

int main(void)
{
  numbers();
  errors();
  idle();
  really_read();
  limits();
  evaluation();
  sizes();
  checkpoints_and_memory();
  pace();
  open_files();
  json();
  return done();
}
