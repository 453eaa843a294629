/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Code images: what ran, kept beside the results.
 *
 *   RESULTS/code-images/.mlps-image-pool         the marker
 *   RESULTS/code-images/code-XXXXXXXX/           an image, by its hash
 *                          .code-hash.json
 *   LEAF/.mlps-code-image                        the pointer
 *
 * The hash is "md5-tree-v2" of the benchmark's rules.  Rank-local. */
#ifndef LB_MLPERF_IMAGE_H
#define LB_MLPERF_IMAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "loadbank/err.h"

enum { LB_MLPERF_TREE_HASH = 33 }; /* 32 hexadecimal digits and the end */
#define LB_MLPERF_POOL "code-images"
#define LB_MLPERF_POOL_MARKER ".mlps-image-pool"
#define LB_MLPERF_POINTER ".mlps-code-image"
#define LB_MLPERF_TREE_ALGORITHM "md5-tree-v2"

/* Of the files below `folder'; symbolic links and what the rules leave out do
 * not count.  LB_FAILED: something cannot be read; LB_USAGE: this build has no
 * hashes. */
int lb_mlperf_tree_hash(const char *folder, char hash[LB_MLPERF_TREE_HASH],
                        struct lb_err *err);

/* A file of an image that is no copy of one: its text. */
struct lb_mlperf_image_file {
  const char *name; /* within the image: "workloads/unet3d_b200.yaml" */
  const char *text;
  size_t len;
};
/* Puts this program, `files', and facts of the build (build.json) into the
 * pool below `results', unless such an image is there: then it is verified.
 * The pool is made when need be.  Jobs that do so at once are no harm. */
int lb_mlperf_image_capture(const char *results,
                            const struct lb_mlperf_image_file *files, size_t n,
                            char hash[LB_MLPERF_TREE_HASH], struct lb_err *err);
/* Is ROOT/NAME a pool?  By its marker; the first release of this layout made
 * one in each organisation. */
bool lb_mlperf_is_pool(const char *root, const char *name);
/* "md5-tree-v2:HASH", as leaves name an image. */
enum { LB_MLPERF_IMAGE_ID = 64 };
void lb_mlperf_image_id(const char *hash, char id[LB_MLPERF_IMAGE_ID]);
/* "code-images/code-XXXXXXXX" of a hash. */
void lb_mlperf_image_name(const char *hash, char name[64]);

/* The hash that .code-hash.json of an image records.  LB_USAGE: it is missing
 * or not as it must be, err says how. */
int lb_mlperf_image_recorded(const char *image, char hash[LB_MLPERF_TREE_HASH],
                             struct lb_err *err);
/* Recorded hash, hash of its files and name agree; LB_USAGE: they do not. */
int lb_mlperf_image_verify(const char *image, char hash[LB_MLPERF_TREE_HASH],
                           struct lb_err *err);

int lb_mlperf_pointer_write(const char *leaf, const char *hash,
                            struct lb_err *err);
/* LB_USAGE: no pointer (err->sys is ENOENT), or not as it must be. */
int lb_mlperf_pointer_read(const char *leaf, char hash[LB_MLPERF_TREE_HASH],
                           struct lb_err *err);

#endif
