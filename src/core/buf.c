/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The growing text buffer of buf.h. */
#include "lb-config.h"

#include "loadbank/buf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void lb_buf_init(struct lb_buf *b, size_t max_bytes)
{
  *b = (struct lb_buf){.max = max_bytes};
}

void lb_buf_fini(struct lb_buf *b)
{
  free(b->data);
  *b = (struct lb_buf){.max = b->max};
}

void lb_buf_reset(struct lb_buf *b)
{
  b->len = 0;
  b->failed = false;
  if (b->data)
    b->data[0] = '\0';
}

/* Room for n more bytes and the final zero. */
static bool reserve(struct lb_buf *b, size_t n)
{
  if (b->failed || n > b->max - b->len) {
    b->failed = true;
    return false;
  }
  size_t need = b->len + n + 1;
  if (need <= b->cap)
    return true;
  size_t cap = b->cap ? b->cap : 256;
  while (cap < need)
    cap *= 2;
  char *data = realloc(b->data, cap);
  if (!data) {
    b->failed = true;
    return false;
  }
  b->data = data;
  b->cap = cap;
  return true;
}

void lb_buf_add(struct lb_buf *b, const void *bytes, size_t n)
{
  if (!reserve(b, n))
    return;
  if (n)
    memcpy(b->data + b->len, bytes, n);
  b->len += n;
  b->data[b->len] = '\0';
}

void lb_buf_puts(struct lb_buf *b, const char *text)
{
  lb_buf_add(b, text, strlen(text));
}

void lb_buf_printf(struct lb_buf *b, const char *fmt, ...)
{
  va_list ap, again;
  va_start(ap, fmt);
  va_copy(again, ap);
  int n = vsnprintf(NULL, 0, fmt, ap);
  va_end(ap);
  if (n < 0)
    b->failed = true;
  else if (reserve(b, (size_t)n)) {
    vsnprintf(b->data + b->len, (size_t)n + 1, fmt, again);
    b->len += (size_t)n;
  }
  va_end(again);
}

char *lb_buf_take(struct lb_buf *b)
{
  char *data = b->data;
  *b = (struct lb_buf){.max = b->max};
  return data;
}
