/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counters: cells, merging, and what a thread brings along. */
#include "lb-config.h"

#include "loadbank/iostats.h"

#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "loadbank/storage.h"
#include "tap.h"

static void cells_come_with_use(void)
{
  struct lb_iostats s, t;
  lb_iostats_init(&s);
  lb_iostats_init(&t);
  ok(!s.cell[LB_PHASE_TRAIN][LB_OP_READ], "no cell before its first use");
  lb_iostats_add(&s, LB_PHASE_TRAIN, LB_OP_READ, 100, 4096, false);
  lb_iostats_add(&s, LB_PHASE_TRAIN, LB_OP_READ, 300, 10, true);
  lb_iostats_add(&t, LB_PHASE_TRAIN, LB_OP_READ, 50, 1, false);
  lb_iostats_add(&t, LB_PHASE_EVAL, LB_OP_OPEN, 7, 0, false);
  struct lb_iostat *c = s.cell[LB_PHASE_TRAIN][LB_OP_READ];
  ok(c && c->ns.count == 2 && c->bytes == 4106 && c->errors == 1,
     "count, bytes, errors");
  lb_iostats_merge(&s, &t);
  ok(c->ns.count == 3 && c->bytes == 4107 && c->ns.min == 50 &&
         c->ns.max == 300,
     "merge adds to the cell");
  c = s.cell[LB_PHASE_EVAL][LB_OP_OPEN];
  ok(c && c->ns.count == 1 && c->ns.min == 7, "and makes missing ones");
  ok(!s.cell[LB_PHASE_EVAL][LB_OP_READ], "but no others");
  is_int(s.lost, 0, "nothing was lost");
  lb_iostats_fini(&s);
  lb_iostats_fini(&t);
  ok(!s.cell[LB_PHASE_TRAIN][LB_OP_READ], "fini leaves none");
}

static void many_count_as_each(void)
{
  static const uint64_t end[] = {150, 400, 401, 5000000000};
  enum { N = sizeof end / sizeof *end };
  struct lb_io io[N] = {{.length = 5}, {.length = 7}, {0}, {.length = 100}};
  struct lb_iostats s, t;
  uint64_t start = 100;
  lb_iostats_init(&s);
  lb_iostats_init(&t);
  s.pace.base_s = t.pace.base_s = 0;
  lb_iostats_add_reads(&s, LB_PHASE_TRAIN, io, start, end, N);
  for (int i = 0; i < N; i++) {
    const struct lb_done done = {.phase = LB_PHASE_TRAIN,
                                 .op = LB_OP_READ,
                                 .ns = end[i] - start,
                                 .end_ns = end[i],
                                 .bytes = io[i].length};
    lb_iostats_count(&t, &done);
    start = end[i];
  }
  ok(!memcmp(s.cell[LB_PHASE_TRAIN][LB_OP_READ],
             t.cell[LB_PHASE_TRAIN][LB_OP_READ], sizeof(struct lb_iostat)),
     "reads that are added together count as if each was added");
  for (uint64_t second = 0; second <= 5; second += 5)
    ok(!memcmp(lb_pace_at(&s.pace, second), lb_pace_at(&t.pace, second),
               sizeof(struct lb_pace_second)),
       "and in their seconds");
  lb_iostats_fini(&s);
  lb_iostats_fini(&t);
}

static void rows_are_complete(void)
{
  bool good = true;
  for (int p = 0; p < LB_N_PHASES; p++)
    good &= lb_phases[p].name && lb_phases[p].doc &&
            lb_phases[p].doc[strlen(lb_phases[p].doc) - 1] == '.';
  ok(good, "every phase has a name and a sentence");
  is_str(lb_phases[LB_PHASE_SAVE].name, "checkpoint_save", "name of a phase");
}

static void thread_brings_scratch(void)
{
  struct lb_iothread t;
  struct lb_err err = LB_ERR_INIT;
  is_int(lb_iothread_init(&t, 100001, &err), 0, "a thread");
  ok(t.scratch && (uintptr_t)t.scratch % (size_t)sysconf(_SC_PAGESIZE) == 0,
     "its scratch is aligned to pages");
  ok(t.scratch_bytes == 100001 && t.phase == LB_PHASE_SETUP && t.stats,
     "and the rest");
  lb_iothread_fill(&t);
  size_t zeros = 0;
  for (size_t i = 0; i < t.scratch_bytes; i++)
    zeros += ((char *)t.scratch)[i] == 0;
  ok(zeros < t.scratch_bytes / 64, "filled scratch is not full of zeros");
  lb_iothread_fini(&t);
  is_int(lb_iothread_init(&t, 0, &err), 0, "a thread without scratch");
  ok(!t.scratch && t.stats, "has counters all the same");
  lb_iothread_fini(&t);
  is_int(lb_iothread_init(&t, SIZE_MAX, &err), -LB_FAILED, "too much scratch");
  is_str(err.msg,
         "18446744073709551615 bytes of scratch: Cannot allocate memory "
         "(errno 12)",
         "says so");
  lb_iothread_fini(&t);
}

int main(void)
{
  cells_come_with_use();
  many_count_as_each();
  rows_are_complete();
  thread_brings_scratch();
  return done();
}
