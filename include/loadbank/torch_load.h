/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What torch.load reads of a file of torch_file.h, and whether a file is such a
 * one.  Pure but for the state that the caller owns. */
#ifndef LOADBANK_TORCH_LOAD_H
#define LOADBANK_TORCH_LOAD_H

#include "loadbank/torch_file.h"

/* ---- what torch.load reads ---- */

/* torch.load(path) and (file), mmap=False: through a buffered file of Python,
 * so that small records cost a whole buffer. */
struct lb_torch_reads {
  const struct lb_torch_file *file;
  uint64_t buffer;   /* bytes: st_blksize of the file (Python < 3.14) */
  bool old;          /* PyTorch 1: reads neither identity nor byte order */
  uint64_t size;     /* of the file */
  uint64_t from, to; /* in the file: what the buffer holds */
  uint64_t pos;      /* up to here it was taken */
  struct lb_torch_archive archive;
  int64_t index;
  int step, half;
  int64_t k; /* tensor, of the archive's */
  uint64_t member_at;
};
void lb_torch_reads_begin(struct lb_torch_reads *r,
                          const struct lb_torch_file *f, uint64_t buffer);
/* The next request; false: no more. */
bool lb_torch_reads_next(struct lb_torch_reads *r, uint64_t *offset,
                         uint64_t *length);

/* ---- is a file such a one? ---- */

/* Of an archive: the file's size, its end records, then its directory in
 * pieces of any size.  Names, sizes and places must be those described; dates,
 * versions and checksums may be any. */
struct lb_torch_checker {
  const struct lb_torch_archive *archive;
  const char *path;
  int64_t k;
  uint64_t member_at;
  uint32_t have;
  unsigned char entry[256];
};
int lb_torch_check_size(const struct lb_torch_file *f, uint64_t bytes,
                        const char *path, struct lb_err *err);
int lb_torch_check_tail(struct lb_torch_checker *c,
                        const struct lb_torch_archive *a,
                        const unsigned char tail[LB_TORCH_TAIL],
                        const char *path, struct lb_err *err);
int lb_torch_check_directory(struct lb_torch_checker *c, const void *bytes,
                             size_t n, struct lb_err *err);
int lb_torch_check_end(struct lb_torch_checker *c, struct lb_err *err);

/* ---- .metadata of a distributed checkpoint ---- */

/* About as many bytes as the pickle has of `tensors' tensors with names of
 * name_bytes on average, each cut into one piece for each of the writers. */
uint64_t lb_torch_metadata_bytes(int64_t tensors, double name_bytes,
                                 int64_t writers);

#endif
