/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The shape of the datasets records_0 ... of a file: how samples are divided
 * into datasets, chunks, and runs of bytes.  Pure; knows no library. */
#ifndef LB_HDF5_SHAPE_H
#define LB_HDF5_SHAPE_H

#include "format/format_impl.h"

enum {
  LB_H5_DIMS = LB_MAX_DIMS + 1, /* sample count first */
  LB_H5_FILTERS = 4,
  /* Identities of filters, in every HDF5 file. */
  LB_H5_DEFLATE = 1,
  LB_H5_SHUFFLE = 2,
  LB_H5_LZF = 32000, /* h5py's */
};

/* dataset.hdf5.* */
struct lb_h5_options {
  struct lb_ints chunk_dims, max_shape;
  int64_t num_dset_per_record;
};

struct lb_h5_filter {
  int id;
  unsigned arg; /* deflate: level; shuffle: bytes of an element */
};

/* All datasets of a file have the same.  A contiguous one counts as one
 * chunk. */
struct lb_h5_shape {
  int n_sets;
  int rank;                  /* >= 1 */
  int64_t dims[LB_H5_DIMS];  /* [0]: samples */
  int64_t max[LB_H5_DIMS];   /* -1: no limit */
  int64_t chunk[LB_H5_DIMS]; /* dims when contiguous */
  int element;               /* bytes */
  bool chunked;              /* else contiguous */
  bool resizable;            /* max is not dims */
  int n_filters;             /* of chunks, in order of writing */
  struct lb_h5_filter filter[LB_H5_FILTERS];
};

/* What the configuration asks of a file; refuses in one sentence what is
 * impossible. */
int lb_h5_shape_of(const struct lb_format_params *p, const struct lb_file *f,
                   struct lb_h5_shape *s, struct lb_err *err);

/* The chunk that h5py chooses where it must and nobody said which: of less than
 * LB_H5_GUESS_MOST bytes. */
#define LB_H5_GUESS_MOST 1048576
void lb_h5_guess_chunk(struct lb_h5_shape *s);

uint64_t lb_h5_row_bytes(const struct lb_h5_shape *s);   /* of one dataset */
uint64_t lb_h5_chunk_bytes(const struct lb_h5_shape *s); /* not compressed */
int64_t lb_h5_chunks(const struct lb_h5_shape *s);       /* of one dataset */
/* Chunks that hold a part of one sample in one dataset. */
int64_t lb_h5_chunks_of_row(const struct lb_h5_shape *s);
/* Number, in the order of their first elements, of the i-th of those. */
int64_t lb_h5_chunk_of_row(const struct lb_h5_shape *s, int64_t row, int64_t i);
/* Where a chunk begins in its dataset. */
void lb_h5_origin(const struct lb_h5_shape *s, int64_t chunk,
                  int64_t origin[LB_H5_DIMS]);

/* Bytes of a chunk that are not padding. */
uint64_t lb_h5_chunk_inside(const struct lb_h5_shape *s, int64_t chunk);
/* The bytes of a chunk that belong to a row, padding and all: [*from, *to). */
void lb_h5_row_in_chunk(const struct lb_h5_shape *s, int64_t row,
                        uint64_t *from, uint64_t *to);
/* How many bytes from `at' of a chunk on follow each other in the payload,
 * too, and where: *payload; UINT64_MAX: they are padding at the edge. */
uint64_t lb_h5_run(const struct lb_h5_shape *s, int set, int64_t chunk,
                   uint64_t at, uint64_t *payload);
/* Bytes [at, at + n) of a chunk as generation makes it, padding zero. */
void lb_h5_chunk_fill(const struct lb_h5_shape *s,
                      const struct lb_format_params *p, const struct lb_file *f,
                      int set, int64_t chunk, uint64_t at, void *out, size_t n);

#endif
