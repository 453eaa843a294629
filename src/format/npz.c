/* SPDX-License-Identifier: GPL-3.0-or-later */
/* NumPy's .npz: samples in member x.npy, labels in y.npy, stored or deflated.
 * What np.load(f)['x'] asks of a file is in docs/formats.md: magic, end record,
 * central directory, the member's beginning twice, then the whole array. */
#include "lb-config.h"

#include "format/npz_deflate.h"

#include <inttypes.h>
#include <string.h>
#include <zlib.h>

enum { LOOK, TAIL, DIRECTORY, HEAD, DATA, N_STAGES };
enum { DIRECTORY_MAX = 8192, HEAD_BYTES = 2 * LB_PAGE };

struct npz_reader {
  struct lb_kept kept;
  uint64_t size;                       /* of the file */
  uint64_t directory, directory_bytes; /* central directory */
  struct lb_zip_member x;
  uint64_t array_bytes;
  uint64_t data;         /* where the member's own bytes begin ... */
  uint64_t content;      /* ... and the samples in it; 0: not as they are */
  uint64_t sample_bytes; /* as found */
  unsigned char tail[LB_ZIP_TAIL];
  unsigned char dir[DIRECTORY_MAX];
  unsigned char head[HEAD_BYTES];
  uint32_t crc; /* of a stored member that is verified, up to what was read */
  struct lb_npz_inflate inflate; /* of a deflated member */
};

static int npz_check(const struct lb_format_params *p, struct lb_err *err)
{
  return lb_npz_deflates(p) ? 0 : lb_check_plain(p, "npz", err);
}

static int npz_sizes(const struct lb_format_params *p, const struct lb_file *f,
                     struct lb_file_sizes *out, struct lb_err *err)
{
  struct lb_npz_layout l;
  if (lb_npz_lay_out(p, f, &l, err) < 0)
    return -err->code;
  *out = (struct lb_file_sizes){.file_bytes = l.file_bytes,
                                .payload_bytes = l.x_array.bytes,
                                .memory_bytes = l.x_array.bytes,
                                .estimated = lb_npz_deflates(p)};
  return 0;
}

/* The .npy header of a member at its place; *crc begins with it. */
static int write_npy_header(const struct lb_npy_array *a, struct lb_sink *sink,
                            uint64_t at, uint32_t *crc, struct lb_err *err)
{
  char header[LB_NPY_HEADER_MAX];
  lb_npy_header_make(a, header);
  *crc = lb_crc32(0, header, a->header_bytes);
  return sink->write(sink, at, header, a->header_bytes, err);
}

static int write_local(const struct lb_zip_member *m, const char *name,
                       struct lb_sink *sink, struct lb_err *err)
{
  unsigned char local[80];
  size_t n = lb_zip_local(m, name, local);
  return sink->write(sink, m->at, local, n, err);
}

/* The checksum of a member stands before it and is known after it. */
static int npz_make(const struct lb_format_params *p, const struct lb_file *f,
                    struct lb_sink *sink, struct lb_err *err)
{
  struct lb_npz_layout l;
  unsigned char directory[400];
  if (lb_npz_deflates(p))
    return lb_npz_make_deflated(p, f, sink, err);
  if (lb_npz_lay_out(p, f, &l, err) < 0)
    return -err->code;
  uint64_t x = l.x_local, y = l.y.at + l.y_local;
  uint64_t x_data = x + l.x_array.header_bytes;
  uint64_t y_data = y + l.y_array.header_bytes;
  if (write_npy_header(&l.x_array, sink, x, &l.x.crc, err) < 0 ||
      lb_payload_write(p, f, sink, x_data, l.x_array.bytes, &l.x.crc, err) <
          0 ||
      write_npy_header(&l.y_array, sink, y, &l.y.crc, err) < 0 ||
      lb_zeros_write(sink, y_data, l.y_array.bytes, &l.y.crc, err) < 0 ||
      write_local(&l.x, "x.npy", sink, err) < 0 ||
      write_local(&l.y, "y.npy", sink, err) < 0)
    return -err->code;
  size_t n = lb_npz_directory(&l, directory);
  return sink->write(sink, l.directory, directory, n, err);
}

