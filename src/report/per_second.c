/* SPDX-License-Identifier: GPL-3.0-or-later */
/* per_second.csv: requests and bytes of all ranks, second by second from the
 * one in which the run began. */
#include "lb-config.h"

#include <inttypes.h>

#include "loadbank/buf.h"
#include "loadbank/clock.h"
#include "loadbank/wholefile.h"
#include "report/report_impl.h"

enum { AT_ONCE = 1024, VALUES = 2 * LB_N_PACES };
static const size_t max_bytes = (size_t)1 << 28;

/* This rank's values of n seconds from `first' on. */
static void take(const struct lb_pace *p, uint64_t first, size_t n,
                 uint64_t *out)
{
  for (size_t i = 0; i < n; i++, out += VALUES) {
    const struct lb_pace_second *s = p ? lb_pace_at(p, first + i) : NULL;
    for (int k = 0; k < LB_N_PACES; k++) {
      out[k] = s ? s->count[k] : 0;
      out[LB_N_PACES + k] = s ? s->bytes[k] : 0;
    }
  }
}

static void put_names(struct lb_buf *b)
{
  lb_buf_puts(b, "second");
  for (int k = 0; k < LB_N_PACES; k++)
    lb_buf_printf(b, ",%s_requests", lb_pace_names[k]);
  for (int k = 0; k < LB_N_PACES; k++)
    lb_buf_printf(b, ",%s_bytes", lb_pace_names[k]);
  lb_buf_puts(b, "\n");
}

static void put(struct lb_buf *b, uint64_t second, const uint64_t *v)
{
  lb_buf_printf(b, "%" PRIu64, second);
  for (int k = 0; k < VALUES; k++)
    lb_buf_printf(b, ",%" PRIu64, v[k]);
  lb_buf_puts(b, "\n");
}

void lb_report_per_second(const struct lb_world *w, const struct lb_report *r,
                          struct lb_err *err)
{
  uint64_t first = r->start_ns / LB_NS_PER_S, n = 0;
  if (r->pace && r->pace->n && r->pace->base_s + r->pace->n > first)
    n = r->pace->base_s + r->pace->n - first;
  lb_world_max_u64(w, &n, 1);
  uint64_t v[AT_ONCE * VALUES];
  struct lb_buf b;
  lb_buf_init(&b, max_bytes);
  put_names(&b);
  for (uint64_t at = 0; at < n; at += AT_ONCE) {
    size_t part = n - at < AT_ONCE ? (size_t)(n - at) : AT_ONCE;
    take(r->pace, first + at, part, v);
    lb_world_sum_u64(w, v, (int)part * VALUES);
    for (size_t i = 0; w->rank == 0 && i < part; i++)
      put(&b, at + i, &v[i * VALUES]);
  }
  if (w->rank == 0 && b.failed)
    lb_err_set(err, LB_FAILED, "no memory for " LB_PACE_FILE);
  else if (w->rank == 0 && n)
    lb_write_file(r->folder, LB_PACE_FILE, b.data, b.len, err);
  lb_buf_fini(&b);
}
