/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads Parquet files: a reader opens a file, reads its footer and keeps both;
 * a row group is read once, the chunks of the chosen columns one by one, while
 * the samples that are asked for lie in it.  A lean reader asks for as much of
 * the end as the footer is planned to take, and for chunks that stand one
 * behind the other in one read, unless it verifies them.
 *
 * Of a file that is laid out as planned nothing is kept but its descriptor; of
 * any other a table of its chunks.  What is verified is in parquet_verify.c. */
#include "lb-config.h"

#include "format/parquet_read.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "loadbank/hash.h"

/* What is read of a file's end before the size of the footer is known. */
enum { TAIL_BYTES = 65536 };
/* The largest footer, and what the tables of a reader's files may take. */
enum { FOOTER_MAX = 1 << 30, TABLES_MAX = 64 << 20 };

/* ---- a reader's life ---- */

/* How much of a file's end is read first.  Compressed, a footer is as long as
 * its numbers are. */
static uint64_t end_bytes(const struct lb_format_params *p,
                          const struct pq_layout *l)
{
  uint64_t n = l->footer_bytes + (l->codec ? l->footer_bytes / 8 : 0);
  return p->lean && n < FOOTER_MAX ? n + PQ_TAIL_BYTES : TAIL_BYTES;
}

/* The footer as planned: room for it is made before the clock runs. */
static size_t planned_end(const struct lb_format_params *p)
{
  const struct lb_parquet_options *o = p->options;
  struct lb_err unused = LB_ERR_INIT;
  struct lb_file f = {.samples = p->samples_per_file};
  struct pq_layout l;
  uint64_t bytes = 0;
  if (o && o->columns.n && pq_layout_init(&l, p, &unused) == 0) {
    f.sample_bytes = (int64_t)l.row_bytes;
    if (pq_layout_file(&l, p, &f, &unused) == 0)
      bytes = p->lean ? end_bytes(p, &l) : l.footer_bytes;
    pq_layout_fini(&l);
  }
  return bytes > TAIL_BYTES && bytes < FOOTER_MAX ? (size_t)bytes : TAIL_BYTES;
}

int pq_reader_init(struct lb_reader *r, struct lb_err *err)
{
  struct pq_reader *st = r->state;
  const struct lb_format_params *p = r->params;
  if (pq_layout_init(&st->layout, p, err) < 0)
    return -err->code;
  if (!p->has_bytes)
    return lb_kept_init(&st->kept, p, true, err);
  st->cap = planned_end(p);
  st->buf = malloc(st->cap);
  if (!st->buf)
    return lb_err_set(err, LB_FAILED, "no memory for a footer");
  return lb_handles_init(&st->open, p, err);
}

uint64_t pq_reader_notes(const struct lb_format_params *p)
{
  const struct lb_parquet_options *o = p->options;
  uint64_t columns =
      (uint64_t)(o ? o->columns.n : 1) * sizeof(struct pq_column);
  return columns + (p->has_bytes ? lb_handles_bytes(p) + planned_end(p)
                                 : lb_kept_bits(p));
}

bool pq_keeps_open(const struct lb_format_params *p)
{
  return p->has_bytes;
}

/* Of a file that was not opened to the end. */
static void forget(struct pq_reader *st)
{
  if (st->own_table)
    free(st->table);
  st->table = NULL;
  st->own_table = false;
}

void pq_reader_reset(struct lb_reader *r)
{
  struct pq_reader *st = r->state;
  forget(st);
  r->in_hand.end = 0;
  st->tables_bytes = 0;
  lb_handles_close(&st->open);
  lb_kept_clear(&st->kept);
}

void pq_reader_fini(struct lb_reader *r)
{
  struct pq_reader *st = r->state;
  forget(st);
  lb_handles_fini(&st->open);
  lb_kept_fini(&st->kept);
  pq_layout_fini(&st->layout);
  pq_scan_fini(&st->scan);
  pq_verify_fini(&st->verify);
  free(st->buf);
}

/* ---- the lists ---- */

