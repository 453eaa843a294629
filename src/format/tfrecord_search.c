/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where a record of a TFRecord file is: by the index or, where there is none,
 * from length to length. */
#include "lb-config.h"

#include "format/tfrecord_reader.h"

#include <errno.h>
#include <inttypes.h>

bool lb_tfr_is_located(const struct lb_reader *r, const struct lb_sample *s)
{
  const struct lb_tfr_reader *st = r->state;
  return r->params->in_order ? st->next == s->in_file : st->located;
}

enum lb_tfr_step lb_tfr_search_step(const struct lb_reader *r,
                                    const struct lb_sample *s)
{
  const struct lb_tfr_reader *st = r->state;
  bool located = lb_tfr_is_located(r, s);
  if (st->search == LB_TFR_OPENED)
    return LB_TFR_STAT_INDEX;
  if (st->search == LB_TFR_READ)
    return located ? LB_TFR_CLOSE_INDEX : LB_TFR_READ_INDEX;
  if (located)
    return LB_TFR_DONE;
  return st->search == LB_TFR_NONE ? LB_TFR_OPEN_INDEX : LB_TFR_WALK;
}

/* ---- what cannot be ---- */

int lb_tfr_has_room(const struct lb_tfr_reader *st, const struct lb_file *f,
                    int64_t number, uint64_t at, struct lb_err *err)
{
  if (at == st->size)
    return lb_err_set(err, LB_FAILED,
                      "%s: holds %" PRId64 " records, and %" PRId64
                      " are configured (dataset.num_samples_per_file)",
                      f->path, number, f->samples);
  if (at < st->size && st->size - at >= LB_TFR_OVERHEAD)
    return 0;
  return lb_err_set(err, LB_FAILED,
                    "%s: cut short: record %" PRId64 " begins at %" PRIu64
                    ", and the file has %" PRIu64 " bytes",
                    f->path, number, at, st->size);
}

int lb_tfr_length(const struct lb_tfr_reader *st, const char *path,
                  int64_t number, uint64_t at, const unsigned char *header,
                  uint64_t *length, struct lb_err *err)
{
  *length = lb_tfr_u64(header);
  if (*length <= st->size - at - LB_TFR_OVERHEAD)
    return 0;
  return lb_err_set(err, LB_FAILED,
                    "%s: cut short, or no TFRecord file: record %" PRId64
                    " at %" PRIu64 " has %" PRIu64
                    " bytes of data by its length, and the file has %" PRIu64
                    " bytes",
                    path, number, at, *length, st->size);
}

int lb_tfr_agrees(const struct lb_tfr_reader *st, const struct lb_sample *s,
                  const unsigned char *header, struct lb_err *err)
{
  uint64_t length = lb_tfr_u64(header);
  uint64_t want = st->rec.end - st->rec.at - LB_TFR_OVERHEAD;
  if (length == want)
    return 0;
  return lb_err_set(err, LB_FAILED,
                    "%s: record %" PRId64 " at %" PRIu64 " has %" PRIu64
                    " bytes of data by its length, and %" PRIu64 " by %s",
                    s->file.path, s->in_file, st->rec.at, length, want,
                    s->file.samples > 1 ? "the index" : "the file's size");
}

/* ---- the lists ---- */

static int name_index(struct lb_tfr_reader *st, const struct lb_file *f,
                      struct lb_err *err)
{
  st->path[0] = '\0';
  if (!f->path ||
      lb_format_sidecar(&lb_tfr_sidecar, f, st->path, sizeof st->path) >= 0)
    return 0;
  return lb_err_sys(err, LB_FAILED, ENAMETOOLONG, "the index of %s", f->path);
}

static bool list_index_piece(struct lb_reader *r, struct lb_iolist *list)
{
  struct lb_tfr_reader *st = r->state;
  st->index_length =
      lb_min_u64(lb_tfr_room(r->params), st->index_size - st->index_at);
  st->buf_n = 0;
  return lb_iolist_add(list, (struct lb_io){.op = LB_OP_READ,
                                            .slot = LB_TFR_INDEX_SLOT,
                                            .offset = st->index_at,
                                            .length = st->index_length,
                                            .request = r->params->request,
                                            .buf = st->buf});
}

