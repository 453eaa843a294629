/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables of text, one line a sample, as pandas writes and reads them; plain or
 * compressed.  What pandas.read_csv() asks of a file is in docs/formats.md; it
 * always reads the whole table, and so does a lean reader, in larger requests
 * of a compressed one. */
#include "lb-config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "format/csv_scan.h"
#include "format/zip_stream.h"

/* Stages; those between LOOK and PIECES are only of a zip archive.  From PIECES
 * on, one for each piece. */
enum { LOOK, TAIL, TAIL64, DIRECTORY, HEAD, PIECES };
enum { DIRECTORY_MAX = 1024, PIECE_MIN = 65536 };
#define MEMBER "data.csv" /* in an archive; pandas takes any name */

struct csv_reader {
  struct lb_kept kept;
  const struct lb_codec *codec; /* NULL: plain text */
  bool is_zip;
  bool end64;       /* it has a zip64 end record, which is still to be read */
  uint64_t size;    /* of the file */
  uint64_t at, end; /* of what is still to be read */
  bool done;
  struct lb_csv_scan scan;
  /* Any but zip: */
  struct lb_unpacker *unpacker; /* NULL: plain */
  /* zip, whose piece is the one in any case. */
  struct lb_zip_reader zip;
  struct lb_zip_member member;
  uint64_t directory, directory_bytes;
  unsigned char tail[LB_ZIP_TAIL];
  unsigned char dir[DIRECTORY_MAX];
};

static bool is_plain(const struct lb_format_params *p)
{
  return !p->compression[0] || !strcmp(p->compression, "none");
}

static int csv_check(const struct lb_format_params *p, struct lb_err *err)
{
  if (lb_csv_text_check(p->dtype, err) < 0)
    return -err->code;
  return is_plain(p) || lb_codec_need(p->compression, "csv", err) ? 0
                                                                  : -err->code;
}

static const char *csv_ending(const char *compression)
{
  const struct lb_codec *c = lb_codec_find(compression);
  return c ? c->ending : "";
}

static uint64_t percent(uint64_t n, unsigned part)
{
  return n / 100 * part + n % 100 * part / 100;
}

/* What a zip archive has before and behind its member. */
static uint64_t zip_frame(void)
{
  const struct lb_zip_member m = {.at = 0};
  unsigned char directory[200];
  return lb_zip_local_size(&m, MEMBER) +
         lb_zip_directory(&m, MEMBER, 0, directory);
}

static uint64_t packed_bytes(const struct lb_format_params *p,
                             const struct lb_file *f, uint64_t text)
{
  const struct lb_codec *c = lb_codec_find(p->compression);
  int64_t columns = f->sample_bytes / p->dtype->bytes;
  uint64_t header = lb_csv_text_header(columns);
  unsigned left = !strcmp(p->dtype->name, "bool") ? c->left.bools
                  : p->dtype->bytes == 1          ? c->left.bytes
                                                  : c->left.words;
  enum { FRAME = 60 }; /* bytes around a stream */
  return FRAME + (c->joins ? 0 : zip_frame()) +
         percent(header, c->left.counting) + percent(text - header, left);
}

static int csv_sizes(const struct lb_format_params *p, const struct lb_file *f,
                     struct lb_file_sizes *out, struct lb_err *err)
{
  uint64_t text, longest;
  if (csv_check(p, err) < 0 ||
      lb_csv_text_sizes(p, f, &text, &longest, err) < 0)
    return -err->code;
  uint64_t values = (uint64_t)(f->sample_bytes / p->dtype->bytes + 1);
  *out = (struct lb_file_sizes){
      .file_bytes = is_plain(p) ? text : packed_bytes(p, f, text),
      .payload_bytes = (uint64_t)f->samples * (uint64_t)f->sample_bytes,
      .memory_bytes = (uint64_t)f->samples * values * 8, /* int64 */
      .estimated = true};
  return 0;
}

/* ---- making ---- */

