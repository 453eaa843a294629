/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rehearsals of storage submissions, MLPerf-style: the words that everything in
 * src/mlperf shares, and what a command line asks for.  docs/mlperf.md is the
 * user's view; an official submission needs the official tool. */
#ifndef LOADBANK_MLPERF_H
#define LOADBANK_MLPERF_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "loadbank/err.h"

enum lb_mlperf_mode {
  LB_MLPERF_CLOSED,
  LB_MLPERF_OPEN,
  LB_MLPERF_WHATIF, /* a tree of its own, never to be submitted */
  LB_MLPERF_N_MODES
};
enum lb_mlperf_kind {
  LB_MLPERF_TRAINING,
  LB_MLPERF_CHECKPOINTING,
  LB_MLPERF_N_KINDS
};
enum lb_mlperf_command {
  LB_MLPERF_DATASIZE,
  LB_MLPERF_DATAGEN,
  LB_MLPERF_RUN,
  LB_MLPERF_CONFIGVIEW,
  LB_MLPERF_N_COMMANDS
};
/* As typed and as folders are named: "closed", "training", "datasize" ... */
extern const char *const lb_mlperf_mode_names[LB_MLPERF_N_MODES];
extern const char *const lb_mlperf_kind_names[LB_MLPERF_N_KINDS];
extern const char *const lb_mlperf_command_names[LB_MLPERF_N_COMMANDS];
/* Index of the text among n words, or -1; also of NULL. */
int lb_mlperf_word(const char *const *words, size_t n, const char *text);
/* true, yes, on in whatever case: 1; false, no, off: 0; -1: neither. */
int lb_mlperf_boolean(const char *text);

/* What names are made of. */
#define LB_MLPERF_NAME_CHARACTERS \
  "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-"
enum { LB_MLPERF_NAME = 64, LB_MLPERF_HOSTS = 16384 };

/* What is shrunk for a rehearsal; 1: nothing.  Each in 0..1. */
struct lb_mlperf_scale {
  double files; /* training: number of files; checkpoints: bytes */
  double bytes; /* training: bytes of a record */
  double time;  /* compute, and pauses between checkpoints */
};
bool lb_mlperf_is_rehearsal(const struct lb_mlperf_scale *s);
/* timed: of time, too. */
bool lb_mlperf_same_scale(const struct lb_mlperf_scale *a,
                          const struct lb_mlperf_scale *b, bool timed);

/* `loadbank mlperf MODE KIND [MODEL] COMMAND ...' with its flags, checked one
 * by one; what only together is right or wrong is lb_mlperf_config's.  The
 * flags of the field's name with '-' for '_', the peer's names. */
struct lb_mlperf_args {
  int mode, kind, command; /* enums above */
  char model[LB_MLPERF_NAME], accelerator_type[LB_MLPERF_NAME];
  /* 0: not given. */
  int64_t num_processes, num_accelerators, max_accelerators;
  int64_t num_client_hosts;
  int64_t ranks;                   /* ours: MPI ranks; 0: one per process */
  double client_host_memory_in_gb; /* GiB of each host */
  char hosts[LB_MLPERF_HOSTS];     /* "a,b:4,c"; "" : 127.0.0.1 */
  char data_dir[PATH_MAX], results_dir[PATH_MAX], checkpoint_folder[PATH_MAX];
  char systemname[LB_MLPERF_NAME];
  const char **params; /* "key=value", in order; borrowed */
  int n_params;
  int64_t num_checkpoints_write, num_checkpoints_read;
  bool o_direct;
  int64_t drop_caches_timeout_seconds;
  int64_t loops; /* run leaves made one after another */
  bool allow_invalid_params;
  int64_t timeseries_interval, max_timeseries_samples;
  bool skip_timeseries;
  int mpi_bin; /* what launches: a word of its flag */
  bool oversubscribe, allow_run_as_root;
  int mpi_btl;           /* Open MPI's transport: a word of its flag */
  char mpi_params[8192]; /* handed on untouched, split at blanks */
  bool dry_run, verbose, debug, quiet;
  bool skip_fs_separation_gate;
  bool launched; /* a rank that `run' started: starts none */
  char config_file[PATH_MAX];
  struct lb_mlperf_scale scale;
  /* Of history, report, validate. */
  int64_t limit, id;     /* 0: not given */
  int format;            /* a word of its flag */
  char output[PATH_MAX]; /* "": stdout */
  char reference_checksum[40];
};

#endif
