/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the formats share: shapes, the stream of payload into a file, and the
 * memory of what a reader keeps.  Only for src/format. */
#ifndef LB_FORMAT_IMPL_H
#define LB_FORMAT_IMPL_H

#include "loadbank/crc32.h"
#include "loadbank/format.h"

/* Python's buffered files, which the frameworks read through, ask for this
 * much at least. */
enum { LB_PAGE = 4096 };

/* Elements of one sample along each of its own dimensions: record_dims, or
 * (L / element size) when the sample is flat.  Refuses, with the numbers,
 * sample_bytes that are not a whole number of elements or contradict
 * record_dims. */
int lb_sample_dims(const struct lb_format_params *p, const struct lb_file *f,
                   int64_t dims[LB_MAX_DIMS], int *n, struct lb_err *err);

/* samples x sample_bytes; refused when it does not fit. */
int lb_payload_bytes(const struct lb_file *f, uint64_t *bytes,
                     struct lb_err *err);

/* Refuses compression, which no format here writes. */
int lb_check_plain(const struct lb_format_params *p, const char *format,
                   struct lb_err *err);

/* Writes the file's whole payload at `at' of the sink; *crc (may be NULL) goes
 * on from its value: see crc32.h. */
int lb_payload_write(const struct lb_format_params *p, const struct lb_file *f,
                     struct lb_sink *sink, uint64_t at, uint64_t bytes,
                     uint32_t *crc, struct lb_err *err);
/* The same with zeros. */
int lb_zeros_write(struct lb_sink *sink, uint64_t at, uint64_t bytes,
                   uint32_t *crc, struct lb_err *err);

/* Of a READ that was just listed (NULL: it was not): which of its bytes are
 * content of a file whose whole payload, `bytes' of it, stands at `at' as it
 * is.  Was it listed? */
bool lb_list_content(struct lb_io *io, uint64_t at, uint64_t bytes);
/* Of a table of files, the part [from, to) that is in use: who goes from file
 * to file clears that alone. */
struct lb_used {
  int64_t from, to;
};
static inline void lb_used_add(struct lb_used *u, int64_t i)
{
  if (u->from == u->to)
    *u = (struct lb_used){i, i + 1};
  else if (i < u->from)
    u->from = i;
  else if (i >= u->to)
    u->to = i + 1;
}

/* Which files a reader has: one bit each. */
struct lb_kept {
  uint8_t *bits[LB_N_SETS];
  struct lb_used used[LB_N_SETS];
};
/* keeps: whether it keeps any; else lb_kept_has says no to all. */
int lb_kept_init(struct lb_kept *k, const struct lb_format_params *p,
                 bool keeps, struct lb_err *err);
uint64_t lb_kept_bits(const struct lb_format_params *p); /* in bytes */
/* The same with read_type memory, else 0. */
uint64_t lb_kept_bytes(const struct lb_format_params *p);
void lb_kept_clear(struct lb_kept *k);
void lb_kept_fini(struct lb_kept *k);
bool lb_kept_has(const struct lb_kept *k, const struct lb_file *f);
void lb_kept_add(struct lb_kept *k, const struct lb_file *f);

static inline uint64_t lb_min_u64(uint64_t a, uint64_t b)
{
  return a < b ? a : b;
}

/* "no memory" for a list that could not grow. */
int lb_list_full(struct lb_err *err);

/* Reads [from, to) of the data in slot 0, or in the file that is kept (see
 * lb_io.kept): sample s, of `bytes' at `at'. */
bool lb_list_sample(struct lb_iolist *list, const struct lb_sample *s, int kept,
                    uint64_t at, uint64_t bytes, uint64_t from, uint64_t to,
                    uint32_t request);

#endif
