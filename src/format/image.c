/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See image.h: a reader's way through a file, generation, comparison.  What a
 * JPEG or a PNG file looks like is not known here. */
#include "lb-config.h"

#include "format/image.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "loadbank/differs.h"

/* Stages: LOOK, HEAD, and then as many as the file takes. */
enum { LOOK, HEAD, REST };
/* Operations of one list. */
enum { STAGE_READS = 64 };
/* An image may be so many times as large as the sample that was configured
 * (JPEG: or as its file): a block of 64 pixels takes a byte at least. */
enum { MOST_TIMES = 64 };

int64_t lb_image_root(int64_t n)
{
  int64_t r = (int64_t)sqrt((double)n);
  while (r * r > n)
    r--;
  while ((r + 1) * (r + 1) <= n)
    r++;
  return r;
}

/* A buffer of n bytes at least; its content is lost when it grows. */
static void *room(void *old, size_t *cap, uint64_t n, struct lb_err *err)
{
  if (n <= *cap)
    return old;
  free(old);
  void *bytes = malloc((size_t)n);
  *cap = bytes ? (size_t)n : 0;
  if (!bytes)
    lb_err_set(err, LB_FAILED, "no memory for %" PRIu64 " bytes of an image",
               n);
  return bytes;
}

int lb_pixels_room(struct lb_pixels *px, uint64_t width, uint64_t height,
                   uint64_t channels, uint64_t most, struct lb_err *err)
{
  uint64_t n;
  if (__builtin_mul_overflow(width, height, &n) ||
      __builtin_mul_overflow(n, channels, &n) || n > most)
    return lb_err_set(err, LB_FAILED,
                      "an image of %" PRIu64 " x %" PRIu64 " x %" PRIu64
                      " bytes; what was configured is far smaller, at most "
                      "%" PRIu64 " are decoded (dataset.record_length_bytes)",
                      width, height, channels, most);
  px->bytes = room(px->bytes, &px->cap, n, err);
  return -err->code;
}

/* ---- making it ---- */

int lb_image_check(const struct lb_image *im, const struct lb_format_params *p,
                   struct lb_err *err)
{
  if (lb_check_plain(p, im->name, err) < 0)
    return -err->code;
  if (p->samples_per_file > 1)
    return lb_err_set(err, LB_USAGE,
                      "dataset.num_samples_per_file: %" PRId64
                      " with format %s: a file is one image, and that is one "
                      "sample",
                      p->samples_per_file, im->name);
  if (strcmp(p->dtype->name, "uint8") != 0)
    return lb_err_set(err, LB_USAGE,
                      "dataset.record_element_type: %s with format %s: pixels "
                      "are uint8",
                      p->dtype->name, im->name);
  if (p->decode && !im->decode)
    return lb_err_set(err, LB_USAGE,
                      "reader.decode: this build has no library that decodes "
                      "%s; install it and configure again",
                      im->name);
  return 0;
}

/* Refuses what the format cannot be. */
static int begin(const struct lb_image *im, const struct lb_format_params *p,
                 const struct lb_file *f, struct lb_image_stream *s,
                 struct lb_err *err)
{
  int64_t dims[LB_MAX_DIMS];
  int n;
  if (lb_sample_dims(p, f, dims, &n, err) < 0)
    return -err->code;
  if (f->samples != 1)
    return lb_err_set(err, LB_USAGE,
                      "a %s file of %" PRId64 " samples: it has one", im->name,
                      f->samples);
  if (f->sample_bytes < im->least || f->sample_bytes > im->most)
    return lb_err_set(err, LB_USAGE,
                      "a %s of %" PRId64 " bytes: possible are %" PRId64
                      " to %" PRId64 " (dataset.record_length_bytes)",
                      im->name, f->sample_bytes, im->least, im->most);
  *s = (struct lb_image_stream){.p = p, .set = f->set, .index = f->index};
  return im->begin(s, f, err);
}

int lb_image_sizes(const struct lb_image *im, const struct lb_format_params *p,
                   const struct lb_file *f, struct lb_file_sizes *out,
                   struct lb_err *err)
{
  struct lb_image_stream s = {.end = 0};
  if (begin(im, p, f, &s, err) < 0)
    return -err->code;
  *out = (struct lb_file_sizes){.file_bytes = s.end,
                                .payload_bytes = (uint64_t)f->sample_bytes,
                                .memory_bytes = im->pixels(&s)};
  return 0;
}

int lb_image_make(const struct lb_image *im, const struct lb_format_params *p,
                  const struct lb_file *f, struct lb_sink *sink,
                  struct lb_err *err)
{
  struct lb_image_stream s = {.end = 0};
  if (begin(im, p, f, &s, err) < 0)
    return -err->code;
  while (s.at < s.end) {
    uint64_t at = s.at;
    size_t n = (size_t)lb_min_u64(sink->scratch_bytes, s.end - at);
    im->next(&s, sink->scratch, n);
    if (sink->write(sink, at, sink->scratch, n, err) < 0)
      return -err->code;
  }
  return 0;
}

/* ---- a reader's life ---- */