static int npz_reader_init(struct lb_reader *r, struct lb_err *err)
{
  struct npz_reader *st = r->state;
  const struct lb_format_params *p = r->params;
  if (lb_kept_init(&st->kept, p, p->memory, err) < 0)
    return -err->code;
  return p->has_bytes && lb_npz_deflates(p)
             ? lb_npz_inflate_init(&st->inflate, p, err)
             : 0;
}

static void npz_reader_reset(struct lb_reader *r)
{
  struct npz_reader *st = r->state;
  lb_kept_clear(&st->kept);
}

static void npz_reader_fini(struct lb_reader *r)
{
  struct npz_reader *st = r->state;
  lb_kept_fini(&st->kept);
  lb_npz_inflate_fini(&st->inflate);
}

static uint64_t npz_notes(const struct lb_format_params *p)
{
  return lb_kept_bytes(p) + (lb_npz_deflates(p) ? lb_npz_inflate_bytes(p) : 0);
}

/* Without bytes the file is the one that `make' would have written. */
static int npz_assume(struct npz_reader *st, const struct lb_format_params *p,
                      const struct lb_file *f, struct lb_err *err)
{
  struct lb_npz_layout l;
  if (lb_npz_lay_out(p, f, &l, err) < 0)
    return -err->code;
  st->size = l.file_bytes;
  st->directory = l.directory;
  st->directory_bytes = l.directory_bytes;
  st->x = l.x;
  st->array_bytes = l.x_array.bytes;
  st->data = l.x_local;
  st->content = l.x_local + l.x_array.header_bytes;
  return 0;
}

/* Bytes of the member's beginning that are read first. */
static uint64_t head_bytes(const struct npz_reader *st)
{
  return lb_min_u64(HEAD_BYTES, st->size - st->x.at);
}

static bool list_tail(struct npz_reader *st, struct lb_iolist *list)
{
  uint64_t all = lb_min_u64(LB_ZIP_TAIL, st->size);
  uint64_t end = lb_min_u64(LB_ZIP_END, st->size);
  return lb_iolist_read(list, 0, lb_min_u64(LB_PAGE, st->size), 0, NULL) &&
         lb_iolist_stat(list) &&
         lb_iolist_read(list, st->size - end, end, 0, NULL) &&
         lb_iolist_read(list, st->size - all, all, 0, st->tail);
}

static bool mark(const struct npz_reader *st, struct lb_io *io)
{
  return st->content ? lb_list_content(io, st->content, st->array_bytes)
                     : io != NULL;
}

/* NumPy opens the member twice, once for its magic number.  Where the samples
 * begin shows only then: what is verified is the archive that `make' writes. */
static int list_head(struct npz_reader *st, const struct lb_format_params *p,
                     const struct lb_sample *s, struct lb_iolist *list,
                     struct lb_err *err)
{
  uint64_t n = head_bytes(st);
  if (p->has_bytes)
    st->content = 0;
  if (s->verify && st->x.method == LB_ZIP_STORED) {
    struct lb_npz_layout l;
    if (lb_npz_lay_out(p, &s->file, &l, err) < 0)
      return -err->code;
    st->content = st->x.at + l.x_local + l.x_array.header_bytes;
    st->array_bytes = l.x_array.bytes;
  }
  return lb_iolist_read(list, st->x.at, n, LB_PAGE, NULL) &&
                 mark(st, lb_iolist_read(list, st->x.at, n, LB_PAGE, st->head))
             ? 1
             : lb_list_full(err);
}

static bool list_data(struct npz_reader *st, const struct lb_format_params *p,
                      struct lb_iolist *list)
{
  uint64_t at = st->x.at + head_bytes(st), end = st->data + st->x.size;
  list->payload_bytes = st->array_bytes;
  if (end > at) {
    if (!mark(st, lb_iolist_read(list, at, end - at, p->request, NULL)))
      return false;
  }
  return lb_iolist_close(list);
}

