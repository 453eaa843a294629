/* SPDX-License-Identifier: GPL-3.0-or-later */
/* HDF5 files: dataset records_0 with a row a sample, and labels.  The library
 * writes and reads the metadata (hdf5_lib.c); samples are written and read at
 * their known offsets, outside of the library's lock. */
#include "lb-config.h"

#include "format/hdf5_lib.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "format/handles.h"

/* Offsets and sizes of the parts of a file as the library lays them out when
 * it allocates nothing in blocks: superblock, root group, its tree and heap,
 * the header of records_0 | records_0 | symbol table, header of labels |
 * labels.  `make' checks them against the library's own. */
enum {
  ROOT_AT = 96,
  TREE_AT = 136,
  TREE_BYTES = 544,
  HEAP_AT = 680,
  HEADER_AT = 800,
  RECORDS_AT = 1072,
  SYMBOLS_BYTES = 328,
  LABELS_BEHIND = 600, /* from the end of records_0 */
  GUESS_BYTES = 512,   /* read first of what has no known size */
};

struct hdf5_options {
  struct lb_ints chunk_dims, max_shape;
  int64_t num_dset_per_record;
};
#define OPT(field, ...) LB_OPTION(struct hdf5_options, field, __VA_ARGS__)
static const struct lb_option hdf5_options[] = {
    OPT(chunk_dims, .min = 1, .max = 1e15, .unit = "elements",
        .doc = "Chunk of a dataset along each of its dimensions.",
        .later = "chunked HDF5 datasets"),
    OPT(num_dset_per_record, .def = "1", .min = 1, .max = 1e6,
        .unit = "datasets", .doc = "Datasets that one sample is divided into.",
        .later = "samples divided into several HDF5 datasets"),
    OPT(max_shape, .unit = "elements",
        .doc = "Largest shape that a dataset may be resized to.",
        .later = "resizable HDF5 datasets"),
};

struct hdf5_reader {
  struct lb_kept kept;      /* without bytes: what would be open */
  struct lb_handles open;   /* with bytes and memory */
  struct lb_sample current; /* what the call below is for */
  bool is_open;             /* its file was open before */
  struct lb_h5_found found;
  void *row; /* of a foreign dataset that is not contiguous */
  size_t row_cap;
};

static int hdf5_check(const struct lb_format_params *p, struct lb_err *err)
{
  const struct hdf5_options *o = p->options;
  if (lb_check_plain(p, "hdf5", err) < 0)
    return -err->code;
  if (p->dtype->descr[1] == 'c')
    return lb_err_set(err, LB_USAGE,
                      "dataset.record_element_type: %s with format hdf5 is "
                      "not supported yet",
                      p->dtype->name);
  if (!o)
    return 0;
  if (o->num_dset_per_record > 1)
    return lb_err_set(err, LB_USAGE,
                      "dataset.hdf5.num_dset_per_record: %" PRId64
                      " is not supported yet; only 1 is",
                      o->num_dset_per_record);
  if (o->chunk_dims.n > 0 || o->max_shape.n > 0)
    return lb_err_set(err, LB_USAGE, "dataset.hdf5.%s is not supported yet",
                      o->chunk_dims.n > 0 ? "chunk_dims" : "max_shape");
  return 0;
}

static int hdf5_sizes(const struct lb_format_params *p, const struct lb_file *f,
                      struct lb_file_sizes *out, struct lb_err *err)
{
  int64_t dims[LB_MAX_DIMS];
  int n;
  uint64_t payload;
  if (lb_sample_dims(p, f, dims, &n, err) < 0 ||
      lb_payload_bytes(f, &payload, err) < 0)
    return -err->code;
  *out = (struct lb_file_sizes){
      .file_bytes =
          RECORDS_AT + payload + LABELS_BEHIND + 8 * (uint64_t)f->samples,
      .payload_bytes = payload,
      .memory_bytes = 0, /* handles, no samples */
  };
  return 0;
}