/* The group of a row, its rows, and its words of the table. */
static const uint64_t *find_group(struct pq_reader *st, int64_t row)
{
  const struct pq_table *t = st->table;
  const struct pq_layout *l = &st->layout;
  if (!t) {
    int64_t g = row / l->group_rows;
    st->group = g;
    st->first = g * l->group_rows;
    st->end = st->first + pq_group_rows(l, g);
    return NULL;
  }
  int64_t low = 0, high = t->n_groups;
  while (high - low > 1) {
    int64_t middle = low + (high - low) / 2;
    if ((int64_t)pq_table_group(t, middle)[0] <= row)
      low = middle;
    else
      high = middle;
  }
  st->group = low;
  st->first = (int64_t)pq_table_group(t, low)[0];
  st->end = high < t->n_groups ? (int64_t)pq_table_group(t, high)[0] : l->rows;
  return pq_table_group(t, low);
}

/* Values that stand in one piece in the chunk, as the content makes them: at
 * its end. */
static void tell_content(const struct pq_reader *st, const struct pq_column *c,
                         struct lb_io *io)
{
  const struct pq_layout *l = &st->layout;
  int64_t g = st->group, rows = pq_group_rows(l, g);
  if (l->codec || c->type->how != PQ_RAW || rows > c->page_rows)
    return;
  io->content.length = pq_stored(c, (uint64_t)rows * (uint64_t)c->size);
  io->content.skip = io->length - io->content.length;
  io->content.at = pq_chunk_content(l, g, c);
}

/* A chunk, or more of the read before it; the read, or NULL. */
static struct lb_io *list_chunk(struct lb_reader *r, bool joins, uint64_t at,
                                uint64_t length, struct lb_iolist *list)
{
  struct lb_io *before = list->n ? &list->v[list->n - 1] : NULL;
  if (joins && before && before->offset + before->length == at) {
    before->length += length;
    before->content.length = 0;
    return before;
  }
  return lb_iolist_read(list, at, length, r->params->request, NULL);
}

static bool list_planned(struct lb_reader *r, bool joins,
                         struct lb_iolist *list)
{
  struct pq_reader *st = r->state;
  const struct pq_layout *l = &st->layout;
  int kind = pq_kind(l, st->group);
  for (int64_t i = 0; i < l->n; i++) {
    const struct pq_column *c = &l->column[i];
    if (!c->read)
      continue;
    struct lb_io *io = list_chunk(r, joins, pq_chunk_at(l, st->group, c),
                                  c->length[kind], list);
    if (!io)
      return false;
    if (!joins)
      tell_content(st, c, io);
  }
  return true;
}

static bool list_chunks(struct lb_reader *r, const struct lb_sample *s,
                        struct lb_iolist *list)
{
  struct pq_reader *st = r->state;
  const uint64_t *words = find_group(st, s->in_file);
  uint64_t rows = (uint64_t)(st->end - st->first);
  r->in_hand.set = s->file.set;
  r->in_hand.file = s->file.index;
  r->in_hand.first = st->first;
  r->in_hand.end = st->end;
  bool measured = st->table && !st->layout.has_columns;
  list->payload_bytes =
      rows * (measured ? st->table->sample_bytes : st->layout.read_bytes);
  bool joins = r->params->lean && !s->verify;
  if (!words || !st->table)
    return list_planned(r, joins, list);
  for (int64_t i = 0; i < st->table->n_chunks; i++)
    if (!list_chunk(r, joins, words[1 + 2 * i], words[2 + 2 * i], list))
      return false;
  return true;
}

static bool list_open(struct lb_reader *r, const struct lb_sample *s,
                      struct lb_iolist *list)
{
  return lb_iolist_open(list, s->file.path, r->params->open_flags) &&
         lb_iolist_stat(list);
}

/* Room for n bytes of a file's end. */
static bool grow(struct pq_reader *st, uint64_t n)
{
  if (n <= st->cap)
    return true;
  free(st->buf);
  st->cap = (size_t)n;
  st->buf = malloc(st->cap);
  if (!st->buf)
    st->cap = 0;
  return st->buf;
}

static bool list_tail(struct lb_reader *r, const struct lb_sample *s,
                      struct lb_iolist *list)
{
  struct pq_reader *st = r->state;
  (void)s;
  return (!r->params->has_bytes || grow(st, st->tail_bytes)) &&
         lb_iolist_read(list, st->file_bytes - st->tail_bytes, st->tail_bytes,
                        0, st->buf);
}

static bool list_footer(struct lb_reader *r, const struct lb_sample *s,
                        struct lb_iolist *list)
{
  struct pq_reader *st = r->state;
  (void)s;
  return lb_iolist_read(list, st->file_bytes - PQ_TAIL_BYTES - st->footer_bytes,
                        st->footer_bytes, 0, st->buf);
}

