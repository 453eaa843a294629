/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the hdf5 format asks of the HDF5 library: a file's metadata, and the
 * writing of chunks whose place it chooses.  Other raw data are never written
 * by it, and read only where nobody else could.  All functions take the
 * library's lock themselves. */
#ifndef LB_HDF5_LIB_H
#define LB_HDF5_LIB_H

#include <stdio.h>

#include "format/hdf5_shape.h"

#ifdef HAVE_HDF5
#define LB_HDF5_UNAVAILABLE NULL
#else
#define LB_HDF5_UNAVAILABLE "not in this build; configure --with-hdf5"
#endif

#define LB_H5_NOWHERE UINT64_MAX

/* As the file is made, and when found so: one contiguous dataset. */
static inline bool lb_h5_plain(const struct lb_h5_shape *s)
{
  return s->n_sets == 1 && !s->chunked;
}

/* As the file is made: is each dataset one piece, chunk by chunk? */
static inline bool lb_h5_regular(const struct lb_h5_shape *s)
{
  return !s->chunked || (s->n_filters == 0 && !s->resizable);
}

enum { LB_H5_NAME = 24 };
static inline void lb_h5_name(int set, char name[LB_H5_NAME])
{
  snprintf(name, LB_H5_NAME, "records_%d", set);
}

/* An open file that gets chunks; ids of the library, -1: none. */
struct lb_h5_writer {
  int64_t file, set;
  int number; /* of set */
};

/* Makes `path' with datasets records_0 ... and labels, and tells where their
 * bytes belong (base: one for each).  Regular datasets and labels are allocated
 * and not written; any other file stays open in *w for its chunks. */
int lb_h5_create(const char *path, const struct lb_dtype *dtype,
                 const struct lb_h5_shape *s, uint64_t *base,
                 uint64_t *labels_at, struct lb_h5_writer *w,
                 struct lb_err *err);
int lb_h5_write_chunk(struct lb_h5_writer *w, const struct lb_h5_shape *s,
                      int set, int64_t chunk, const void *bytes, size_t n,
                      uint32_t skipped, const char *path, struct lb_err *err);
/* Also after an error, which is returned. */
int lb_h5_writer_close(struct lb_h5_writer *w, const char *path,
                       struct lb_err *err);

struct lb_h5_place {
  uint64_t at, bytes; /* as it is in the file; bytes 0: it is not there */
  uint32_t skipped;   /* filters */
};

/* Buffers are grown as needed, and kept from file to file. */
struct lb_h5_found {
  int fd;                   /* the library's own open file, kept; -1: none */
  uint64_t sample_bytes;    /* as found */
  uint64_t waited_ns;       /* for the library's lock */
  struct lb_h5_shape shape; /* of what is read at its place */
  bool by_library;          /* the sample was read; nothing is left to do */
  bool regular;             /* base has it all; else place */
  uint64_t *base;           /* [n_sets] */
  size_t base_cap;
  struct lb_h5_place *place; /* [n_sets x lb_h5_chunks_of_row]: the sample's */
  size_t place_cap;
  void *row;
  size_t row_cap;
};

/* Opens the file, checks its datasets against what was configured, finds the
 * bytes of sample `in_file' and closes all but the descriptor.  What is neither
 * contiguous nor in chunks that lb_h5_unpack can undo, the library reads. */
int lb_h5_look(const struct lb_format_params *p, const struct lb_file *f,
               int64_t in_file, struct lb_h5_found *found, struct lb_err *err);

#endif
