/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reading a sample of an hdf5 file.  The library finds its bytes, in one call
 * under its lock; they are read where they are, outside of it, in the requests
 * that the library would make: a chunk that fits into its cache as a whole, of
 * a larger one the parts, and whatever has to be inflated one at a time. */
#include "lb-config.h"

#include "format/hdf5_read.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "loadbank/content.h"

enum {
  CACHE_BYTES = 1 << 20, /* the library's, of one dataset; h5py has the same */
  MOST_READS = 64        /* about; of one list */
};

/* What is known of an open file whose datasets are each one piece; in the
 * table of its handle.  The handle's `at' is where the first sample is, if each
 * of them is one READ; else 0. */
struct known {
  struct lb_h5_shape shape;
  uint64_t base[];
};

bool lb_h5_keeps_open(const struct lb_format_params *p)
{
  const struct lb_h5_options *o = p->options;
  bool irregular = p->compression[0] && strcmp(p->compression, "none") != 0;
  irregular = irregular || (o && o->max_shape.n > 0);
  return p->memory && p->has_bytes && !irregular;
}

/* Bytes at most of a chunk that is undone here, as it will be chosen. */
static uint64_t chunk_room(const struct lb_format_params *p)
{
  const struct lb_h5_options *o = p->options;
  uint64_t bytes = (uint64_t)p->dtype->bytes;
  if (!p->compression[0] || !strcmp(p->compression, "none"))
    return 0;
  if (o && o->chunk_dims.n > 0)
    for (int i = 0; i < o->chunk_dims.n; i++)
      bytes *= (uint64_t)o->chunk_dims.v[i];
  else if (p->chunking && p->chunk_size > 0)
    bytes = (uint64_t)p->chunk_size;
  else
    bytes = LB_H5_GUESS_MOST;
  return bytes;
}

/* A compressed chunk in both its forms. */
uint64_t lb_h5_reader_notes(const struct lb_format_params *p)
{
  uint64_t open = lb_h5_keeps_open(p) ? lb_handles_bytes(p) : lb_kept_bytes(p);
  return open + 2 * chunk_room(p);
}

int lb_h5_reader_init(struct lb_reader *r, struct lb_err *err)
{
  struct lb_h5_reader *st = r->state;
  const struct lb_format_params *p = r->params;
  return lb_h5_keeps_open(p) ? lb_handles_init(&st->open, p, err)
                             : lb_kept_init(&st->kept, p, p->memory, err);
}

void lb_h5_reader_reset(struct lb_reader *r)
{
  struct lb_h5_reader *st = r->state;
  lb_handles_close(&st->open);
  lb_kept_clear(&st->kept);
}

void lb_h5_reader_fini(struct lb_reader *r)
{
  struct lb_h5_reader *st = r->state;
  lb_handles_fini(&st->open);
  lb_kept_fini(&st->kept);
  free(st->found.base);
  free(st->found.place);
  free(st->found.row);
  free(st->packed);
  lb_h5_unpacked_fini(&st->unpacked);
}

/* ---- what is known of a file ---- */

/* What opening a file and its datasets asks of the storage, in one call of the
 * library.  Runs in the executor's thread; the descriptor becomes its own. */
static int open_call(void *arg, struct lb_io *io, int fd[LB_IO_SLOTS],
                     struct lb_err *err)
{
  struct lb_reader *r = arg;
  struct lb_h5_reader *st = r->state;
  const struct lb_sample *s = &st->current;
  int rc = lb_h5_look(r->params, &s->file, s->in_file, &st->found, err);
  io->waited_ns = st->found.waited_ns;
  if (rc < 0)
    return err->sys ? -err->sys : -EIO;
  fd[0] = st->found.fd;
  io->result = 0;
  return 0;
}

