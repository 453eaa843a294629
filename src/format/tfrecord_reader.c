/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reading TFRecord files: what of a record is missing decides the next list.
 * TensorFlow's reader asks for a file from its beginning in requests as large
 * as its buffer; so does one that takes the records in order. */
#include "lb-config.h"

#include "format/tfrecord_reader.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* So many bytes of a record that is read by itself are looked at. */
enum { LOOK_BYTES = 64 };

/* ---- a reader's life ---- */

uint64_t lb_tfr_room(const struct lb_format_params *p)
{
  return p->request > LB_PAGE ? p->request : LB_PAGE;
}

/* In whole pages, and on one. */
static size_t buffer_bytes(const struct lb_format_params *p)
{
  return (size_t)(lb_tfr_room(p) + LB_PAGE - 1) / LB_PAGE * LB_PAGE;
}

/* Is there another sample of the file to keep it for? */
static bool keeps(const struct lb_format_params *p)
{
  return !p->in_order && p->samples_per_file > 1;
}

int lb_tfr_reader_init(struct lb_reader *r, struct lb_err *err)
{
  struct lb_tfr_reader *st = r->state;
  const struct lb_format_params *p = r->params;
  if (!p->has_bytes)
    return lb_kept_init(&st->kept, p, keeps(p), err);
  st->buf = aligned_alloc(LB_PAGE, buffer_bytes(p));
  if (!st->buf)
    return lb_err_set(err, LB_FAILED,
                      "no memory for a reader's buffer of %zu "
                      "bytes",
                      buffer_bytes(p));
  return keeps(p) ? lb_handles_init(&st->open, p, err) : 0;
}

uint64_t lb_tfr_reader_notes(const struct lb_format_params *p)
{
  if (!p->has_bytes)
    return keeps(p) ? lb_kept_bits(p) : 0;
  return buffer_bytes(p) + (keeps(p) ? lb_handles_bytes(p) : 0);
}

bool lb_tfr_keeps_open(const struct lb_format_params *p)
{
  return p->has_bytes && keeps(p);
}

/* Of a file that was not read to its end. */
static void forget(struct lb_tfr_reader *st)
{
  if (st->own_table)
    free(st->known.table);
  st->own_table = false;
}

void lb_tfr_reader_reset(struct lb_reader *r)
{
  struct lb_tfr_reader *st = r->state;
  forget(st);
  st->is_open = st->must_close = false;
  lb_handles_close(&st->open);
  lb_kept_clear(&st->kept);
}

void lb_tfr_reader_fini(struct lb_reader *r)
{
  struct lb_tfr_reader *st = r->state;
  forget(st);
  lb_handles_fini(&st->open);
  lb_kept_fini(&st->kept);
  free(st->buf);
}

/* ---- a sample begins ---- */

static void begin_in_order(struct lb_tfr_reader *st, const struct lb_sample *s)
{
  const struct lb_file *f = &s->file;
  if (!st->is_open || st->set != f->set || st->file != f->index) {
    st->must_close = st->is_open;
    st->is_open = false;
  } else if (s->in_file == 0) {
    st->next = 0;
    st->pos = 0;
  } else if (st->next != s->in_file) {
    lb_tfr_walk_begin(st, s); /* if there is no index */
  }
}

static void begin_anywhere(struct lb_reader *r, const struct lb_sample *s)
{
  struct lb_tfr_reader *st = r->state;
  forget(st);
  st->search = LB_TFR_NONE;
  st->known = (struct lb_handle){.at = st->made.record,
                                 .sample_bytes = st->made.record};
  const struct lb_handle *h = lb_handles_lend(&st->open, r, &s->file);
  if (h)
    st->known = *h;
  st->is_open = st->located = h || lb_kept_has(&st->kept, &s->file);
  lb_kept_add(&st->kept, &s->file);
}

static void begin(struct lb_reader *r, const struct lb_sample *s)
{
  struct lb_tfr_reader *st = r->state;
  if (st->made.image != (uint64_t)s->file.sample_bytes)
    lb_tfr_lay_out((uint64_t)s->file.sample_bytes, &st->made);
  if (r->params->in_order)
    begin_in_order(st, s);
  else
    begin_anywhere(r, s);
  st->set = s->file.set;
  st->file = s->file.index;
  st->rec.end = 0;
  st->rec.head_n = 0;
  st->rec.body = false;
}

