/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reading a .npz.  As np.load(f)['x'] does (docs/formats.md): magic, end
 * record, central directory, the member's beginning twice, then the array in
 * NumPy's chunks.  Or lean: the member from where it is in an archive that was
 * made here, and by way of the directory only if it is not there.  What has
 * been read is looked at in npz_parse.c. */
#include "lb-config.h"

#include "format/npz_read.h"

enum {
  CHUNK = 262144,   /* NumPy reads an array in a zip archive by this much */
  STAGE_READS = 64, /* of one list, about */
  TAIL32 = LB_ZIP_LOCATOR64 + LB_ZIP_END
};

/* ---- a reader's life ---- */

int lb_npz_reader_init(struct lb_reader *r, struct lb_err *err)
{
  struct lb_npz_reader *st = r->state;
  const struct lb_format_params *p = r->params;
  if (lb_kept_init(&st->kept, p, p->memory, err) < 0)
    return -err->code;
  return p->has_bytes && lb_npz_deflates(p)
             ? lb_npz_inflate_init(&st->inflate, p, err)
             : 0;
}

void lb_npz_reader_reset(struct lb_reader *r)
{
  struct lb_npz_reader *st = r->state;
  lb_kept_clear(&st->kept);
}

void lb_npz_reader_fini(struct lb_reader *r)
{
  struct lb_npz_reader *st = r->state;
  lb_kept_fini(&st->kept);
  lb_npz_inflate_fini(&st->inflate);
}

uint64_t lb_npz_reader_notes(const struct lb_format_params *p)
{
  return lb_kept_bytes(p) + (lb_npz_deflates(p) ? lb_npz_inflate_bytes(p) : 0);
}

/* ---- the lists ---- */

/* The file as `make' would have written it. */
static int assume(struct lb_npz_reader *st, const struct lb_format_params *p,
                  const struct lb_file *f, struct lb_err *err)
{
  struct lb_npz_layout l;
  if (lb_npz_lay_out(p, f, &l, err) < 0)
    return -err->code;
  st->size = l.file_bytes;
  st->directory = l.directory;
  st->directory_bytes = l.directory_bytes;
  st->end64 = l.end64;
  st->x = l.x;
  st->array_bytes = l.x_array.bytes;
  st->data = l.x_local;
  st->array_at = l.x_local + l.x_array.header_bytes;
  st->content = st->array_at;
  return 0;
}

static bool mark(const struct lb_npz_reader *st, struct lb_io *io)
{
  return st->content ? lb_list_content(io, st->content, st->array_bytes)
                     : io != NULL;
}

static bool list_look(struct lb_npz_reader *st,
                      const struct lb_format_params *p,
                      const struct lb_sample *s, struct lb_iolist *list)
{
  (void)st;
  return lb_iolist_open(list, s->file.path, p->open_flags) &&
         lb_iolist_stat(list);
}

/* What a deflated member is read for at first must fit st->head: it is inflated
 * in order.  The file may be of others, and shorter. */
static bool list_first(struct lb_npz_reader *st,
                       const struct lb_format_params *p,
                       const struct lb_sample *s, struct lb_iolist *list)
{
  uint64_t n = lb_npz_member_end(st);
  if (!lb_npz_is_stored(st))
    n = lb_min_u64(n, LB_NPZ_HEAD);
  else if (p->request)
    n = lb_min_u64(n, p->request > LB_NPZ_HEAD ? p->request : LB_NPZ_HEAD);
  st->crc = 0;
  st->crc_at = st->data;
  st->at = n;
  st->found = true;
  if (!lb_iolist_open(list, s->file.path, p->open_flags))
    return false;
  struct lb_io *io = lb_iolist_read(list, 0, n, p->request, NULL);
  if (!io)
    return false;
  io->flags |= LB_IO_OPTIONAL;
  io->keep[0].to = st->head;
  io->keep[0].length = sizeof st->head;
  return !lb_npz_is_stored(st) || mark(st, io);
}

static bool list_stat(struct lb_npz_reader *st,
                      const struct lb_format_params *p,
                      const struct lb_sample *s, struct lb_iolist *list)
{
  (void)st, (void)p, (void)s;
  return lb_iolist_stat(list);
}

static bool list_tail(struct lb_npz_reader *st,
                      const struct lb_format_params *p,
                      const struct lb_sample *s, struct lb_iolist *list)
{
  uint64_t all = lb_min_u64(p->lean ? LB_ZIP_TAIL : TAIL32, st->size);
  uint64_t end = lb_min_u64(LB_ZIP_END, st->size);
  (void)s;
  return (p->lean ||
          (lb_iolist_read(list, 0, lb_min_u64(LB_PAGE, st->size), 0, NULL) &&
           lb_iolist_stat(list) &&
           lb_iolist_read(list, st->size - end, end, 0, NULL))) &&
         lb_iolist_read(list, st->size - all, all, 0,
                        st->tail + sizeof st->tail - all);
}

static bool list_tail64(struct lb_npz_reader *st,
                        const struct lb_format_params *p,
                        const struct lb_sample *s, struct lb_iolist *list)
{
  uint64_t all = lb_min_u64(LB_ZIP_TAIL, st->size);
  (void)p, (void)s;
  return lb_iolist_read(list, st->size - all, all, 0,
                        st->tail + sizeof st->tail - all);
}

static bool list_directory(struct lb_npz_reader *st,
                           const struct lb_format_params *p,
                           const struct lb_sample *s, struct lb_iolist *list)
{
  (void)p, (void)s;
  return lb_iolist_read(list, st->directory, st->size - st->directory, 0,
                        st->dir);
}

