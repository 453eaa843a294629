/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compressions of Parquet pages: a table of what libraries do.  Only for
 * src/format. */
#ifndef LB_FORMAT_PARQUET_CODEC_H
#define LB_FORMAT_PARQUET_CODEC_H

#include <stdbool.h>
#include <stddef.h>

struct pq_codec {
  const char *name;        /* dataset.compression */
  int id;                  /* in the file */
  const char *unavailable; /* NULL, or why this build lacks it */
  /* NULL (all three) for none.  Bytes that n may become at most. */
  size_t (*bound)(size_t n);
  /* The number of bytes, 0: failed. */
  size_t (*pack)(int level, const void *from, size_t n, void *to, size_t room);
  /* Do the bytes expand to just `size' ones?  Never writes more. */
  bool (*expand)(const void *from, size_t n, void *to, size_t size);
};

const struct pq_codec *pq_codec_find(const char *name); /* or NULL */

#endif