struct csv_output {
  struct lb_sink *sink;
  uint64_t at;
};

static int write_next(void *arg, const void *bytes, size_t n,
                      struct lb_err *err)
{
  struct csv_output *o = arg;
  if (o->sink->write(o->sink, o->at, bytes, n, err) < 0)
    return -err->code;
  o->at += n;
  return 0;
}

static int pack_next(void *arg, const void *bytes, size_t n, struct lb_err *err)
{
  return lb_packer_write(arg, bytes, n, err);
}

static int zip_next(void *arg, const void *bytes, size_t n, struct lb_err *err)
{
  return lb_zip_write(arg, bytes, n, err);
}

static int put_text(const struct lb_format_params *p, const struct lb_file *f,
                    struct lb_sink *sink, lb_codec_out *out, void *arg,
                    struct lb_err *err)
{
  struct lb_csv_text text;
  if (lb_csv_text_begin(&text, p, f, err) < 0)
    return -err->code;
  size_t n, room = is_plain(p) ? sink->scratch_bytes : LB_PACK_PIECE;
  while ((n = lb_csv_text_fill(&text, sink->scratch, room)) > 0)
    if (out(arg, sink->scratch, n, err) < 0)
      return -err->code;
  return 0;
}

static int make_packed(const struct lb_format_params *p,
                       const struct lb_file *f, struct csv_output *o,
                       struct lb_err *err)
{
  struct lb_packer *packer;
  const struct lb_codec *codec = lb_codec_need(p->compression, "csv", err);
  if (!codec || lb_packer_new(&packer, codec, p->compression_level, write_next,
                              o, err) < 0)
    return -err->code;
  if (put_text(p, f, o->sink, pack_next, packer, err) == 0)
    lb_packer_end(packer, err);
  lb_packer_free(packer);
  return -err->code;
}

/* The local header, which stands first, is known last. */
static int make_zip(const struct lb_format_params *p, const struct lb_file *f,
                    struct lb_sink *sink, struct lb_err *err)
{
  uint64_t text, longest;
  unsigned char head[100], directory[200];
  struct lb_zip_member m = {.method = LB_ZIP_DEFLATED};
  struct lb_zip_writer w;
  if (lb_csv_text_sizes(p, f, &text, &longest, err) < 0)
    return -err->code;
  m.zip64 = lb_pack_bound(longest) >= UINT32_MAX;
  uint32_t local = lb_zip_local_size(&m, MEMBER);
  if (lb_zip_writer_begin(&w, sink, local, p->compression_level, err) < 0)
    return -err->code;
  if (put_text(p, f, sink, zip_next, &w, err) == 0)
    lb_zip_writer_end(&w, &m, err);
  lb_zip_writer_fini(&w);
  if (err->code)
    return -err->code;
  uint64_t behind = local + m.size;
  size_t n = lb_zip_directory(&m, MEMBER, behind, directory);
  if (sink->write(sink, behind, directory, n, err) < 0)
    return -err->code;
  n = lb_zip_local(&m, MEMBER, head);
  return sink->write(sink, 0, head, n, err);
}

static int csv_make(const struct lb_format_params *p, const struct lb_file *f,
                    struct lb_sink *sink, struct lb_err *err)
{
  struct csv_output o = {.sink = sink};
  if (is_plain(p))
    return put_text(p, f, sink, write_next, &o, err);
  return strcmp(p->compression, "zip") ? make_packed(p, f, &o, err)
                                       : make_zip(p, f, sink, err);
}

/* ---- reading ---- */

static uint32_t request_bytes(const struct lb_format_params *p)
{
  const struct lb_codec *c = is_plain(p) ? NULL : lb_codec_find(p->compression);
  uint32_t n = p->request ? p->request : PIECE_MIN;
  return c && c->request && c->request < n && !p->lean ? c->request : n;
}