/* Without bytes the file is the one that `make' would have written. */
static int assume(struct lb_h5_reader *st, const struct lb_format_params *p,
                  const struct lb_sample *s, struct lb_err *err)
{
  struct lb_h5_found *found = &st->found;
  if (lb_h5_shape_of(p, &s->file, &found->shape, err))
    return -err->code;
  found->sample_bytes = (uint64_t)s->file.sample_bytes;
  found->regular = lb_h5_regular(&found->shape);
  found->by_library = false;
  return 0;
}

/* Where chunk i of the sample is, of all its datasets. */
static struct lb_h5_place place_of(const struct lb_h5_reader *st,
                                   const struct lb_format_params *p,
                                   int64_t row, int64_t i)
{
  const struct lb_h5_found *found = &st->found;
  const struct lb_h5_shape *s = &found->shape;
  int64_t of_row = lb_h5_chunks_of_row(s);
  int64_t set = i / of_row, chunk = lb_h5_chunk_of_row(s, row, i % of_row);
  uint64_t bytes = lb_h5_chunk_bytes(s);
  if (!p->has_bytes) {
    return (struct lb_h5_place){
        .at = LB_H5_RECORDS_AT +
              (uint64_t)(set * lb_h5_chunks(s) + chunk) * bytes,
        .bytes = lb_h5_packed_estimate(s, lb_h5_chunk_inside(s, chunk))};
  }
  if (!found->regular)
    return found->place[i];
  return (struct lb_h5_place){.at = found->base[set] + (uint64_t)chunk * bytes,
                              .bytes = bytes};
}

/* The file is open since an earlier sample: lends its descriptor to the list
 * (parse takes it back). */
static bool lend(struct lb_reader *r, const struct lb_file *f,
                 struct lb_err *err)
{
  struct lb_h5_reader *st = r->state;
  const struct lb_handle *h = lb_handles_lend(&st->open, r, f);
  if (!h)
    return false;
  const struct known *known = (const struct known *)h->table;
  struct lb_h5_found *found = &st->found;
  size_t n = (size_t)known->shape.n_sets;
  if (n > found->base_cap) {
    uint64_t *more = realloc(found->base, n * sizeof *more);
    if (!more)
      return lb_err_set(err, LB_FAILED, "no memory for %zu datasets", n) == 0;
    found->base = more;
    found->base_cap = n;
  }
  found->shape = known->shape;
  found->sample_bytes = h->sample_bytes;
  found->regular = true;
  found->by_library = false;
  memcpy(found->base, known->base, n * sizeof *found->base);
  return true;
}

/* Is each sample one READ, at its place in the file's only dataset? */
static bool one_read(const struct lb_h5_found *found)
{
  const struct lb_h5_shape *s = &found->shape;
  return !s->chunked && s->n_sets == 1 && found->sample_bytes > 0 &&
         found->sample_bytes == lb_h5_row_bytes(s);
}

/* Keeps the file open that the sample was in. */
static int keep(struct lb_reader *r, const struct lb_file *f,
                struct lb_err *err)
{
  struct lb_h5_reader *st = r->state;
  const struct lb_h5_found *found = &st->found;
  if (!st->open.file[f->set] || r->fd[0] < 0)
    return 0;
  struct lb_handle known = {.at = one_read(found) ? found->base[0] : 0,
                            .sample_bytes = found->sample_bytes};
  known.table = st->open.file[f->set][f->index].table;
  if (!known.table) {
    size_t n = (size_t)found->shape.n_sets * sizeof(uint64_t);
    struct known *k = malloc(sizeof *k + n);
    if (!k)
      return lb_err_set(err, LB_FAILED, "no memory to keep a file open");
    k->shape = found->shape;
    memcpy(k->base, found->base, n);
    known.table = (uint64_t *)k;
  }
  lb_handles_take(&st->open, r, f, &known);
  return 0;
}

/* ---- the lists ---- */

/* Does the library read each chunk as a whole? */
static bool whole_chunks(const struct lb_h5_shape *s)
{
  return s->chunked &&
         (s->n_filters > 0 || lb_h5_chunk_bytes(s) <= CACHE_BYTES);
}

