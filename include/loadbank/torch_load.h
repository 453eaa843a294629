/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What torch.load reads of a file of torch_file.h.  Pure but for the state that
 * the caller owns. */
#ifndef LOADBANK_TORCH_LOAD_H
#define LOADBANK_TORCH_LOAD_H

#include "loadbank/torch_file.h"

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

#endif