/* NumPy opens the member twice, once for its magic number. */
static bool list_member(struct lb_npz_reader *st,
                        const struct lb_format_params *p,
                        const struct lb_sample *s, struct lb_iolist *list)
{
  uint64_t n = lb_min_u64(LB_NPZ_HEAD, st->size - st->x.at);
  uint32_t request = p->lean ? 0 : LB_PAGE;
  (void)s;
  st->head_bytes = (size_t)n;
  st->at = st->x.at + n;
  bool twice = !p->lean && n > LB_PAGE; /* else it is in the buffer */
  return (!twice || lb_iolist_read(list, st->x.at, n, request, NULL)) &&
         mark(st, lb_iolist_read(list, st->x.at, n, request, st->head));
}

/* One of NumPy's reads, through Python's buffer: whole pages of it go past
 * that, and what is left over comes with the page that it is in. */
static bool list_chunk(struct lb_npz_reader *st,
                       const struct lb_format_params *p, struct lb_iolist *list)
{
  uint64_t end = lb_min_u64(st->chunk + CHUNK, lb_npz_member_end(st));
  uint64_t left = end > st->at ? end - st->at : 0;
  uint64_t pages = left / LB_PAGE * LB_PAGE;
  st->chunk = end;
  if (pages && !mark(st, lb_iolist_read(list, st->at, pages, p->request, NULL)))
    return false;
  st->at += pages;
  if (left == pages)
    return true;
  uint64_t page = lb_min_u64(LB_PAGE, st->size - st->at);
  uint64_t from = st->at;
  st->at += page;
  return mark(st, lb_iolist_read(list, from, page, 0, NULL));
}

static bool list_data(struct lb_npz_reader *st,
                      const struct lb_format_params *p,
                      const struct lb_sample *s, struct lb_iolist *list)
{
  uint64_t end = lb_npz_member_end(st);
  bool good = true;
  (void)s;
  if (p->lean && end > st->at) {
    good =
        mark(st, lb_iolist_read(list, st->at, end - st->at, p->request, NULL));
    st->at = end;
  }
  while (good && st->at < end && list->n < STAGE_READS)
    good = list_chunk(st, p, list);
  st->closed = st->at >= end;
  return good && (!st->closed || lb_iolist_close(list));
}

/* A deflated member is read in pieces, a stage each, which are inflated. */
static int plan_deflated(struct lb_npz_reader *st,
                         const struct lb_format_params *p, bool first,
                         struct lb_iolist *list, struct lb_err *err)
{
  struct lb_npz_inflate *i = &st->inflate;
  if (first)
    lb_npz_inflate_place(i, st->at, lb_npz_member_end(st));
  int rc = lb_npz_inflate_plan(i, p, list, err);
  st->closed = i->done;
  return rc;
}

/* ---- the stages ---- */

/* Begins a sample.  Where the samples begin shows only on the way: what is
 * verified is the archive that `make' writes. */
static int begin(struct lb_npz_reader *st, const struct lb_format_params *p,
                 const struct lb_sample *s, struct lb_err *err)
{
  st->step = p->lean ? LB_NPZ_FIRST : LB_NPZ_LOOK;
  st->closed = false;
  st->content = 0;
  if (p->has_bytes && !p->lean && !s->verify)
    return 0;
  if (assume(st, p, &s->file, err) < 0)
    return -err->code;
  if (!lb_npz_is_stored(st) || (p->has_bytes && !s->verify))
    st->content = 0;
  return 0;
}

static enum lb_npz_step next_step(const struct lb_npz_reader *st,
                                  const struct lb_format_params *p)
{
  switch (st->step) {
  case LB_NPZ_LOOK:
    return LB_NPZ_TAIL;
  case LB_NPZ_FIRST:
    return st->found ? LB_NPZ_DATA : LB_NPZ_STAT;
  case LB_NPZ_TAIL:
    return st->end64 && !p->lean ? LB_NPZ_TAIL64 : LB_NPZ_DIRECTORY;
  case LB_NPZ_DATA:
    return st->closed ? LB_NPZ_DONE : LB_NPZ_DATA;
  default:
    return st->step + 1;
  }
}

int lb_npz_plan(struct lb_reader *r, const struct lb_sample *s, int stage,
                struct lb_iolist *list, struct lb_err *err)
{
  static bool (*const lists[LB_NPZ_DONE])(
      struct lb_npz_reader *, const struct lb_format_params *,
      const struct lb_sample *, struct lb_iolist *) = {
      [LB_NPZ_LOOK] = list_look,     [LB_NPZ_FIRST] = list_first,
      [LB_NPZ_STAT] = list_stat,     [LB_NPZ_TAIL] = list_tail,
      [LB_NPZ_TAIL64] = list_tail64, [LB_NPZ_DIRECTORY] = list_directory,
      [LB_NPZ_MEMBER] = list_member, [LB_NPZ_DATA] = list_data,
  };
  struct lb_npz_reader *st = r->state;
  const struct lb_format_params *p = r->params;
  enum lb_npz_step before = st->step;
  if (stage == 0 && lb_kept_has(&st->kept, &s->file))
    return 0;
  if (stage > 0)
    st->step = next_step(st, p);
  else if (begin(st, p, s, err) < 0)
    return -err->code;
  if (st->step == LB_NPZ_DONE)
    return 0;
  bool first = before != st->step;
  if (first)
    st->chunk = st->array_at;
  int rc = st->step == LB_NPZ_DATA && !lb_npz_is_stored(st)
               ? plan_deflated(st, p, first, list, err)
           : lists[st->step](st, p, s, list) ? 1
                                             : lb_list_full(err);
  if (rc > 0 && st->closed) {
    list->payload_bytes = st->array_bytes;
    lb_kept_add(&st->kept, &s->file);
  }
  return rc;
}