/* A chunk that goes through its filters after it was read, into `packed'. */
static int list_packed(struct lb_reader *r, struct lb_h5_place at,
                       struct lb_iolist *list, struct lb_err *err)
{
  struct lb_h5_reader *st = r->state;
  if (r->params->has_bytes && at.bytes > st->packed_cap) {
    void *more = realloc(st->packed, (size_t)at.bytes);
    if (!more)
      return lb_err_set(err, LB_FAILED, "no memory for a chunk of %" PRIu64,
                        at.bytes);
    st->packed = more;
    st->packed_cap = (size_t)at.bytes;
  }
  st->packed_unit = at.bytes ? st->unit : -1;
  void *to = r->params->has_bytes ? st->packed : NULL;
  return !at.bytes ||
                 lb_iolist_read(list, at.at, at.bytes, r->params->request, to)
             ? 0
             : lb_list_full(err);
}

/* One chunk as a whole; the sample's part is content if it is in one piece. */
static bool list_whole(struct lb_reader *r, int set, int64_t chunk, int64_t row,
                       struct lb_h5_place at, struct lb_iolist *list)
{
  const struct lb_h5_shape *s = &((struct lb_h5_reader *)r->state)->found.shape;
  uint64_t from, to, payload, other = UINT64_MAX;
  struct lb_io *io =
      lb_iolist_read(list, at.at, at.bytes, r->params->request, NULL);
  lb_h5_row_in_chunk(s, row, &from, &to);
  uint64_t n = lb_min_u64(lb_h5_run(s, set, chunk, from, &payload), to - from);
  for (uint64_t k = from + n; k < to && other == UINT64_MAX;)
    k += lb_h5_run(s, set, chunk, k, &other);
  if (io && other == UINT64_MAX) {
    io->content.skip = from;
    io->content.length = n;
    io->content.at = payload;
  }
  return io != NULL;
}

/* The parts of a chunk that belong to the row, from st->inside on; the chunk is
 * done when that is 0 again. */
static bool list_parts(struct lb_reader *r, int set, int64_t chunk, int64_t row,
                       struct lb_h5_place at, struct lb_iolist *list)
{
  struct lb_h5_reader *st = r->state;
  const struct lb_h5_shape *s = &st->found.shape;
  uint64_t from, to, payload;
  lb_h5_row_in_chunk(s, row, &from, &to);
  uint64_t k = from + st->inside;
  while (k < to && list->n < MOST_READS) {
    uint64_t n = lb_min_u64(lb_h5_run(s, set, chunk, k, &payload), to - k);
    if (payload != UINT64_MAX) {
      uint64_t all = r->params->lean ? n : lb_h5_sieved(s, k, n);
      struct lb_io *io =
          lb_iolist_read(list, at.at + k, all, r->params->request, NULL);
      if (!io)
        return false;
      io->content.length = n;
      io->content.at = payload;
    }
    k += n;
  }
  st->inside = k < to ? k - from : 0;
  return true;
}

/* One chunk, or a part of it; moves on to the next one. */
static int list_unit(struct lb_reader *r, const struct lb_sample *sample,
                     struct lb_iolist *list, struct lb_err *err)
{
  struct lb_h5_reader *st = r->state;
  int64_t row = sample->in_file;
  const struct lb_h5_shape *s = &st->found.shape;
  int64_t of_row = lb_h5_chunks_of_row(s);
  int set = (int)(st->unit / of_row);
  int64_t chunk = lb_h5_chunk_of_row(s, row, st->unit % of_row);
  struct lb_h5_place at = place_of(st, r->params, row, st->unit);
  bool good = true;
  if (at.bytes == 0 && sample->verify)
    return lb_err_set(err, LB_FAILED,
                      "%s: sample %" PRId64 ": a chunk was never written",
                      sample->file.path, row);
  if (s->n_filters > 0) {
    if (list_packed(r, at, list, err))
      return -err->code;
  } else if (at.bytes && whole_chunks(s)) {
    good = list_whole(r, set, chunk, row, at, list);
  } else if (at.bytes) {
    good = list_parts(r, set, chunk, row, at, list);
  }
  if (!good)
    return lb_list_full(err);
  if (st->inside == 0)
    st->unit++;
  return 0;
}

