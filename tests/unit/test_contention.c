/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Queues and stalls of paths in the simulated storage, to the ns. */
#include "lb-config.h"

#include "storage/contention.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "loadbank/storage.h"
#include "tap.h"

#define MS INT64_C(1000000)
#define START (5 * MS)
enum { MANY = 100000 };

static const struct lb_storage_env whole = {.bandwidth_share = 1};

static struct lb_storage *server(const struct lb_simulated *o,
                                 const struct lb_storage_env *env)
{
  struct lb_storage *s = NULL;
  struct lb_err err = LB_ERR_INIT;
  lb_storage_open(&s, lb_backend_find("simulated"), o, env, &err);
  return s;
}

/* When the operation, asked at `at' after START, is done after START. */
static int64_t charge_by(struct lb_rng *rng, struct lb_storage *s,
                         enum lb_op op, const char *path, int64_t at)
{
  struct lb_io io = {.op = op, .path = path, .slot = path ? -1 : 0};
  uint64_t t = (uint64_t)(START + at);
  return (int64_t)s->backend->charge(s->self, &io, 0, t, rng) - START;
}

static int64_t charge(struct lb_storage *s, enum lb_op op, const char *path,
                      int64_t at)
{
  struct lb_rng rng = {.key = 1};
  return charge_by(&rng, s, op, path, at);
}

static struct lb_simulated queue(int scope, int64_t servers, double service)
{
  return (struct lb_simulated){.open_concurrency = {scope, servers, service},
                               .same_file_open_stall = {.probability = 1}};
}

static void off_costs_nothing(void)
{
  const struct lb_backend *b = lb_backend_find("simulated");
  struct lb_simulated o = queue(LB_CONTENTION_FILE, 0, 1);
  is_int(b->shared_words(&o), 2, "no servers: a word for each direction");
  ok(!b->needs_paths(&o), "and no paths");
  o = queue(LB_CONTENTION_FILE, 3, 0);
  ok(!b->needs_paths(&o), "servers that take no time are none");
  o.same_file_open_stall.time = 1;
  ok(b->needs_paths(&o), "a stall needs paths");
  o.same_file_open_stall.probability = 0;
  ok(!b->needs_paths(&o), "one that never happens does not");
  o = queue(LB_CONTENTION_JOB, 3, 1);
  is_int(b->shared_words(&o), 2 + 1 + 3, "the job's servers: one place");
  ok(b->needs_paths(&o), "they need to know what names a path");
}

static void who_waits_for_whom(void)
{
  static const struct {
    int scope;
    const char *path[4];
    int64_t done_ms[4];
  } rows[] = {
      {LB_CONTENTION_FILE, {"a/x", "a/x", "a/x", "a/x"}, {1, 2, 3, 4}},
      {LB_CONTENTION_FILE, {"a/x", "a/y", "b/x", "a/x"}, {1, 1, 1, 2}},
      {LB_CONTENTION_DIRECTORY, {"a/x", "a/y", "b/x", "a/x"}, {1, 2, 1, 3}},
      {LB_CONTENTION_DIRECTORY, {"x", "y", "a/x", "/x"}, {1, 2, 1, 3}},
      {LB_CONTENTION_DIRECTORY,
       {"a/b/x", "a/b", "a/y", "a/bb/x"},
       {1, 1, 2, 1}},
      {LB_CONTENTION_JOB, {"a/x", "b/y", "c", "a/x"}, {1, 2, 3, 4}},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct lb_simulated o = queue(rows[i].scope, 1, 1e-3);
    struct lb_storage *s = server(&o, &whole);
    for (int k = 0; k < 4; k++)
      is_int(charge(s, LB_OP_OPEN, rows[i].path[k], 0), rows[i].done_ms[k] * MS,
             "row %d: %s", (int)i, rows[i].path[k]);
    lb_storage_close(s);
  }
}