/* A deflated member is read in pieces, a stage each, which are inflated. */
static int plan_deflated(struct npz_reader *st,
                         const struct lb_format_params *p,
                         const struct lb_sample *s, bool first,
                         struct lb_iolist *list, struct lb_err *err)
{
  struct lb_npz_inflate *i = &st->inflate;
  if (first)
    lb_npz_inflate_place(i, st->x.at + head_bytes(st), st->data + st->x.size);
  int rc = lb_npz_inflate_plan(i, p, list, err);
  if (rc > 0 && i->done) {
    list->payload_bytes = st->array_bytes;
    lb_kept_add(&st->kept, &s->file);
  }
  return rc;
}

static int npz_plan(struct lb_reader *r, const struct lb_sample *s, int stage,
                    struct lb_iolist *list, struct lb_err *err)
{
  struct npz_reader *st = r->state;
  const struct lb_format_params *p = r->params;
  bool good = true;
  if (stage >= DATA && st->x.method == LB_ZIP_DEFLATED)
    return plan_deflated(st, p, s, stage == DATA, list, err);
  if (stage >= N_STAGES || (stage == LOOK && lb_kept_has(&st->kept, &s->file)))
    return 0;
  if (stage == LOOK) {
    if (!p->has_bytes && npz_assume(st, p, &s->file, err) < 0)
      return -err->code;
    good = lb_iolist_open(list, s->file.path, p->open_flags) &&
           lb_iolist_stat(list);
  } else if (stage == TAIL) {
    good = list_tail(st, list);
  } else if (stage == DIRECTORY) {
    good = lb_iolist_read(list, st->directory, st->size - st->directory, 0,
                          st->dir);
  } else if (stage == HEAD) {
    return list_head(st, p, s, list, err);
  } else {
    good = list_data(st, p, list);
    lb_kept_add(&st->kept, &s->file);
  }
  return good ? 1 : lb_list_full(err);
}

static int parse_tail(struct npz_reader *st, const char *path,
                      struct lb_err *err)
{
  size_t n = (size_t)lb_min_u64(LB_ZIP_TAIL, st->size);
  if (lb_zip_find_directory(st->tail, n, st->size, &st->directory,
                            &st->directory_bytes, path, err) < 0)
    return -err->code;
  if (st->size - st->directory > DIRECTORY_MAX)
    return lb_err_set(err, LB_FAILED,
                      "%s: its central directory of %" PRIu64
                      " bytes is larger than %d: too many members",
                      path, st->directory_bytes, DIRECTORY_MAX);
  return 0;
}

static int parse_directory(struct npz_reader *st, const char *path,
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
  if (st->x.method != LB_ZIP_STORED && st->x.method != LB_ZIP_DEFLATED)
    return lb_err_set(err, LB_FAILED,
                      "%s: member 'x.npy' is compressed with method %d; "
                      "stored (0) and deflated (8) can be read",
                      path, st->x.method);
  return 0;
}

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

static int parse_head(struct npz_reader *st, const struct lb_format_params *p,
                      const struct lb_file *f, struct lb_err *err)
{
  struct lb_npy_array a;
  unsigned char inflated[LB_PAGE];
  uint32_t local;
  size_t n = (size_t)head_bytes(st);
  if (lb_zip_local_bytes(st->head, n, &local, f->path, err) < 0)
    return -err->code;
  st->data = st->x.at + local;
  if (local >= n || st->x.size > st->directory - st->data)
    return lb_err_set(err, LB_FAILED,
                      "%s: member 'x.npy' runs into the central directory",
                      f->path);
  const unsigned char *npy = st->head + local;
  n = (size_t)lb_min_u64(n - local, st->x.size);
  if (st->x.method == LB_ZIP_DEFLATED) {
    n = inflate_some(npy, n, inflated, sizeof inflated);
    npy = inflated;
  }
  if (lb_npy_header_parse(&a, npy, n, f->path, err) < 0 ||
      lb_npy_check(&a, p, f, &st->sample_bytes, err) < 0)
    return -err->code;
  if (a.header_bytes + a.bytes != st->x.inflated ||
      (st->x.method == LB_ZIP_STORED && st->x.size != st->x.inflated))
    return lb_err_set(err, LB_FAILED,
                      "%s: member 'x.npy' has %" PRIu64
                      " bytes, and its header says %" PRIu64,
                      f->path, st->x.inflated, a.header_bytes + a.bytes);
  st->array_bytes = a.bytes;
  st->inflate.header_bytes = a.header_bytes;
  st->content = st->x.method == LB_ZIP_STORED ? st->data + a.header_bytes : 0;
  return 0;
}