/* Of records that are longer than a request only the headers are wanted. */
static bool list_walk(struct lb_reader *r, struct lb_iolist *list)
{
  struct lb_tfr_reader *st = r->state;
  const struct lb_format_params *p = r->params;
  uint64_t most = st->walk_bytes > p->request ? LB_PAGE : lb_tfr_room(p);
  st->buf_at = st->walk_at;
  st->buf_n = lb_min_u64(most, st->size - st->walk_at);
  return lb_iolist_read(list, st->buf_at, st->buf_n, p->request, st->buf);
}

int lb_tfr_search_plan(struct lb_reader *r, const struct lb_sample *s,
                       struct lb_iolist *list, struct lb_err *err)
{
  struct lb_tfr_reader *st = r->state;
  struct lb_io io = {.slot = LB_TFR_INDEX_SLOT};
  bool good;
  if (st->step == LB_TFR_READ_INDEX) {
    good = list_index_piece(r, list);
  } else if (st->step == LB_TFR_WALK) {
    good = list_walk(r, list);
  } else {
    io.op = st->step == LB_TFR_OPEN_INDEX   ? LB_OP_OPEN
            : st->step == LB_TFR_STAT_INDEX ? LB_OP_STAT
                                            : LB_OP_CLOSE;
    if (io.op == LB_OP_OPEN) {
      if (name_index(st, &s->file, err) < 0)
        return -err->code;
      io.flags = LB_IO_OPTIONAL | r->params->open_flags;
      io.path = st->path;
    }
    good = lb_iolist_add(list, io);
  }
  return good ? 1 : lb_list_full(err);
}

/* ---- one record after the other ---- */

/* Record i is `bytes' long, at `at'. */
static int take_place(struct lb_reader *r, const struct lb_sample *s, int64_t i,
                      uint64_t at, uint64_t bytes, struct lb_err *err)
{
  struct lb_tfr_reader *st = r->state;
  int64_t n = s->file.samples;
  if (r->params->in_order) {
    if (i == s->in_file) {
      st->next = i;
      st->pos = at;
    }
    return 0;
  }
  int rc = lb_handle_put(&st->known, LB_PLACE_AT, n, i, at, s->file.path, err);
  if (!rc)
    rc = lb_handle_put(&st->known, LB_PLACE_BYTES, n, i, bytes, s->file.path,
                       err);
  st->own_table = st->known.table != NULL;
  return rc;
}

static int refuse_count(const char *path, int64_t found,
                        const struct lb_sample *s, const char *more,
                        struct lb_err *err)
{
  return lb_err_set(err, LB_FAILED,
                    "%s: holds %s%" PRId64 " records, and %" PRId64
                    " are configured (dataset.num_samples_per_file)",
                    path, more, found, s->file.samples);
}

/* ---- by the index ---- */

static int take_line(struct lb_reader *r, const struct lb_sample *s,
                     struct lb_err *err)
{
  struct lb_tfr_reader *st = r->state;
  int64_t i = st->index.lines - 1;
  uint64_t at = st->index.number[0], bytes = st->index.number[1];
  if (i >= s->file.samples)
    return refuse_count(st->path, i, s, "more than ", err);
  if (bytes < LB_TFR_OVERHEAD || at > st->size || bytes > st->size - at)
    return lb_err_set(err, LB_FAILED,
                      "%s: record %" PRId64 " has %" PRIu64 " bytes at %" PRIu64
                      " by its index, and the file has "
                      "%" PRIu64,
                      s->file.path, i, bytes, at, st->size);
  return take_place(r, s, i, at, bytes, err);
}

/* The last piece was taken. */
static int end_index(struct lb_reader *r, const struct lb_sample *s,
                     struct lb_err *err)
{
  struct lb_tfr_reader *st = r->state;
  int rc = lb_tfr_index_last(&st->index, st->path, err);
  if (rc > 0)
    rc = take_line(r, s, err);
  if (rc < 0)
    return rc;
  st->located = st->index.lines == s->file.samples;
  if (lb_tfr_is_located(r, s))
    return 0;
  return refuse_count(st->path, st->index.lines, s, "", err);
}

