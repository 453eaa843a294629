/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the reader of a .npz (npz_read.c) makes of what it has read. */
#include "lb-config.h"

#include "format/npz_read.h"

#include <inttypes.h>
#include <zlib.h>

/* ---- the archive ---- */

static int take_size(struct lb_npz_reader *st, const char *path, uint64_t size,
                     struct lb_err *err)
{
  st->size = size;
  if (size < LB_ZIP_END)
    return lb_err_set(err, LB_FAILED,
                      "%s: not a .npz archive: %" PRIu64 " bytes", path, size);
  return 0;
}

static int parse_tail(struct lb_npz_reader *st, const struct lb_io *io,
                      const char *path, struct lb_err *err)
{
  size_t n = (size_t)io->length;
  st->end64 = lb_zip_has_end64(io->buf, n);
  if (st->end64 && n < LB_ZIP_TAIL && st->size >= LB_ZIP_TAIL)
    return 0;
  if (lb_zip_find_directory(io->buf, n, st->size, &st->directory,
                            &st->directory_bytes, path, err) < 0)
    return -err->code;
  if (st->size - st->directory > LB_NPZ_DIRECTORY_MAX)
    return lb_err_set(
        err, LB_FAILED,
        "%s: not a whole zip archive, or of too many members: its "
        "central directory begins %" PRIu64
        " bytes before the end of the file, and %d are the most",
        path, st->size - st->directory, LB_NPZ_DIRECTORY_MAX);
  return 0;
}

static int check_method(const struct lb_npz_reader *st, const char *path,
                        struct lb_err *err)
{
  if (st->x.method == LB_ZIP_STORED || st->x.method == LB_ZIP_DEFLATED)
    return 0;
  return lb_err_set(err, LB_FAILED,
                    "%s: member 'x.npy' is compressed with method %d; "
                    "stored (0) and deflated (8) can be read",
                    path, st->x.method);
}

static int parse_directory(struct lb_npz_reader *st, const char *path,
                           struct lb_err *err)
{
  if (lb_zip_find_member(st->dir, (size_t)st->directory_bytes, "x.npy", &st->x,
                         path, err) < 0)
    return -err->code;
  if (st->x.at > st->directory || st->x.size > st->directory - st->x.at)
    return lb_err_set(err, LB_FAILED,
                      "%s: cut short: member 'x.npy' of %" PRIu64
                      " bytes at %" PRIu64 " does not fit into %" PRIu64
                      " bytes",
                      path, st->x.size, st->x.at, st->size);
  return check_method(st, path, err);
}

/* ---- the member ---- */

/* Inflates the first bytes of a deflated member: room for its header. */
static size_t inflate_some(const unsigned char *from, size_t n,
                           unsigned char *to, size_t room)
{
  z_stream z = {.next_in = (unsigned char *)(uintptr_t)from,
                .avail_in = (uInt)n,
                .next_out = to,
                .avail_out = (uInt)room};
  if (inflateInit2(&z, -MAX_WBITS) != Z_OK)
    return 0;
  int rc = inflate(&z, Z_SYNC_FLUSH);
  size_t got = room - z.avail_out;
  inflateEnd(&z);
  return rc == Z_OK || rc == Z_STREAM_END || rc == Z_BUF_ERROR ? got : 0;
}

/* The header of the array, in a member whose own bytes begin at st->data. */
static int parse_array(struct lb_npz_reader *st,
                       const struct lb_format_params *p,
                       const struct lb_file *f, struct lb_err *err)
{
  struct lb_npy_array a;
  unsigned char inflated[LB_PAGE];
  size_t local = (size_t)(st->data - st->x.at);
  const unsigned char *npy = st->head + local;
  size_t n = (size_t)lb_min_u64(st->head_bytes - local, st->x.size);
  if (!lb_npz_is_stored(st)) {
    n = inflate_some(npy, n, inflated, sizeof inflated);
    npy = inflated;
  }
  if (lb_npy_header_parse(&a, npy, n, f->path, err) < 0 ||
      lb_npy_check(&a, p, f, &st->sample_bytes, err) < 0)
    return -err->code;
  if (a.header_bytes + a.bytes != st->x.inflated ||
      (lb_npz_is_stored(st) && st->x.size != st->x.inflated))
    return lb_err_set(err, LB_FAILED,
                      "%s: member 'x.npy' has %" PRIu64
                      " bytes, and its header says %" PRIu64,
                      f->path, st->x.inflated, a.header_bytes + a.bytes);
  st->array_bytes = a.bytes;
  st->array_at = st->data + a.header_bytes;
  st->inflate.header_bytes = a.header_bytes;
  st->content = lb_npz_is_stored(st) ? st->array_at : 0;
  return 0;
}

/* The first bytes of a deflated member are there with its header. */
static int begin_inflating(struct lb_npz_reader *st,
                           const struct lb_format_params *p,
                           const struct lb_sample *s, struct lb_err *err)
{
  size_t local = (size_t)(st->data - st->x.at);
  if (lb_npz_is_stored(st))
    return 0;
  return lb_npz_inflate_begin(&st->inflate, p, s, &st->x, err) < 0
             ? -err->code
             : lb_zip_read(&st->inflate.zip, st->head + local,
                           st->head_bytes - local, err);
}