/* Whole requests. */
static size_t piece_bytes(const struct lb_format_params *p)
{
  size_t n = request_bytes(p);
  return n < PIECE_MIN ? PIECE_MIN / n * n : n;
}

static uint64_t csv_notes(const struct lb_format_params *p)
{
  const struct lb_codec *c = is_plain(p) ? NULL : lb_codec_find(p->compression);
  return lb_kept_bytes(p) + lb_zip_reader_bytes(piece_bytes(p)) +
         (c && c->joins ? c->unpack_bytes : 0);
}

static int csv_reader_init(struct lb_reader *r, struct lb_err *err)
{
  struct csv_reader *st = r->state;
  const struct lb_format_params *p = r->params;
  if (lb_kept_init(&st->kept, p, p->memory, err) < 0)
    return -err->code;
  if (!is_plain(p) && !(st->codec = lb_codec_need(p->compression, "csv", err)))
    return -err->code;
  st->is_zip = st->codec && !st->codec->joins;
  if (!p->has_bytes)
    return 0;
  if (lb_zip_reader_init(&st->zip, piece_bytes(p), err) < 0)
    return -err->code;
  return st->codec && !st->is_zip
             ? lb_unpacker_new(&st->unpacker, st->codec, err)
             : 0;
}

static void csv_reader_reset(struct lb_reader *r)
{
  struct csv_reader *st = r->state;
  lb_kept_clear(&st->kept);
}

static void csv_reader_fini(struct lb_reader *r)
{
  struct csv_reader *st = r->state;
  lb_kept_fini(&st->kept);
  lb_unpacker_free(st->unpacker);
  lb_zip_reader_fini(&st->zip);
}

/* Without bytes the file is as long as is expected of `make'. */
static int assume(struct csv_reader *st, const struct lb_format_params *p,
                  const struct lb_file *f, struct lb_err *err)
{
  struct lb_file_sizes sizes = {0};
  unsigned char directory[200];
  if (csv_sizes(p, f, &sizes, err) < 0)
    return -err->code;
  st->size = st->end = sizes.file_bytes;
  st->at = 0;
  if (st->is_zip) {
    struct lb_zip_member m = {.at = 0};
    st->directory_bytes = lb_zip_directory(&m, MEMBER, 0, directory);
    st->directory = st->size - st->directory_bytes;
    st->member = m;
    st->end = st->directory;
    st->end64 = !p->lean && st->directory >= UINT32_MAX;
  }
  return 0;
}

static int plan_look(struct csv_reader *st, const struct lb_format_params *p,
                     const struct lb_sample *s, struct lb_iolist *list,
                     struct lb_err *err)
{
  if (lb_kept_has(&st->kept, &s->file))
    return 0;
  st->done = st->end64 = false;
  if (!p->has_bytes && assume(st, p, &s->file, err) < 0)
    return -err->code;
  return lb_iolist_open(list, s->file.path, p->open_flags) &&
                 lb_iolist_stat(list)
             ? 1
             : lb_list_full(err);
}

/* The last n bytes of the file. */
static bool list_end(struct csv_reader *st, uint64_t n, void *to,
                     struct lb_iolist *list)
{
  n = lb_min_u64(n, st->size);
  return lb_iolist_read(list, st->size - n, n, 0, to);
}

/* Of a zip archive, what comes after LOOK. */
static int step_of(const struct csv_reader *st, int stage)
{
  return stage > TAIL && !st->end64 ? stage + 1 : stage;
}

static int plan_zip(struct csv_reader *st, const struct lb_format_params *p,
                    int step, struct lb_iolist *list, struct lb_err *err)
{
  bool good;
  if (step == TAIL && !p->lean) {
    good = lb_iolist_stat(list) && list_end(st, LB_ZIP_END, NULL, list) &&
           list_end(st, LB_ZIP_LOCATOR64 + LB_ZIP_END, st->tail, list);
  } else if (step == TAIL || step == TAIL64) {
    good = list_end(st, LB_ZIP_TAIL, st->tail, list);
  } else if (step == DIRECTORY) {
    good = lb_iolist_read(list, st->directory, st->size - st->directory, 0,
                          st->dir);
  } else {
    uint64_t n = lb_min_u64(p->lean ? piece_bytes(p) : LB_PAGE,
                            st->size - st->member.at);
    good =
        lb_iolist_read(list, st->member.at, n, request_bytes(p), st->zip.piece);
    st->at = st->member.at + n;
  }
  return good ? 1 : lb_list_full(err);
}

