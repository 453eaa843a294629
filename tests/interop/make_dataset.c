/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes one dataset file, or reads one as a loader would, for checks against
 * other programs' writers and readers.
 *
 *   make_dataset make|read|decode|verify|trace FORMAT PATH SAMPLES
 *                SAMPLE_BYTES DTYPE SET INDEX [KEY=VALUE...] [DIM...]
 *
 * KEY is compression, level, sets, chunks or max (integers with commas),
 * chunk_size.
 *
 * make prints the planned size of the file; read prints what reading its last
 * sample has cost, and so does decode, which has reader.decode on; verify also
 * compares it with what make writes; trace prints the operations that read the
 * sample in the middle, requests as large as they come.  Key lean (1) is
 * reader.call_profile.  Exit status 77: that is not in this build. */
#include "lb-config.h"

#include "loadbank/format.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/hdf5_shape.h"
#include "unit/format_fixture.h"

static int make(const struct lb_format *format,
                const struct lb_format_params *p, const struct lb_file *f,
                struct lb_err *err)
{
  struct lb_file_sizes sizes;
  if (format->check(p, err) < 0 || format->sizes(p, f, &sizes, err) < 0 ||
      fixture_make(format, p, f, err) < 0)
    return -err->code;
  printf("%" PRIu64 "\n", sizes.file_bytes);
  return 0;
}

/* Requests: reader.transfer_size cuts none. */
static void print_read(const struct lb_io *io, uint32_t transfer_size)
{
  uint64_t at = 0, n = io->length;
  if (io->request && io->request != transfer_size)
    n = io->request;
  do {
    uint64_t left = io->length - at;
    printf("read %" PRIu64 " %" PRIu64 "\n", io->offset + at,
           left < n ? left : n);
    at += n;
  } while (at < io->length);
}

static void print_list(const struct lb_iolist *list, uint32_t transfer_size)
{
  for (size_t i = 0; i < list->n; i++)
    if (list->v[i].op == LB_OP_READ)
      print_read(&list->v[i], transfer_size);
    else
      printf("%s\n", lb_op_names[list->v[i].op]);
}

/* The lists of the last sample, of the file that is there. */
static int trace(const struct lb_format *format,
                 const struct lb_format_params *p, const struct lb_file *f,
                 struct lb_err *err)
{
  struct fixture x;
  struct lb_reader r;
  struct lb_iolist list;
  struct lb_sample s = {.file = *f, .in_file = f->samples / 2};
  if (!fixture_init(&x))
    return lb_err_set(err, LB_FAILED, "no storage");
  lb_iolist_init(&list);
  if (lb_reader_init(&r, format, p, err) == 0) {
    for (int stage = 0; format->plan(&r, &s, stage, &list, err) > 0; stage++) {
      print_list(&list, p->request);
      if (lb_storage_run(x.storage, &list, r.fd, &x.thread, err) < 0 ||
          format->parse(&r, &s, stage, &list, err) < 0)
        break;
      lb_iolist_clear(&list);
    }
    lb_storage_release(x.storage, r.fd);
    lb_reader_fini(&r);
  }
  lb_iolist_fini(&list);
  fixture_fini(&x);
  return -err->code;
}

static int read_last(const struct lb_format *format,
                     const struct lb_format_params *p, const struct lb_file *f,
                     bool verify, struct lb_err *err)
{
  struct fixture x;
  struct lb_reader r;
  struct cost c = {.stages = 0};
  struct lb_sample s = {
      .file = *f, .in_file = f->samples - 1, .verify = verify};
  if (!fixture_init(&x))
    return lb_err_set(err, LB_FAILED, "no storage");
  if (lb_reader_init(&r, format, p, err) == 0) {
    fixture_read(&x, &r, &s, &c, err);
    lb_storage_release(x.storage, r.fd);
    if (!err->code)
      printf("open %" PRIu64 " read %" PRIu64 " bytes %" PRIu64
             " payload %" PRIu64 " sample %" PRIu64 "\n",
             c.count[LB_OP_OPEN], c.count[LB_OP_READ], c.bytes[LB_OP_READ],
             c.payload, r.sample_bytes_seen);
    lb_reader_fini(&r);
  }
  fixture_fini(&x);
  return -err->code;
}

static void take_ints(const char *text, struct lb_ints *to)
{
  for (char *end; *text; text = *end ? end + 1 : end)
    to->v[to->n++] = strtoll(text, &end, 10);
}

static void take(const char *arg, struct lb_format_params *p,
                 struct lb_h5_options *o)
{
  const char *value = strchr(arg, '=');
  if (!value)
    p->dims[p->n_dims++] = strtoll(arg, NULL, 10);
  else if (!strncmp(arg, "compression", 11))
    snprintf(p->compression, sizeof p->compression, "%s", value + 1);
  else if (!strncmp(arg, "level", 5))
    p->compression_level = (int)strtol(value + 1, NULL, 10);
  else if (!strncmp(arg, "lean", 4))
    p->lean = value[1] == '1';
  else if (!strncmp(arg, "sets", 4))
    o->num_dset_per_record = strtoll(value + 1, NULL, 10);
  else if (!strncmp(arg, "chunks", 6))
    take_ints(value + 1, &o->chunk_dims);
  else if (!strncmp(arg, "max", 3))
    take_ints(value + 1, &o->max_shape);
  else if (!strncmp(arg, "chunk_size", 10))
    p->chunk_size = strtoll(value + 1, NULL, 10);
  p->chunking = p->chunk_size > 0;
}

int main(int argc, char **argv)
{
  struct lb_err err = LB_ERR_INIT;
  struct lb_h5_options options = {.num_dset_per_record = 1};
  if (argc < 9 || argc > 20) {
    fprintf(stderr, "see the comment in make_dataset.c\n");
    return 2;
  }
  const struct lb_format *format = lb_format_find(argv[2]);
  int64_t samples = strtoll(argv[4], NULL, 10);
  struct lb_format_params p = fixture_params(samples);
  struct lb_file f = {.set =
                          strcmp(argv[7], "valid") ? LB_SET_TRAIN : LB_SET_EVAL,
                      .index = strtoll(argv[8], NULL, 10),
                      .samples = samples,
                      .sample_bytes = strtoll(argv[5], NULL, 10),
                      .path = argv[3]};
  p.dtype = lb_dtype_find(argv[6]);
  p.decode = !strcmp(argv[1], "decode");
  p.compression_level = 4;
  for (int i = 9; i < argc; i++)
    take(argv[i], &p, &options);
  if (!format || !p.dtype)
    return 2;
  if (format->unavailable)
    return 77;
  if (p.decode && format->check(&p, &err))
    return 77;
  if (format == &lb_format_hdf5)
    p.options = &options;
  if (!strcmp(argv[1], "make"))
    make(format, &p, &f, &err);
  else if (!strcmp(argv[1], "trace"))
    trace(format, &p, &f, &err);
  else
    read_last(format, &p, &f, !strcmp(argv[1], "verify"), &err);
  if (err.code)
    fprintf(stderr, "%s\n", err.msg);
  return err.code;
}
