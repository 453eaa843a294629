/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of src/storage share. */
#ifndef STORAGE_IMPL_H
#define STORAGE_IMPL_H

#include <stddef.h>
#include <stdint.h>

#include "loadbank/storage.h"

#define X(n) extern const struct lb_backend lb_backend_##n;
LB_BACKEND_LIST(X)
#undef X

/* One list on its way through a blocking backend. */
struct lb_run {
  struct lb_storage *s;
  struct lb_iolist *l;
  int *fd; /* [LB_IO_SLOTS] */
  struct lb_iothread *t;
  int expected; /* an errno that is an answer, not a failure; 0: none */
  int answer;   /* out: the last operation had the expected errno */
};

/* Runs operation i, and with it those that its call covers; *next is the one
 * after. */
int lb_run_operation(struct lb_run *r, size_t i, size_t *next,
                     struct lb_err *err);

/* After a request of a READ: whoever wants to look at its bytes does, and the
 * time of that is booked. */
int lb_run_inspect(struct lb_iothread *t, const struct lb_io *io, uint64_t at,
                   const void *bytes, size_t n, struct lb_err *err);

/* The name of an open file from the kernel, for messages; false: unknown. */
bool lb_fd_path(int fd, char *text, size_t size);

#endif
