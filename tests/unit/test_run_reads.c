/* SPDX-License-Identifier: GPL-3.0-or-later */
/* READs that are made many at a time: which ones are, that a call is not made
 * again when it brought a part, and that they are counted as if each had been
 * made alone.  The storage is one of the test's own, with known answers. */
#include "lb-config.h"

#include <errno.h>
#include <string.h>

#include "loadbank/clock.h"
#include "loadbank/storage.h"
#include "tap.h"

enum { SCRATCH = 1000, BYTES = 100, STEP_NS = 1000, ALL = 1 << 20 };

/* What is asked of it, and what it answers. */
static struct {
  int many, alone;    /* calls */
  size_t least, most; /* READs of a call of read_many */
  uint64_t offset, length;
  int64_t odd; /* which READ, counted over all calls, is answered so: */
  int64_t answer;
  int64_t made;
} mock;

static int64_t mock_perform(void *self, struct lb_io *io, int fd[LB_IO_SLOTS],
                            uint64_t offset, void *buf, size_t length)
{
  (void)self, (void)io, (void)fd, (void)buf;
  mock.alone++;
  mock.offset = offset;
  mock.length = length;
  return (int64_t)length;
}

/* The k-th READ of a call takes k steps. */
static size_t mock_read_many(void *self, struct lb_reads *v)
{
  (void)self;
  uint64_t now = lb_clock_ns();
  mock.many++;
  mock.least = v->n < mock.least ? v->n : mock.least;
  mock.most = v->n > mock.most ? v->n : mock.most;
  for (size_t k = 0; k < v->n; k++) {
    if (mock.made++ == mock.odd) {
      v->other = mock.answer;
      return k;
    }
    v->done_ns[k] = now += k * STEP_NS;
  }
  return v->n;
}

static int mock_open(void **self, const void *options,
                     const struct lb_storage_env *env, struct lb_err *err)
{
  (void)options, (void)env, (void)err;
  *self = NULL;
  return 0;
}

static void mock_close(void *self)
{
  (void)self;
}

static const struct lb_backend backend = {
    .name = "mock",
    .doc = "Answers as told.",
    .open = mock_open,
    .close = mock_close,
    .perform = mock_perform,
    .read_many = mock_read_many,
};

static struct lb_storage *s;
static struct lb_iothread t;
static struct lb_iolist l;
static struct lb_err err;
static int fd[LB_IO_SLOTS] = {-1, -1, -1, -1};

/* n READs of BYTES, one behind the other. */
static void list(size_t n)
{
  lb_iolist_clear(&l);
  for (size_t i = 0; i < n; i++)
    lb_iolist_read(&l, i * BYTES, BYTES, 0, NULL);
}

static int run(int64_t odd, int64_t answer)
{
  memset(&mock, 0, sizeof mock);
  mock.odd = odd;
  mock.answer = answer;
  mock.least = ALL;
  err = (struct lb_err)LB_ERR_INIT;
  lb_iostats_fini(t.stats);
  lb_iostats_init(t.stats);
  return lb_storage_run(s, &l, fd, &t, &err);
}

static uint64_t counted(void)
{
  const struct lb_iostat *c = t.stats->cell[t.phase][LB_OP_READ];
  return c ? c->ns.count : 0;
}

static void all_are_counted(void)
{
  enum { N = 150 };
  list(N);
  is_int(run(ALL, 0), 0, "a long list");
  is_int(mock.many, 3, "in three calls");
  ok(mock.most == LB_READS_MAX && mock.least == N - 2 * LB_READS_MAX,
     "of as many as there may be, and the rest");
  is_int(mock.alone, 0, "none alone");
  const struct lb_iostat *c = t.stats->cell[t.phase][LB_OP_READ];
  is_int(counted(), N, "each is counted");
  is_int(c->bytes, N * BYTES, "and its bytes");
  is_int(c->errors, 0, "no errors");
  int results = 0;
  for (size_t i = 0; i < l.n; i++)
    results += l.v[i].result == BYTES;
  is_int(results, N, "all have their results");
  is_int(c->ns.bucket[lb_histogram_bucket(20 * STEP_NS)] > 0, 1,
         "the 20th of a call took 20 steps");
  ok(c->ns.sum >= STEP_NS * (2 * 63 * 64 / 2 + 21 * 22 / 2),
     "what they took adds up");
}

