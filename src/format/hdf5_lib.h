/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the hdf5 format asks of the HDF5 library: a file's metadata.  Raw data
 * are never written and, but for chunked foreign files, never read by it.
 * Both functions take the library's lock themselves. */
#ifndef LB_HDF5_LIB_H
#define LB_HDF5_LIB_H

#include "format/format_impl.h"

#ifdef HAVE_HDF5
#define LB_HDF5_UNAVAILABLE NULL
#else
#define LB_HDF5_UNAVAILABLE "not in this build; configure --with-hdf5"
#endif

enum { LB_H5_DIMS = LB_MAX_DIMS + 1 }; /* sample count first */

/* Makes `path' with datasets records_0 (n_dims dims) and labels (dims[0]),
 * allocated but not written; tells where their bytes belong. */
int lb_h5_create(const char *path, const struct lb_dtype *dtype,
                 const int64_t *dims, int n_dims, uint64_t *records_at,
                 uint64_t *labels_at, struct lb_err *err);

#define LB_H5_NOWHERE UINT64_MAX

struct lb_h5_found {
  int fd;                /* the library's own open file, kept; -1: none */
  uint64_t records_at;   /* LB_H5_NOWHERE: not contiguous */
  uint64_t sample_bytes; /* as found */
  uint64_t waited_ns;    /* for the library's lock */
};

/* Opens the file, checks records_0 against what was configured, finds its
 * bytes and closes all but the descriptor.  Where they are not contiguous the
 * library reads sample `in_file' into *buf (grown as needed, of *cap bytes). */
int lb_h5_look(const struct lb_format_params *p, const struct lb_file *f,
               int64_t in_file, struct lb_h5_found *found, void **buf,
               size_t *cap, struct lb_err *err);

#endif