static bool stays_open(const struct lb_h5_reader *st,
                       const struct lb_format_params *p)
{
  return st->found.regular && (p->has_bytes ? lb_h5_keeps_open(p) : p->memory);
}

/* The next part of the sample; with the last one, on demand, the end of the
 * file.  0: it was complete. */
static int list_sample(struct lb_reader *r, const struct lb_sample *s,
                       bool begin, struct lb_iolist *list, struct lb_err *err)
{
  struct lb_h5_reader *st = r->state;
  const struct lb_h5_shape *shape = &st->found.shape;
  if (begin) {
    st->unit = 0;
    st->inside = 0;
    st->n_units =
        st->found.by_library ? 0 : shape->n_sets * lb_h5_chunks_of_row(shape);
    list->payload_bytes = st->found.sample_bytes;
  } else if (st->unit == st->n_units) {
    return 0;
  }
  st->packed_unit = -1;
  while (st->unit < st->n_units && list->n < MOST_READS) {
    if (list_unit(r, s, list, err))
      return -err->code;
    if (st->packed_unit >= 0)
      break;
  }
  bool last = st->unit == st->n_units && !st->found.by_library;
  return !last || stays_open(st, r->params) || lb_iolist_close(list)
             ? 1
             : lb_list_full(err);
}

/* The datasets are found, in the first list. */
static int list_open(struct lb_reader *r, const struct lb_sample *s,
                     struct lb_iolist *list, struct lb_err *err)
{
  struct lb_h5_reader *st = r->state;
  struct lb_h5_shape shape;
  if (lb_h5_shape_of(r->params, &s->file, &shape, err))
    return -err->code;
  if (!lb_h5_list_open(r->params, &s->file, &shape, s->in_file, list))
    return lb_list_full(err);
  st->current = *s;
  if (lb_h5_regular(&shape))
    lb_kept_add(&st->kept, &s->file);
  list->v[0].call = open_call;
  list->v[0].call_arg = r;
  list->v[0].covers = (unsigned)list->n - 1;
  return 1;
}

/* Stages: the file is opened; its chunks are read.  Only the latter when it is
 * open. */
int lb_h5_plan(struct lb_reader *r, const struct lb_sample *s, int stage,
               struct lb_iolist *list, struct lb_err *err)
{
  struct lb_h5_reader *st = r->state;
  if (stage > 0)
    return list_sample(r, s, stage == 1 && !st->is_open, list, err);
  if (!r->params->has_bytes && assume(st, r->params, s, err))
    return -err->code;
  st->is_open = lb_kept_has(&st->kept, &s->file) || lend(r, &s->file, err);
  if (err->code)
    return -err->code;
  return st->is_open ? list_sample(r, s, true, list, err)
                     : list_open(r, s, list, err);
}

bool lb_h5_append(struct lb_reader *r, const struct lb_sample *s,
                  struct lb_iolist *list)
{
  const struct lb_h5_reader *st = r->state;
  const struct lb_handle *h = lb_handles_get(&st->open, &s->file);
  if (!h || !h->at)
    return false;
  const struct known *known = (const struct known *)h->table;
  uint64_t bytes = h->sample_bytes, before = (uint64_t)s->in_file * bytes;
  uint64_t at = h->at + before, end = at + bytes;
  if (!r->params->lean)
    end = at + lb_h5_sieved(&known->shape, before, bytes);
  if (!lb_list_sample(list, s, h->fd[0], at, bytes, at, end,
                      r->params->request))
    return false;
  r->samples_seen++;
  r->sample_bytes_seen += bytes;
  return true;
}

/* ---- what was read ---- */

