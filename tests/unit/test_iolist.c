/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lists: how they are built, cut in requests, and what they cost. */
#include "lb-config.h"

#include "loadbank/iolist.h"

#include <string.h>

#include "tap.h"

static void requests_cover_the_length(void)
{
  static const struct {
    enum lb_op op;
    uint64_t length;
    uint32_t request;
    uint64_t want;
  } rows[] = {
      {LB_OP_READ, 1000, 0, 1},
      {LB_OP_READ, 1000, 1000, 1},
      {LB_OP_READ, 1000, 999, 2},
      {LB_OP_READ, 1000, 2000, 1},
      {LB_OP_READ, 0, 100, 1},
      {LB_OP_WRITE, 1 << 20, 4096, 256},
      {LB_OP_WRITE, 4097, 4096, 2},
      {LB_OP_READ, UINT64_MAX, UINT32_C(1) << 31, 1llu << 33},
      {LB_OP_OPEN, 0, 0, 1},
      {LB_OP_SYNC, 1000, 10, 1},
      {LB_OP_LIST, 65536, 4096, 1},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct lb_io io = {
        .op = rows[i].op, .length = rows[i].length, .request = rows[i].request};
    is_int(lb_io_requests(&io), rows[i].want, "%s of %llu by %u",
           lb_op_names[io.op], (unsigned long long)io.length, io.request);
  }
}

static void cost_adds_up(void)
{
  struct lb_iolist l;
  lb_iolist_init(&l);
  uint64_t count[LB_N_OPS] = {0}, bytes[LB_N_OPS] = {0};
  lb_iolist_cost(&l, count, bytes);
  is_int(count[LB_OP_OPEN], 0, "an empty list costs nothing");
  lb_iolist_open(&l, "f", LB_IO_WRITE);
  lb_iolist_stat(&l);
  lb_iolist_read(&l, 0, 1000, 300, NULL);
  lb_iolist_read(&l, 5000, 24, 0, NULL);
  struct lb_io *w = lb_iolist_write(&l, 7, 600, 100, "x");
  ok(w->offset == 7 && w->length == 600 && w->request == 100 && w->slot == 0,
     "what is added can be seen");
  lb_iolist_close(&l);
  lb_iolist_add(&l, (struct lb_io){.op = LB_OP_UNLINK, .path = "f"});
  lb_iolist_cost(&l, count, bytes);
  static const int want[LB_N_OPS] = {
      [LB_OP_OPEN] = 1,  [LB_OP_STAT] = 1,  [LB_OP_READ] = 5,
      [LB_OP_WRITE] = 6, [LB_OP_CLOSE] = 1, [LB_OP_UNLINK] = 1};
  for (int op = 0; op < LB_N_OPS; op++)
    is_int(count[op], want[op], "count of %s", lb_op_names[op]);
  is_int(bytes[LB_OP_READ], 1024, "bytes read");
  is_int(bytes[LB_OP_WRITE], 600, "bytes written");
  lb_iolist_cost(&l, count, bytes);
  is_int(count[LB_OP_READ], 10, "cost adds to what was there");
  lb_iolist_fini(&l);
}

static void memory_is_kept(void)
{
  struct lb_iolist l;
  lb_iolist_init(&l);
  for (int i = 0; i < 1000; i++)
    lb_iolist_read(&l, (uint64_t)i, 1, 0, NULL);
  bool all = l.n == 1000;
  for (size_t i = 0; i < l.n; i++)
    all &= l.v[i].offset == i;
  ok(all, "growing keeps what was there");
  l.payload_bytes = 5;
  struct lb_io *v = l.v;
  lb_iolist_clear(&l);
  ok(l.n == 0 && l.payload_bytes == 0, "clear empties");
  for (int i = 0; i < 1000; i++)
    lb_iolist_close(&l);
  ok(l.v == v, "and the next use allocates nothing");
  memset(l.v, 0xff, l.n * sizeof *l.v);
  lb_iolist_clear(&l);
  bool fresh = true;
  for (uint64_t i = 0; i < 1500; i++) {
    struct lb_io want;
    memset(&want, 0, sizeof want);
    want.op = LB_OP_READ;
    want.offset = i;
    want.length = 2;
    fresh &= !memcmp(lb_iolist_read(&l, i, 2, 0, NULL), &want, sizeof want);
  }
  ok(fresh, "nor has it anything of the use before");
  lb_iolist_fini(&l);
  ok(!l.v && !l.n && !l.cap, "fini leaves an empty list");
}

int main(void)
{
  requests_cover_the_length();
  cost_adds_up();
  memory_is_kept();
  is_str(lb_op_names[LB_OP_OPEN], "open", "names of operations");
  is_str(lb_op_names[LB_OP_LOCK], "lock", "the last one");
  return done();
}
