/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See parquet_rig.h. */
#include "lb-config.h"

#include "loadbank/content.h"
#include "parquet_rig.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct lb_format *const format = &lb_format_parquet;

/* A request of a verified sample: the payload that it holds in the raw, and
 * what the format makes of it. */
static int look(struct rig *x, struct lb_reader *r, const struct lb_sample *s,
                const struct lb_io *io, uint64_t at, size_t n,
                struct lb_err *err)
{
  const unsigned char *bytes = x->bytes + io->offset + at;
  if (format->inspect(r, s, io, at, bytes, n, err) < 0)
    return -err->code;
  x->compared += n;
  if (!io->content.length || at != 0)
    return 0;
  unsigned char *want = malloc(io->content.length);
  lb_content_fill(r->params->content_seed, s->file.set, s->file.index,
                  io->content.at, want, io->content.length);
  bool same = io->content.skip + io->content.length <= io->length &&
              !memcmp(bytes + io->content.skip, want, io->content.length);
  free(want);
  return same ? 0
              : lb_err_set(err, LB_FAILED, "%s: content differs", s->file.path);
}

static int read_bytes(struct rig *x, struct lb_reader *r,
                      const struct lb_sample *s, struct lb_io *io,
                      struct lb_err *err)
{
  if (io->offset > x->n || io->length > x->n - io->offset)
    return lb_err_set(err, LB_FAILED, "%s: short read", s->file.path);
  x->reads++;
  if (io->buf)
    memcpy(io->buf, x->bytes + io->offset, io->length);
  io->result = (int64_t)io->length;
  for (uint64_t at = 0; s->verify && at < io->length;) {
    uint64_t left = io->length - at;
    size_t n = (size_t)(io->request && left > io->request ? io->request : left);
    if (look(x, r, s, io, at, n, err) < 0)
      return -err->code;
    at += n;
  }
  return 0;
}

static int run(struct rig *x, struct lb_reader *r, const struct lb_sample *s,
               struct lb_iolist *list, struct lb_err *err)
{
  for (size_t i = 0; i < list->n; i++) {
    struct lb_io *io = &list->v[i];
    if (io->op == LB_OP_OPEN)
      r->fd[0] = open("/dev/null", O_RDONLY);
    if (io->op == LB_OP_STAT)
      io->result = (int64_t)x->n;
    if (io->op == LB_OP_READ && read_bytes(x, r, s, io, err) < 0)
      return -err->code;
  }
  x->payload += list->payload_bytes;
  return 0;
}

static int read_sample(struct rig *x, struct lb_reader *r,
                       const struct lb_sample *s, struct lb_iolist *list,
                       struct lb_err *err)
{
  for (int stage = 0;; stage++) {
    lb_iolist_clear(list);
    int rc = format->plan(r, s, stage, list, err);
    if (rc <= 0)
      return rc;
    if (run(x, r, s, list, err) < 0 ||
        format->parse(r, s, stage, list, err) < 0)
      return -err->code;
  }
}

int rig_read_by(struct rig *x, struct lb_reader *r, const struct lb_file *f,
                bool verify, struct lb_err *err)
{
  struct lb_iolist list;
  struct lb_sample s = {.file = *f, .verify = verify};
  *err = (struct lb_err)LB_ERR_INIT;
  x->reads = x->payload = x->compared = 0;
  lb_iolist_init(&list);
  for (; s.in_file < f->samples && !err->code; s.in_file++)
    read_sample(x, r, &s, &list, err);
  lb_iolist_fini(&list);
  if (r->fd[0] >= 0)
    close(r->fd[0]);
  r->fd[0] = -1;
  lb_reader_reset(r);
  return -err->code;
}

int rig_read(struct rig *x, const struct lb_format_params *p,
             const struct lb_file *f, bool verify, struct lb_err *err)
{
  struct lb_reader r;
  *err = (struct lb_err)LB_ERR_INIT;
  if (lb_reader_init(&r, format, p, err) < 0)
    return -err->code;
  rig_read_by(x, &r, f, verify, err);
  lb_reader_fini(&r);
  return -err->code;
}
