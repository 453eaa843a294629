/* SPDX-License-Identifier: GPL-3.0-or-later */
/* THE table of flags of `loadbank mlperf': parsing, ranges, what is required,
 * --help and the table of docs/mlperf.md come from it.  Names are those of the
 * benchmark's own command line where they mean the same. */
#include "lb-config.h"

#include "loadbank/mlperf_cli.h"

#include <stddef.h>
#include <stdio.h>

enum {
  SIZE = LB_MLPERF_V_TRAIN_SIZE,
  GEN = LB_MLPERF_V_TRAIN_GEN,
  RUN = LB_MLPERF_V_TRAIN_RUN,
  VIEW = LB_MLPERF_V_TRAIN_VIEW,
  TRAIN = LB_MLPERF_V_TRAIN,
  SAVE_RUN = LB_MLPERF_V_SAVE_RUN,
  SAVE_VIEW = LB_MLPERF_V_SAVE_VIEW,
  SAVE = LB_MLPERF_V_SAVE,
  WORK = TRAIN | SAVE,
  LAUNCH = GEN | RUN | SAVE_RUN,
  INIT = LB_MLPERF_V_INIT,
  REPORT = LB_MLPERF_V_REPORT,
  VALIDATE = LB_MLPERF_V_VALIDATE,
  SHOW = LB_MLPERF_V_SHOW,
  RERUN = LB_MLPERF_V_RERUN,
  RULES = LB_MLPERF_V_RULES,
  EVERY = WORK | INIT | REPORT | VALIDATE | SHOW | RERUN | RULES,
};

/* The row's own fields come after the option's. */
#define OPT(...) __VA_ARGS__
#define FLAG(field, option_, ...)                                           \
  {                                                                         \
    .option = LB_OPTION(struct lb_mlperf_args, field, option_), __VA_ARGS__ \
  }
/* Of a field within a field. */
#define SCALE(key_, field, option_, ...)                               \
  {                                                                    \
    .option = {.key = #key_,                                           \
               .type = LB_OPT_REAL,                                    \
               .offset = offsetof(struct lb_mlperf_args, scale.field), \
               .size = sizeof(double),                                 \
               .def = "1",                                             \
               .min = 0,                                               \
               .max = 1,                                               \
               .unit = "F",                                            \
               option_},                                               \
    .positive = true, __VA_ARGS__                                      \
  }
