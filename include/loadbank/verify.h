/* SPDX-License-Identifier: GPL-3.0-or-later */
/* reader.verify: what was read is compared with what the seed says.  Content
 * that stands raw in a file (lb_io.content) is compared here, what is encoded
 * by the format's own `inspect' and `parse'. */
#ifndef LOADBANK_VERIFY_H
#define LOADBANK_VERIFY_H

#include <stdint.h>

#include "loadbank/err.h"
#include "loadbank/format.h"
#include "loadbank/storage.h"

enum lb_verify { LB_VERIFY_OFF, LB_VERIFY_SAMPLE, LB_VERIFY_FULL };

/* Which of n samples of a batch is checked, by chance.  Pure. */
int64_t lb_verify_choice(uint64_t seed, enum lb_set set, int64_t epoch,
                         int64_t accelerator, int64_t batch, int64_t n);

/* One at a time of a thread. */
struct lb_verifier {
  struct lb_reader *reader;
  const struct lb_sample *sample;
  uint64_t samples_seen, bytes_seen; /* by the reader, before the sample */
  unsigned char want[4096];          /* a piece of what should be there */
};

/* From here on what t reads is that of the sample: its `verify' is set, all is
 * borrowed until lb_verify_end. */
void lb_verify_begin(struct lb_verifier *v, struct lb_reader *reader,
                     const struct lb_sample *sample, struct lb_iothread *t);
/* The sample was read to its end, or not.  Is it as long as it was made? */
int lb_verify_end(struct lb_verifier *v, struct lb_iothread *t,
                  struct lb_err *err);

/* The hook of struct lb_iothread; arg is the verifier.  An error names file,
 * sample, place and both values, and says what stands there instead. */
int lb_verify_inspect(void *arg, const struct lb_io *io, uint64_t at,
                      const void *bytes, size_t n, struct lb_err *err);

#endif
