/* SPDX-License-Identifier: GPL-3.0-or-later */
/* struct lb_workload: every key of a workload as a typed field.  The field's
 * path is the key's path: w->reader.batch_size is reader.batch_size.  Filled
 * by lb_workload_load (config.h), not changed after that; the same on every
 * rank.  What a key means and its range: `loadbank config keys`. */
#ifndef LOADBANK_WORKLOAD_H
#define LOADBANK_WORKLOAD_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "loadbank/backend.h"
#include "loadbank/dist.h"
#include "loadbank/format.h"
#include "loadbank/loader_kind.h"
#include "loadbank/option.h"

enum lb_framework { LB_FRAMEWORK_TENSORFLOW, LB_FRAMEWORK_PYTORCH };
enum lb_shuffle { LB_SHUFFLE_OFF, LB_SHUFFLE_SEED, LB_SHUFFLE_RANDOM };
enum lb_read_type { LB_READ_ON_DEMAND, LB_READ_MEMORY };
enum lb_file_access { LB_ACCESS_MULTI, LB_ACCESS_SHARED, LB_ACCESS_COLLECTIVE };
enum lb_checkpoint_type { LB_CHECKPOINT_RANK_ZERO, LB_CHECKPOINT_ALL_RANKS };
enum lb_checkpoint_container { LB_CONTAINER_RAW, LB_CONTAINER_TORCH };
enum lb_checkpoint_mode { LB_CHECKPOINT_DEFAULT, LB_CHECKPOINT_SUBSET };
enum lb_call_profile { LB_CALLS_FRAMEWORK, LB_CALLS_LEAN };
enum lb_drop_caches { LB_DROP_NEVER, LB_DROP_EPOCH, LB_DROP_RUN };
enum lb_steps_word { LB_STEPS_ALL, LB_STEPS_SUMMARY, LB_STEPS_NONE };

enum { LB_WORD_LEN = 32, LB_NAME_LEN = 256 };

struct lb_workload_model {
  char name[LB_NAME_LEN], type[64];
  int64_t model_size_bytes;
  char model_datatype[LB_WORD_LEN], optimizer_datatype[LB_WORD_LEN];
  struct lb_ints optimization_groups, layer_parameters;
  int64_t num_layers;
  struct {
    int64_t tensor, pipeline, data, zero_stage;
  } parallelism;
  struct {
    int64_t hidden_size, ffn_hidden_size, vocab_size, num_attention_heads;
    int64_t num_kv_heads;
  } transformer;
};

struct lb_workload_dataset {
  /* As rounded down; for parquet that of its columns when not given. */
  int64_t record_length_bytes;
  double record_length_bytes_stdev;
  int64_t record_length_bytes_resize;
  char format[LB_WORD_LEN];
  int64_t num_files_train, num_files_eval, num_samples_per_file;
  char data_folder[PATH_MAX]; /* as written; derived.data_folder is the path */
  int64_t num_subfolders_train, num_subfolders_eval;
  char file_prefix[LB_NAME_LEN];
  char compression[LB_WORD_LEN];
  int64_t compression_level;
  bool enable_chunking;
  int64_t chunk_size;
  bool keep_files;
  struct lb_ints record_dims;
  char record_element_type[LB_WORD_LEN];
  int64_t record_element_bytes; /* 0: that of the type */
  int64_t generation_buffer_size;
  char data_gen_method[LB_WORD_LEN];
  bool skip_listing;
  int64_t listing_validation_interval;
  int64_t seed;
  double compressibility, dedup;
};

struct lb_workload_reader {
  int data_loader; /* in lb_loaders; by the framework when not given */
  int64_t batch_size, batch_size_eval;
  int64_t read_threads, write_threads, computation_threads, prefetch_size;
  int file_shuffle, sample_shuffle; /* enum lb_shuffle; see also derived */
  int64_t shuffle_size;
  struct lb_dist transfer_size;   /* bytes of a request */
  struct lb_dist preprocess_time; /* s; the _stdev sibling is folded in */
  double preprocess_time_stdev;   /* 0 after loading */
  bool odirect, decode;
  int read_type, file_access; /* enum lb_read_type, lb_file_access */
  int verify;                 /* enum lb_verify */
  int call_profile;           /* enum lb_call_profile */
  bool cache_hits;
  bool pin_memory, dont_use_mmap;
  char multiprocessing_context[LB_WORD_LEN];
  int data_loader_sampler; /* enum lb_sampler_word */
  struct lb_ints transformed_record_dims;
  char transformed_record_element_type[LB_WORD_LEN];
  char reader_classname[LB_NAME_LEN], data_loader_classname[LB_NAME_LEN];
};