/* Known, but without a field. */
#define IGNORED(key_, type_, option_, ...)                          \
  {                                                                 \
    .option = {.key = #key_, .type = (type_), option_}, __VA_ARGS__ \
  }

static const char *const bin_words[] = {"auto", "mpiexec", "mpirun", "srun",
                                        NULL};
static const char *const btl_words[] = {"auto", "vader", "tcp", NULL};
static const char *const exec_words[] = {"mpi", NULL};
static const char *const format_words[] = {"text", "json", "csv", NULL};

const struct lb_mlperf_flag lb_mlperf_flags[] = {
    FLAG(model,
         OPT(.unit = "MODEL", .doc = "The model; also as a word of its own."),
         .brief = "-m", .verbs = WORK, .needs = WORK, .is_name = true),
    FLAG(accelerator_type,
         OPT(.unit = "TYPE",
             .doc = "The accelerator to emulate: b200, mi355; whatif also "
                    "h100, a100."),
         .brief = "-at", .verbs = TRAIN | SAVE_RUN | SAVE_VIEW,
         .needs = SIZE | RUN | VIEW, .is_name = true),
    FLAG(num_accelerators,
         OPT(.min = 1, .max = 1048576, .unit = "N",
             .doc = "Emulate N accelerators."),
         .brief = "-na", .verbs = RUN | VIEW, .needs = RUN | VIEW),
    FLAG(max_accelerators,
         OPT(.min = 1, .max = 1048576, .unit = "N",
             .doc = "The most accelerators that the dataset is to be enough "
                    "for."),
         .brief = "-ma", .verbs = SIZE, .needs = SIZE),
    FLAG(num_processes,
         OPT(.min = 1, .max = 1048576, .unit = "N",
             .doc = "Training: generate with N processes. Checkpointing: "
                    "emulate N accelerators."),
         .brief = "-np", .verbs = GEN | SAVE, .needs = GEN | SAVE),
    FLAG(client_host_memory_in_gb,
         OPT(.min = 0, .max = 1e9, .unit = "GIB",
             .doc = "Memory of each client host, in GiB."),
         .brief = "-cm", .verbs = SIZE | RUN | VIEW | SAVE,
         .needs = SIZE | RUN | VIEW | SAVE, .positive = true),
    FLAG(num_client_hosts,
         OPT(.min = 1, .max = 1048576, .unit = "N",
             .doc = "Number of client hosts; without it, those of --hosts."),
         .brief = "-nc", .verbs = WORK),
    FLAG(hosts,
         OPT(.def = "", .unit = "HOST[:N]...",
             .doc = "The client hosts, with blanks or commas between them; N: "
                    "accelerators on that host. Without it, this host, or "
                    "what the batch system has allocated."),
         .brief = "-s", .verbs = WORK, .many = true),
    FLAG(ranks,
         OPT(.min = 1, .max = 1048576, .unit = "R",
             .doc = "MPI ranks, which host the accelerators evenly; without "
                    "it, one for each."),
         .verbs = LAUNCH | VIEW | SAVE_VIEW),
    FLAG(data_dir,
         OPT(.def = "", .unit = "DIR",
             .doc = "Where the dataset is, in a folder of the model's name."),
         .brief = "-dd", .verbs = TRAIN, .needs = GEN | RUN),
    FLAG(checkpoint_folder,
         OPT(.def = "", .unit = "DIR", .doc = "Where checkpoints go."),
         .brief = "-cf", .verbs = SAVE, .needs = SAVE_RUN,
         .env = {"MLPSTORAGE_CHECKPOINT_FOLDER"}),
    FLAG(results_dir,
         OPT(.def = "", .unit = "DIR",
             .doc = "The results folder that `init' has made."),
         .brief = "-rd", .verbs = WORK | REPORT | SHOW | RERUN,
         .needs = SIZE | LAUNCH | SHOW | RERUN,
         .env = {"MLPERF_RESULTS_DIR", "MLPSTORAGE_RESULTS_DIR"}),
    FLAG(
        systemname,
        OPT(.def = "", .unit = "NAME", .doc = "Name of the system under test."),
        .brief = "-sn", .verbs = WORK | REPORT, .needs = SIZE | LAUNCH,
        .env = {"MLPERF_SYSTEMNAME", "MLPSTORAGE_SYSTEMNAME"}, .is_name = true),
    FLAG(params,
         OPT(.unit = "KEY=VALUE...",
             .doc = "Other values for keys of the workload."),
         .brief = "-p", .alias = "--param", .verbs = WORK, .many = true),
    FLAG(num_checkpoints_write,
         OPT(.def = "10", .min = 0, .max = 1000000, .unit = "N",
             .doc = "Write N checkpoints; closed: 10 or 0."),
         .brief = "-ncw", .verbs = SAVE),
    FLAG(num_checkpoints_read,
         OPT(.def = "10", .min = 0, .max = 1000000, .unit = "N",
             .doc = "Read N checkpoints; closed: 10 or 0."),
         .brief = "-ncr", .verbs = SAVE),
    FLAG(o_direct, OPT(.doc = "Read and write past the page cache."),
         .verbs = GEN | RUN | VIEW | SAVE_RUN | SAVE_VIEW),
    FLAG(drop_caches_timeout_seconds,
         OPT(.min = 1, .max = 86400, .unit = "S",
             .doc = "How long dropping the page cache between epochs may "
                    "take."),
         .verbs = RUN),
    FLAG(loops,
         OPT(.def = "1", .min = 1, .max = 1000, .unit = "N",
             .doc = "Make N runs, one after another, each with a folder of its "
                    "own."),
         .verbs = RUN | SAVE_RUN),
    FLAG(allow_invalid_params,
         OPT(.doc = "Go on with parameters that the rules do not allow."),
         .brief = "-aip", .verbs = WORK,
         .modes = 1U << LB_MLPERF_OPEN | 1U << LB_MLPERF_WHATIF,
         .why = "a closed run takes no others"),
    FLAG(timeseries_interval,
         OPT(.def = "10", .min = 1, .max = 86400, .unit = "S",
             .doc = "Seconds between two samples of a host's load."),
         .verbs = RUN | SAVE_RUN),
    FLAG(max_timeseries_samples,
         OPT(.def = "3600", .min = 1, .max = 1000000, .unit = "N",
             .doc = "Keep the first N samples of each host."),
         .verbs = RUN | SAVE_RUN),
    FLAG(skip_timeseries, OPT(.doc = "Take no samples."),
         .verbs = RUN | SAVE_RUN),
    SCALE(scale, files,
          OPT(.doc = "Rehearse with this part of the files, or of a "
                     "checkpoint's bytes."),
          .verbs = WORK),
    SCALE(scale_bytes, bytes,
          OPT(.doc = "Rehearse with this part of a record's bytes."),
          .verbs = TRAIN),
    SCALE(scale_time, time,
          OPT(.doc =
                  "Rehearse with this part of the compute, and of the pauses "
                  "between checkpoints."),
          .verbs = WORK),
    FLAG(mpi_bin,
         OPT(.def = "auto", .words = bin_words,
             .doc = "What starts the ranks; auto: srun within an allocation of "
                    "Slurm, else mpiexec."),
         .verbs = WORK, .starts = true),
    FLAG(mpi_params,
         OPT(.def = "", .unit = "WORDS",
             .doc = "Further words for the launcher, in one text; each time it "
                    "is given adds to them."),
         .verbs = WORK, .starts = true),
    FLAG(oversubscribe, OPT(.doc = "More ranks than a host has slots."),
         .verbs = WORK, .starts = true),
    FLAG(allow_run_as_root, OPT(.doc = "Let Open MPI start ranks as root."),
         .verbs = WORK, .starts = true),
    FLAG(mpi_btl,
         OPT(.def = "auto", .words = btl_words,
             .doc = "The transport of Open MPI on a single host; others choose "
                    "by themselves."),
         .verbs = WORK, .starts = true),
    FLAG(launched,
         OPT(.doc = "This is a rank already: start none. What `run' starts "
                    "has it."),
         .verbs = LAUNCH, .starts = true),
    FLAG(config_file,
         OPT(.def = "", .unit = "FILE",
             .doc = "YAML of flags' names and values; the command line beats "
                    "it, it beats the environment."),
         .brief = "-c", .verbs = WORK, .starts = true),
    FLAG(dry_run,
         OPT(.doc = "Say what would be done and stop: nothing is written."),
         .alias = "--what-if", .verbs = WORK | INIT | RERUN, .starts = true),
    FLAG(skip_fs_separation_gate,
         OPT(.doc = "Go on when data and results are in the same file system."),
         .verbs = LAUNCH),
    FLAG(limit,
         OPT(.min = 1, .max = 1e9, .unit = "N", .doc = "The last N commands."),
         .brief = "-n", .verbs = SHOW),
    FLAG(id,
         OPT(.min = 1, .max = 1e9, .unit = "ID",
             .doc = "The command of this number."),
         .brief = "-i", .verbs = SHOW),
    FLAG(format,
         OPT(.def = "text", .words = format_words, .doc = "What stdout gets."),
         .verbs = REPORT | VALIDATE | RULES),
    FLAG(output, OPT(.def = "", .unit = "FILE", .doc = "Write the page there."),
         .brief = "-o", .verbs = REPORT),
    FLAG(reference_checksum,
         OPT(.def = "", .unit = "HASH",
             .doc = "The md5-tree-v2 hash that the code images of closed "
                    "results must have."),
         .verbs = VALIDATE),
    FLAG(verbose, OPT(.doc = "Print what goes on, on stderr."), .verbs = EVERY),
    FLAG(debug, OPT(.doc = "The same, from every rank."), .verbs = EVERY),
    FLAG(quiet, OPT(.doc = "Print errors only."), .verbs = EVERY),
    IGNORED(exec_type, LB_OPT_WORD,
            OPT(.words = exec_words, .doc = "How the benchmark is started.",
                .ignored = "MPI is the only way"),
            .brief = "-et", .verbs = WORK,
            .why = "loadbank starts no containers"),
    IGNORED(dlio_bin_path, LB_OPT_TEXT,
            OPT(.unit = "PATH", .doc = "Where DLIO is.",
                .ignored = "loadbank does what DLIO would do"),
            .brief = "-dp", .verbs = WORK),
    IGNORED(stream_log_level, LB_OPT_TEXT,
            OPT(.unit = "LEVEL", .doc = "How much is said.",
                .ignored = "--verbose, --debug and --quiet say it"),
            .verbs = EVERY),
    IGNORED(skip_validation, LB_OPT_BOOL,
            OPT(.doc = "Does not look for MPI, SSH and DLIO beforehand.",
                .ignored = "nothing of the kind is done beforehand"),
            .verbs = WORK),
    IGNORED(verify_lockfile, LB_OPT_TEXT,
            OPT(.unit = "FILE", .doc = "Compares installed Python packages.",
                .ignored = "loadbank uses no Python packages"),
            .verbs = WORK),
    {.option = {.key = NULL}},
};

void lb_mlperf_flag_name(const struct lb_mlperf_flag *f,
                         char out[LB_MLPERF_FLAG_LEN])
{
  snprintf(out, LB_MLPERF_FLAG_LEN, "--%s", f->option.key);
  for (char *p = out; *p; p++)
    if (*p == '_')
      *p = '-';
}