static int take_piece(struct lb_reader *r, const struct lb_sample *s,
                      struct lb_err *err)
{
  struct lb_tfr_reader *st = r->state;
  const unsigned char *at = st->buf, *end = st->buf + st->index_length;
  int rc = 1;
  while (rc > 0 && !lb_tfr_is_located(r, s)) {
    rc = lb_tfr_index_next(&st->index, &at, end, st->path, err);
    if (rc > 0 && take_line(r, s, err) < 0)
      rc = -err->code;
  }
  st->index_at += st->index_length;
  if (rc == 0 && st->index_at == st->index_size)
    rc = end_index(r, s, err);
  return rc < 0 ? rc : 0;
}

/* ---- from length to length ---- */

void lb_tfr_walk_begin(struct lb_tfr_reader *st, const struct lb_sample *s)
{
  bool ahead = st->next < s->in_file;
  st->walk = ahead ? st->next : 0;
  st->walk_at = ahead ? st->pos : 0;
  st->walk_bytes = 0;
}

int lb_tfr_walk(struct lb_reader *r, const struct lb_sample *s,
                struct lb_err *err)
{
  struct lb_tfr_reader *st = r->state;
  int64_t last = r->params->in_order ? s->in_file : s->file.samples;
  for (; st->walk < last; st->walk++, st->walk_at += st->walk_bytes) {
    uint64_t skip = st->walk_at - st->buf_at, data;
    if (lb_tfr_has_room(st, &s->file, st->walk, st->walk_at, err) < 0)
      return -err->code;
    if (st->walk_at < st->buf_at || st->buf_n < LB_TFR_HEADER ||
        skip > st->buf_n - LB_TFR_HEADER)
      return 0;
    if (lb_tfr_length(st, s->file.path, st->walk, st->walk_at, st->buf + skip,
                      &data, err) < 0)
      return -err->code;
    st->walk_bytes = data + LB_TFR_OVERHEAD;
    if (take_place(r, s, st->walk, st->walk_at, st->walk_bytes, err) < 0)
      return -err->code;
  }
  if (r->params->in_order) {
    st->next = st->walk;
    st->pos = st->walk_at;
  } else if (st->walk_at != st->size) {
    return refuse_count(s->file.path, st->walk, s, "more than ", err);
  }
  st->located = true;
  return 0;
}

/* ---- what was read ---- */

int lb_tfr_search_parse(struct lb_reader *r, const struct lb_sample *s,
                        const struct lb_iolist *list, struct lb_err *err)
{
  struct lb_tfr_reader *st = r->state;
  if (st->step == LB_TFR_OPEN_INDEX) {
    bool there = r->fd[LB_TFR_INDEX_SLOT] >= 0;
    st->search = there ? LB_TFR_OPENED : LB_TFR_ABSENT;
    lb_tfr_walk_begin(st, s);
  } else if (st->step == LB_TFR_STAT_INDEX) {
    st->search = LB_TFR_READ;
    st->index = (struct lb_tfr_index){.lines = 0};
    st->index_at = 0;
    st->index_size = (uint64_t)list->v[0].result;
    if (st->index_size == 0)
      return end_index(r, s, err);
  } else if (st->step == LB_TFR_READ_INDEX) {
    return take_piece(r, s, err);
  } else if (st->step == LB_TFR_CLOSE_INDEX) {
    st->search = LB_TFR_NONE;
  }
  return 0;
}

void lb_tfr_search_assume(struct lb_reader *r, const struct lb_sample *s)
{
  struct lb_tfr_reader *st = r->state;
  if (st->step == LB_TFR_OPEN_INDEX) {
    st->search = LB_TFR_OPENED;
  } else if (st->step == LB_TFR_STAT_INDEX) {
    st->search = LB_TFR_READ;
    st->index_at = 0;
    st->index_size = lb_tfr_index_bytes(&st->made, (uint64_t)s->file.samples);
  } else if (st->step == LB_TFR_READ_INDEX) {
    st->index_at += st->index_length;
    st->located = st->index_at == st->index_size;
    uint64_t enough = lb_tfr_index_bytes(&st->made, (uint64_t)s->in_file + 1);
    if (r->params->in_order && st->index_at >= enough) {
      st->next = s->in_file;
      st->pos = (uint64_t)s->in_file * st->made.record;
    }
  } else if (st->step == LB_TFR_CLOSE_INDEX) {
    st->search = LB_TFR_NONE;
  }
}
