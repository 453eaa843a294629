/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See handles.h. */
#include "lb-config.h"

#include "format/handles.h"

#include <endian.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

enum { ENTRIES = 2, ENTRY_BYTES = sizeof(uint64_t) }; /* of a sample */
/* The largest table of a file that a reader keeps. */
#define TABLE_MAX ((int64_t)256 << 20)

/* With what it would have said so far. */
static int begin_table(struct lb_handle *h, int64_t samples, const char *path,
                       struct lb_err *err)
{
  int64_t bytes;
  if (__builtin_mul_overflow(samples, ENTRIES * (int64_t)ENTRY_BYTES, &bytes) ||
      bytes > TABLE_MAX)
    return lb_err_set(err, LB_FAILED,
                      "%s: samples of different sizes or at different "
                      "distances: of more than %" PRId64
                      " a file that is not supported",
                      path, TABLE_MAX / (ENTRIES * ENTRY_BYTES));
  h->table = malloc((size_t)bytes);
  if (!h->table)
    return lb_err_set(err, LB_FAILED, "%s: no memory for its %" PRId64 " bytes",
                      path, bytes);
  for (int64_t i = 0; i < samples; i++) {
    h->table[i] = (uint64_t)i * h->at;
    h->table[samples + i] = h->sample_bytes;
  }
  return 0;
}

int lb_handle_put(struct lb_handle *h, enum lb_place what, int64_t samples,
                  int64_t i, uint64_t value, const char *path,
                  struct lb_err *err)
{
  /* The first entries say how the others must go on. */
  if (what == LB_PLACE_AT && i == 1 && !h->table)
    h->at = value;
  if (what == LB_PLACE_BYTES && i == 0)
    h->sample_bytes = value;
  uint64_t expected =
      what == LB_PLACE_AT ? (uint64_t)i * h->at : h->sample_bytes;
  if (!h->table && value == expected)
    return 0;
  if (!h->table && begin_table(h, samples, path, err) < 0)
    return -err->code;
  /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): it is there by now */
  h->table[(what == LB_PLACE_BYTES ? samples : 0) + i] = value;
  return 0;
}

uint64_t lb_handle_expects(const struct lb_handle *h, enum lb_place what,
                           uint64_t i, const uint64_t *entry, uint64_t n)
{
  uint64_t step = what == LB_PLACE_AT ? h->at : 0, k = 0;
  uint64_t next = what == LB_PLACE_AT ? i * h->at : h->sample_bytes;
  if (h->table || i < 2)
    return 0;
  while (k < n && le64toh(entry[k]) == next && next <= INT64_MAX / 2) {
    next += step;
    k++;
  }
  return k;
}

uint64_t lb_handle_end(const struct lb_handle *h, int64_t samples)
{
  uint64_t end = 0, at, bytes;
  for (int64_t i = h->table ? 0 : samples - 1; i < samples; i++) {
    lb_handle_find(h, samples, i, &at, &bytes);
    if (at + bytes > end)
      end = at + bytes;
  }
  return end;
}

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
  for (int i = 0; i < LB_HANDLE_FILES; i++)
    if (h->fd[i] > 0)
      close(h->fd[i] - 1);
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
  if (!lb_handles_get(h, f))
    return NULL;
  struct lb_handle *mine = &h->file[f->set][f->index];
  for (int i = 0; i < LB_HANDLE_FILES; i++) {
    r->fd[i] = mine->fd[i] - 1;
    mine->fd[i] = 0;
  }
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
  for (int i = 0; i < LB_HANDLE_FILES; i++) {
    mine->fd[i] = r->fd[i] + 1;
    r->fd[i] = -1;
  }
}