int lb_image_reader_init(struct lb_reader *r, struct lb_err *err)
{
  struct lb_image_reader *st = r->state;
  return lb_kept_init(&st->kept, r->params, r->params->memory, err);
}

void lb_image_reader_reset(struct lb_reader *r)
{
  struct lb_image_reader *st = r->state;
  lb_kept_clear(&st->kept);
}

void lb_image_reader_fini(struct lb_reader *r)
{
  struct lb_image_reader *st = r->state;
  lb_kept_fini(&st->kept);
  free(st->whole);
  free(st->pixels.bytes);
}

/* ---- the lists ---- */

/* Without bytes the file is the one that `make' would have written. */
static int assume(const struct lb_image *im, struct lb_reader *r,
                  const struct lb_sample *s, struct lb_err *err)
{
  struct lb_image_reader *st = r->state;
  struct lb_image_stream made = {.end = 0};
  if (begin(im, r->params, &s->file, &made, err) < 0)
    return -err->code;
  st->size = made.end;
  st->payload = (uint64_t)s->file.sample_bytes;
  return 0;
}

static bool decodes(const struct lb_reader *r)
{
  return r->params->decode && r->params->has_bytes;
}

/* Where the file's byte `at', the first of a request of n, is put. */
static unsigned char *place(const struct lb_reader *r, uint64_t at, uint64_t n)
{
  struct lb_image_reader *st = r->state;
  if (decodes(r))
    return st->whole + at;
  if (at == 0 && st->size > LB_IMAGE_END)
    return st->head;
  if (n > LB_IMAGE_PIECE || st->size - at > LB_IMAGE_END)
    return NULL;
  if (!st->known)
    st->known = st->size - at;
  return st->tail + sizeof st->tail - (st->size - at);
}

static bool list_read(struct lb_reader *r, struct lb_iolist *list, uint64_t n)
{
  struct lb_image_reader *st = r->state;
  unsigned char *to = place(r, st->at, n);
  bool good = lb_iolist_read(list, st->at, n, r->params->request, to);
  st->at += n;
  return good;
}

/* Lean, n bytes: of a file that is not decoded only the beginning and the end
 * are looked at. */
static bool list_lean(struct lb_reader *r, struct lb_iolist *list, uint64_t n)
{
  struct lb_image_reader *st = r->state;
  uint64_t at = st->at, end = at + n;
  uint64_t tail = st->size - lb_min_u64(LB_PAGE, st->size);
  struct lb_io *io = lb_iolist_read(list, at, n, r->params->request,
                                    decodes(r) ? st->whole + at : NULL);
  st->at = end;
  if (!io || decodes(r))
    return io;
  if (at == 0) {
    io->keep[0].to = st->head;
    io->keep[0].length = (size_t)lb_min_u64(LB_PAGE, n);
  }
  if (end > tail) {
    uint64_t from = at > tail ? at : tail;
    st->known = st->size - tail;
    io->keep[1].to = st->tail + sizeof st->tail - (st->size - from);
    io->keep[1].from = from - at;
    io->keep[1].length = (size_t)(end - from);
  }
  return true;
}

/* Of the first request, which has the header in it. */
static uint64_t first_bytes(const struct lb_reader *r)
{
  const struct lb_image_reader *st = r->state;
  uint64_t n = r->params->request;
  if (!r->params->lean || (n && n < LB_PAGE))
    n = LB_PAGE;
  return n ? lb_min_u64(n, st->size) : st->size;
}

/* The next requests; behind the last of them the file is closed. */
static bool list_rest(const struct lb_image *im, struct lb_reader *r,
                      struct lb_iolist *list)
{
  struct lb_image_reader *st = r->state;
  bool good = true;
  if (r->params->lean && st->at < st->size)
    good = list_lean(r, list, st->size - st->at);
  for (int i = 0; good && i < STAGE_READS && st->at < st->size; i++)
    good = list_read(r, list, im->request(st->size, st->at));
  if (st->at < st->size)
    return good;
  list->payload_bytes = st->payload;
  return good && lb_iolist_close(list);
}

static int list_look(const struct lb_image *im, struct lb_reader *r,
                     const struct lb_sample *s, struct lb_iolist *list,
                     struct lb_err *err)
{
  struct lb_image_reader *st = r->state;
  st->at = st->known = 0;
  if (!r->params->has_bytes && assume(im, r, s, err) < 0)
    return -err->code;
  return lb_iolist_open(list, s->file.path, r->params->open_flags) &&
                 lb_iolist_stat(list)
             ? 1
             : lb_list_full(err);
}

int lb_image_plan(const struct lb_image *im, struct lb_reader *r,
                  const struct lb_sample *s, int stage, struct lb_iolist *list,
                  struct lb_err *err)
{
  struct lb_image_reader *st = r->state;
  if (stage == LOOK)
    return lb_kept_has(&st->kept, &s->file) ? 0
                                            : list_look(im, r, s, list, err);
  if (stage == HEAD) {
    bool (*list_it)(struct lb_reader *, struct lb_iolist *, uint64_t) =
        r->params->lean ? list_lean : list_read;
    return list_it(r, list, first_bytes(r)) ? 1 : lb_list_full(err);
  }
  if (stage > REST && st->at == st->size)
    return 0;
  if (!list_rest(im, r, list))
    return lb_list_full(err);
  if (st->at == st->size)
    lb_kept_add(&st->kept, &s->file);
  return 1;
}

