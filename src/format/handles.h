/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files that a reader keeps open, by number.  Only for src/format. */
#ifndef LB_FORMAT_HANDLES_H
#define LB_FORMAT_HANDLES_H

#include "format/format_impl.h"

enum { LB_HANDLE_FILES = 3 }; /* slots of a reader: the file, what is beside */

struct lb_handle {
  int fd[LB_HANDLE_FILES]; /* plus 1; 0: not open */
  uint64_t at; /* the format's: where its samples begin, or how far apart */
  uint64_t sample_bytes;
  uint64_t *table; /* the format's, malloc'ed; mostly NULL */
};

/* ---- where the samples of a file are, in a handle ----
 *
 * Samples that are equally far apart (at) and equally long (sample_bytes) need
 * no more than these two numbers; of others all offsets are in its table, then
 * all sizes.  An index is given entry by entry, in order for each kind. */

enum lb_place { LB_PLACE_AT, LB_PLACE_BYTES };

static inline void lb_handle_find(const struct lb_handle *h, int64_t samples,
                                  int64_t i, uint64_t *at, uint64_t *bytes)
{
  *at = h->table ? h->table[i] : (uint64_t)i * h->at;
  *bytes = h->table ? h->table[samples + i] : h->sample_bytes;
}

/* Sample i's.  Makes the table when it must. */
int lb_handle_put(struct lb_handle *h, enum lb_place what, int64_t samples,
                  int64_t i, uint64_t value, const char *path,
                  struct lb_err *err);

/* How many of n entries of an index (little-endian), from sample i's on, are as
 * those before them say: these need not be put. */
uint64_t lb_handle_expects(const struct lb_handle *h, enum lb_place what,
                           uint64_t i, const uint64_t *entry, uint64_t n);

/* Where the last of all samples ends. */
uint64_t lb_handle_end(const struct lb_handle *h, int64_t samples);

/* One for each file of both sets.  Descriptors are in the table or lent to
 * the reader's first slots, never in both. */
struct lb_handles {
  struct lb_handle *file[LB_N_SETS]; /* NULL: none are kept */
  struct lb_used used[LB_N_SETS];
};

int lb_handles_init(struct lb_handles *h, const struct lb_format_params *p,
                    struct lb_err *err);
uint64_t lb_handles_bytes(const struct lb_format_params *p);
void lb_handles_close(struct lb_handles *h);
void lb_handles_fini(struct lb_handles *h);
/* What is known of a file that is open since an earlier sample; NULL: it is
 * not.  Its descriptors stay in the table (lb_io.kept). */
static inline const struct lb_handle *lb_handles_get(const struct lb_handles *h,
                                                     const struct lb_file *f)
{
  const struct lb_handle *mine =
      h->file[f->set] ? &h->file[f->set][f->index] : NULL;
  return mine && mine->fd[0] ? mine : NULL;
}
/* The same, and its descriptors go into the slots. */
const struct lb_handle *lb_handles_lend(struct lb_handles *h,
                                        struct lb_reader *r,
                                        const struct lb_file *f);
/* Keeps what the slots have, if the first has something, and what is known of
 * it (fd aside); its table, too, from now on. */
void lb_handles_take(struct lb_handles *h, struct lb_reader *r,
                     const struct lb_file *f, const struct lb_handle *known);

#endif