/* ---- the stages ---- */

static void set_size(struct lb_reader *r, uint64_t file_bytes,
                     uint64_t footer_bytes)
{
  struct pq_reader *st = r->state;
  st->file_bytes = file_bytes;
  st->tail_bytes = lb_min_u64(file_bytes, end_bytes(r->params, &st->layout));
  st->footer_bytes = footer_bytes;
}

static enum pq_step first_step(struct lb_reader *r, const struct lb_file *f)
{
  struct pq_reader *st = r->state;
  forget(st);
  set_size(r, st->layout.file_bytes, st->layout.footer_bytes);
  if (lb_kept_has(&st->kept, f))
    return PQ_CHUNKS;
  lb_kept_add(&st->kept, f);
  const struct lb_handle *h = lb_handles_lend(&st->open, r, f);
  if (!h)
    return PQ_OPEN;
  st->table = (struct pq_table *)h->table;
  return PQ_CHUNKS;
}

static enum pq_step next_step(const struct pq_reader *st)
{
  if (st->step == PQ_TAIL && st->footer_bytes + PQ_TAIL_BYTES <= st->tail_bytes)
    return PQ_CHUNKS;
  return st->step + 1;
}

/* Does the reader have the sample's row group? */
static bool has_group(const struct lb_reader *r, const struct lb_sample *s)
{
  return r->in_hand.first <= s->in_file && s->in_file < r->in_hand.end &&
         r->in_hand.file == s->file.index && r->in_hand.set == s->file.set;
}

int pq_plan(struct lb_reader *r, const struct lb_sample *s, int stage,
            struct lb_iolist *list, struct lb_err *err)
{
  static bool (*const lists[PQ_DONE])(
      struct lb_reader *, const struct lb_sample *, struct lb_iolist *) = {
      [PQ_OPEN] = list_open,
      [PQ_TAIL] = list_tail,
      [PQ_FOOTER] = list_footer,
      [PQ_CHUNKS] = list_chunks,
  };
  struct pq_reader *st = r->state;
  if (stage == 0 && has_group(r, s))
    return 0;
  if (stage == 0 && pq_layout_file(&st->layout, r->params, &s->file, err) < 0)
    return -err->code;
  st->step = stage == 0 ? first_step(r, &s->file) : next_step(st);
  if (st->step == PQ_DONE)
    return 0;
  return lists[st->step](r, s, list) ? 1 : lb_list_full(err);
}

/* ---- what was read ---- */

static int refuse(const struct lb_file *f, const char *what, struct lb_err *err)
{
  return lb_err_set(err, LB_FAILED, "%s: not a Parquet file: %s", f->path,
                    what);
}

static int take_size(struct lb_reader *r, const struct lb_file *f,
                     uint64_t bytes, struct lb_err *err)
{
  if (bytes < PQ_MAGIC_BYTES + PQ_TAIL_BYTES)
    return lb_err_set(err, LB_FAILED,
                      "%s: not a Parquet file: %" PRIu64 " bytes", f->path,
                      bytes);
  set_size(r, bytes, 0);
  return 0;
}

/* The footer is at `at' of the buffer.  Files of a dataset mostly have the same
 * one: that is parsed once. */
static int take_footer(struct pq_reader *st, const struct lb_file *f, size_t at,
                       struct lb_err *err)
{
  uint64_t data = st->file_bytes - PQ_TAIL_BYTES - st->footer_bytes;
  const struct pq_known now = {
      .rows = st->layout.rows,
      .sample_bytes = st->layout.sample_bytes,
      .file_bytes = st->file_bytes,
      .footer_bytes = st->footer_bytes,
      .hash = lb_hash_long(st->buf + at, (size_t)st->footer_bytes),
  };
  if (!memcmp(&now, &st->known, sizeof now))
    return 0;
  if (pq_footer_parse(&st->scan, &st->layout, f, st->buf + at,
                      (size_t)st->footer_bytes, data, &st->table, err) < 0)
    return -err->code;
  st->own_table = st->table != NULL;
  if (!st->table)
    st->known = now;
  return 0;
}

