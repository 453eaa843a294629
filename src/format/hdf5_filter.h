/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a chunk's bytes go through between memory and file: deflate, lzf,
 * shuffle, outside of the HDF5 library and its lock. */
#ifndef LB_HDF5_FILTER_H
#define LB_HDF5_FILTER_H

#include "format/hdf5_shape.h"

/* NULL, or why this build has no lzf. */
const char *lb_h5_lzf_absent(void);

/* Can chunks that went through these filters be read here? */
bool lb_h5_filters_known(const struct lb_h5_shape *s);

/* Room that lb_h5_pack needs at most for a chunk. */
size_t lb_h5_packed_room(size_t chunk_bytes);
/* Bytes, about, that a chunk has in the file of which `inside' are content that
 * does not compress, and the others padding. */
uint64_t lb_h5_packed_estimate(const struct lb_h5_shape *s, uint64_t inside);

/* zlib's state, kept from chunk to chunk; zeroed before the first. */
struct lb_h5_zlib {
  struct z_stream_s *z;
  bool deflates;
};
void lb_h5_zlib_fini(struct lb_h5_zlib *z);

/* Compresses a chunk into `out'; *n: its bytes.  What the filter cannot make
 * smaller, and may not make larger, stays as it is, and *skipped has its bit,
 * as the library does it. */
int lb_h5_pack(const struct lb_h5_shape *s, struct lb_h5_zlib *z,
               const void *chunk, size_t bytes, void *out, size_t room,
               size_t *n, uint32_t *skipped, struct lb_err *err);

/* Buffers of a chunk, grown as needed; the second one only for what goes
 * through more than one filter. */
struct lb_h5_unpacked {
  unsigned char *buf[2];
  size_t cap;
  struct lb_h5_zlib zlib;
};
void lb_h5_unpacked_fini(struct lb_h5_unpacked *u);

/* Undoes the filters but the skipped ones.  The chunk, or NULL: it does not
 * come to the chunk's size, or is damaged, and err says how. */
const unsigned char *lb_h5_unpack(const struct lb_h5_shape *s,
                                  struct lb_h5_unpacked *u, const void *packed,
                                  size_t n, uint32_t skipped, const char *path,
                                  struct lb_err *err);

#endif