static int plan_piece(struct csv_reader *st, const struct lb_format_params *p,
                      const struct lb_file *f, struct lb_iolist *list,
                      struct lb_err *err)
{
  bool good = true;
  if (st->done)
    return 0;
  if (st->at < st->end) {
    uint64_t n = lb_min_u64(piece_bytes(p), st->end - st->at);
    good = lb_iolist_read(list, st->at, n, request_bytes(p), st->zip.piece);
    st->at += n;
  }
  if (st->at >= st->end) {
    st->done = true;
    list->payload_bytes = (uint64_t)f->samples * (uint64_t)f->sample_bytes;
    lb_kept_add(&st->kept, f);
    good = good && lb_iolist_close(list);
  }
  return good ? 1 : lb_list_full(err);
}

static int csv_plan(struct lb_reader *r, const struct lb_sample *s, int stage,
                    struct lb_iolist *list, struct lb_err *err)
{
  struct csv_reader *st = r->state;
  if (stage == LOOK)
    return plan_look(st, r->params, s, list, err);
  if (st->is_zip && step_of(st, stage) < PIECES)
    return plan_zip(st, r->params, step_of(st, stage), list, err);
  return plan_piece(st, r->params, &s->file, list, err);
}

/* ---- what was read ---- */

static int parse_look(struct csv_reader *st, const struct lb_format_params *p,
                      const struct lb_sample *s, uint64_t size,
                      struct lb_err *err)
{
  uint64_t text, longest;
  st->size = st->end = size;
  st->at = 0;
  if (size == 0)
    return lb_err_set(err, LB_FAILED, "%s: empty file", s->file.path);
  if (st->is_zip && size < LB_ZIP_END)
    return lb_err_set(err, LB_FAILED,
                      "%s: not a zip archive: %" PRIu64 " bytes", s->file.path,
                      size);
  if (lb_csv_scan_begin(&st->scan, p, &s->file, s->verify, err) < 0 ||
      lb_csv_text_sizes(p, &s->file, &text, &longest, err) < 0)
    return -err->code;
  return st->unpacker ? lb_unpacker_begin(st->unpacker, s->file.path,
                                          lb_unpack_most(longest),
                                          lb_csv_scan_take, &st->scan, err)
                      : 0;
}

static int parse_directory(struct csv_reader *st, const char *path,
                           struct lb_err *err)
{
  struct lb_zip_member *m = &st->member;
  if (lb_zip_find_member(st->dir, (size_t)st->directory_bytes, NULL, m, path,
                         err) < 0)
    return -err->code;
  if (m->method != LB_ZIP_DEFLATED)
    return lb_err_set(err, LB_FAILED,
                      "%s: its member is compressed with method %d; deflated "
                      "(8) can be read",
                      path, m->method);
  if (m->at >= st->directory || m->size > st->directory - m->at)
    return lb_err_set(err, LB_FAILED,
                      "%s: cut short: its member of %" PRIu64
                      " bytes at %" PRIu64 " does not fit",
                      path, m->size, m->at);
  return 0;
}

static int parse_tail(struct csv_reader *st, const char *path, size_t n,
                      struct lb_err *err)
{
  if (!st->end64 && n < LB_ZIP_TAIL && st->size >= LB_ZIP_TAIL)
    st->end64 = lb_zip_has_end64(st->tail, n);
  if (st->end64 && n < LB_ZIP_TAIL)
    return 0;
  if (lb_zip_find_directory(st->tail, n, st->size, &st->directory,
                            &st->directory_bytes, path, err) < 0)
    return -err->code;
  if (st->size - st->directory <= DIRECTORY_MAX)
    return 0;
  return lb_err_set(err, LB_FAILED,
                    "%s: its central directory of %" PRIu64
                    " bytes is larger than that of one file",
                    path, st->directory_bytes);
}

