/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the tests of formats share: a file is made in a temporary folder and
 * read back over local_fs, stage by stage, as a loader would. */
#ifndef FORMAT_FIXTURE_H
#define FORMAT_FIXTURE_H

#include "loadbank/format.h"
#include "loadbank/storage.h"

struct fixture {
  struct lb_storage *storage;
  struct lb_iothread thread;
  char path[512]; /* of file() */
};

/* What reading a sample has cost. */
struct cost {
  uint64_t count[LB_N_OPS], bytes[LB_N_OPS], payload;
  int stages;
};

bool fixture_init(struct fixture *x);
void fixture_fini(struct fixture *x);

/* Flat samples of uint8, one file of each set, seed 10. */
struct lb_format_params fixture_params(int64_t samples);
struct lb_file fixture_file(struct fixture *x, const char *name,
                            int64_t samples, int64_t sample_bytes);

int fixture_make(const struct lb_format *format,
                 const struct lb_format_params *p, const struct lb_file *f,
                 struct lb_err *err);
/* A reader, until fixture_end_reader. */
struct lb_reader fixture_reader(const struct lb_format *format,
                                const struct lb_format_params *p);
void fixture_end_reader(struct fixture *x, struct lb_reader *r);
/* A reader's way of one sample; adds to cost. */
int fixture_read(struct fixture *x, struct lb_reader *r,
                 const struct lb_sample *s, struct cost *cost,
                 struct lb_err *err);
/* With a reader of its own; err->msg says why not. */
int fixture_read_once(struct fixture *x, const struct lb_format *format,
                      const struct lb_format_params *p, const struct lb_file *f,
                      struct cost *cost, struct lb_err *err);

/* All its samples by one reader, each compared with what should be there. */
int fixture_verify(struct fixture *x, const struct lb_format *format,
                   const struct lb_format_params *p, const struct lb_file *f,
                   struct lb_err *err);
/* The same; adds to cost. */
int fixture_verify_cost(struct fixture *x, const struct lb_format *format,
                        const struct lb_format_params *p,
                        const struct lb_file *f, struct cost *cost,
                        struct lb_err *err);

/* The file's bytes (free them), or NULL. */
unsigned char *fixture_slurp(const char *path, size_t *n);
/* Writes a file; its old content is lost. */
bool fixture_spit(const char *path, const void *bytes, size_t n);

#endif