static int opened(struct lb_reader *r, const struct lb_sample *s, uint64_t size,
                  struct lb_err *err)
{
  struct lb_tfr_reader *st = r->state;
  st->is_open = true;
  st->must_close = false;
  st->size = size;
  st->search = LB_TFR_NONE;
  st->next = 0;
  st->pos = 0;
  st->buf_n = 0;
  st->other_data = 0;
  if (r->params->in_order || s->file.samples > 1)
    return 0;
  st->located = true; /* the one record is all of the file */
  st->known.sample_bytes = size;
  return lb_tfr_has_room(st, &s->file, 0, 0, err);
}

/* ---- its record ---- */

/* How long the sample is in the record, of whose data `have' bytes are here.
 * Where no image is found, all of the Example counts. */
static uint64_t image_bytes(struct lb_tfr_reader *st, const unsigned char *data,
                            uint64_t have)
{
  uint64_t n = st->rec.end - st->rec.at - LB_TFR_OVERHEAD;
  if (n == st->made.data)
    return st->made.image;
  if (n != st->other_data) {
    st->other_data = n;
    if (!lb_tfr_find_image(data, (size_t)lb_min_u64(have, n), n,
                           &st->other_image))
      st->other_image = n;
  }
  return st->other_image;
}

/* In order: its header is in rec.head; what of the record is in the buffer is
 * looked at if it is to be verified. */
static int begin_record(struct lb_reader *r, const struct lb_sample *s,
                        struct lb_err *err)
{
  struct lb_tfr_reader *st = r->state;
  uint64_t data = st->rec.at + LB_TFR_HEADER, length;
  uint64_t have = st->buf_at + st->buf_n - data;
  const unsigned char *bytes = st->buf + (data - st->buf_at);
  if (lb_tfr_length(st, s->file.path, s->in_file, st->rec.at, st->rec.head,
                    &length, err) < 0)
    return -err->code;
  st->rec.end = data + length + LB_TFR_FOOTER;
  st->rec.image = image_bytes(st, bytes, have);
  if (!s->verify)
    return 0;
  lb_tfr_check_begin(st);
  if (lb_tfr_check(r, s, st->rec.head, st->rec.at, LB_TFR_HEADER, false, err) <
      0)
    return -err->code;
  return lb_tfr_check(r, s, bytes, data, have, true, err);
}

/* In order: takes what of the header is in the buffer, which may end in it. */
static int seek_header(struct lb_reader *r, const struct lb_sample *s,
                       struct lb_err *err)
{
  struct lb_tfr_reader *st = r->state;
  uint64_t at = st->pos + st->rec.head_n, in = at - st->buf_at;
  if (at >= st->buf_at && in < st->buf_n) {
    size_t n =
        (size_t)lb_min_u64(LB_TFR_HEADER - st->rec.head_n, st->buf_n - in);
    if (st->buf)
      memcpy(st->rec.head + st->rec.head_n, st->buf + in, n);
    st->rec.head_n += n;
  }
  st->rec.at = st->pos;
  if (r->params->has_bytes &&
      lb_tfr_has_room(st, &s->file, s->in_file, st->pos, err) < 0)
    return -err->code;
  if (st->rec.head_n < LB_TFR_HEADER)
    return 0;
  if (r->params->has_bytes)
    return begin_record(r, s, err);
  st->rec.end = st->rec.at + st->made.record;
  st->rec.image = st->made.image;
  return 0;
}

/* Not in order: by what is known of the file. */
static void place_record(struct lb_reader *r, const struct lb_sample *s)
{
  struct lb_tfr_reader *st = r->state;
  uint64_t bytes;
  lb_handle_find(&st->known, s->file.samples, s->in_file, &st->rec.at, &bytes);
  st->rec.end = st->rec.at + bytes;
  st->rec.image = st->made.image;
  if (s->verify)
    lb_tfr_check_begin(st);
}

/* ---- the lists ---- */

static bool list_open(struct lb_reader *r, const struct lb_sample *s,
                      struct lb_iolist *list)
{
  const struct lb_tfr_reader *st = r->state;
  return (!st->must_close || lb_iolist_close(list)) &&
         lb_iolist_open(list, s->file.path, r->params->open_flags) &&
         lb_iolist_stat(list);
}

