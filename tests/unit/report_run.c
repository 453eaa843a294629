/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lb-config.h"

#include "report_run.h"

static uint64_t train_block(struct lb_metrics *m, int k, int64_t number,
                            uint64_t t)
{
  lb_metrics_block_begin(m, number, t);
  for (int i = 0; i < 6; i++) {
    for (int a = 0; a < k; a++) {
      struct lb_step s = {
          .load_ns = (5 + (uint64_t)a) * RUN_MS,
          .compute_ns = 20 * RUN_MS,
          .requested_ns = 20 * RUN_MS,
          .gate_ns = (uint64_t)(k - 1 - a) * RUN_MS,
          .lag_ns = 1000,
      };
      lb_metrics_step(m, a, &s);
    }
    t += (24 + (uint64_t)k) * RUN_MS;
  }
  lb_metrics_block_end(m, t);
  return t;
}

static uint64_t evaluation(struct lb_metrics *m, int k, int64_t epoch,
                           uint64_t t)
{
  lb_metrics_epoch_begin(m, LB_SET_EVAL, epoch, t);
  lb_metrics_block_begin(m, 1, t);
  for (int a = 0; a < k; a++) {
    for (int i = 0; i < 4; i++) {
      struct lb_step s = {.load_ns = 10 * RUN_MS,
                          .compute_ns = 10 * RUN_MS,
                          .requested_ns = 10 * RUN_MS};
      lb_metrics_step(m, a, &s);
    }
    lb_metrics_eval_end(m, a, t + 80 * RUN_MS);
  }
  t += 80 * RUN_MS;
  lb_metrics_block_end(m, t);
  lb_metrics_epoch_end(m, t);
  return t;
}

/* The first accelerator writes or reads it all.  The last save goes on beside
 * training. */
static void checkpoint(struct lb_metrics *m, int k, bool load, int64_t number,
                       int64_t epoch, int64_t step, uint64_t t, uint64_t ns)
{
  const uint64_t bytes = UINT64_C(1) << 29;
  struct lb_checkpoint_share share[16] = {{.ns = ns, .bytes = bytes}};
  const struct lb_checkpoint_event e = {.load = load,
                                        .number = number,
                                        .epoch = epoch,
                                        .step = step,
                                        .start_ns = t,
                                        .end_ns = t + ns,
                                        .background = !load && number == 4,
                                        .visible_ns = ns,
                                        .durable_ns = ns,
                                        .size_bytes = bytes,
                                        .share = share};
  if (k <= 16)
    lb_metrics_checkpoint(m, &e);
}

void run_steps(struct lb_metrics *m, int k)
{
  uint64_t t = 1000 * (uint64_t)RUN_MS;
  int64_t number = 0;
  for (int64_t epoch = 1; epoch <= 2; epoch++) {
    lb_metrics_epoch_begin(m, LB_SET_TRAIN, epoch, t);
    for (int64_t b = 1; b <= 2; b++) {
      t = train_block(m, k, b, t);
      checkpoint(m, k, false, ++number, epoch, 6 * b, t, 500 * RUN_MS);
      t += 500 * RUN_MS;
    }
    lb_metrics_epoch_end(m, t);
    t = evaluation(m, k, epoch, t);
  }
  checkpoint(m, k, true, 1, 2, 12, t, 250 * RUN_MS);
}

