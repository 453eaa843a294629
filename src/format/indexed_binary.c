/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Samples one behind the other, with an index (indexed.c), read with read: a
 * reader reads the index of a file once and keeps the file open.
 *
 * An index of samples that lie at equal distances and are equally long, as they
 * are here, is checked while it is read and not kept: two numbers say it all.
 * Of any other the reader keeps a table. */
#include "lb-config.h"

#include "format/indexed.h"

#include <endian.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>

#include "format/handles.h"

enum { DATA_SLOT, INDEX_SLOT };
enum { PIECE_BYTES = 262144 };

/* What a stage does. */
enum step { OPEN_INDEX, READ_INDEX, OPEN_DATA, READ_SAMPLE, DONE };

struct ib_reader {
  struct lb_handles open; /* with bytes */
  struct lb_kept kept;    /* without: what would be open */
  enum step step;
  enum lb_index index;    /* that is being read ... */
  uint64_t at;            /* ... up to here, bytes */
  uint64_t length;        /* of the piece that is read now */
  struct lb_handle known; /* of the file: at is the distance of samples; the
                           * table has all offsets, then all sizes ... */
  bool own_table;         /* ... and is not yet in `open' */
  uint64_t *piece;        /* of an index; PIECE_BYTES at most */
  char path[PATH_MAX];    /* of an index */
};

static int ib_check(const struct lb_format_params *p, struct lb_err *err)
{
  return lb_check_plain(p, "indexed_binary", err);
}

/* ---- a reader's life ---- */

/* Pieces are requests, so that all storages are asked the same. */
static uint64_t piece_bytes(const struct lb_format_params *p)
{
  uint64_t bytes = p->request ? p->request : PIECE_BYTES;
  return bytes < LB_INDEX_ENTRY ? LB_INDEX_ENTRY
                                : bytes / LB_INDEX_ENTRY * LB_INDEX_ENTRY;
}

static int ib_reader_init(struct lb_reader *r, struct lb_err *err)
{
  struct ib_reader *st = r->state;
  const struct lb_format_params *p = r->params;
  if (!p->has_bytes)
    return lb_kept_init(&st->kept, p, true, err);
  st->piece = malloc(piece_bytes(p));
  if (!st->piece)
    return lb_err_set(err, LB_FAILED, "no memory for a piece of an index");
  return lb_handles_init(&st->open, p, err);
}

static uint64_t ib_reader_notes(const struct lb_format_params *p)
{
  return p->has_bytes ? lb_handles_bytes(p) + piece_bytes(p) : lb_kept_bits(p);
}

static bool ib_keeps_open(const struct lb_format_params *p)
{
  return p->has_bytes;
}

/* Of a file that was not opened to the end. */
static void forget(struct ib_reader *st)
{
  if (st->own_table)
    free(st->known.table);
  st->own_table = false;
}

static void ib_reader_reset(struct lb_reader *r)
{
  struct ib_reader *st = r->state;
  forget(st);
  lb_handles_close(&st->open);
  lb_kept_clear(&st->kept);
}

static void ib_reader_fini(struct lb_reader *r)
{
  struct ib_reader *st = r->state;
  forget(st);
  lb_handles_fini(&st->open);
  lb_kept_fini(&st->kept);
  free(st->piece);
}

/* ---- the lists ---- */

static bool list_close_index(struct lb_iolist *list)
{
  return lb_iolist_add(list,
                       (struct lb_io){.op = LB_OP_CLOSE, .slot = INDEX_SLOT});
}

static bool list_index_open(struct lb_reader *r, const struct lb_sample *s,
                            struct lb_iolist *list)
{
  const struct ib_reader *st = r->state;
  (void)s;
  return (st->index == LB_INDEX_OFFSETS || list_close_index(list)) &&
         lb_indexed_list_open(list, INDEX_SLOT, st->path,
                              r->params->open_flags);
}

static bool list_index_piece(struct lb_reader *r, const struct lb_sample *s,
                             struct lb_iolist *list)
{
  struct ib_reader *st = r->state;
  st->length =
      lb_min_u64(lb_index_bytes(&s->file) - st->at, piece_bytes(r->params));
  return lb_iolist_add(list, (struct lb_io){.op = LB_OP_READ,
                                            .slot = INDEX_SLOT,
                                            .offset = st->at,
                                            .length = st->length,
                                            .buf = st->piece});
}

static bool list_data_open(struct lb_reader *r, const struct lb_sample *s,
                           struct lb_iolist *list)
{
  return list_close_index(list) &&
         lb_indexed_list_open(list, DATA_SLOT, s->file.path,
                              r->params->open_flags);
}

static bool list_sample(struct lb_reader *r, const struct lb_sample *s,
                        struct lb_iolist *list)
{
  const struct ib_reader *st = r->state;
  const struct lb_handle *h = lb_handles_get(&st->open, &s->file);
  uint64_t at, bytes;
  lb_handle_find(h ? h : &st->known, s->file.samples, s->in_file, &at, &bytes);
  r->samples_seen += h != NULL;
  r->sample_bytes_seen += h ? bytes : 0;
  return lb_list_sample(list, s, h ? h->fd[DATA_SLOT] : 0, at, bytes, at,
                        at + bytes, r->params->request);
}

