/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reading of hdf5 files: the hooks of its row.  Only for hdf5*.c. */
#ifndef LB_HDF5_READ_H
#define LB_HDF5_READ_H

#include "format/handles.h"
#include "format/hdf5_filter.h"
#include "format/hdf5_lib.h"

/* Offsets and sizes of the parts of a plain file as the library lays them out
 * when it allocates nothing in blocks: superblock, root group, its tree and
 * heap, the header of records_0 | records_0 | symbol table, header of labels |
 * labels.  `make' checks them against the library's own. */
enum {
  LB_H5_RECORDS_AT = 1072,
  LB_H5_LABELS_BEHIND = 600, /* from the end of records_0 */
};

struct lb_h5_reader {
  struct lb_kept kept;      /* without bytes: what would be open */
  struct lb_handles open;   /* with bytes and memory */
  struct lb_sample current; /* what the call in the list is for */
  bool is_open;             /* its file was open before */
  struct lb_h5_found found; /* the file that it is in */
  int64_t unit, n_units;    /* chunks of the sample: listed, in all */
  uint64_t inside;          /* bytes of chunk `unit' listed, when in parts */
  int64_t packed_unit;      /* that `packed' has; -1: none */
  unsigned char *packed;    /* a chunk as it is in the file */
  size_t packed_cap;
  struct lb_h5_unpacked unpacked;
};

bool lb_h5_keeps_open(const struct lb_format_params *p);
uint64_t lb_h5_reader_notes(const struct lb_format_params *p);
int lb_h5_reader_init(struct lb_reader *r, struct lb_err *err);
void lb_h5_reader_reset(struct lb_reader *r);
void lb_h5_reader_fini(struct lb_reader *r);
int lb_h5_plan(struct lb_reader *r, const struct lb_sample *s, int stage,
               struct lb_iolist *list, struct lb_err *err);
bool lb_h5_append(struct lb_reader *r, const struct lb_sample *s,
                  struct lb_iolist *list);
int lb_h5_parse(struct lb_reader *r, const struct lb_sample *s, int stage,
                const struct lb_iolist *list, struct lb_err *err);
int lb_h5_inspect(struct lb_reader *r, const struct lb_sample *s,
                  const struct lb_io *io, uint64_t at, const void *bytes,
                  size_t n, struct lb_err *err);

/* The list of opening a file that looks as `make' would have written it. */
bool lb_h5_list_open(const struct lb_format_params *p, const struct lb_file *f,
                     const struct lb_h5_shape *s, int64_t row,
                     struct lb_iolist *list);

#endif
