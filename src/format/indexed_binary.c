/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Samples one behind the other in a file, and two index files beside it: where
 * each begins (.off.idx) and how long it is (.sz.idx), as 64-bit integers.  A
 * reader reads the index of a file once and keeps the file open.
 *
 * An index of samples that lie at equal distances and are equally long, as they
 * are here, is checked while it is read and not kept: two numbers say it all.
 * Of any other the reader keeps a table. */
#include "lb-config.h"

#include "format/format_impl.h"

#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/handles.h"

enum { DATA_SLOT, INDEX_SLOT };
enum { ENTRY_BYTES = 8, PIECE_BYTES = 262144 };
/* The largest table of a file that a reader keeps. */
#define TABLE_MAX ((int64_t)256 << 20)

enum index { OFFSETS, SIZES, N_INDICES };
static const char *const endings[N_INDICES] = {".off.idx", ".sz.idx"};

/* What a stage does. */
enum step { OPEN_INDEX, READ_INDEX, OPEN_DATA, READ_SAMPLE, DONE };

struct ib_reader {
  struct lb_handles open; /* with bytes */
  struct lb_kept kept;    /* without: what would be open */
  enum step step;
  enum index index;       /* that is being read ... */
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

static int ib_sizes(const struct lb_format_params *p, const struct lb_file *f,
                    struct lb_file_sizes *out, struct lb_err *err)
{
  int64_t dims[LB_MAX_DIMS];
  int n;
  uint64_t payload;
  if (lb_sample_dims(p, f, dims, &n, err) < 0 ||
      lb_payload_bytes(f, &payload, err) < 0)
    return -err->code;
  *out =
      (struct lb_file_sizes){.file_bytes = payload, .payload_bytes = payload};
  return 0;
}

static int ib_make(const struct lb_format_params *p, const struct lb_file *f,
                   struct lb_sink *sink, struct lb_err *err)
{
  uint64_t payload;
  if (lb_payload_bytes(f, &payload, err) < 0)
    return -err->code;
  return lb_payload_write(p, f, sink, 0, payload, NULL, err);
}

/* ---- the index files ---- */

static uint64_t index_bytes(const struct lb_file *f)
{
  return ENTRY_BYTES * (uint64_t)f->samples;
}

static int index_size(const struct lb_format_params *p, const struct lb_file *f,
                      uint64_t *bytes, struct lb_err *err)
{
  (void)p, (void)err;
  *bytes = index_bytes(f);
  return 0;
}

/* Entry i is first + i x step. */
static int make_index(const struct lb_file *f, uint64_t first, uint64_t step,
                      struct lb_sink *sink, struct lb_err *err)
{
  uint64_t *entry = sink->scratch;
  int64_t room = (int64_t)(sink->scratch_bytes / ENTRY_BYTES);
  for (int64_t done = 0; done < f->samples;) {
    int64_t n = f->samples - done < room ? f->samples - done : room;
    for (int64_t i = 0; i < n; i++)
      entry[i] = htole64(first + (uint64_t)(done + i) * step);
    if (sink->write(sink, ENTRY_BYTES * (uint64_t)done, entry,
                    ENTRY_BYTES * (size_t)n, err) < 0)
      return -err->code;
    done += n;
  }
  return 0;
}

static int make_offsets(const struct lb_format_params *p,
                        const struct lb_file *f, struct lb_sink *sink,
                        struct lb_err *err)
{
  (void)p;
  return make_index(f, 0, (uint64_t)f->sample_bytes, sink, err);
}

static int make_sizes(const struct lb_format_params *p, const struct lb_file *f,
                      struct lb_sink *sink, struct lb_err *err)
{
  (void)p;
  return make_index(f, (uint64_t)f->sample_bytes, 0, sink, err);
}

static const struct lb_sidecar sidecars[] = {
    {.ending = ".off.idx", .size = index_size, .make = make_offsets},
    {.ending = ".sz.idx", .size = index_size, .make = make_sizes},
};

/* ---- a reader's life ---- */

/* Pieces are requests, so that all storages are asked the same. */
static uint64_t piece_bytes(const struct lb_format_params *p)
{
  uint64_t bytes = p->request ? p->request : PIECE_BYTES;
  return bytes < ENTRY_BYTES ? ENTRY_BYTES : bytes / ENTRY_BYTES * ENTRY_BYTES;
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

static bool list_open(struct lb_iolist *list, int slot, const char *path,
                      unsigned flags)
{
  return lb_iolist_add(list, (struct lb_io){.op = LB_OP_OPEN,
                                            .slot = slot,
                                            .path = path,
                                            .flags = flags}) &&
         lb_iolist_add(list, (struct lb_io){.op = LB_OP_STAT, .slot = slot});
}

static bool list_close_index(struct lb_iolist *list)
{
  return lb_iolist_add(list,
                       (struct lb_io){.op = LB_OP_CLOSE, .slot = INDEX_SLOT});
}

static int name_index(struct ib_reader *st, const struct lb_file *f,
                      struct lb_err *err)
{
  int n =
      snprintf(st->path, sizeof st->path, "%s%s", f->path, endings[st->index]);
  if (n >= 0 && (size_t)n < sizeof st->path)
    return 0;
  return lb_err_sys(err, LB_FAILED, ENAMETOOLONG, "the index of %s", f->path);
}

static bool list_index_open(struct lb_reader *r, const struct lb_sample *s,
                            struct lb_iolist *list)
{
  const struct ib_reader *st = r->state;
  (void)s;
  return (st->index == OFFSETS || list_close_index(list)) &&
         list_open(list, INDEX_SLOT, st->path, 0);
}

static bool list_index_piece(struct lb_reader *r, const struct lb_sample *s,
                             struct lb_iolist *list)
{
  struct ib_reader *st = r->state;
  st->length =
      lb_min_u64(index_bytes(&s->file) - st->at, piece_bytes(r->params));
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
         list_open(list, DATA_SLOT, s->file.path, r->params->open_flags);
}

/* Where sample i is, by the file's index. */
static void find_sample(const struct ib_reader *st, const struct lb_file *f,
                        int64_t i, uint64_t *at, uint64_t *bytes)
{
  const uint64_t *table = st->known.table;
  *at = table ? table[i] : (uint64_t)i * st->known.at;
  *bytes = table ? table[f->samples + i] : st->known.sample_bytes;
}

static bool list_sample(struct lb_reader *r, const struct lb_sample *s,
                        struct lb_iolist *list)
{
  const struct ib_reader *st = r->state;
  uint64_t at, bytes;
  find_sample(st, &s->file, s->in_file, &at, &bytes);
  list->payload_bytes = bytes;
  return lb_iolist_read(list, at, bytes, r->params->request, NULL);
}

/* ---- the stages ---- */

static enum step first_step(struct lb_reader *r, const struct lb_file *f)
{
  struct ib_reader *st = r->state;
  forget(st);
  st->known = (struct lb_handle){.at = (uint64_t)f->sample_bytes,
                                 .sample_bytes = (uint64_t)f->sample_bytes};
  if (lb_kept_has(&st->kept, f))
    return READ_SAMPLE;
  lb_kept_add(&st->kept, f);
  const struct lb_handle *h = lb_handles_lend(&st->open, r, f);
  if (h)
    st->known = *h;
  st->index = OFFSETS;
  st->at = 0;
  return h ? READ_SAMPLE : OPEN_INDEX;
}

static enum step next_step(struct ib_reader *st, const struct lb_file *f)
{
  if (st->step == READ_INDEX) {
    st->at += st->length;
    if (st->at < index_bytes(f))
      return READ_INDEX;
    st->at = 0;
    return ++st->index < N_INDICES ? OPEN_INDEX : OPEN_DATA;
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
  if (st->step == OPEN_INDEX && name_index(st, &s->file, err) < 0)
    return -err->code;
  return lists[st->step](r, s, list) ? 1 : lb_list_full(err);
}

/* ---- what was read ---- */

static int check_index_size(const struct ib_reader *st, const struct lb_file *f,
                            int64_t size, struct lb_err *err)
{
  if ((uint64_t)size == index_bytes(f))
    return 0;
  return lb_err_set(err, LB_FAILED,
                    "%s: holds %" PRId64 " bytes, an index of %" PRId64
                    " samples has %" PRIu64 " (dataset.num_samples_per_file)",
                    st->path, size, f->samples, index_bytes(f));
}

/* What the table would have said so far. */
static int begin_table(struct ib_reader *st, const struct lb_file *f,
                       struct lb_err *err)
{
  int64_t bytes;
  if (__builtin_mul_overflow(f->samples, N_INDICES * ENTRY_BYTES, &bytes) ||
      bytes > TABLE_MAX)
    return lb_err_set(err, LB_FAILED,
                      "%s: samples of different sizes or at different "
                      "distances: of more than %" PRId64
                      " a file that is not supported",
                      st->path, TABLE_MAX / (N_INDICES * ENTRY_BYTES));
  uint64_t *table = malloc((size_t)bytes);
  if (!table)
    return lb_err_set(err, LB_FAILED, "%s: no memory for its %" PRId64 " bytes",
                      st->path, bytes);
  for (int64_t i = 0; i < f->samples; i++) {
    table[i] = (uint64_t)i * st->known.at;
    table[f->samples + i] = st->known.sample_bytes;
  }
  st->known.table = table;
  st->own_table = true;
  return 0;
}

/* The first entries say how the others must go on. */
static uint64_t expected(struct ib_reader *st, uint64_t i, uint64_t entry)
{
  if (st->index == OFFSETS && i == 1)
    st->known.at = entry;
  if (st->index == SIZES && i == 0)
    st->known.sample_bytes = entry;
  return st->index == OFFSETS ? i * st->known.at : st->known.sample_bytes;
}

static int take_piece(struct ib_reader *st, const struct lb_file *f,
                      struct lb_err *err)
{
  uint64_t first = st->at / ENTRY_BYTES, n = st->length / ENTRY_BYTES;
  for (uint64_t k = 0; k < n; k++) {
    uint64_t i = first + k, entry = le64toh(st->piece[k]);
    if (entry > INT64_MAX / 2)
      return lb_err_set(err, LB_FAILED,
                        "%s: entry %" PRIu64 " is %" PRIu64
                        ", beyond the end of any file",
                        st->path, i, entry);
    if (!st->known.table && entry == expected(st, i, entry))
      continue;
    if (!st->known.table && begin_table(st, f, err) < 0)
      return -err->code;
    if (st->index == SIZES && i == 0)
      st->known.sample_bytes = entry;
    st->known.table[(st->index == SIZES ? (uint64_t)f->samples : 0) + i] =
        entry;
  }
  return 0;
}

/* Every sample lies within the data file. */
static int check_ends(const struct ib_reader *st, const struct lb_file *f,
                      uint64_t size, struct lb_err *err)
{
  uint64_t end = 0, at, bytes;
  for (int64_t i = st->known.table ? 0 : f->samples - 1; i < f->samples; i++) {
    find_sample(st, f, i, &at, &bytes);
    if (at + bytes > end)
      end = at + bytes;
  }
  if (end <= size)
    return 0;
  return lb_err_set(err, LB_FAILED,
                    "%s: cut short: %" PRIu64
                    " bytes, and its index says %" PRIu64,
                    f->path, size, end);
}

static int ib_parse(struct lb_reader *r, const struct lb_sample *s, int stage,
                    const struct lb_iolist *list, struct lb_err *err)
{
  struct ib_reader *st = r->state;
  const struct lb_io *last = &list->v[list->n - 1];
  (void)stage;
  if (st->step == OPEN_INDEX)
    return check_index_size(st, &s->file, last->result, err);
  if (st->step == READ_INDEX)
    return take_piece(st, &s->file, err);
  if (st->step == OPEN_DATA)
    return check_ends(st, &s->file, (uint64_t)last->result, err);
  r->samples_seen++;
  r->sample_bytes_seen += list->payload_bytes;
  lb_handles_take(&st->open, r, &s->file, &st->known);
  st->own_table = false;
  return 0;
}

const struct lb_format lb_format_indexed_binary = {
    .name = "indexed_binary",
    .doc = "Samples one behind the other, with an index of offsets and sizes.",
    .extension = "indexed_binary",
    .check = ib_check,
    .sizes = ib_sizes,
    .make = ib_make,
    .sidecars = sidecars,
    .n_sidecars = sizeof sidecars / sizeof sidecars[0],
    .reader_size = sizeof(struct ib_reader),
    .reader_init = ib_reader_init,
    .reader_fini = ib_reader_fini,
    .reader_reset = ib_reader_reset,
    .reader_notes = ib_reader_notes,
    .keeps_open = ib_keeps_open,
    .plan = ib_plan,
    .parse = ib_parse,
};