/* Reads [at, at + n) of the file, part of the record, to `to'. */
static bool list_part(struct lb_reader *r, const struct lb_sample *s,
                      uint64_t at, uint64_t n, void *to, struct lb_iolist *list)
{
  const struct lb_tfr_reader *st = r->state;
  uint64_t from, end;
  struct lb_io *io = lb_iolist_read(list, at, n, r->params->request, to);
  if (!io || !lb_tfr_image_range(st, &from, &end))
    return io;
  uint64_t first = at > from ? at : from;
  end = lb_min_u64(end, at + n);
  if (first >= end)
    return true;
  io->content.skip = first - at;
  io->content.length = end - first;
  io->content.at = (uint64_t)s->in_file * st->made.image + (first - from);
  return true;
}

/* One request, in which the record's header begins or goes on. */
static bool list_head(struct lb_reader *r, struct lb_iolist *list)
{
  struct lb_tfr_reader *st = r->state;
  st->buf_at = st->pos + st->rec.head_n;
  st->buf_n = lb_min_u64(r->params->request, st->size - st->buf_at);
  return lb_iolist_read(list, st->buf_at, st->buf_n, r->params->request,
                        st->buf);
}

/* In order: requests up to the record's end, of which the last stays in the
 * buffer. */
static bool list_rest(struct lb_reader *r, const struct lb_sample *s,
                      struct lb_iolist *list)
{
  struct lb_tfr_reader *st = r->state;
  uint64_t request = r->params->request, at = st->buf_at + st->buf_n;
  uint64_t before = (st->rec.end - at - 1) / request * request;
  if (before && !list_part(r, s, at, before, NULL, list))
    return false;
  st->buf_at = at + before;
  st->buf_n = lb_min_u64(request, st->size - st->buf_at);
  return list_part(r, s, st->buf_at, st->buf_n, st->buf, list);
}

/* Not in order: the record, and its beginning into the buffer. */
static bool list_record(struct lb_reader *r, const struct lb_sample *s,
                        struct lb_iolist *list)
{
  struct lb_tfr_reader *st = r->state;
  uint64_t request = r->params->request, at = st->rec.at;
  uint64_t n = st->rec.end - at;
  uint64_t first = (LOOK_BYTES + request - 1) / request * request;
  first = lb_min_u64(n, first);
  return list_part(r, s, at, first, st->buf, list) &&
         (first == n || list_part(r, s, at + first, n - first, NULL, list));
}

/* ---- the stages ---- */

static bool is_last(const struct lb_reader *r, const struct lb_sample *s)
{
  return !keeps(r->params) && s->in_file == s->file.samples - 1;
}

static enum lb_tfr_step next_step(const struct lb_reader *r,
                                  const struct lb_sample *s)
{
  const struct lb_tfr_reader *st = r->state;
  bool in_order = r->params->in_order;
  if (!st->is_open)
    return LB_TFR_OPEN;
  enum lb_tfr_step search = lb_tfr_search_step(r, s);
  if (search != LB_TFR_DONE)
    return search;
  if (st->rec.end == 0)
    return LB_TFR_HEAD;
  if (in_order ? st->rec.end > st->buf_at + st->buf_n : !st->rec.body)
    return LB_TFR_BODY;
  return is_last(r, s) ? LB_TFR_CLOSE : LB_TFR_DONE;
}

/* Goes on as far as that needs no list. */
static int look(struct lb_reader *r, const struct lb_sample *s,
                struct lb_err *err)
{
  struct lb_tfr_reader *st = r->state;
  if (!st->is_open)
    return 0;
  if (st->search == LB_TFR_ABSENT && !lb_tfr_is_located(r, s) &&
      lb_tfr_walk(r, s, err) < 0)
    return -err->code;
  if (st->rec.end || lb_tfr_search_step(r, s) != LB_TFR_DONE)
    return 0;
  if (r->params->in_order)
    return seek_header(r, s, err);
  place_record(r, s);
  return 0;
}

