/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See torch_stream.h. */
#include "lb-config.h"

#include "checkpoint/torch_stream.h"

#include <stdlib.h>
#include <string.h>

#include "loadbank/crc32.h"

int lb_torch_stream_begin(struct lb_torch_stream *s,
                          const struct lb_torch_file *f, struct lb_err *err)
{
  size_t n = (size_t)lb_torch_crcs(f);
  *s = (struct lb_torch_stream){.crc = calloc(n + 1, sizeof *s->crc)};
  if (!s->crc)
    return lb_err_set(err, LB_FAILED,
                      "no memory for the checksums of %zu "
                      "tensors",
                      n);
  lb_torch_begin(&s->walk, f, s->crc);
  s->more = lb_torch_next(&s->walk, &s->segment);
  return 0;
}

void lb_torch_stream_end(struct lb_torch_stream *s)
{
  free(s->crc);
  s->crc = NULL;
}

static void lay(struct lb_torch_stream *s, uint64_t from, unsigned char *bytes,
                size_t n)
{
  const struct lb_torch_segment *g = &s->segment;
  if (g->bytes)
    memcpy(bytes, g->bytes + (from - g->offset), n);
  else
    s->crc[g->tensor] = lb_crc32(s->crc[g->tensor], bytes, n);
}

void lb_torch_stream_lay(struct lb_torch_stream *s, uint64_t at,
                         unsigned char *bytes, size_t n)
{
  const struct lb_torch_segment *g = &s->segment;
  const uint64_t end = at + n;
  while (s->more && g->offset < end) {
    uint64_t last = g->offset + g->length;
    uint64_t from = g->offset > at ? g->offset : at;
    uint64_t to = last < end ? last : end;
    lay(s, from, bytes + (from - at), (size_t)(to - from));
    if (last > end)
      return;
    s->more = lb_torch_next(&s->walk, &s->segment);
  }
}
