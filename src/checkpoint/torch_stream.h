/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A torch file (torch_file.h) laid over the contents of a shard: every byte
 * that is no tensor's is put where it belongs, and checksums are taken of the
 * others.  Inside src/checkpoint. */
#ifndef LB_CHECKPOINT_TORCH_STREAM_H
#define LB_CHECKPOINT_TORCH_STREAM_H

#include <stddef.h>

#include "loadbank/torch_file.h"

struct lb_torch_stream {
  struct lb_torch_walk walk;
  struct lb_torch_segment segment; /* that is next, or under way */
  bool more;                       /* there is one */
  uint32_t *crc;                   /* of tensors; malloc'ed */
};

int lb_torch_stream_begin(struct lb_torch_stream *s,
                          const struct lb_torch_file *f, struct lb_err *err);
/* bytes[0..n) is the content of the file from `at' on, where the last call
 * ended; at first 0. */
void lb_torch_stream_lay(struct lb_torch_stream *s, uint64_t at,
                         unsigned char *bytes, size_t n);
void lb_torch_stream_end(struct lb_torch_stream *s);

#endif
