/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The closed forms against a reference that only follows the rules: it looks
 * for the reader that is due first, lets it do one thing, and looks again.  It
 * shares no code with the loader, the storage or the metrics. */
#include "lb-config.h"

#include "loadbank/closed_forms.h"

#include <math.h>
#include <string.h>

#include "loadbank/selftest.h"
#include "tap.h"

enum { MAX_A = 32, MAX_T = 8, MAX_N = 256, MAX_F = 64, REQUESTS = 4 };

struct job {
  int accelerators, readers, ahead, steps, batch;
  double latency;       /* of a sample */
  double service;       /* of a sample's bytes, at the one server */
  int folders;          /* 0: opens wait for nothing */
  double open;          /* how long an open occupies its folder */
  double compute, fast; /* fast: of every other `burst' steps */
  int burst;
  double slower;     /* of accelerator 0; 0: as fast as the others */
  int block;         /* steps between checkpoints; 0: none */
  double checkpoint; /* how long one takes */
};

/* A reader stands at time t before `stage' of a sample of a batch. */
struct reader {
  double t;
  int batch, sample, stage;
};

struct state {
  const struct job *j;
  struct reader reader[MAX_A][MAX_T];
  double ready[MAX_A][MAX_N], start[MAX_A][MAX_N], asked[MAX_A][MAX_N];
  double release[MAX_N], begin[MAX_N]; /* begin: when step i may start */
  double server, folder[MAX_F];
  int done; /* steps */
};

static double compute(const struct job *j, int a, int i)
{
  double c = j->burst && i / j->burst % 2 ? j->fast : j->compute;
  return a == 0 && j->slower > 0 ? c * j->slower : c;
}

/* Every step whose batches are there. */
static void step(struct state *s)
{
  const struct job *j = s->j;
  for (int i = s->done; i < j->steps; i = ++s->done) {
    for (int a = 0; a < j->accelerators; a++)
      if (s->ready[a][i] < 0)
        return;
    for (int a = 0; a < j->accelerators; a++) {
      s->start[a][i] = fmax(s->ready[a][i], s->begin[i]);
      s->release[i] = fmax(s->release[i], s->start[a][i] + compute(j, a, i));
      if (i + j->ahead < j->steps)
        s->asked[a][i + j->ahead] = s->start[a][i];
    }
    bool saves = j->block && (i + 1) % j->block == 0;
    s->begin[i + 1] = s->release[i] + (saves ? j->checkpoint : 0);
  }
}

static double serve(double *free_at, double t, double service)
{
  *free_at = fmax(*free_at, t) + service;
  return *free_at;
}

/* One thing of one sample: its open, its latency, or one of its requests. */
static void act(struct state *s, int a, struct reader *r)
{
  const struct job *j = s->j;
  if (r->stage == 0 && j->folders) {
    int at = (a * j->steps + r->batch) * j->batch + r->sample;
    r->t = serve(&s->folder[at % j->folders], r->t, j->open);
  } else if (r->stage == 1) {
    r->t += j->latency;
  } else if (r->stage > 1 && j->service > 0) {
    r->t = serve(&s->server, r->t, j->service / REQUESTS);
  }
  if (++r->stage < 2 + REQUESTS)
    return;
  r->stage = 0;
  if (++r->sample < j->batch)
    return;
  s->ready[a][r->batch] = r->t;
  r->sample = 0;
  r->batch += j->readers;
  step(s);
}

static void run(struct state *s, const struct job *j)
{
  memset(s, 0, sizeof *s);
  s->j = j;
  for (int a = 0; a < j->accelerators; a++) {
    for (int i = 0; i < j->steps; i++) {
      s->ready[a][i] = -1;
      s->asked[a][i] = i < j->ahead ? 0 : -1;
    }
    for (int w = 0; w < j->readers; w++)
      s->reader[a][w].batch = w;
  }
  for (;;) {
    struct reader *first = NULL;
    double due = INFINITY;
    int who = 0;
    for (int a = 0; a < j->accelerators; a++)
      for (int w = 0; w < j->readers; w++) {
        struct reader *r = &s->reader[a][w];
        if (r->batch >= j->steps || s->asked[a][r->batch] < 0)
          continue;
        bool fresh = r->sample == 0 && r->stage == 0;
        double t = fresh ? fmax(r->t, s->asked[a][r->batch]) : r->t;
        if (t < due) {
          due = t;
          first = r;
          who = a;
        }
      }
    if (!first)
      return;
    first->t = due;
    act(s, who, first);
  }
}