static int hdf5_make(const struct lb_format_params *p, const struct lb_file *f,
                     struct lb_sink *sink, struct lb_err *err)
{
  int64_t dims[LB_H5_DIMS];
  int n;
  uint64_t payload, records_at, labels_at;
  if (lb_sample_dims(p, f, dims + 1, &n, err) < 0 ||
      lb_payload_bytes(f, &payload, err) < 0)
    return -err->code;
  dims[0] = f->samples;
  if (lb_h5_create(sink->path, p->dtype, dims, n + 1, &records_at, &labels_at,
                   err) < 0)
    return -err->code;
  uint64_t labels_want = RECORDS_AT + payload + LABELS_BEHIND;
  if (records_at != RECORDS_AT || labels_at != labels_want)
    return lb_err_set(err, LB_FAILED,
                      "%s: this HDF5 library puts the data at %" PRIu64
                      " and %" PRIu64 ", not at %d and %" PRIu64,
                      sink->path, records_at, labels_at, RECORDS_AT,
                      labels_want);
  if (lb_payload_write(p, f, sink, records_at, payload, NULL, err) < 0)
    return -err->code;
  return lb_zeros_write(sink, labels_at, 8 * (uint64_t)f->samples, NULL, err);
}

static bool hdf5_keeps_open(const struct lb_format_params *p)
{
  return p->memory && p->has_bytes;
}

static uint64_t hdf5_reader_notes(const struct lb_format_params *p)
{
  return hdf5_keeps_open(p) ? lb_handles_bytes(p) : lb_kept_bytes(p);
}

static int hdf5_reader_init(struct lb_reader *r, struct lb_err *err)
{
  struct hdf5_reader *st = r->state;
  const struct lb_format_params *p = r->params;
  return hdf5_keeps_open(p) ? lb_handles_init(&st->open, p, err)
                            : lb_kept_init(&st->kept, p, p->memory, err);
}

static void hdf5_reader_reset(struct lb_reader *r)
{
  struct hdf5_reader *st = r->state;
  lb_handles_close(&st->open, r->params);
  lb_kept_clear(&st->kept, r->params);
}

static void hdf5_reader_fini(struct lb_reader *r)
{
  struct hdf5_reader *st = r->state;
  lb_handles_fini(&st->open, r->params);
  lb_kept_fini(&st->kept);
  free(st->row);
}

/* What opening a file and its dataset asks of the storage, in one call of the
 * library.  Runs in the executor's thread; the descriptor becomes its own. */
static int open_call(void *arg, struct lb_io *io, int fd[LB_IO_SLOTS],
                     struct lb_err *err)
{
  struct lb_reader *r = arg;
  struct hdf5_reader *st = r->state;
  const struct lb_sample *s = &st->current;
  int rc = lb_h5_look(r->params, &s->file, s->in_file, &st->found, &st->row,
                      &st->row_cap, err);
  io->waited_ns = st->found.waited_ns;
  if (rc < 0)
    return err->sys ? -err->sys : -EIO;
  fd[0] = st->found.fd;
  io->result = 0;
  return 0;
}

/* The library's operations, as seen by strace on files made here. */
static int list_open(struct lb_reader *r, const struct lb_file *f,
                     struct lb_iolist *list, struct lb_err *err)
{
  int64_t payload = f->samples * f->sample_bytes;
  struct lb_io lock = {.op = LB_OP_LOCK};
  struct lb_io stat = {.op = LB_OP_STAT, .slot = -1, .path = f->path};
  bool good = lb_iolist_open(list, f->path, r->params->open_flags) &&
              lb_iolist_stat(list) && lb_iolist_add(list, lock) &&
              lb_iolist_read(list, 0, 8, 0, NULL) &&
              lb_iolist_read(list, 0, 16, 0, NULL) &&
              lb_iolist_read(list, 16, ROOT_AT - 16, 0, NULL) &&
              lb_iolist_read(list, ROOT_AT, GUESS_BYTES, 0, NULL) &&
              lb_iolist_add(list, stat) &&
              lb_iolist_read(list, HEAP_AT, GUESS_BYTES, 0, NULL) &&
              lb_iolist_read(list, TREE_AT, TREE_BYTES, 0, NULL) &&
              lb_iolist_read(list, RECORDS_AT + (uint64_t)payload,
                             SYMBOLS_BYTES, 0, NULL) &&
              lb_iolist_read(list, HEADER_AT, GUESS_BYTES, 0, NULL);
  if (!good)
    return lb_list_full(err);
  list->v[0].call = open_call;
  list->v[0].call_arg = r;
  list->v[0].covers = (unsigned)list->n - 1;
  return 1;
}