static void first_come_first_served(void)
{
  struct lb_simulated o = queue(LB_CONTENTION_FILE, 2, 10e-3);
  struct lb_storage *s = server(&o, &whole);
  static const int64_t at[] = {0, 3, 4, 5, 50}, done[] = {10, 13, 20, 23, 60};
  for (int i = 0; i < 5; i++)
    is_int(charge(s, LB_OP_OPEN, "f", at[i] * MS), done[i] * MS,
           "two servers, asked after %d ms", (int)at[i]);
  lb_storage_close(s);
  o.open_latency = lb_dist_constant(7e-3);
  s = server(&o, &whole);
  is_int(charge(s, LB_OP_OPEN, "f", 0), 17 * MS, "then the latency");
  charge(s, LB_OP_OPEN, "f", 0);
  is_int(charge(s, LB_OP_OPEN, "f", 0), 27 * MS, "which occupies no server");
  lb_storage_close(s);
}

static void what_names_a_path_waits(void)
{
  for (int op = 0; op < LB_N_OPS; op++) {
    struct lb_simulated o = queue(LB_CONTENTION_FILE, 1, 1e-3);
    struct lb_storage *s = server(&o, &whole);
    charge(s, LB_OP_OPEN, "f", 0);
    is_int(charge(s, (enum lb_op)op, "f", 0), 2 * MS, "%s of the path waits",
           lb_op_names[op]);
    is_int(charge(s, (enum lb_op)op, NULL, 0), 0, "%s of an open file does not",
           lb_op_names[op]);
    lb_storage_close(s);
  }
}

static void nodes_have_their_share(void)
{
  struct lb_storage_env half = {.bandwidth_share = 0.5};
  struct lb_simulated o = queue(LB_CONTENTION_FILE, 1, 1e-3);
  struct lb_storage *s = server(&o, &half);
  is_int(charge(s, LB_OP_OPEN, "f", 0), 2 * MS,
         "half of the job's servers: half as fast");
  lb_storage_close(s);
  o.scope = LB_SCOPE_NODE;
  s = server(&o, &half);
  is_int(charge(s, LB_OP_OPEN, "f", 0), 1 * MS, "each node's own: as fast");
  lb_storage_close(s);
}

static struct lb_simulated stall(double time, double probability)
{
  return (struct lb_simulated){.open_latency = lb_dist_constant(2e-3),
                               .same_file_open_stall = {time, probability}};
}

static void opens_of_one_file_stall(void)
{
  struct lb_simulated o = stall(1, 1);
  struct lb_storage *s = server(&o, &whole);
  is_int(charge(s, LB_OP_OPEN, "d/f", 0), 2 * MS, "an open alone");
  is_int(charge(s, LB_OP_OPEN, "d/g", 1 * MS), 3 * MS, "of another file");
  is_int(charge(s, LB_OP_STAT, "d/f", 1 * MS), 1 * MS, "a stat never stalls");
  is_int(charge(s, LB_OP_OPEN, "d/f", 1 * MS), 1003 * MS, "one in flight");
  is_int(charge(s, LB_OP_OPEN, "d/f", 1003 * MS), 1005 * MS,
         "when that is done, no more");
  is_int(charge(s, LB_OP_OPEN, "d/f", 1004 * MS), 2006 * MS, "again");
  is_int(charge(s, LB_OP_OPEN, "d/f", 1900 * MS), 2902 * MS,
         "a stalled open is in flight, too");
  lb_storage_close(s);
  o.open_latency = lb_dist_constant(0);
  s = server(&o, &whole);
  charge(s, LB_OP_OPEN, "f", 0);
  is_int(charge(s, LB_OP_OPEN, "f", 0), 0, "an open of no length meets nobody");
  lb_storage_close(s);
}