/* The tenth is answered with `answer'; what becomes of it. */
static void check_odd(const char *what, int64_t answer, int alone,
                      uint64_t offset, const char *msg)
{
  enum { N = 20, ODD = 10 };
  list(N);
  int rc = run(ODD, answer);
  is_int(rc, msg ? -LB_FAILED : 0, "%s: %s", what, err.msg);
  is_int(mock.alone, alone, "%s: calls for what is left", what);
  if (alone)
    ok(mock.offset == offset && mock.length == (ODD + 1) * BYTES - offset,
       "%s: it alone is asked for", what);
  is_int(counted(), msg ? ODD + 1 : N, "%s: counted once each", what);
  is_int(t.stats->cell[t.phase][LB_OP_READ]->errors, msg != NULL, "%s: errors",
         what);
  if (msg)
    ok(strstr(err.msg, msg), "%s: says '%s'", what, msg);
  else
    is_int(l.v[ODD].result, BYTES, "%s: done all the same", what);
}

static void one_that_is_odd(void)
{
  check_odd("a part", 30, 1, 10 * BYTES + 30, NULL);
  check_odd("interrupted", -EINTR, 1, 10 * BYTES, NULL);
  check_odd("the end", 0, 0, 0, "offset 1000: wanted 100, got 0");
  check_odd("failed", -EIO, 0, 0, "offset 1000: wanted 100, got 0");
}

static int inspect(void *arg, const struct lb_io *io, uint64_t at,
                   const void *bytes, size_t n, struct lb_err *e)
{
  (void)arg, (void)io, (void)at, (void)bytes, (void)n, (void)e;
  return 0;
}

static void change_request(struct lb_io *io)
{
  io->request = BYTES - 1;
}

static void change_flags(struct lb_io *io)
{
  io->flags = LB_IO_OPTIONAL;
}

static void change_keep(struct lb_io *io)
{
  static char kept[8];
  io->keep[1].to = kept;
  io->keep[1].length = sizeof kept;
}

static void some_are_made_alone(void)
{
  static const struct {
    const char *what;
    void (*change)(struct lb_io *io);
    int calls;
  } rows[] = {{"several requests", change_request, 2},
              {"may end before", change_flags, 1},
              {"bytes to be kept", change_keep, 1}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    list(5);
    rows[i].change(&l.v[2]);
    is_int(run(ALL, 0), 0, "%s", rows[i].what);
    ok(mock.many == 2 && mock.made == 4, "%s: the others in two calls",
       rows[i].what);
    is_int(mock.alone, rows[i].calls, "%s: it alone", rows[i].what);
  }
  list(5);
  l.v[4].length = SCRATCH + 1;
  ok(run(ALL, 0) == -LB_FAILED && mock.made == 4, "too long: %s", err.msg);
}

static void all_are_made_alone(void)
{
  list(5);
  t.inspect = inspect;
  ok(!run(ALL, 0) && !mock.many && mock.alone == 5, "when they are looked at");
  t.inspect = NULL;
  t.metadata = true;
  ok(!run(ALL, 0) && !mock.many && mock.alone == 5, "when of metadata");
  t.metadata = false;
  s->tell_cache = true;
  ok(!run(ALL, 0) && !mock.many && mock.alone == 5, "when the cache is told");
  s->tell_cache = false;
  ok(!run(ALL, 0) && mock.many == 1 && !mock.alone, "and otherwise not");
}

int main(void)
{
  const struct lb_storage_env env = {.bandwidth_share = 1};
  if (!ok(!lb_storage_open(&s, &backend, NULL, &env, &err) &&
              !lb_iothread_init(&t, SCRATCH, &err),
          "a storage"))
    return done();
  lb_iolist_init(&l);
  all_are_counted();
  one_that_is_odd();
  some_are_made_alone();
  all_are_made_alone();
  lb_iolist_fini(&l);
  lb_iothread_fini(&t);
  lb_storage_close(s);
  return done();
}
