/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Formats that add samples to a list of others' (lb_format.append): what they
 * add is what their plan of the same sample is, they refuse what takes more,
 * and a list over several files brings the bytes of each. */
#include "lb-config.h"

#include "loadbank/content.h"
#include "loadbank/format.h"

#include <stdio.h>
#include <string.h>

#include "format_fixture.h"
#include "tap.h"

enum { SAMPLES = 40, BYTES = 300, FILES = 2 };

static struct fixture x;

static bool same_read(const struct lb_io *a, const struct lb_io *b)
{
  return a->op == LB_OP_READ && b->op == LB_OP_READ && a->offset == b->offset &&
         a->length == b->length && a->request == b->request &&
         a->content.skip == b->content.skip &&
         a->content.length == b->content.length &&
         a->content.at == b->content.at;
}

/* Is what append lists the one stage that plan lists?  That may take the
 * file's descriptor from the reader, into a slot. */
static bool as_planned(struct lb_reader *r, const struct lb_sample *s)
{
  struct lb_err err = LB_ERR_INIT;
  struct lb_iolist one, other;
  lb_iolist_init(&one);
  lb_iolist_init(&other);
  bool same = r->format->append(r, s, &one) &&
              r->format->plan(r, s, 0, &other, &err) == 1 && one.n == 1 &&
              other.n == 1 && one.payload_bytes == other.payload_bytes &&
              same_read(&one.v[0], &other.v[0]);
  same = same && lb_io_file(&one.v[0], r->fd) == lb_io_file(&other.v[0], r->fd);
  lb_iolist_fini(&one);
  lb_iolist_fini(&other);
  return same;
}

/* Does the READ bring the content of the file's sample? */
static bool brings(const struct lb_io *io, const unsigned char *bytes,
                   const struct lb_sample *s)
{
  unsigned char want[BYTES];
  lb_content_fill(10, s->file.set, s->file.index, (uint64_t)s->in_file * BYTES,
                  want, BYTES);
  return io->result == (int64_t)io->length &&
         !memcmp(bytes + io->content.skip, want, BYTES);
}

/* All samples of both files in turn, in one list. */
static void check_list(struct lb_reader *r, const struct lb_file file[FILES])
{
  static unsigned char bytes[FILES * SAMPLES][4 * 4096];
  struct lb_err err = LB_ERR_INIT;
  struct lb_iolist list;
  const char *name = r->format->name;
  int listed = 0, good = 0;
  uint64_t seen = r->samples_seen;
  lb_iolist_init(&list);
  for (int i = 0; i < FILES * SAMPLES; i++) {
    struct lb_sample s = {.file = file[i % FILES], .in_file = i / FILES};
    s.file.path = NULL;
    listed += r->format->append(r, &s, &list);
  }
  is_int(listed, FILES * SAMPLES, "%s: all samples share a list", name);
  is_int(list.payload_bytes, FILES * SAMPLES * BYTES, "%s: payload", name);
  is_int(r->samples_seen - seen, FILES * SAMPLES, "%s: seen", name);
  for (size_t i = 0; i < list.n; i++)
    list.v[i].buf = bytes[i];
  is_int(lb_storage_run(x.storage, &list, r->fd, &x.thread, &err), 0,
         "%s: the list is run", name);
  for (size_t i = 0; i < list.n; i++)
    good += brings(&list.v[i], bytes[i],
                   &(struct lb_sample){.file = file[i % FILES],
                                       .in_file = (int64_t)i / FILES});
  is_int(good, FILES * SAMPLES, "%s: ... and brings each sample", name);
  lb_iolist_fini(&list);
}

static void check_format(const struct lb_format *f)
{
  struct lb_format_params p = fixture_params(SAMPLES);
  struct lb_err err = LB_ERR_INIT;
  struct lb_reader r;
  struct lb_iolist list;
  struct lb_file file[FILES];
  char path[FILES][600];
  struct cost cost = {0};
  p.n_files[LB_SET_TRAIN] = FILES;
  p.memory = true;
  lb_reader_init(&r, f, &p, &err);
  lb_iolist_init(&list);
  for (int i = 0; i < FILES; i++) {
    char name[32];
    snprintf(name, sizeof name, "append%d", i);
    file[i] = fixture_file(&x, name, SAMPLES, BYTES);
    snprintf(path[i], sizeof path[i], "%s", x.path);
    file[i].path = path[i];
    file[i].index = i;
    fixture_make(f, &p, &file[i], &err);
    struct lb_sample s = {.file = file[i]};
    ok(!f->append(&r, &s, &list) && list.n == 0,
       "%s: a file that is not open takes more", f->name);
    fixture_read(&x, &r, &s, &cost, &err);
    is_str(err.msg, "", "%s: a sample is read", f->name);
  }
  for (int i = 0; i < FILES; i++)
    fixture_read(&x, &r, &(struct lb_sample){.file = file[i]}, &cost, &err);
  struct lb_sample s = {.file = file[FILES - 1], .in_file = SAMPLES / 2};
  if (f != lb_format_find("mmap_indexed_binary"))
    check_list(&r, file);
  ok(as_planned(&r, &s), "%s: what it adds is its plan", f->name);
  lb_iolist_fini(&list);
  lb_storage_release(x.storage, r.fd);
  lb_reader_fini(&r);
}

int main(void)
{
  int n = 0;
  if (!ok(fixture_init(&x), "storage"))
    return done();
  for (const struct lb_format *const *f = lb_formats; *f; f++)
    if ((*f)->append && !(*f)->unavailable) {
      check_format(*f);
      n++;
    }
  ok(n >= 2 + (lb_format_find("hdf5")->unavailable == NULL), "%d formats do",
     n);
  fixture_fini(&x);
  return done();
}
