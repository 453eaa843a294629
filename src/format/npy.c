/* SPDX-License-Identifier: GPL-3.0-or-later */
/* NumPy's .npy: one array of all samples of a file.  What np.load() asks of a
 * file is in docs/formats.md; it always reads the whole array.  Lean, that is
 * read from its first byte to its last, header and all. */
#include "lb-config.h"

#include "format/npy_header.h"

#include <inttypes.h>

/* What a stage does. */
enum step { LOOK, HEAD, DATA, DONE, FIRST };

struct npy_reader {
  struct lb_kept kept;
  uint64_t size; /* of the file; lean: UINT64_MAX: not known */
  uint64_t at;   /* read up to here */
  struct lb_npy_array array;
  uint64_t sample_bytes;
  unsigned char head[LB_PAGE];
};

static int npy_check(const struct lb_format_params *p, struct lb_err *err)
{
  return lb_check_plain(p, "npy", err);
}

static int npy_sizes(const struct lb_format_params *p, const struct lb_file *f,
                     struct lb_file_sizes *out, struct lb_err *err)
{
  struct lb_npy_array a;
  if (lb_npy_describe(p, f, &a, err) < 0)
    return -err->code;
  *out = (struct lb_file_sizes){.file_bytes = a.header_bytes + a.bytes,
                                .payload_bytes = a.bytes,
                                .memory_bytes = a.bytes};
  return 0;
}

static int npy_make(const struct lb_format_params *p, const struct lb_file *f,
                    struct lb_sink *sink, struct lb_err *err)
{
  struct lb_npy_array a;
  char header[LB_NPY_HEADER_MAX];
  if (lb_npy_describe(p, f, &a, err) < 0)
    return -err->code;
  lb_npy_header_make(&a, header);
  if (sink->write(sink, 0, header, a.header_bytes, err) < 0)
    return -err->code;
  return lb_payload_write(p, f, sink, a.header_bytes, a.bytes, NULL, err);
}

static int npy_reader_init(struct lb_reader *r, struct lb_err *err)
{
  struct npy_reader *st = r->state;
  return lb_kept_init(&st->kept, r->params, r->params->memory, err);
}

static void npy_reader_reset(struct lb_reader *r)
{
  struct npy_reader *st = r->state;
  lb_kept_clear(&st->kept);
}

static void npy_reader_fini(struct lb_reader *r)
{
  struct npy_reader *st = r->state;
  lb_kept_fini(&st->kept);
}

/* Without bytes the file is the one that `make' would have written. */
static int npy_assume(struct npy_reader *st, const struct lb_format_params *p,
                      const struct lb_file *f, struct lb_err *err)
{
  if (lb_npy_describe(p, f, &st->array, err) < 0)
    return -err->code;
  st->size = st->array.header_bytes + st->array.bytes;
  return 0;
}

/* [st->at, end) of the file; nothing if that is empty. */
static bool list_part(struct npy_reader *st, uint64_t end, uint32_t request,
                      struct lb_iolist *list)
{
  uint64_t from = st->at;
  if (end <= from)
    return true;
  st->at = end;
  return lb_list_content(lb_iolist_read(list, from, end - from, request, NULL),
                         st->array.header_bytes, st->array.bytes);
}

/* NumPy goes on with a file of C's library, whose buffer is a page: whole pages
 * of the array go past it. */
static bool npy_list_data(struct npy_reader *st,
                          const struct lb_format_params *p,
                          struct lb_iolist *list)
{
  uint64_t end = st->array.header_bytes + st->array.bytes;
  bool good = true;
  list->payload_bytes = st->array.bytes;
  if (!p->lean) {
    good = lb_iolist_stat(list) &&
           lb_iolist_read(list, 0, st->array.header_bytes, 0, NULL);
    st->at = 0;
    good = good && list_part(st, lb_min_u64(LB_PAGE, st->size), 0, list) &&
           list_part(st, end - end % LB_PAGE, p->request, list);
  }
  return good && list_part(st, end, p->request, list) && lb_iolist_close(list);
}

/* Lean: the first request, which ends where the file is planned to end, at the
 * latest.  It may be of others, and shorter. */