/* The length and the magic number at the end; the footer, when it is there. */
static int take_tail(struct pq_reader *st, const struct lb_file *f,
                     struct lb_err *err)
{
  const unsigned char *end = st->buf + st->tail_bytes - PQ_TAIL_BYTES;
  if (memcmp(end + 4, "PAR1", 4) != 0)
    return refuse(f, "it does not end with PAR1", err);
  st->footer_bytes = end[0] | (uint64_t)end[1] << 8 | (uint64_t)end[2] << 16 |
                     (uint64_t)end[3] << 24;
  if (st->footer_bytes > st->file_bytes - PQ_MAGIC_BYTES - PQ_TAIL_BYTES ||
      st->footer_bytes > FOOTER_MAX)
    return lb_err_set(err, LB_FAILED,
                      "%s: not a Parquet file: a footer of %" PRIu64
                      " bytes in a file of %" PRIu64,
                      f->path, st->footer_bytes, st->file_bytes);
  if (st->footer_bytes + PQ_TAIL_BYTES <= st->tail_bytes)
    return take_footer(
        st, f, (size_t)(st->tail_bytes - PQ_TAIL_BYTES - st->footer_bytes),
        err);
  if (grow(st, st->footer_bytes))
    return 0;
  return lb_err_set(err, LB_FAILED,
                    "%s: no memory for a footer of %" PRIu64 " bytes", f->path,
                    st->footer_bytes);
}

static void keep_file(struct lb_reader *r, const struct lb_file *f)
{
  struct pq_reader *st = r->state;
  if (st->own_table && st->table) {
    /* Rather opened again than memory without end. */
    if (st->tables_bytes + st->table->bytes > TABLES_MAX) {
      lb_handles_close(&st->open);
      st->tables_bytes = 0;
    }
    st->tables_bytes += st->table->bytes;
  }
  struct lb_handle known = {.table = (uint64_t *)st->table};
  lb_handles_take(&st->open, r, f, &known);
  st->own_table = false;
}

static int take_chunks(struct lb_reader *r, const struct lb_sample *s)
{
  struct pq_reader *st = r->state;
  uint64_t rows = (uint64_t)(st->end - st->first);
  uint64_t each = st->table ? st->table->sample_bytes : st->layout.row_bytes;
  r->samples_seen += rows;
  r->sample_bytes_seen += rows * each;
  keep_file(r, &s->file);
  return 0;
}

int pq_parse(struct lb_reader *r, const struct lb_sample *s, int stage,
             const struct lb_iolist *list, struct lb_err *err)
{
  struct pq_reader *st = r->state;
  uint64_t last = (uint64_t)list->v[list->n - 1].result;
  (void)stage;
  if (st->step == PQ_OPEN)
    return take_size(r, &s->file, last, err);
  if (st->step == PQ_TAIL)
    return take_tail(st, &s->file, err);
  if (st->step == PQ_FOOTER)
    return take_footer(st, &s->file, 0, err);
  return take_chunks(r, s);
}

/* Which column's chunk the request belongs to; NULL: none that is known. */
static const struct pq_column *column_at(const struct pq_reader *st,
                                         uint64_t offset)
{
  const struct pq_layout *l = &st->layout;
  const uint64_t *words =
      st->table ? pq_table_group(st->table, st->group) : NULL;
  int64_t k = 0;
  for (int64_t i = 0; i < l->n; i++) {
    const struct pq_column *c = &l->column[i];
    if (!c->read)
      continue;
    if (words && k == st->table->n_chunks)
      return NULL;
    if (offset == (words ? words[1 + 2 * k] : pq_chunk_at(l, st->group, c)))
      return c;
    k++;
  }
  return NULL;
}

int pq_inspect(struct lb_reader *r, const struct lb_sample *s,
               const struct lb_io *io, uint64_t at, const void *bytes, size_t n,
               struct lb_err *err)
{
  struct pq_reader *st = r->state;
  if (st->step != PQ_CHUNKS)
    return 0;
  struct pq_piece piece = {.c = column_at(st, io->offset),
                           .group = st->group,
                           .offset = io->offset,
                           .length = io->length,
                           .at = at,
                           .bytes = bytes,
                           .n = n,
                           .raw = io->content.length > 0};
  bool rows = st->end - st->first == pq_group_rows(&st->layout, piece.group) &&
              piece.group < st->layout.n_groups;
  if (piece.c && rows)
    return pq_verify_piece(&st->verify, &st->layout, r->params, &s->file,
                           &piece, err);
  return lb_err_set(err, LB_FAILED,
                    "%s: not laid out as it was made, so it cannot be verified",
                    s->file.path);
}
