/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The deflated member x of a .npz: made, and read as a stream. */
#ifndef LB_NPZ_DEFLATE_H
#define LB_NPZ_DEFLATE_H

#include "format/zip_stream.h"

/* The archive that np.savez_compressed() makes. */
int lb_npz_make_deflated(const struct lb_format_params *p,
                         const struct lb_file *f, struct lb_sink *sink,
                         struct lb_err *err);

/* A reader's, zeroed at first. */
struct lb_npz_inflate {
  struct lb_zip_reader zip;
  uint64_t at, end;      /* in the file: what is still to be read */
  bool done;             /* all of it is planned */
  uint32_t header_bytes; /* of the array, before the samples */
  /* Of a sample that is verified: */
  bool compares;
  uint64_t taken; /* inflated bytes so far */
  const struct lb_format_params *params;
  struct lb_file file;
};
/* Allocates, once. */
int lb_npz_inflate_init(struct lb_npz_inflate *i,
                        const struct lb_format_params *p, struct lb_err *err);
uint64_t lb_npz_inflate_bytes(const struct lb_format_params *p);
void lb_npz_inflate_fini(struct lb_npz_inflate *i);

/* The member's bytes in the file that its first request left. */
void lb_npz_inflate_place(struct lb_npz_inflate *i, uint64_t at, uint64_t end);
/* The next piece; as the hook of a format. */
int lb_npz_inflate_plan(struct lb_npz_inflate *i,
                        const struct lb_format_params *p,
                        struct lb_iolist *list, struct lb_err *err);
/* header_bytes is set; the member's first bytes follow by lb_zip_read. */
int lb_npz_inflate_begin(struct lb_npz_inflate *i,
                         const struct lb_format_params *p,
                         const struct lb_sample *s,
                         const struct lb_zip_member *x, struct lb_err *err);
/* The piece was read; the last one ends the member. */
int lb_npz_inflate_parse(struct lb_npz_inflate *i, const char *path,
                         const struct lb_iolist *list, struct lb_err *err);

#endif
