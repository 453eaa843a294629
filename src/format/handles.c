/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See handles.h. */
#include "lb-config.h"

#include "format/handles.h"

#include <stdlib.h>
#include <unistd.h>

int lb_handles_init(struct lb_handles *h, const struct lb_format_params *p,
                    struct lb_err *err)
{
  for (int set = 0; set < LB_N_SETS; set++) {
    size_t n = (size_t)p->n_files[set];
    h->file[set] = calloc(n + 1, sizeof *h->file[set]);
    if (!h->file[set])
      return lb_err_set(err, LB_FAILED,
                        "no memory for the handles of %zu files", n);
  }
  return 0;
}

uint64_t lb_handles_bytes(const struct lb_format_params *p)
{
  uint64_t n = 0;
  for (int set = 0; set < LB_N_SETS; set++)
    n += (uint64_t)p->n_files[set] + 1;
  return n * sizeof(struct lb_handle);
}

/* A table outlives its descriptor while that is lent. */
static void close_one(struct lb_handle *h)
{
  if (h->fd > 0)
    close(h->fd - 1);
  free(h->table);
  *h = (struct lb_handle){0};
}

void lb_handles_close(struct lb_handles *h)
{
  for (int set = 0; set < LB_N_SETS; set++) {
    struct lb_used *u = &h->used[set];
    for (int64_t i = u->from; h->file[set] && i < u->to; i++)
      close_one(&h->file[set][i]);
    *u = (struct lb_used){0, 0};
  }
}

void lb_handles_fini(struct lb_handles *h)
{
  lb_handles_close(h);
  for (int set = 0; set < LB_N_SETS; set++)
    free(h->file[set]);
}

const struct lb_handle *lb_handles_lend(struct lb_handles *h,
                                        struct lb_reader *r,
                                        const struct lb_file *f)
{
  struct lb_handle *mine = h->file[f->set] ? &h->file[f->set][f->index] : NULL;
  if (!mine || !mine->fd)
    return NULL;
  r->fd[0] = mine->fd - 1;
  mine->fd = 0;
  return mine;
}

void lb_handles_take(struct lb_handles *h, struct lb_reader *r,
                     const struct lb_file *f, const struct lb_handle *known)
{
  if (!h->file[f->set] || r->fd[0] < 0)
    return;
  struct lb_handle *mine = &h->file[f->set][f->index];
  lb_used_add(&h->used[f->set], f->index);
  *mine = *known;
  mine->fd = r->fd[0] + 1;
  r->fd[0] = -1;
}