static void some_stall(void)
{
  struct lb_simulated o = stall(1e-3, 0.3);
  struct lb_storage *s = server(&o, &whole), *t = server(&o, &whole);
  struct lb_rng first = {.key = 1}, second = first;
  int64_t stalled = 0, same = 0;
  for (int i = 0; i < MANY; i++) {
    int64_t at = (int64_t)i * 10 * MS;
    charge(s, LB_OP_OPEN, "f", at);
    charge(t, LB_OP_OPEN, "f", at);
    int64_t done = charge_by(&first, s, LB_OP_OPEN, "f", at + 1 * MS) - at;
    stalled += done == 4 * MS;
    same += charge_by(&second, t, LB_OP_OPEN, "f", at + 1 * MS) - at == done;
  }
  is_near((double)stalled / MANY, 0.3, 0.01, "with probability 0.3");
  is_int(same, MANY, "the same stream draws the same");
  lb_storage_close(s);
  lb_storage_close(t);
}

/* ---- the table ---- */

static void folders_never_share(void)
{
  struct lb_simulated o = queue(LB_CONTENTION_DIRECTORY, 1, 1e-3);
  struct lb_storage *s = server(&o, &whole);
  char path[64];
  int wrong = 0;
  for (int round = 1; round <= 2; round++)
    for (int i = 0; i < 20000; i++) {
      snprintf(path, sizeof path, "/data/train/%d/img_%d.npz", i, round);
      wrong += charge(s, LB_OP_OPEN, path, 0) != round * MS;
    }
  is_int(wrong, 0, "20000 folders: each has its own server");
  lb_storage_close(s);
}

/* Files of which few are in use at a time: sharing is rare. */
static void more_files_than_places(void)
{
  struct lb_simulated o = queue(LB_CONTENTION_FILE, 1, 1e-3);
  struct lb_storage *s = server(&o, &whole);
  char path[64];
  int waited = 0;
  for (int i = 0; i < 8 * MANY; i++) {
    snprintf(path, sizeof path, "/data/train/img_%d.npz", i);
    int64_t at = (int64_t)(i / 32) * MS;
    waited += charge(s, LB_OP_OPEN, path, at) != at + 1 * MS;
  }
  ok(waited < 8 * MANY / 1000,
     "800000 files, 32 at a time: less than one in 1000 waits for another (%d)",
     waited);
  lb_storage_close(s);
}

struct client {
  struct lb_storage *s;
  int64_t last;
};

static void *client_main(void *arg)
{
  struct client *c = arg;
  for (int i = 0; i < MANY; i++) {
    int64_t done = charge(c->s, LB_OP_OPEN, i & 1 ? "a/x" : "b/x", 0);
    c->last = done > c->last ? done : c->last;
  }
  return NULL;
}

static void ranks_share_the_servers(void)
{
  struct lb_simulated o = queue(LB_CONTENTION_DIRECTORY, 2, 1e-6);
  const struct lb_backend *b = lb_backend_find("simulated");
  struct lb_storage_env env = {.bandwidth_share = 1};
  env.server_free = calloc(b->shared_words(&o), sizeof *env.server_free);
  struct client c[2] = {{.s = server(&o, &env)}, {.s = server(&o, &env)}};
  pthread_t thread[2];
  for (int i = 0; i < 2; i++)
    pthread_create(&thread[i], NULL, client_main, &c[i]);
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
  /* Of each folder: 2 ranks x MANY / 2 opens on 2 servers. */
  int64_t last = c[0].last > c[1].last ? c[0].last : c[1].last;
  is_int(last, MANY / 2 * 1000,
         "two ranks at once: every open found its place");
  lb_storage_close(c[0].s);
  lb_storage_close(c[1].s);
  free(env.server_free);
}

int main(void)
{
  off_costs_nothing();
  who_waits_for_whom();
  first_come_first_served();
  what_names_a_path_waits();
  nodes_have_their_share();
  opens_of_one_file_stall();
  some_stall();
  folders_never_share();
  more_files_than_places();
  ranks_share_the_servers();
  return done();
}
