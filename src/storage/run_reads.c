/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Many READs of a list in one go, where each is one request and nothing is to
 * be done with its bytes: small records and chunks of columns.  They are
 * counted behind the last one: what stands between two system calls costs
 * several times of what it costs elsewhere. */
#include "lb-config.h"

#include "loadbank/clock.h"
#include "storage/storage_impl.h"

static bool is_plain(const struct lb_run *r, const struct lb_io *io)
{
  bool one = !io->request || io->length <= io->request;
  bool fits = io->buf || io->length <= r->t->scratch_bytes;
  return io->op == LB_OP_READ && one && fits && !io->call && !io->flags &&
         !io->keep[0].length && !io->keep[1].length &&
         !lb_direct_align(r->s, lb_io_file(io, r->fd));
}

/* Does nobody want to know more of a READ than its time? */
static bool may_run_many(const struct lb_run *r)
{
  return r->s->backend->read_many && !r->s->tell_cache && !r->t->inspect &&
         !r->t->metadata;
}

/* n of them have brought all of their bytes. */
static void count(struct lb_run *r, struct lb_io *io, const struct lb_reads *v,
                  size_t n)
{
  lb_iostats_add_reads(r->t->stats, r->t->phase, io, r->last_ns, v->done_ns, n);
  for (size_t i = 0; i < n; i++)
    io[i].result = (int64_t)io[i].length;
  if (n)
    r->last_ns = v->done_ns[n - 1];
}

/* At most LB_READS_MAX; less than there are: the next one is odd. */
static size_t run_some(struct lb_run *r, size_t i)
{
  struct lb_io *io = &r->l->v[i];
  size_t left = r->l->n - i, n = 0;
  while (n < left && n < LB_READS_MAX && is_plain(r, &io[n]))
    n++;
  if (n == 0)
    return 0;
  struct lb_reads v;
  v.io = io;
  v.n = n;
  v.fd = r->fd;
  v.scratch = r->t->scratch;
  if (!r->last_ns)
    r->last_ns = lb_clock_ns();
  size_t full = r->s->backend->read_many(r->s->self, &v);
  count(r, io, &v, full);
  if (full < n) {
    r->tried = true;
    r->first_rc = v.other;
  }
  return full;
}

size_t lb_run_reads(struct lb_run *r, size_t i)
{
  size_t total = 0, n = LB_READS_MAX;
  if (!may_run_many(r))
    return 0;
  for (; n == LB_READS_MAX && i + total < r->l->n; total += n)
    n = run_some(r, i + total);
  return total;
}