/* Of a member that is verified: its first bytes are there already. */
static void begin_crc(struct npz_reader *st)
{
  uint64_t local = st->data - st->x.at;
  uint64_t n = lb_min_u64(head_bytes(st) - local, st->x.size);
  st->crc = lb_crc32(0, st->head + local, (size_t)n);
}

/* The last stage reads what the first bytes of the member left, in order. */
static int npz_inspect(struct lb_reader *r, const struct lb_sample *s,
                       const struct lb_io *io, uint64_t at, const void *bytes,
                       size_t n, struct lb_err *err)
{
  struct npz_reader *st = r->state;
  (void)s, (void)at, (void)err;
  if (!io->buf && io->offset == st->x.at + head_bytes(st))
    st->crc = lb_crc32(st->crc, bytes, n);
  return 0;
}

/* The checksum is of what a member inflates to; only a stored one is here. */
static int verify(const struct npz_reader *st, const char *path,
                  struct lb_err *err)
{
  if (st->x.method != LB_ZIP_STORED || st->crc == st->x.crc)
    return 0;
  return lb_err_set(err, LB_FAILED,
                    "%s: member 'x.npy' is damaged: CRC-32 %08" PRIx32
                    ", the directory says %08" PRIx32,
                    path, st->crc, st->x.crc);
}

/* The first bytes of a deflated member are there with its header. */
static int begin_inflating(struct npz_reader *st,
                           const struct lb_format_params *p,
                           const struct lb_sample *s, struct lb_err *err)
{
  size_t local = (size_t)(st->data - st->x.at);
  if (st->x.method != LB_ZIP_DEFLATED)
    return 0;
  return lb_npz_inflate_begin(&st->inflate, p, s, &st->x, err) < 0
             ? -err->code
             : lb_zip_read(&st->inflate.zip, st->head + local,
                           (size_t)head_bytes(st) - local, err);
}

static int npz_parse(struct lb_reader *r, const struct lb_sample *s, int stage,
                     const struct lb_iolist *list, struct lb_err *err)
{
  struct npz_reader *st = r->state;
  const char *path = s->file.path;
  switch (stage) {
  case LOOK:
    st->size = (uint64_t)list->v[1].result;
    if (st->size < LB_ZIP_END)
      return lb_err_set(err, LB_FAILED,
                        "%s: not a .npz archive: %" PRIu64 " bytes", path,
                        st->size);
    return 0;
  case TAIL:
    return parse_tail(st, path, err);
  case DIRECTORY:
    return parse_directory(st, path, err);
  case HEAD:
    if (parse_head(st, r->params, &s->file, err) < 0)
      return -err->code;
    if (s->verify)
      begin_crc(st);
    return begin_inflating(st, r->params, s, err);
  default:
    if (st->x.method == LB_ZIP_DEFLATED) {
      if (lb_npz_inflate_parse(&st->inflate, path, list, err) < 0)
        return -err->code;
      if (!st->inflate.done)
        return 0;
    }
    r->samples_seen++;
    r->sample_bytes_seen += st->sample_bytes;
    return s->verify ? verify(st, path, err) : 0;
  }
}

const struct lb_format lb_format_npz = {
    .name = "npz",
    .doc = "NumPy archives: samples in member x, labels in y.",
    .extension = "npz",
    .check = npz_check,
    .sizes = npz_sizes,
    .make = npz_make,
    .reader_size = sizeof(struct npz_reader),
    .reader_init = npz_reader_init,
    .reader_fini = npz_reader_fini,
    .reader_reset = npz_reader_reset,
    .reader_notes = npz_notes,
    .plan = npz_plan,
    .parse = npz_parse,
    .inspect = npz_inspect,
};
