/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The file that torch.save makes of tensors, computed from their description:
 * its size and its bytes as a stream; torch_load.h has what a load reads, and
 * whether a file is such a one.  Does no I/O, allocates nothing; what is here
 * is pure but for the state that the caller owns.
 *
 * A file is a zip archive with stored members, laid out as PyTorch 2.7 and
 * later do: data.pkl (names, types, sizes), three records of a few bytes, one
 * member for each tensor (aligned to 64 bytes by a field of padding in its
 * header), two more records, directory.  Checksums follow the data. */
#ifndef LOADBANK_TORCH_FILE_H
#define LOADBANK_TORCH_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "loadbank/err.h"
#include "loadbank/tensor.h"

struct lb_torch_file {
  int64_t count; /* of tensors */
  /* One archive for each tensor, one behind the other, as a .distcp file of
   * PyTorch's distributed checkpoint; else one with a dictionary of all. */
  bool items;
  void (*tensor)(const void *arg, int64_t t, struct lb_tensor *out); /* pure */
  const void *arg;
};

/* Can it be written: types that PyTorch has, sizes that can be counted? */
int lb_torch_check(const struct lb_torch_file *f, struct lb_err *err);
/* The exact size.  Asks for each tensor twice. */
uint64_t lb_torch_bytes(const struct lb_torch_file *f);

/* ---- one archive ---- */

enum { LB_TORCH_TAIL = 98 }; /* end records: its last bytes */

struct lb_torch_archive {
  const struct lb_torch_file *file;
  int64_t first, tensors; /* of the file's */
  int64_t members;
  uint64_t at;           /* of its first byte in the file */
  uint64_t pickle_bytes; /* of data.pkl */
  uint64_t directory, directory_bytes, bytes; /* from its first byte on */
};
/* The i-th of the file, which begins at `at'. */
void lb_torch_lay_out(const struct lb_torch_file *f, int64_t i, uint64_t at,
                      struct lb_torch_archive *out);
int64_t lb_torch_archives(const struct lb_torch_file *f);

/* A member, by its place among the others. */
struct lb_torch_member {
  char name[40];
  int64_t tensor;      /* whose payload it is, of the file's; -1: of none */
  uint64_t at;         /* of its header, from the archive's first byte on */
  uint32_t header;     /* bytes, with the padding behind which `size' are */
  uint32_t padding;    /* of them, without the 4 bytes that announce it */
  uint64_t size;       /* of the data */
  uint32_t descriptor; /* bytes behind the data */
  uint64_t end;        /* where the next one begins */
};
/* Member k, whose header is at `at': 0, or the end of the one before. */
void lb_torch_member(const struct lb_torch_archive *a, int64_t k, uint64_t at,
                     struct lb_torch_member *out);

/* ---- its bytes ---- */

enum { LB_TORCH_PIECE = 512, LB_TORCH_SHARED = 24 };

/* What a pickle has mentioned: the number that the next object gets, and those
 * (plus 1) of objects that tensors share. */
struct lb_torch_memo {
  uint32_t n, seen[LB_TORCH_SHARED];
};

/* Bytes offset .. offset+length-1 of the file. */
struct lb_torch_segment {
  uint64_t offset, length;
  const unsigned char *bytes; /* until the next call; NULL: payload */
  int64_t tensor;             /* whose */
};

/* A walk along the file. */
struct lb_torch_walk {
  const struct lb_torch_file *file;
  uint32_t *crc;
  struct lb_torch_archive archive;
  int64_t index; /* of it */
  int phase;
  int64_t k; /* member */
  struct lb_torch_member member;
  int64_t piece; /* of data.pkl */
  struct lb_torch_memo memo;
  uint32_t pickle_crc;
  uint64_t at; /* in the file: of the next segment */
  unsigned char bytes[LB_TORCH_PIECE];
};

/* crc: CRC-32 of the payloads, by tensor, room for lb_torch_crcs numbers, which
 * the caller fills: that of a tensor before the segment behind its payload is
 * asked for. */
void lb_torch_begin(struct lb_torch_walk *w, const struct lb_torch_file *f,
                    uint32_t *crc);
static inline int64_t lb_torch_crcs(const struct lb_torch_file *f)
{
  return f->count;
}
/* The segment that follows; a tensor's payload is one.  False: the end. */
bool lb_torch_next(struct lb_torch_walk *w, struct lb_torch_segment *out);

#endif