/* The local header, and the first bytes behind it. */
static int parse_head(struct csv_reader *st, const struct lb_format_params *p,
                      const struct lb_file *f, size_t n, struct lb_err *err)
{
  uint32_t local;
  uint64_t text, longest;
  const struct lb_zip_member *m = &st->member;
  if (lb_zip_local_bytes(st->zip.piece, n, &local, f->path, err) < 0 ||
      lb_csv_text_sizes(p, f, &text, &longest, err) < 0)
    return -err->code;
  if (local > n || m->size > st->directory - m->at ||
      local > st->directory - m->at - m->size)
    return lb_err_set(err, LB_FAILED,
                      "%s: its member runs into the central directory",
                      f->path);
  st->end = m->at + local + m->size;
  return lb_zip_reader_begin(&st->zip, m, f->path, longest, lb_csv_scan_take,
                             &st->scan, err) < 0
             ? -err->code
             : lb_zip_read(&st->zip, st->zip.piece + local, n - local, err);
}

static int take_piece(struct csv_reader *st, size_t n, struct lb_err *err)
{
  if (st->is_zip)
    return lb_zip_read(&st->zip, st->zip.piece, n, err);
  if (st->unpacker)
    return lb_unpacker_write(st->unpacker, st->zip.piece, n, err);
  return lb_csv_scan_take(&st->scan, st->zip.piece, n, err);
}

static int parse_piece(struct lb_reader *r, const char *path,
                       const struct lb_iolist *list, struct lb_err *err)
{
  struct csv_reader *st = r->state;
  uint64_t sample_bytes;
  if (list->v[0].op == LB_OP_READ &&
      take_piece(st, (size_t)list->v[0].length, err) < 0)
    return -err->code;
  if (!st->done)
    return 0;
  if ((st->is_zip && lb_zip_reader_end(&st->zip, path, err) < 0) ||
      (st->unpacker && lb_unpacker_end(st->unpacker, err) < 0) ||
      lb_csv_scan_end(&st->scan, &sample_bytes, err) < 0)
    return -err->code;
  r->samples_seen++;
  r->sample_bytes_seen += sample_bytes;
  return 0;
}

static int csv_parse(struct lb_reader *r, const struct lb_sample *s, int stage,
                     const struct lb_iolist *list, struct lb_err *err)
{
  struct csv_reader *st = r->state;
  const char *path = s->file.path;
  if (stage == LOOK)
    return parse_look(st, r->params, s, (uint64_t)list->v[1].result, err);
  int step = st->is_zip ? step_of(st, stage) : PIECES;
  const struct lb_io *last = &list->v[list->n - 1];
  if (step >= PIECES)
    return parse_piece(r, path, list, err);
  if (step == TAIL || step == TAIL64)
    return parse_tail(st, path, (size_t)last->length, err);
  if (step == DIRECTORY)
    return parse_directory(st, path, err);
  return parse_head(st, r->params, &s->file, (size_t)list->v[0].length, err);
}

const struct lb_format lb_format_csv = {
    .name = "csv",
    .doc = "Tables of text, one line a sample, as pandas writes them.",
    .extension = "csv",
    .ending = csv_ending,
    .check = csv_check,
    .sizes = csv_sizes,
    .make = csv_make,
    .has_lean = true,
    .reader_size = sizeof(struct csv_reader),
    .reader_init = csv_reader_init,
    .reader_fini = csv_reader_fini,
    .reader_reset = csv_reader_reset,
    .reader_notes = csv_notes,
    .plan = csv_plan,
    .parse = csv_parse,
};