/* Byte `payload' of the file's content is got[0], the others follow it. */
static int differs(const struct lb_format_params *p, const struct lb_sample *s,
                   uint64_t payload, const unsigned char *got,
                   const unsigned char *want, size_t n, struct lb_err *err)
{
  char text[LB_CONTENT_TEXT];
  lb_content_judge(p->content_seed, p->n_files, got, want, n, text);
  return lb_err_set(err, LB_FAILED,
                    "%s: sample %" PRId64 " differs from what dataset.seed "
                    "makes: byte %" PRIu64
                    " of the payload is 0x%02x, not 0x%02x: %s",
                    s->file.path, s->in_file, payload, *got, *want, text);
}

/* Bytes [at, at + n) of a chunk, the sample's part of them, without padding. */
static int compare(const struct lb_reader *r, const struct lb_sample *s,
                   int64_t unit, uint64_t at, const unsigned char *bytes,
                   size_t n, struct lb_err *err)
{
  const struct lb_h5_reader *st = r->state;
  const struct lb_h5_shape *shape = &st->found.shape;
  int64_t of_row = lb_h5_chunks_of_row(shape);
  int64_t chunk = lb_h5_chunk_of_row(shape, s->in_file, unit % of_row);
  unsigned char want[4096];
  uint64_t from, to, payload;
  lb_h5_row_in_chunk(shape, s->in_file, &from, &to);
  uint64_t k = from > at ? from : at, end = lb_min_u64(to, at + n);
  while (k < end) {
    size_t m = (size_t)lb_min_u64(
        lb_h5_run(shape, (int)(unit / of_row), chunk, k, &payload),
        lb_min_u64(end - k, sizeof want));
    const unsigned char *got = bytes + (k - at);
    if (payload != UINT64_MAX) {
      size_t i = 0;
      lb_content_fill(r->params->content_seed, s->file.set, s->file.index,
                      payload, want, m);
      if (memcmp(got, want, m) != 0) {
        while (got[i] == want[i])
          i++;
        return differs(r->params, s, payload + i, got + i, want + i, m - i,
                       err);
      }
    }
    k += m;
  }
  return 0;
}

/* A chunk that came packed is unpacked, whether somebody looks or not: the
 * framework's reader does. */
static int take_packed(struct lb_reader *r, const struct lb_sample *s,
                       struct lb_err *err)
{
  struct lb_h5_reader *st = r->state;
  const struct lb_h5_shape *shape = &st->found.shape;
  struct lb_h5_place at = place_of(st, r->params, s->in_file, st->packed_unit);
  const unsigned char *chunk =
      lb_h5_unpack(shape, &st->unpacked, st->packed, (size_t)at.bytes,
                   at.skipped, s->file.path, err);
  if (!chunk)
    return lb_err_wrap(err, "reading sample %" PRId64, s->in_file);
  return s->verify ? compare(r, s, st->packed_unit, 0, chunk,
                             (size_t)lb_h5_chunk_bytes(shape), err)
                   : 0;
}

int lb_h5_parse(struct lb_reader *r, const struct lb_sample *s, int stage,
                const struct lb_iolist *list, struct lb_err *err)
{
  struct lb_h5_reader *st = r->state;
  (void)list;
  if (stage == 0 && !st->is_open)
    return 0;
  if (st->packed_unit >= 0 && take_packed(r, s, err))
    return -err->code;
  if (st->unit < st->n_units)
    return 0;
  r->samples_seen++;
  r->sample_bytes_seen += st->found.sample_bytes;
  return stays_open(st, r->params) ? keep(r, &s->file, err) : 0;
}

/* Content that is not in one piece of a chunk: the chunk is found by its
 * place, among the few of one list. */
int lb_h5_inspect(struct lb_reader *r, const struct lb_sample *s,
                  const struct lb_io *io, uint64_t at, const void *bytes,
                  size_t n, struct lb_err *err)
{
  struct lb_h5_reader *st = r->state;
  if (st->found.shape.n_filters > 0 || io->content.length > 0)
    return 0;
  for (int64_t i = st->unit - 1; i >= 0; i--)
    if (place_of(st, r->params, s->in_file, i).at == io->offset)
      return compare(r, s, i, at, bytes, n, err);
  return 0;
}
