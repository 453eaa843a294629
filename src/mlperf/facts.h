/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What rules need to know of a leaf, out of its JSON files and its names. */
#ifndef LB_MLPERF_FACTS_H
#define LB_MLPERF_FACTS_H

#include "mlperf/tree.h"

enum { LB_MLPERF_FLAW = 320 };

/* Not there: -1, NAN, NULL, and 1 for a scale. */
struct lb_mlperf_facts {
  /* *_metadata.json; texts are borrowed from it */
  const char *kind, *model, *command, *stamp, *accelerator, *verification;
  const char *status, *result_dir, *image;
  int64_t processes;
  const char *data_dir, *results_dir, *checkpoint_folder;
  int64_t writes, reads, args_processes;
  double invoked, left; /* s since 1970: start and end of the process */
  int64_t files, samples_per_file, batch_size, subfolders;
  double record_bytes;
  int64_t disk_bytes; /* of datasize */
  struct lb_mlperf_scale scale;
  bool scaled;            /* the scale is known: the metadata can be read */
  const char *provenance; /* name that the metadata declare */
  /* summary.json */
  int64_t accelerators, hosts, summary_files, eval_files;
  double memory_gib; /* of all hosts; NAN: not of each */
  double start, end; /* s since 1970 */
  double au;         /* %, mean */
  const char *au_verdict;
  double checkpoint_gib;
  const char *summary_status;

  /* What is wrong with the leaf as such: "" if nothing.  Only the first. */
  char status_flaw[LB_MLPERF_FLAW]; /* it did not come to its end */
  char files_flaw[LB_MLPERF_FLAW];  /* missing, or not what they must be */
  char place_flaw[LB_MLPERF_FLAW];  /* it belongs elsewhere */
  bool whole;                       /* none of these */
};

/* Pure. */
void lb_mlperf_facts(const struct lb_mlperf_leaf *l, struct lb_mlperf_facts *f);

/* True, true, yes ...: 1; 0: the opposite; -1: neither. */
int lb_mlperf_truth(const json_t *v);

#endif