/* Of a member that is verified: its first bytes are there already. */
static void begin_crc(struct lb_npz_reader *st)
{
  size_t local = (size_t)(st->data - st->x.at);
  size_t n = (size_t)lb_min_u64(st->head_bytes - local, st->x.size);
  st->crc = lb_crc32(0, st->head + local, n);
  st->crc_at = st->data + n;
}

static int parse_member(struct lb_npz_reader *st,
                        const struct lb_format_params *p,
                        const struct lb_sample *s, struct lb_err *err)
{
  const char *path = s->file.path;
  uint32_t local;
  if (lb_zip_local_bytes(st->head, st->head_bytes, &local, path, err) < 0)
    return -err->code;
  st->data = st->x.at + local;
  if (local >= st->head_bytes || st->x.size > st->directory - st->data)
    return lb_err_set(err, LB_FAILED,
                      "%s: member 'x.npy' runs into the central directory",
                      path);
  if (parse_array(st, p, &s->file, err) < 0)
    return -err->code;
  begin_crc(st);
  return begin_inflating(st, p, s, err);
}

/* Lean: the member's own header tells all, if it is the one that was expected
 * and not made by who did not know how long it would be. */
static int parse_first(struct lb_npz_reader *st,
                       const struct lb_format_params *p,
                       const struct lb_sample *s, const struct lb_io *io,
                       struct lb_err *err)
{
  uint64_t got = (uint64_t)io->result;
  struct lb_zip_member m;
  uint32_t local;
  st->head_bytes = (size_t)lb_min_u64(got, sizeof st->head);
  st->found =
      lb_zip_local_member(st->head, st->head_bytes, "x.npy", &m, &local) &&
      local < st->head_bytes && m.size <= INT64_MAX / 2;
  if (!st->found)
    return 0;
  st->size = got < io->length ? got : UINT64_MAX;
  st->x = m;
  st->data = local;
  if (check_method(st, s->file.path, err) < 0)
    return -err->code;
  if (got < io->length && lb_npz_member_end(st) > got)
    return lb_err_set(err, LB_FAILED,
                      "%s: cut short: member 'x.npy' of %" PRIu64
                      " bytes does not fit into %" PRIu64 " bytes",
                      s->file.path, st->x.size, got);
  st->at = lb_npz_is_stored(st) ? got : st->head_bytes;
  if (parse_array(st, p, &s->file, err) < 0)
    return -err->code;
  return begin_inflating(st, p, s, err);
}

/* ---- its checksum ---- */

int lb_npz_inspect(struct lb_reader *r, const struct lb_sample *s,
                   const struct lb_io *io, uint64_t at, const void *bytes,
                   size_t n, struct lb_err *err)
{
  struct lb_npz_reader *st = r->state;
  uint64_t from = io->offset + at, end = lb_npz_member_end(st);
  (void)s, (void)err;
  if (io->buf || (st->step != LB_NPZ_FIRST && st->step != LB_NPZ_DATA))
    return 0;
  end = lb_min_u64(end, from + n);
  if (st->crc_at < from || st->crc_at >= end)
    return 0;
  st->crc = lb_crc32(st->crc, (const char *)bytes + (st->crc_at - from),
                     (size_t)(end - st->crc_at));
  st->crc_at = end;
  return 0;
}

/* The checksum is of what a member inflates to; only a stored one is here. */
static int verify(const struct lb_npz_reader *st, const char *path,
                  struct lb_err *err)
{
  if (!lb_npz_is_stored(st) ||
      (st->crc == st->x.crc && st->crc_at == lb_npz_member_end(st)))
    return 0;
  return lb_err_set(err, LB_FAILED,
                    "%s: member 'x.npy' is damaged: CRC-32 %08" PRIx32
                    ", the archive says %08" PRIx32,
                    path, st->crc, st->x.crc);
}

static int parse_data(struct lb_reader *r, const struct lb_sample *s,
                      const struct lb_iolist *list, struct lb_err *err)
{
  struct lb_npz_reader *st = r->state;
  if (!lb_npz_is_stored(st) &&
      lb_npz_inflate_parse(&st->inflate, s->file.path, list, err) < 0)
    return -err->code;
  if (!st->closed)
    return 0;
  r->samples_seen++;
  r->sample_bytes_seen += st->sample_bytes;
  return s->verify ? verify(st, s->file.path, err) : 0;
}

int lb_npz_parse(struct lb_reader *r, const struct lb_sample *s, int stage,
                 const struct lb_iolist *list, struct lb_err *err)
{
  struct lb_npz_reader *st = r->state;
  const struct lb_io *last = &list->v[list->n - 1];
  const char *path = s->file.path;
  (void)stage;
  switch (st->step) {
  case LB_NPZ_LOOK:
  case LB_NPZ_STAT:
    return take_size(st, path, (uint64_t)last->result, err);
  case LB_NPZ_FIRST:
    return parse_first(st, r->params, s, last, err);
  case LB_NPZ_TAIL:
  case LB_NPZ_TAIL64:
    return parse_tail(st, last, path, err);
  case LB_NPZ_DIRECTORY:
    return parse_directory(st, path, err);
  case LB_NPZ_MEMBER:
    return parse_member(st, r->params, s, err);
  default:
    return parse_data(r, s, list, err);
  }
}
