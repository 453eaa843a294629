/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where things stand in a .npz (a zip archive of .npy members), in the making
 * and in the reading. */
#ifndef LB_NPZ_LAYOUT_H
#define LB_NPZ_LAYOUT_H

#include "format/npy_header.h"

enum {
  LB_ZIP_LOCAL = 30,   /* local header without name and extra field */
  LB_ZIP_CENTRAL = 46, /* entry of the central directory, likewise */
  LB_ZIP_END = 22,     /* end record without comment */
  LB_ZIP_END64 = 56,   /* zip64 end record */
  LB_ZIP_LOCATOR64 = 20,
  /* All three at a file's end. */
  LB_ZIP_TAIL = LB_ZIP_END64 + LB_ZIP_LOCATOR64 + LB_ZIP_END,
  LB_ZIP_STORED = 0,
  LB_ZIP_DEFLATED = 8,
};

/* A member of an archive. */
struct lb_zip_member {
  uint64_t at;       /* of its local header */
  uint64_t size;     /* in the archive */
  uint64_t inflated; /* by itself */
  uint32_t crc;
  int method;
  bool zip64; /* its headers have room for 64-bit sizes; set when they are
               * made: while a stream is deflated its size is not known */
};

struct lb_npz_layout {
  struct lb_npy_array x_array, y_array;
  struct lb_zip_member x, y;
  uint32_t x_local, y_local; /* bytes of the local headers */
  uint64_t directory, directory_bytes;
  bool end64; /* with a zip64 end record */
  uint64_t file_bytes;
};

/* The archive that `make' writes; CRCs are left 0.  With compression `zip' the
 * members' sizes are estimated. */
int lb_npz_lay_out(const struct lb_format_params *p, const struct lb_file *f,
                   struct lb_npz_layout *l, struct lb_err *err);
/* Places all behind member x anew, whose size, and that of y, are now known. */
void lb_npz_place(struct lb_npz_layout *l);
/* Of params: are members deflated? */
bool lb_npz_deflates(const struct lb_format_params *p);

/* Local header of a member; bytes written to out (<= 80). */
size_t lb_zip_local(const struct lb_zip_member *m, const char *name,
                    unsigned char *out);
/* Central directory and end records; bytes written to out (<= 400). */
size_t lb_npz_directory(const struct lb_npz_layout *l, unsigned char *out);

/* Do the last n bytes of an archive have the locator of a zip64 end record? */
bool lb_zip_has_end64(const unsigned char *tail, size_t n);
/* Finds the central directory from the last n bytes of a file of `size'. */
int lb_zip_find_directory(const unsigned char *tail, size_t n, uint64_t size,
                          uint64_t *at, uint64_t *bytes, const char *path,
                          struct lb_err *err);
/* Bytes of the local header that lb_zip_local writes. */
uint32_t lb_zip_local_size(const struct lb_zip_member *m, const char *name);
/* Central directory and end records of one member; bytes written to out (<=
 * 200). */
size_t lb_zip_directory(const struct lb_zip_member *m, const char *name,
                        uint64_t directory, unsigned char *out);

/* Finds a member in a central directory of n bytes; name NULL: the only one.
 */
int lb_zip_find_member(const unsigned char *dir, size_t n, const char *name,
                       struct lb_zip_member *m, const char *path,
                       struct lb_err *err);
/* Bytes of the local header at b, n bytes of it known. */
int lb_zip_local_bytes(const unsigned char *b, size_t n, uint32_t *bytes,
                       const char *path, struct lb_err *err);
/* What the local header at b, the first in its file, says of the member; false:
 * there is none, it has another name, or it does not know the sizes. */
bool lb_zip_local_member(const unsigned char *b, size_t n, const char *name,
                         struct lb_zip_member *m, uint32_t *bytes);

#endif