struct lb_rank_cost run_cost(struct lb_iostats *io)
{
  lb_iostats_init(io);
  for (int i = 0; i < 100; i++) {
    lb_iostats_add(io, LB_PHASE_TRAIN, LB_OP_OPEN, 20000, 0, false);
    lb_iostats_add(io, LB_PHASE_TRAIN, LB_OP_READ, 1000000, 4096, false);
    lb_iostats_add(io, LB_PHASE_EVAL, LB_OP_READ, 2000000, 1024, false);
  }
  lb_iostats_add(io, LB_PHASE_TRAIN, LB_STAT_HIT, 900000, 4096, false);
  lb_iostats_add(io, LB_PHASE_GENERATE, LB_OP_WRITE, 5000, 100, false);
  return (struct lb_rank_cost){
      .io = io,
      .payload_bytes = {24 * 3 * 4 * 1000, 8 * 3 * 2 * 500},
      .samples_read = {24 * 3 * 4, 8 * 3 * 2},
      .wall_ns = 2000 * (uint64_t)RUN_MS,
      .cpu_ns = 100 * RUN_MS,
      .reader_cpu_ns = 10 * RUN_MS,
      .reader_delay_ns = 5 * RUN_MS,
      .verify_ns = RUN_MS,
      .verified_samples = 3,
      .verified_bytes = 3000,
      .conductor_cpu_ns = 10 * RUN_MS,
      .conductor_delay_ns = 1 * RUN_MS,
      .gates = 24,
      .gate_late_ns = 24000,
      .gate_spin_ns = 48000,
      .phase = {[LB_PHASE_TRAIN] = {.used = {.user_ns = 60 * RUN_MS,
                                             .sys_ns = 40 * RUN_MS,
                                             .waits = 100,
                                             .preempts = 3},
                                    .wall_ns = 2000 * (uint64_t)RUN_MS}},
      .max_rss_bytes = 1 << 24,
      .generated_files = 10,
      .generated_bytes = 10 << 20,
      .generate_ns = 2000 * (uint64_t)RUN_MS,
  };
}

/* Two ranks that share the processors 0 and 1 of two cores, on one NUMA node.
 */
static const struct lb_placement *run_placement(void)
{
  static struct lb_binding binding = {.ranks = 2, .threads = 5};
  static struct lb_host_place host = {.name = "first",
                                      .map = {.known = true},
                                      .ranks = 2,
                                      .threads = 10,
                                      .n_bindings = 1,
                                      .binding = &binding};
  static const struct lb_placement placement = {.n_hosts = 1, .host = &host};
  for (int i = 0; i < 2; i++) {
    CPU_SET(i, &host.map.allowed);
    CPU_SET(i, &host.cpus);
    CPU_SET(i, &binding.cpus);
    host.map.part[i][LB_CPU_CORE] = (uint16_t)i;
  }
  return &placement;
}

struct lb_report run_report(const char *folder)
{
  static const struct lb_pair versions[] = {{"loadbank", "0"}, {"mpi", "x"}};
  static const struct lb_pair notes[] = {{"scope", "job \"quoted\"\n\t\x01"}};
  static struct lb_node_clock nodes[] = {
      {.name = "first"},
      {.name = "second",
       .begin = {.offset_s = -1.5, .monotonic_s = 86400, .uncertainty_s = 1e-4},
       .end = {.offset_s = -1.25, .uncertainty_s = 2e-4}}};
  static const struct lb_rehearsal rehearsal = {0.5, 1, 0.25};
  static struct lb_report_root roots[] = {{.accelerators = 2},
                                          {.path = "/", .accelerators = 1}};
  roots[0].path = folder;
  static const struct lb_clocks clocks = {.node = nodes, .n = 2};
  return (struct lb_report){
      .folder = folder,
      .steps = LB_STEPS_ALL,
      .status = LB_STATUS_COMPLETE,
      .start_utc_ns = UINT64_C(1764451291123456000),
      .end_utc_ns = UINT64_C(1764451391123456000),
      .rehearsal = &rehearsal,
      .workload = "made_up",
      .model = "none",
      .framework = "pytorch",
      .format = "npz",
      .data_loader = "pytorch",
      .storage_type = "local_fs",
      .command = "loadbank run made_up bad\xff",
      .files = {144, 24},
      .samples_per_file = 1,
      .epochs = 2,
      .batch = {4, 2},
      .steps_planned = {12, 4},
      .dataset_bytes = UINT64_C(1) << 30,
      .read_threads = 4,
      .au_threshold = 0.7,
      .train_seed = 123,
      .dataset_seed = 10,
      .fingerprint = "f00d",
      .config_hash = "beef",
      .data_folder = folder,
      .checkpoint_folder = folder,
      .roots = roots,
      .n_roots = 2,
      .gate_shared = true,
      .versions = versions,
      .n_versions = 2,
      .clocks = &clocks,
      .placement = run_placement(),
      .notes = notes,
      .n_notes = 1,
      .hydra_subdir = ".hydra",
      .config_yaml = "workload: {}\n",
      .hydra_yaml = "hydra: {}\n",
      .overrides_yaml = "[]\n",
      .output = LB_OUTPUT_CSV,
  };
}