/* The sample is complete. */
static int finish(struct lb_reader *r, const struct lb_sample *s,
                  struct lb_iolist *list, struct lb_err *err)
{
  struct lb_tfr_reader *st = r->state;
  list->payload_bytes = st->rec.image;
  st->next = s->in_file + 1;
  st->pos = st->rec.end;
  if (!r->params->has_bytes)
    return 0;
  r->samples_seen++;
  r->sample_bytes_seen += st->rec.image;
  if (keeps(r->params)) {
    lb_handles_take(&st->open, r, &s->file, &st->known);
    st->own_table = false;
    return 0;
  }
  if (st->is_open || st->pos == st->size)
    return 0;
  return lb_err_set(err, LB_FAILED,
                    "%s: holds more than %" PRId64
                    " records (dataset.num_samples_per_file): the last one "
                    "ends at %" PRIu64 " of %" PRIu64 " bytes",
                    s->file.path, s->file.samples, st->pos, st->size);
}

static int add_list(struct lb_reader *r, const struct lb_sample *s,
                    struct lb_iolist *list, struct lb_err *err)
{
  const struct lb_tfr_reader *st = r->state;
  bool good;
  switch (st->step) {
  case LB_TFR_OPEN:
    good = list_open(r, s, list);
    break;
  case LB_TFR_HEAD:
    good = list_head(r, list);
    break;
  case LB_TFR_BODY:
    good =
        r->params->in_order ? list_rest(r, s, list) : list_record(r, s, list);
    break;
  case LB_TFR_CLOSE:
    good = lb_iolist_close(list);
    break;
  default:
    return lb_tfr_search_plan(r, s, list, err);
  }
  return good ? 1 : lb_list_full(err);
}

/* What the stage before has read, or would have. */
static int assume(struct lb_reader *r, const struct lb_sample *s,
                  struct lb_err *err)
{
  struct lb_tfr_reader *st = r->state;
  if (st->step == LB_TFR_OPEN)
    return opened(r, s, (uint64_t)s->file.samples * st->made.record, err);
  if (st->step == LB_TFR_BODY)
    st->rec.body = true;
  else
    lb_tfr_search_assume(r, s);
  return 0;
}

int lb_tfr_plan(struct lb_reader *r, const struct lb_sample *s, int stage,
                struct lb_iolist *list, struct lb_err *err)
{
  struct lb_tfr_reader *st = r->state;
  if (stage > 0 && st->step == LB_TFR_CLOSE) {
    st->is_open = false;
    return finish(r, s, list, err);
  }
  if (stage == 0)
    begin(r, s);
  else if (!r->params->has_bytes && assume(r, s, err) < 0)
    return -err->code;
  if (look(r, s, err) < 0)
    return -err->code;
  st->step = next_step(r, s);
  return st->step == LB_TFR_DONE ? finish(r, s, list, err)
                                 : add_list(r, s, list, err);
}

/* ---- what was read ---- */

/* Not in order: the record is there; its header is in the buffer. */
static int parse_record(struct lb_reader *r, const struct lb_sample *s,
                        struct lb_err *err)
{
  struct lb_tfr_reader *st = r->state;
  uint64_t n = lb_min_u64(st->rec.end - st->rec.at, LOOK_BYTES);
  st->buf_n = 0;
  if (lb_tfr_agrees(st, s, st->buf, err) < 0)
    return -err->code;
  st->rec.image = image_bytes(st, st->buf + LB_TFR_HEADER, n - LB_TFR_HEADER);
  return 0;
}

int lb_tfr_parse(struct lb_reader *r, const struct lb_sample *s, int stage,
                 const struct lb_iolist *list, struct lb_err *err)
{
  struct lb_tfr_reader *st = r->state;
  (void)stage;
  if (st->step == LB_TFR_OPEN)
    return opened(r, s, (uint64_t)list->v[list->n - 1].result, err);
  if (st->step == LB_TFR_BODY) {
    st->rec.body = true;
    return r->params->in_order ? 0 : parse_record(r, s, err);
  }
  return lb_tfr_search_parse(r, s, list, err);
}

/* What is read before the record's length is known stays in the buffer, and is
 * looked at there. */
int lb_tfr_inspect(struct lb_reader *r, const struct lb_sample *s,
                   const struct lb_io *io, uint64_t at, const void *bytes,
                   size_t n, struct lb_err *err)
{
  const struct lb_tfr_reader *st = r->state;
  if (st->step != LB_TFR_BODY)
    return 0;
  return lb_tfr_check(r, s, bytes, io->offset + at, n, false, err);
}