struct lb_workload_checkpoint {
  char checkpoint_folder[PATH_MAX]; /* as written; see derived */
  int64_t checkpoint_after_epoch, epochs_between_checkpoints;
  int64_t steps_between_checkpoints; /* <= 0: the epoch rule */
  int type;                          /* enum lb_checkpoint_type */
  int scheme;                        /* in lb_checkpoint_schemes */
  int container;                     /* enum lb_checkpoint_container */
  bool fsync;
  double time_between_checkpoints; /* s; < 0: none */
  int64_t num_checkpoints_write, num_checkpoints_read;
  bool recovery_rank_shift, rank_sync;
  int64_t write_threads, request_size;
  bool atomic;
  int64_t keep_last;
  bool async;
  struct {
    char folder[PATH_MAX];   /* as written; empty: none */
    int64_t drain_threads;   /* of each rank */
    int64_t drain_bandwidth; /* bytes/s of all ranks; 0: no limit */
    int64_t keep_last;       /* 0: all */
  } burst_buffer;
  int mode; /* enum lb_checkpoint_mode */
  bool randomize_tensor;
  struct {
    int64_t madv_mergeable_id;
    double high_ram_trigger, low_ram_exit, await_time;
  } ksm;
  char checkpoint_mechanism_classname[LB_NAME_LEN];
};

/* What follows from the keys; nothing here is a key. */
struct lb_derived {
  const struct lb_format *format;   /* NULL: one that is still to come */
  const struct lb_backend *backend; /* likewise; or it is `unavailable' */
  const void *format_options, *backend_options; /* of these two rows */
  const struct lb_loader_kind *loader;
  struct lb_loader_pace pace; /* of the loader, as reader.* sets it */
  const struct lb_dtype *dtype;
  /* Below the first root; below the others: lb_workload_path (config.h). */
  char data_folder[PATH_MAX], checkpoint_folder[PATH_MAX];
  char burst_folder[PATH_MAX]; /* of burst_buffer; empty: there is none */
  int n_roots;                 /* that accelerators are spread over; >= 1 */
  int64_t sample_bytes;        /* payload of one sample (its mean) */
  bool file_shuffle, sample_shuffle;
  bool index_sampler;    /* else iterative */
  bool leaves_files;     /* a reader keeps a file until it goes on to another */
  bool seed_is_random;   /* a shuffle says `random`: see config.h */
  uint64_t order_seed;   /* train.seed, or the one that was drawn */
  uint64_t content_seed; /* dataset.seed */
  int64_t request_bytes; /* of one read: transfer_size, or its mean */
  int64_t longest_request;
  const struct lb_dist *request; /* its draws, cut at that; NULL: constant */
  const struct lb_dist *compute, *preprocess, *eval; /* s; into this struct */
};

struct lb_workload {
  char name[LB_NAME_LEN]; /* "unet3d_h100": of the built-in or the file */
  struct lb_workload_model model;
  int framework; /* enum lb_framework */
  struct {
    bool generate_data, train, evaluation, checkpoint, profiling, debug, query;
  } workflow;
  struct {
    char storage_type[LB_WORD_LEN];
    struct lb_paths storage_root;
    char storage_library[LB_WORD_LEN];
    double post_generation_settle_seconds;
    struct lb_strs endpoint_uris;
    char load_balance_strategy[LB_WORD_LEN];
    bool use_mpi_endpoint_distribution;
    int drop_caches; /* enum lb_drop_caches */
    struct {         /* DLIO's; the backends' own: lb_workload_options */
      char access_key_id[LB_NAME_LEN], secret_access_key[LB_NAME_LEN];
      char endpoint_url[LB_NAME_LEN], region[64];
      bool s3_force_path_style;
      int64_t s3_max_attempts;
      char uri_scheme[LB_WORD_LEN], storage_library[LB_WORD_LEN];
      char connection_string[LB_NAME_LEN];
      bool secure;
      int64_t prefetch_workers, prefetch_window;
      struct lb_strs columns;
      bool decode;
    } storage_options;
  } storage;
  struct lb_workload_dataset dataset;
  struct lb_workload_reader reader;
  struct {
    int64_t epochs;
    struct lb_dist computation_time; /* s; the _stdev sibling is folded in */
    double computation_time_stdev;   /* 0 after loading */
    int64_t total_training_steps;    /* <= 0: no limit */
    int64_t seed;
    bool seed_change_epoch;
  } train;
  struct {
    struct lb_dist eval_time; /* s; the _stdev sibling is folded in */
    double eval_time_stdev;   /* 0 after loading */
    int64_t eval_after_epoch, epochs_between_evals;
  } evaluation;
  struct lb_workload_checkpoint checkpoint;
  struct {
    char folder[PATH_MAX]; /* "": results/<workload>/<UTC time stamp> */
    char log_file[LB_NAME_LEN];
    char hydra_folder[LB_NAME_LEN]; /* ".hydra"; hydra.output_subdir */
    int steps;                      /* enum lb_steps_word */
    bool per_accelerator;
    struct {
      int64_t exclude_start_steps, exclude_end_steps;
    } metric;
  } output;
  struct {
    char profiler[LB_WORD_LEN];
    struct lb_strs iostat_devices;
  } profiling;
  struct {
    double au; /* 0..1 */
  } metric;
  struct lb_derived derived;
  struct lb_workload_own *own; /* src/config only */
};

#endif