/* The rows of one sample; then, on demand, the end of the file. */
static int list_sample(struct lb_reader *r, const struct lb_sample *s,
                       struct lb_iolist *list, struct lb_err *err)
{
  const struct hdf5_reader *st = r->state;
  const struct lb_h5_found *found = &st->found;
  bool good = true;
  list->payload_bytes = found->sample_bytes;
  if (found->records_at != LB_H5_NOWHERE) {
    uint64_t at =
        found->records_at + found->sample_bytes * (uint64_t)s->in_file;
    good =
        lb_iolist_read(list, at, found->sample_bytes, r->params->request, NULL);
    if (good && !r->params->memory)
      good = lb_iolist_close(list);
  }
  return good ? 1 : lb_list_full(err);
}

/* The file is open since an earlier sample: lends its descriptor to the list
 * (parse takes it back). */
static bool lend(struct lb_reader *r, const struct lb_file *f)
{
  struct hdf5_reader *st = r->state;
  const struct lb_handle *h = lb_handles_lend(&st->open, r, f);
  if (!h)
    return false;
  st->found.records_at = h->at;
  st->found.sample_bytes = h->sample_bytes;
  return true;
}

/* Stages: the file is opened, the sample is read; only the second when the
 * file is open. */
static int hdf5_plan(struct lb_reader *r, const struct lb_sample *s, int stage,
                     struct lb_iolist *list, struct lb_err *err)
{
  struct hdf5_reader *st = r->state;
  if (!r->params->has_bytes)
    st->found =
        (struct lb_h5_found){.fd = -1,
                             .records_at = RECORDS_AT,
                             .sample_bytes = (uint64_t)s->file.sample_bytes};
  if (stage == 0) {
    st->is_open = lb_kept_has(&st->kept, &s->file) || lend(r, &s->file);
    if (st->is_open)
      return list_sample(r, s, list, err);
    st->current = *s;
    lb_kept_add(&st->kept, &s->file);
    return list_open(r, &s->file, list, err);
  }
  return stage == 1 && !st->is_open ? list_sample(r, s, list, err) : 0;
}

static int hdf5_parse(struct lb_reader *r, const struct lb_sample *s, int stage,
                      const struct lb_iolist *list, struct lb_err *err)
{
  struct hdf5_reader *st = r->state;
  (void)list, (void)err;
  if (stage == 0 && !st->is_open)
    return 0;
  const struct lb_handle known = {.at = st->found.records_at,
                                  .sample_bytes = st->found.sample_bytes};
  lb_handles_take(&st->open, r, &s->file, &known);
  r->samples_seen++;
  r->sample_bytes_seen += st->found.sample_bytes;
  return 0;
}

const struct lb_format lb_format_hdf5 = {
    .name = "hdf5",
    .doc = "HDF5 files: dataset records_0 with a row a sample, and labels.",
    .unavailable = LB_HDF5_UNAVAILABLE,
    .extension = "hdf5",
    .options = hdf5_options,
    .n_options = sizeof hdf5_options / sizeof hdf5_options[0],
    .options_size = sizeof(struct hdf5_options),
    .check = hdf5_check,
    .sizes = hdf5_sizes,
    .make = hdf5_make,
    .calls_library = true,
    .reader_size = sizeof(struct hdf5_reader),
    .reader_init = hdf5_reader_init,
    .reader_fini = hdf5_reader_fini,
    .reader_reset = hdf5_reader_reset,
    .reader_notes = hdf5_reader_notes,
    .keeps_open = hdf5_keeps_open,
    .plan = hdf5_plan,
    .parse = hdf5_parse,
};