/* Utilisation as docs/metrics.md defines it. */
static double au_of(const struct state *s)
{
  const struct job *j = s->j;
  int block = j->block ? j->block : j->steps;
  double sum = 0;
  for (int a = 0; a < j->accelerators; a++)
    for (int from = 0; from < j->steps; from += block) {
      double busy = 0, began = from ? s->begin[from] : 0;
      for (int i = from + 1; i < from + block; i++)
        busy += compute(j, a, i);
      double first = s->start[a][from] - began + compute(j, a, from);
      sum += 100 * busy / (s->release[from + block - 1] - began - first);
    }
  return sum / (j->accelerators * (j->steps / block));
}

static const int counts[] = {1, 4, 32};
#define EACH_COUNT(a) \
  for (size_t a##_i = 0, a; a##_i < 3 && (a = (size_t)counts[a##_i]); a##_i++)

static struct lb_closed closed(const struct job *j, double read)
{
  return (struct lb_closed){.steps = j->steps,
                            .readers = j->readers,
                            .ahead = j->ahead,
                            .compute = j->compute,
                            .read = read};
}

static void latencies(void)
{
  static struct state s;
  for (int readers = 1; readers <= 8; readers *= 2)
    for (int steps = 1 + readers; steps < 70; steps += 7) {
      struct job j = {.accelerators = 4,
                      .readers = readers,
                      .steps = steps,
                      .ahead = readers * (1 + steps % 2),
                      .batch = 3,
                      .latency = 0.02 / 3,
                      .compute = 0.003};
      run(&s, &j);
      struct lb_closed c = closed(&j, 0.02);
      is_near(au_of(&s), lb_closed_au(&c), 1e-6,
              "latency, %d readers, %d steps", readers, steps);
    }
}

static void bandwidth(void)
{
  static struct state s;
  EACH_COUNT(a)
  {
    for (int readers = 1; readers <= 2; readers++) {
      struct job j = {.accelerators = (int)a,
                      .readers = readers,
                      .steps = 60,
                      .ahead = 2 * readers,
                      .batch = 8,
                      .service = 0.013 / 8 / (double)a,
                      .compute = 0.01};
      run(&s, &j);
      double service = j.batch * j.service;
      struct lb_closed c =
          closed(&j, lb_closed_read_shared((int64_t)a, readers, service));
      is_near(au_of(&s), lb_closed_au(&c), 0.3,
              "bandwidth, %d accelerators, %d readers", (int)a, readers);
    }
  }
}

static void no_reader_waits(void)
{
  static struct state s;
  struct job j = {.accelerators = 1,
                  .readers = 1,
                  .steps = 20,
                  .ahead = 2,
                  .batch = 1,
                  .latency = 0.001,
                  .compute = 0.01};
  run(&s, &j);
  struct lb_closed c = closed(&j, 0.001);
  is_near(au_of(&s), 100, 1e-9, "fast storage: 100 %%");
  is_near(lb_closed_au(&c), 100, 1e-9, "says the closed form, too");
  c.readers = 0;
  c.read = 0.03;
  is_near(lb_closed_au(&c), 25, 1e-9, "no reader: read, then compute");
}

static void checkpoints(void)
{
  static struct state s;
  EACH_COUNT(a)
  {
    struct job j = {.accelerators = (int)a,
                    .readers = 1,
                    .steps = 60,
                    .ahead = 4,
                    .batch = 4,
                    .latency = 0.004,
                    .compute = 0.01,
                    .block = 20,
                    .checkpoint = 0.1};
    run(&s, &j);
    struct lb_closed c = closed(&j, 0.016);
    c.steps = 20;
    is_near(au_of(&s), lb_closed_au_blocks(&c, 3), 1e-6,
            "checkpoints, %d accelerators", (int)a);
    c.ahead = 19;
    is_near(lb_closed_au_blocks(&c, 2), (62.5 + 100) / 2, 1e-9,
            "a block that fits into the prefetch");
  }
}

static void stragglers(void)
{
  static struct state s;
  EACH_COUNT(a)
  {
    struct job j = {.accelerators = (int)a,
                    .readers = 1,
                    .steps = 16,
                    .ahead = 2,
                    .batch = 1,
                    .compute = 0.01,
                    .slower = 2};
    run(&s, &j);
    is_near(au_of(&s), lb_closed_au_straggler((int64_t)a, 16, 2), 1e-6,
            "straggler among %d", (int)a);
  }
}

static void bursts(void)
{
  static struct state s;
  for (int ahead = 1; ahead <= 8; ahead++)
    for (int steps = 20; steps <= 80; steps += 20) {
      struct job j = {.accelerators = 4,
                      .readers = 1,
                      .steps = steps,
                      .ahead = ahead,
                      .batch = 2,
                      .latency = 0.005,
                      .compute = 0.02,
                      .fast = 0.004,
                      .burst = 10};
      run(&s, &j);
      struct lb_closed c = closed(&j, 0.01);
      is_near(au_of(&s), lb_closed_au_bursty(&c, 10, 0.004), 1e-6,
              "bursts, %d ahead, %d steps", ahead, steps);
    }
}

static void folders(void)
{
  static struct state s;
  static const struct {
    int accelerators, readers, folders;
  } rows[] = {{1, 8, 1}, {4, 8, 1}, {1, 8, 8},  {4, 8, 8},
              {4, 8, 4}, {1, 2, 8}, {1, 2, 64}, {4, 2, 64}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct job j = {.accelerators = rows[i].accelerators,
                    .readers = rows[i].readers,
                    .steps = 8,
                    .batch = 64,
                    .ahead = 16,
                    .folders = rows[i].folders,
                    .open = 0.001};
    run(&s, &j);
    double last = s.release[j.steps - 1];
    double want =
        lb_closed_queues(j.accelerators * j.readers,
                         j.steps * j.batch / j.readers, j.folders, 0.001);
    is_near(last, want, want / 1000, "%d readers, %d folders",
            j.accelerators * j.readers, j.folders);
  }
}

static void the_table(void)
{
  for (const struct lb_selftest_case *c = lb_selftest_cases; c->name; c++) {
    ok(lb_selftest_find(c->name) == c, "%s: a unique name", c->name);
    ok(c->doc[strlen(c->doc) - 1] == '.', "%s: its doc is a sentence", c->name);
    ok(c->expect && c->measure && c->unit && c->tolerance > 0 && c->steps > 0 &&
           c->batch > 0,
       "%s: has all it needs", c->name);
  }
  ok(!lb_selftest_find("no such"), "no such case");
  is_int(lb_selftest_accelerators(1, 0), 1, "one rank: 1,");
  is_int(lb_selftest_accelerators(1, 1), 4, "4");
  is_int(lb_selftest_accelerators(1, 2), 32, "and 32");
  is_int(lb_selftest_accelerators(1, 3), 0, "and no more");
  is_int(lb_selftest_accelerators(3, 0), 3, "3 ranks: 3,");
  is_int(lb_selftest_accelerators(3, 1), 6, "6");
  is_int(lb_selftest_accelerators(3, 2), 33, "and 33");
  is_int(lb_selftest_accelerators(4, 1), 32, "4 ranks: 4 only once");
}

int main(void)
{
  latencies();
  bandwidth();
  no_reader_waits();
  checkpoints();
  stragglers();
  bursts();
  folders();
  the_table();
  return done();
}