/* ---- what was read ---- */

static uint64_t most_bytes(const struct lb_sample *s, uint64_t size)
{
  uint64_t most = (uint64_t)s->file.sample_bytes;
  most = size > most ? size : most;
  return most > UINT64_MAX / MOST_TIMES ? UINT64_MAX : MOST_TIMES * most;
}

static int parse_size(struct lb_reader *r, const struct lb_sample *s,
                      uint64_t size, struct lb_err *err)
{
  struct lb_image_reader *st = r->state;
  st->size = size;
  if (size == 0)
    return lb_err_set(err, LB_FAILED, "%s: empty file", s->file.path);
  if (!decodes(r))
    return 0;
  if (size > most_bytes(s, 0))
    return lb_err_set(err, LB_FAILED,
                      "%s: %" PRIu64 " bytes; what was configured is far "
                      "smaller, at most %" PRIu64
                      " are decoded (dataset.record_length_bytes)",
                      s->file.path, size, most_bytes(s, 0));
  st->whole = room(st->whole, &st->whole_cap, size, err);
  return -err->code;
}

/* The file is read to its end. */
static int parse_end(const struct lb_image *im, struct lb_reader *r,
                     const struct lb_sample *s, struct lb_err *err)
{
  struct lb_image_reader *st = r->state;
  size_t n = decodes(r) ? (size_t)st->size : (size_t)st->known;
  const unsigned char *end =
      decodes(r) ? st->whole + n : st->tail + sizeof st->tail;
  n = n > LB_PAGE ? LB_PAGE : n;
  if (!im->ended(end - n, n))
    return lb_err_set(err, LB_FAILED,
                      "%s: cut short: %" PRIu64
                      " bytes without the mark of a %s's end",
                      s->file.path, st->size, im->name);
  if (decodes(r) && im->decode(st->whole, (size_t)st->size, &st->pixels,
                               most_bytes(s, st->size), err) < 0)
    return lb_err_wrap(err, "%s: cannot be decoded", s->file.path);
  r->samples_seen++;
  r->sample_bytes_seen += st->payload;
  return 0;
}

int lb_image_parse(const struct lb_image *im, struct lb_reader *r,
                   const struct lb_sample *s, int stage,
                   const struct lb_iolist *list, struct lb_err *err)
{
  struct lb_image_reader *st = r->state;
  if (stage == LOOK)
    return parse_size(r, s, (uint64_t)list->v[1].result, err);
  if (stage == HEAD)
    return im->head(list->v[0].buf ? list->v[0].buf : st->head,
                    (size_t)lb_min_u64(LB_PAGE, st->at), s, st->size,
                    &st->payload, err);
  return st->at == st->size ? parse_end(im, r, s, err) : 0;
}

/* ---- is it what was made? ---- */

/* is[0..n), which are at `at' of the file, differ.  Only runs of a PNG's pixels
 * are content as it is, so what cannot be traced may be anything. */
static int differs(const struct lb_image *im, const struct lb_format_params *p,
                   const struct lb_sample *s, uint64_t at,
                   const unsigned char *is, size_t n, unsigned want,
                   struct lb_err *err)
{
  char instead[200];
  bool traced = lb_differs_traced(p, is, n, instead, sizeof instead);
  return lb_err_set(err, LB_FAILED,
                    "%s: sample %" PRId64 ": byte %" PRIu64
                    " of the file is 0x%02x, and 0x%02x in the %s that "
                    "dataset.seed %" PRIu64 " makes%s%s",
                    s->file.path, s->in_file, at, *is, want, im->name,
                    p->content_seed, traced ? ": " : "", traced ? instead : "");
}

int lb_image_inspect(const struct lb_image *im, struct lb_reader *r,
                     const struct lb_sample *s, const struct lb_io *io,
                     uint64_t at, const void *bytes, size_t n,
                     struct lb_err *err)
{
  struct lb_image_reader *st = r->state;
  struct lb_image_stream *made = &st->stream;
  const unsigned char *is = bytes;
  unsigned char want[LB_PAGE];
  if (io->offset + at == 0) {
    if (begin(im, r->params, &s->file, made, err) < 0)
      return -err->code;
    if (made->end != st->size)
      return lb_err_set(err, LB_FAILED,
                        "%s: %" PRIu64 " bytes, and %" PRIu64
                        " in the %s that dataset.seed %" PRIu64 " makes",
                        s->file.path, st->size, made->end, im->name,
                        r->params->content_seed);
  }
  for (size_t done = 0; done < n;) {
    size_t part = (size_t)lb_min_u64(sizeof want, n - done);
    uint64_t from = made->at;
    im->next(made, want, part);
    if (memcmp(want, is + done, part) != 0) {
      size_t i = 0;
      while (want[i] == is[done + i])
        i++;
      return differs(im, r->params, s, from + i, is + done + i, n - done - i,
                     want[i], err);
    }
    done += part;
  }
  return 0;
}
