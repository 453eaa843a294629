/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A reader of .npz archives; the functions are hooks of struct lb_format.
 * Only for src/format. */
#ifndef LB_FORMAT_NPZ_READ_H
#define LB_FORMAT_NPZ_READ_H

#include "format/npz_deflate.h"

enum {
  LB_NPZ_DIRECTORY_MAX = 8192,
  LB_NPZ_HEAD = 2 * LB_PAGE /* of a member, for its header and the array's */
};

/* What a stage does. */
enum lb_npz_step {
  LB_NPZ_LOOK,      /* open, stat */
  LB_NPZ_FIRST,     /* lean: open, and the member from where it should be */
  LB_NPZ_STAT,      /* lean, when it is not there */
  LB_NPZ_TAIL,      /* end record */
  LB_NPZ_TAIL64,    /* zip64 end record */
  LB_NPZ_DIRECTORY, /* central directory */
  LB_NPZ_MEMBER,    /* the member's beginning */
  LB_NPZ_DATA,      /* what is left of it; several stages */
  LB_NPZ_DONE
};

struct lb_npz_reader {
  struct lb_kept kept;
  enum lb_npz_step step;
  uint64_t size;                       /* of the file */
  uint64_t directory, directory_bytes; /* central directory */
  bool end64;                          /* it has a zip64 end record */
  struct lb_zip_member x;
  uint64_t array_bytes;
  uint64_t data;         /* where the member's own bytes begin ... */
  uint64_t array_at;     /* ... and its array behind the header */
  uint64_t content;      /* the same of samples as they are; 0: they are not */
  uint64_t at;           /* of the member, read up to here */
  uint64_t chunk;        /* NumPy's next read ends here */
  bool closed;           /* the list that ends the sample was planned */
  uint64_t sample_bytes; /* as found */
  unsigned char tail[LB_ZIP_TAIL];
  unsigned char dir[LB_NPZ_DIRECTORY_MAX];
  unsigned char head[LB_NPZ_HEAD];
  size_t head_bytes; /* that are in it */
  bool found;        /* lean: the member is where it should be */
  /* Of a stored member that is verified: its checksum up to crc_at. */
  uint32_t crc;
  uint64_t crc_at;
  struct lb_npz_inflate inflate; /* of a deflated member */
};

static inline bool lb_npz_is_stored(const struct lb_npz_reader *st)
{
  return st->x.method == LB_ZIP_STORED;
}

/* Behind the member in the archive. */
static inline uint64_t lb_npz_member_end(const struct lb_npz_reader *st)
{
  return st->data + st->x.size;
}

int lb_npz_reader_init(struct lb_reader *r, struct lb_err *err);
void lb_npz_reader_fini(struct lb_reader *r);
void lb_npz_reader_reset(struct lb_reader *r);
uint64_t lb_npz_reader_notes(const struct lb_format_params *p);
int lb_npz_plan(struct lb_reader *r, const struct lb_sample *s, int stage,
                struct lb_iolist *list, struct lb_err *err);
int lb_npz_parse(struct lb_reader *r, const struct lb_sample *s, int stage,
                 const struct lb_iolist *list, struct lb_err *err);
int lb_npz_inspect(struct lb_reader *r, const struct lb_sample *s,
                   const struct lb_io *io, uint64_t at, const void *bytes,
                   size_t n, struct lb_err *err);

#endif