/* ---- the stages ---- */

static enum step first_step(struct lb_reader *r, const struct lb_file *f)
{
  struct ib_reader *st = r->state;
  forget(st);
  st->known = (struct lb_handle){.at = (uint64_t)f->sample_bytes,
                                 .sample_bytes = (uint64_t)f->sample_bytes};
  if (lb_kept_has(&st->kept, f) || lb_handles_get(&st->open, f))
    return READ_SAMPLE;
  lb_kept_add(&st->kept, f);
  st->index = LB_INDEX_OFFSETS;
  st->at = 0;
  return OPEN_INDEX;
}

static enum step next_step(struct ib_reader *st, const struct lb_file *f)
{
  if (st->step == READ_INDEX) {
    st->at += st->length;
    if (st->at < lb_index_bytes(f))
      return READ_INDEX;
    st->at = 0;
    return ++st->index < LB_N_INDICES ? OPEN_INDEX : OPEN_DATA;
  }
  return st->step + 1;
}

static int ib_plan(struct lb_reader *r, const struct lb_sample *s, int stage,
                   struct lb_iolist *list, struct lb_err *err)
{
  static bool (*const lists[DONE])(struct lb_reader *, const struct lb_sample *,
                                   struct lb_iolist *) = {
      [OPEN_INDEX] = list_index_open,
      [READ_INDEX] = list_index_piece,
      [OPEN_DATA] = list_data_open,
      [READ_SAMPLE] = list_sample,
  };
  struct ib_reader *st = r->state;
  st->step = stage == 0 ? first_step(r, &s->file) : next_step(st, &s->file);
  if (st->step == DONE)
    return 0;
  if (st->step == OPEN_INDEX &&
      lb_index_name(st->path, sizeof st->path, &s->file, st->index, err) < 0)
    return -err->code;
  return lists[st->step](r, s, list) ? 1 : lb_list_full(err);
}

static bool ib_append(struct lb_reader *r, const struct lb_sample *s,
                      struct lb_iolist *list)
{
  const struct ib_reader *st = r->state;
  return lb_handles_get(&st->open, &s->file) && list_sample(r, s, list);
}

/* ---- what was read ---- */

static int take_piece(struct ib_reader *st, const struct lb_file *f,
                      struct lb_err *err)
{
  uint64_t first = st->at / LB_INDEX_ENTRY, n = st->length / LB_INDEX_ENTRY;
  enum lb_place kind =
      st->index == LB_INDEX_OFFSETS ? LB_PLACE_AT : LB_PLACE_BYTES;
  for (uint64_t k = 0;; k++) {
    k += lb_handle_expects(&st->known, kind, first + k, st->piece + k, n - k);
    if (k == n)
      return 0;
    uint64_t i = first + k, entry = le64toh(st->piece[k]);
    if (lb_index_check_entry(st->path, i, entry, err) < 0 ||
        lb_handle_put(&st->known, kind, f->samples, (int64_t)i, entry, st->path,
                      err) < 0)
      return -err->code;
    st->own_table = st->known.table != NULL;
  }
}

/* Every sample lies within the data file. */
static int check_ends(const struct ib_reader *st, const struct lb_file *f,
                      uint64_t size, struct lb_err *err)
{
  return lb_indexed_cut_short(f, size, lb_handle_end(&st->known, f->samples),
                              err);
}

static int ib_parse(struct lb_reader *r, const struct lb_sample *s, int stage,
                    const struct lb_iolist *list, struct lb_err *err)
{
  struct ib_reader *st = r->state;
  const struct lb_io *last = &list->v[list->n - 1];
  (void)stage;
  if (st->step == OPEN_INDEX)
    return lb_index_check(st->path, &s->file, last->result, err);
  if (st->step == READ_INDEX)
    return take_piece(st, &s->file, err);
  if (st->step != OPEN_DATA)
    return 0;
  if (check_ends(st, &s->file, (uint64_t)last->result, err) < 0)
    return -err->code;
  lb_handles_take(&st->open, r, &s->file, &st->known);
  st->own_table = false;
  return 0;
}

const struct lb_format lb_format_indexed_binary = {
    .name = "indexed_binary",
    .doc = "Samples one behind the other, with an index of offsets and sizes.",
    .extension = "indexed_binary",
    .check = ib_check,
    .sizes = lb_indexed_sizes,
    .make = lb_indexed_make,
    .sidecars = lb_indexed_sidecars,
    .n_sidecars = LB_N_INDICES,
    .reader_size = sizeof(struct ib_reader),
    .reader_init = ib_reader_init,
    .reader_fini = ib_reader_fini,
    .reader_reset = ib_reader_reset,
    .reader_notes = ib_reader_notes,
    .keeps_open = ib_keeps_open,
    .plan = ib_plan,
    .append = ib_append,
    .parse = ib_parse,
};
