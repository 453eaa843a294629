/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files that a reader keeps open, by number.  Only for src/format. */
#ifndef LB_FORMAT_HANDLES_H
#define LB_FORMAT_HANDLES_H

#include "format/format_impl.h"

struct lb_handle {
  int fd;      /* plus 1; 0: not open */
  uint64_t at; /* the format's: where its samples begin, or how far apart */
  uint64_t sample_bytes;
  uint64_t *table; /* the format's, malloc'ed; mostly NULL */
};

/* One for each file of both sets.  The descriptor is in the table or lent to
 * the reader's slot 0, never in both. */
struct lb_handles {
  struct lb_handle *file[LB_N_SETS]; /* NULL: none are kept */
  struct lb_used used[LB_N_SETS];
};

int lb_handles_init(struct lb_handles *h, const struct lb_format_params *p,
                    struct lb_err *err);
uint64_t lb_handles_bytes(const struct lb_format_params *p);
void lb_handles_close(struct lb_handles *h);
void lb_handles_fini(struct lb_handles *h);
/* The file is open since an earlier sample: its descriptor into slot 0, and
 * what is known of it.  NULL: it is not. */
const struct lb_handle *lb_handles_lend(struct lb_handles *h,
                                        struct lb_reader *r,
                                        const struct lb_file *f);
/* Keeps what slot 0 has, and what is known of it (fd aside); its table, too,
 * from now on. */
void lb_handles_take(struct lb_handles *h, struct lb_reader *r,
                     const struct lb_file *f, const struct lb_handle *known);

#endif
