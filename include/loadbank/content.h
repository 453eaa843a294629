/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The bytes of samples: what they are, and what others are instead.  Pure. */
#ifndef LOADBANK_CONTENT_H
#define LOADBANK_CONTENT_H

#include <stddef.h>
#include <stdint.h>

#include "loadbank/set.h"

/* Fills out[0..n) with the content of (seed, set, file) at payload offset
 * `offset'.  Pure; incompressible; no two 512-byte blocks are equal at any
 * 512-byte alignment, within and across files. */
void lb_content_fill(uint64_t seed, enum lb_set set, int64_t file,
                     uint64_t offset, void *out, size_t n);

/* What bytes are that should be content and are not. */
enum lb_content_kind {
  LB_CONTENT_STRANGE, /* nothing that lb_content_fill makes */
  LB_CONTENT_ZEROS,
  LB_CONTENT_OTHER,    /* of another seed, or of a file beyond n_files */
  LB_CONTENT_MISPLACED /* of this seed: of the file, from the offset on */
};
struct lb_content_trace {
  enum lb_content_kind kind;
  enum lb_set set;
  int64_t file;
  uint64_t offset;
};
enum { LB_CONTENT_TRACE_BYTES = 31 }; /* at least, to tell more than zeros */
/* Pure; looks at every file's key: for messages only. */
struct lb_content_trace lb_content_trace(uint64_t seed,
                                         const int64_t n_files[LB_N_SETS],
                                         const void *bytes, size_t n);

/* ---- the same in words, for messages ---- */

enum { LB_CONTENT_TEXT = 200, LB_CONTENT_LOOK = 4096 };

/* What got[0..n) is; of more bytes than LB_CONTENT_LOOK that is enough.  Bytes
 * that are content but for some that were replaced are known, too. */
void lb_content_say(uint64_t seed, const int64_t n_files[LB_N_SETS],
                    const void *got, size_t n, char text[LB_CONTENT_TEXT]);

/* got and want differ in their first byte.  How many of the *looked_at that
 * were looked at are wrong; 0: so many that these are other data. */
size_t lb_content_damage(const void *got, const void *want, size_t n,
                         size_t *looked_at);

/* Damage, or else what lb_content_say says. */
void lb_content_judge(uint64_t seed, const int64_t n_files[LB_N_SETS],
                      const void *got, const void *want, size_t n,
                      char text[LB_CONTENT_TEXT]);

#endif
