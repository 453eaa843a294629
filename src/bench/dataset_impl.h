/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The dataset of a run: whether what is on disk will do, and how it is made and
 * removed.  Inside src/bench only; collective, as the phases of bench_impl.h,
 * unless it says otherwise. */
#ifndef DATASET_IMPL_H
#define DATASET_IMPL_H

#include "bench_impl.h"

/* ---- dataset.c ---- */

/* Sizes, layout, what formats are told, the manifest of the configuration. */
int lb_bench_describe(struct lb_bench *b, struct lb_err *err);
/* Rank-local.  Of the dataset that a run of w would generate; "": it would make
 * no files. */
int lb_bench_fingerprint(struct lb_workload *w, char out[LB_FINGERPRINT_LEN],
                         struct lb_err *err);
/* What is on disk against what is configured; one rank looks. */
int lb_bench_check_dataset(struct lb_bench *b, struct lb_err *err);

/* ---- mounts.c: several roots, over which accelerators are spread ---- */

/* b->mounts anew, as b->layout is. */
int lb_bench_spread_layout(struct lb_bench *b, struct lb_err *err);
/* Which of them the n-th file of both sets is generated through: that of the
 * rank's accelerators, in turn. */
const struct lb_layout *lb_bench_generator_layout(const struct lb_bench *b,
                                                  int64_t n);
/* Collective.  Do all roots on all hosts show the dataset that the manifest
 * below the first root is of, if there is one?  One rank a host looks. */
int lb_bench_check_manifests(struct lb_bench *b, struct lb_err *err);
/* Collective.  The same, and the files that are read. */
int lb_bench_check_mounts(struct lb_bench *b, struct lb_err *err);
/* What is at `path', in or below derived.checkpoint_folder, through the
 * accelerator's root.  Its length, or -1: it does not fit. */
int lb_bench_checkpoint_path(const struct lb_bench *b, int accelerator,
                             const char *path, char out[PATH_MAX]);
/* "accelerator a of 4 goes through root a mod 2", or "". */
void lb_bench_say_roots(const struct lb_bench *b, char *text, size_t size);

/* ---- site.c: may the dataset be generated here?  Writes nothing. ---- */
int lb_bench_check_site(struct lb_bench *b, struct lb_err *err);
/* Rank 0.  Of that, whether another dataset is here. */
int lb_bench_check_owner(struct lb_bench *b, struct lb_err *err);

/* ---- replace.c: removes what is there; 1: cut short, the run is to stop ----
 */
int lb_bench_remove_old(struct lb_bench *b, struct lb_err *err);

/* ---- clean.c ---- */

/* Removes the dataset, if a manifest claims it. */
int lb_bench_remove_dataset(struct lb_bench *b, struct lb_err *err);

/* ---- generate.c ---- */
bool lb_bench_makes_files(const struct lb_bench *b);
int lb_bench_generate(struct lb_bench *b, struct lb_err *err);

#endif
