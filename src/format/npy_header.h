/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The header of a .npy array: make it, read it, compare it with what was
 * configured.  Used by npy and npz. */
#ifndef LB_NPY_HEADER_H
#define LB_NPY_HEADER_H

#include "format/format_impl.h"

enum {
  LB_NPY_DIMS = LB_MAX_DIMS + 2,
  LB_NPY_HEADER_MAX = 512, /* of the headers made here */
};

struct lb_npy_array {
  char descr[16];
  bool fortran;
  int n_dims;
  int64_t dims[LB_NPY_DIMS];
  uint32_t header_bytes; /* with magic and padding */
  uint64_t bytes;        /* of the array */
};

/* The array of a file: (L, 1, S) or (*record_dims, S) in Fortran order, so
 * that each sample is contiguous. */
int lb_npy_describe(const struct lb_format_params *p, const struct lb_file *f,
                    struct lb_npy_array *a, struct lb_err *err);
/* Labels: int64 zeros, one a sample. */
void lb_npy_describe_labels(const struct lb_file *f, struct lb_npy_array *a);

/* The header's text, a->header_bytes long, as NumPy writes it. */
void lb_npy_header_make(const struct lb_npy_array *a,
                        char out[LB_NPY_HEADER_MAX]);

/* Reads a header from the first n bytes of an array at `path'. */
int lb_npy_header_parse(struct lb_npy_array *a, const void *bytes, size_t n,
                        const char *path, struct lb_err *err);

/* Element type, sample count and dimensions against what was configured; what
 * differs is named with both values.  *sample_bytes: of one sample, as found.
 */
int lb_npy_check(const struct lb_npy_array *a, const struct lb_format_params *p,
                 const struct lb_file *f, uint64_t *sample_bytes,
                 struct lb_err *err);

#endif
