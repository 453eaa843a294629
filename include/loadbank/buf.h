/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A growing buffer of bytes with a stated maximum.  A failed append makes the
 * buffer `failed`, later appends do nothing: check once, at the end.
 * The text is always followed by a zero byte that `len` does not count. */
#ifndef LOADBANK_BUF_H
#define LOADBANK_BUF_H

#include <stdbool.h>
#include <stddef.h>

struct lb_buf {
  char *data; /* NULL while empty */
  size_t len, cap, max;
  bool failed; /* out of memory, or past max */
};

void lb_buf_init(struct lb_buf *b, size_t max_bytes);
void lb_buf_fini(struct lb_buf *b);
void lb_buf_reset(struct lb_buf *b); /* empty, memory kept */
void lb_buf_add(struct lb_buf *b, const void *bytes, size_t n);
void lb_buf_puts(struct lb_buf *b, const char *text);
void lb_buf_printf(struct lb_buf *b, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Moves the memory to the caller (free() it); the buffer is empty again. */
char *lb_buf_take(struct lb_buf *b);

#endif
