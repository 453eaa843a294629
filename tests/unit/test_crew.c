/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The crew: everybody does its part, the first failure is the job's, giving up
 * ends it, and jobs follow each other. */
#include "lb-config.h"

#include "loadbank/crew.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>

#include "loadbank/clock.h"
#include "tap.h"

enum { MEMBERS = 5 };
#define MS UINT64_C(1000000)

static void prepare(const void *arg, struct lb_iothread *io)
{
  memset(io->scratch, *(const int *)arg, io->scratch_bytes);
}

static struct lb_crew *hire(int members)
{
  static const int sign = 7;
  struct lb_err err = LB_ERR_INIT;
  struct lb_crew *c = NULL;
  const struct lb_crew_config config = {.members = members,
                                        .buffer_bytes = 4096,
                                        .prepare = prepare,
                                        .prepare_arg = &sign};
  ok(lb_crew_new(&c, &config, &err) == 0, "a crew of %d %s", members, err.msg);
  return c;
}

struct tally {
  struct lb_crew *crew;
  atomic_int calls[MEMBERS];
  atomic_int prepared;
  int fails;          /* member that fails; -1: none */
  atomic_bool all_in; /* they wait until they are told to go on no more */
};

static int count(void *arg, int member, struct lb_iothread *io,
                 struct lb_err *err)
{
  struct tally *t = arg;
  (void)err;
  atomic_fetch_add(&t->calls[member], 1);
  atomic_fetch_add(&t->prepared, ((char *)io->scratch)[4095] == 7);
  lb_iostats_add(io->stats, io->phase, LB_OP_WRITE, 1, 10, false);
  lb_iostats_add(io->stats, io->phase, LB_OP_READ, 1, 3, false);
  lb_crew_goes_on(io);
  return 0;
}

static int fail_or_wait(void *arg, int member, struct lb_iothread *io,
                        struct lb_err *err)
{
  struct tally *t = arg;
  if (member == t->fails)
    return lb_err_sys(err, LB_FAILED, ENOSPC, "member %d", member);
  while (lb_crew_goes_on(io))
    lb_clock_sleep_until(lb_clock_ns() + MS / 10);
  return lb_err_give_up(err, "a file");
}

static void test_parts(void)
{
  struct tally t = {.crew = hire(MEMBERS)};
  struct lb_err err = LB_ERR_INIT;
  int right = 0, moved = 0;
  for (int job = 0; job < 100; job++) {
    lb_crew_start(t.crew, count, &t, job % 2 ? LB_PHASE_SAVE : LB_PHASE_LOAD);
    lb_crew_wait(t.crew, LB_NEVER);
    right += lb_crew_result(t.crew, &err) == 0;
    moved += lb_crew_moved(t.crew) == (job % 2 ? 10 : 3) * MEMBERS;
  }
  is_int(right, 100, "100 jobs without a failure");
  is_int(moved, 100, "the bytes of each: written, of loads read");
  for (int m = 0; m < MEMBERS; m++)
    is_int(t.calls[m], 100, "member %d has done its part of each", m);
  is_int(t.prepared, 100 * MEMBERS, "with the buffer that was prepared");
  struct lb_iostats sum;
  lb_iostats_init(&sum);
  lb_crew_stats(t.crew, &sum);
  is_int(sum.cell[LB_PHASE_SAVE][LB_OP_WRITE]->ns.count, 50 * MEMBERS,
         "operations are counted by phase");
  is_int(sum.cell[LB_PHASE_LOAD][LB_OP_WRITE]->bytes, 500 * MEMBERS, "bytes");
  lb_iostats_fini(&sum);
  lb_crew_free(t.crew);
}

static void test_failure(void)
{
  struct tally t = {.crew = hire(MEMBERS)};
  struct lb_err err = LB_ERR_INIT;
  for (t.fails = 0; t.fails < MEMBERS; t.fails++) {
    lb_crew_start(t.crew, fail_or_wait, &t, LB_PHASE_SAVE);
    ok(lb_crew_wait(t.crew, LB_NEVER), "one fails and the others give up");
    ok(lb_crew_result(t.crew, &err) == -LB_FAILED && err.sys == ENOSPC,
       "whose failure it was: %s", err.msg);
  }
  err = (struct lb_err)LB_ERR_INIT;
  lb_crew_start(t.crew, count, &t, LB_PHASE_SAVE);
  ok(lb_crew_wait(t.crew, LB_NEVER) && lb_crew_result(t.crew, &err) == 0,
     "the next job is not touched by it");
  lb_crew_free(t.crew);
}

static void test_give_up(void)
{
  struct tally t = {.crew = hire(MEMBERS), .fails = -1};
  struct lb_err err = LB_ERR_INIT;
  lb_crew_start(t.crew, fail_or_wait, &t, LB_PHASE_SAVE);
  ok(!lb_crew_wait(t.crew, lb_clock_ns() + 2 * MS), "still at work");
  lb_crew_give_up(t.crew);
  ok(lb_crew_wait(t.crew, LB_NEVER), "it ends");
  ok(lb_crew_result(t.crew, &err) < 0 && lb_err_gave_up(&err), "given up: %s",
     err.msg);
  lb_crew_free(t.crew);
  lb_crew_free(NULL);
}

int main(void)
{
  test_parts();
  test_failure();
  test_give_up();
  return done();
}
