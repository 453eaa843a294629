/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See npz_deflate.h.  What comes out is dropped: inflating is a reader's work,
 * as it is NumPy's. */
#include "lb-config.h"

#include "format/npz_deflate.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "loadbank/content.h"
#include "loadbank/differs.h"

enum { PIECE_MIN = 65536, CONTENT = 4096 };

/* ---- making ---- */

/* The array's header, then its bytes: content, or zeros. */
static int put_array(const struct lb_format_params *p, const struct lb_file *f,
                     const struct lb_npy_array *a, bool content,
                     struct lb_zip_writer *w, struct lb_err *err)
{
  char header[LB_NPY_HEADER_MAX];
  struct lb_sink *sink = w->sink;
  lb_npy_header_make(a, header);
  if (lb_zip_write(w, header, a->header_bytes, err) < 0)
    return -err->code;
  for (uint64_t done = 0; done < a->bytes;) {
    size_t n = (size_t)lb_min_u64(LB_PACK_PIECE, a->bytes - done);
    if (content)
      lb_content_fill(p->content_seed, f->set, f->index, done, sink->scratch,
                      n);
    else
      memset(sink->scratch, 0, n);
    if (lb_zip_write(w, sink->scratch, n, err) < 0)
      return -err->code;
    done += n;
  }
  return 0;
}

/* Its local header, which stands before it, is written last. */
static int put_member(const struct lb_format_params *p, const struct lb_file *f,
                      const struct lb_npy_array *a, const char *name,
                      struct lb_zip_member *m, struct lb_sink *sink,
                      struct lb_err *err)
{
  unsigned char local[80];
  struct lb_zip_writer w;
  if (lb_zip_writer_begin(&w, sink, m->at + lb_zip_local_size(m, name),
                          p->compression_level, err) < 0)
    return -err->code;
  if (put_array(p, f, a, name[0] == 'x', &w, err) == 0)
    lb_zip_writer_end(&w, m, err);
  lb_zip_writer_fini(&w);
  if (err->code)
    return -err->code;
  size_t n = lb_zip_local(m, name, local);
  return sink->write(sink, m->at, local, n, err);
}

int lb_npz_make_deflated(const struct lb_format_params *p,
                         const struct lb_file *f, struct lb_sink *sink,
                         struct lb_err *err)
{
  struct lb_npz_layout l;
  unsigned char directory[400];
  if (lb_npz_lay_out(p, f, &l, err) < 0 ||
      put_member(p, f, &l.x_array, "x.npy", &l.x, sink, err) < 0)
    return -err->code;
  lb_npz_place(&l);
  if (put_member(p, f, &l.y_array, "y.npy", &l.y, sink, err) < 0)
    return -err->code;
  lb_npz_place(&l);
  size_t n = lb_npz_directory(&l, directory);
  return sink->write(sink, l.directory, directory, n, err);
}

/* ---- reading ---- */

/* Whole requests. */
static size_t piece_bytes(const struct lb_format_params *p)
{
  size_t n = p->request ? p->request : PIECE_MIN;
  return n < PIECE_MIN ? PIECE_MIN / n * n : n;
}

int lb_npz_inflate_init(struct lb_npz_inflate *i,
                        const struct lb_format_params *p, struct lb_err *err)
{
  return lb_zip_reader_init(&i->zip, piece_bytes(p), err);
}

uint64_t lb_npz_inflate_bytes(const struct lb_format_params *p)
{
  return lb_zip_reader_bytes(piece_bytes(p));
}

void lb_npz_inflate_fini(struct lb_npz_inflate *i)
{
  lb_zip_reader_fini(&i->zip);
}

void lb_npz_inflate_place(struct lb_npz_inflate *i, uint64_t at, uint64_t end)
{
  i->at = at;
  i->end = end;
  i->done = false;
}

int lb_npz_inflate_plan(struct lb_npz_inflate *i,
                        const struct lb_format_params *p,
                        struct lb_iolist *list, struct lb_err *err)
{
  bool good = true;
  if (i->done)
    return 0;
  if (i->at < i->end) {
    uint64_t n = lb_min_u64(piece_bytes(p), i->end - i->at);
    good = lb_iolist_read(list, i->at, n, p->request, i->zip.piece);
    i->at += n;
  }
  if (i->at >= i->end) {
    i->done = true;
    good = good && lb_iolist_close(list);
  }
  return good ? 1 : lb_list_full(err);
}

static int compare(const struct lb_npz_inflate *i, uint64_t at,
                   const unsigned char *bytes, size_t n, struct lb_err *err)
{
  unsigned char want[CONTENT];
  char place[64];
  for (size_t done = 0; done < n;) {
    size_t m = (size_t)lb_min_u64(sizeof want, n - done), k = 0;
    lb_content_fill(i->params->content_seed, i->file.set, i->file.index,
                    at + done, want, m);
    if (memcmp(want, bytes + done, m) != 0) {
      while (want[k] == bytes[done + k])
        k++;
      snprintf(place, sizeof place,
               "byte %" PRIu64 " of member 'x.npy' as inflated",
               at + done + k + i->header_bytes);
      const struct lb_differs d = {.params = i->params,
                                   .file = &i->file,
                                   .in_payload = at + done + k,
                                   .place = place,
                                   .got = bytes + done + k,
                                   .n = n - done - k};
      return lb_differs_say(&d, err);
    }
    done += m;
  }
  return 0;
}

static int take(void *arg, const void *bytes, size_t n, struct lb_err *err)
{
  struct lb_npz_inflate *i = arg;
  uint64_t at = i->taken, header = i->header_bytes;
  size_t skip = at < header ? (size_t)lb_min_u64(header - at, n) : 0;
  i->taken += n;
  if (!i->compares || skip == n)
    return 0;
  return compare(i, at + skip - header, (const unsigned char *)bytes + skip,
                 n - skip, err);
}

int lb_npz_inflate_begin(struct lb_npz_inflate *i,
                         const struct lb_format_params *p,
                         const struct lb_sample *s,
                         const struct lb_zip_member *x, struct lb_err *err)
{
  uint64_t planned;
  if (lb_payload_bytes(&s->file, &planned, err) < 0 ||
      lb_npz_inflate_init(i, p, err) < 0)
    return -err->code;
  i->compares = s->verify;
  i->taken = 0;
  i->params = p;
  i->file = s->file;
  return lb_zip_reader_begin(&i->zip, x, s->file.path, planned, take, i, err);
}

int lb_npz_inflate_parse(struct lb_npz_inflate *i, const char *path,
                         const struct lb_iolist *list, struct lb_err *err)
{
  const struct lb_io *io = &list->v[0];
  if (io->op == LB_OP_READ &&
      lb_zip_read(&i->zip, i->zip.piece, (size_t)io->length, err) < 0)
    return -err->code;
  return i->done ? lb_zip_reader_end(&i->zip, path, err) : 0;
}