static int npy_list_first(struct npy_reader *st,
                          const struct lb_format_params *p,
                          const struct lb_file *f, struct lb_iolist *list,
                          struct lb_err *err)
{
  if (npy_assume(st, p, f, err) < 0)
    return -err->code;
  uint32_t request = p->request;
  st->at = 0;
  uint64_t n = request > LB_PAGE ? request : LB_PAGE;
  if (!lb_iolist_open(list, f->path, p->open_flags) ||
      !list_part(st, request ? lb_min_u64(n, st->size) : st->size, request,
                 list))
    return lb_list_full(err);
  struct lb_io *io = &list->v[list->n - 1];
  io->flags |= LB_IO_OPTIONAL;
  io->keep[0].to = st->head;
  io->keep[0].length = sizeof st->head;
  return 1;
}

static enum step step_of(const struct lb_format_params *p, int stage)
{
  static const enum step lean[] = {FIRST, DATA, DONE};
  return p->lean ? lean[stage < 2 ? stage : 2]
                 : (enum step)(stage < DONE ? stage : DONE);
}

static int npy_plan(struct lb_reader *r, const struct lb_sample *s, int stage,
                    struct lb_iolist *list, struct lb_err *err)
{
  struct npy_reader *st = r->state;
  const struct lb_format_params *p = r->params;
  enum step step = step_of(p, stage);
  bool good = true;
  if (step == DONE || (stage == 0 && lb_kept_has(&st->kept, &s->file)))
    return 0;
  if (step == FIRST)
    return npy_list_first(st, p, &s->file, list, err);
  if (step == LOOK) {
    if (!p->has_bytes && npy_assume(st, p, &s->file, err) < 0)
      return -err->code;
    good = lb_iolist_open(list, s->file.path, p->open_flags) &&
           lb_iolist_stat(list);
  } else if (step == HEAD) {
    good = lb_iolist_read(list, 0, lb_min_u64(LB_PAGE, st->size), 0, st->head);
  } else {
    good = npy_list_data(st, p, list);
    lb_kept_add(&st->kept, &s->file);
  }
  return good ? 1 : lb_list_full(err);
}

static int npy_check_empty(uint64_t size, const char *path, struct lb_err *err)
{
  return size ? 0 : lb_err_set(err, LB_FAILED, "%s: empty file", path);
}

static int npy_parse_head(struct npy_reader *st,
                          const struct lb_format_params *p,
                          const struct lb_file *f, uint64_t have,
                          struct lb_err *err)
{
  size_t n = (size_t)lb_min_u64(LB_PAGE, have);
  if (lb_npy_header_parse(&st->array, st->head, n, f->path, err) < 0 ||
      lb_npy_check(&st->array, p, f, &st->sample_bytes, err) < 0)
    return -err->code;
  uint64_t want = st->array.header_bytes + st->array.bytes;
  if (want > st->size)
    return lb_err_set(err, LB_FAILED,
                      "%s: cut short: %" PRIu64
                      " bytes, and its header says %" PRIu64,
                      f->path, st->size, want);
  return 0;
}

static int npy_parse(struct lb_reader *r, const struct lb_sample *s, int stage,
                     const struct lb_iolist *list, struct lb_err *err)
{
  struct npy_reader *st = r->state;
  const struct lb_format_params *p = r->params;
  switch (step_of(p, stage)) {
  case LOOK:
    st->size = (uint64_t)list->v[1].result;
    return npy_check_empty(st->size, s->file.path, err);
  case FIRST:
    st->at = (uint64_t)list->v[1].result;
    st->size = st->at < list->v[1].length ? st->at : UINT64_MAX;
    return npy_check_empty(st->size, s->file.path, err) < 0
               ? -err->code
               : npy_parse_head(st, p, &s->file, st->at, err);
  case HEAD:
    return npy_parse_head(st, p, &s->file, st->size, err);
  default:
    r->samples_seen++;
    r->sample_bytes_seen += st->sample_bytes;
    return 0;
  }
}

const struct lb_format lb_format_npy = {
    .name = "npy",
    .doc = "NumPy array files, one array of all samples of the file.",
    .extension = "npy",
    .check = npy_check,
    .sizes = npy_sizes,
    .make = npy_make,
    .reader_size = sizeof(struct npy_reader),
    .reader_init = npy_reader_init,
    .reader_fini = npy_reader_fini,
    .reader_reset = npy_reader_reset,
    .reader_notes = lb_kept_bytes,
    .has_lean = true,
    .plan = npy_plan,
    .parse = npy_parse,
};
