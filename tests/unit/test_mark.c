/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Marks, what is found by them, and what is removed. */
#include "lb-config.h"

#include "loadbank/mark.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "loadbank/retention.h"
#include "record_fixture.h"
#include "tap.h"

/* ---- text ---- */

static void test_text(void)
{
  struct lb_mark m = fixture_mark(7), back;
  struct lb_err err = LB_ERR_INIT;
  char *text = lb_mark_text(&m);
  ok(text && lb_mark_parse(&back, text, "mark", &err) == 0, "comes back %s",
     err.msg);
  ok(back.complete && back.number == 7 && back.seed == m.seed &&
         back.scheme == m.scheme && back.utc_ns == 1007,
     "what it says of the save");
  ok(back.model.hidden == 8192 && back.model.data == -1 &&
         back.model.weights == m.model.weights && back.model.all_ranks &&
         back.model.layer_parameters.n == 2 &&
         back.model.layer_parameters.v[1] == 4,
     "and of the model");
  is_int(lb_mark_compare(&back, &m, "f", &err), 0, "the same model");
  back.model.hidden = 4096;
  back.model.all_ranks = false;
  ok(lb_mark_compare(&back, &m, "f", &err) == -LB_USAGE &&
         strstr(err.msg, "hidden is 4096 on disk and 8192 configured") &&
         strstr(err.msg, "all_ranks is false on disk and true configured"),
     "what differs: %s", err.msg);
  free(text);
}

static void test_damage(void)
{
  static const struct {
    const char *text, *says;
  } bad[] = {
      {"", "damaged"},
      {"{}", "checkpoint_version is missing or not 1"},
      {"{\"checkpoint_version\": 9}", "missing or not 1"},
      {"{\"checkpoint_version\": 1}", "complete is missing"},
      {"[1", "damaged"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    struct lb_err err = LB_ERR_INIT;
    struct lb_mark m;
    ok(lb_mark_parse(&m, bad[i].text, "PATH", &err) == -LB_FAILED &&
           strstr(err.msg, "PATH") && strstr(err.msg, bad[i].says),
       "'%s': %s", bad[i].text, err.msg);
  }
}

/* Sizes are computed of these numbers: none may divide by zero. */
static void test_numbers(void)
{
  struct lb_mark m[5], back;
  for (size_t i = 0; i < sizeof m / sizeof *m; i++)
    m[i] = fixture_mark(1);
  m[0].model.heads = 0;
  m[1].model.tensor = 0;
  m[2].model.pipeline = -1;
  m[3].model.layer_parameters.v[1] = -4;
  m[4].model.zero = 4;
  for (size_t i = 0; i < sizeof m / sizeof *m; i++) {
    struct lb_err err = LB_ERR_INIT;
    char *text = lb_mark_text(&m[i]);
    ok(text && lb_mark_parse(&back, text, "PATH", &err) == -LB_FAILED &&
           strstr(err.msg, "PATH: damaged"),
       "%zu: %s", i, err.msg);
    free(text);
  }
}

/* ---- folders ---- */

/* A model without layers: one file of each accelerator. */
static struct lb_mark plain_of(int64_t number)
{
  struct lb_mark m = fixture_mark(number);
  m.model.layers = -1;
  m.model.layer_parameters.n = 0;
  return m;
}

struct rig {
  struct lb_storage *s;
  struct lb_iothread io;
  char root[400];
};

static void rig_init(struct rig *r, const char *name)
{
  struct lb_err err = LB_ERR_INIT;
  struct lb_storage_env env = {.bandwidth_share = 1};
  *r = (struct rig){.s = NULL};
  snprintf(r->root, sizeof r->root, "%s/%s", tap_tmpdir(), name);
  ok(lb_storage_open(&r->s, lb_backend_find("local_fs"), NULL, &env, &err) ==
             0 &&
         lb_iothread_init(&r->io, 65536, &err) == 0 &&
         mkdir(r->root, 0777) == 0,
     "a folder %s", err.msg);
}

static void rig_fini(struct rig *r)
{
  lb_storage_close(r->s);
  lb_iothread_fini(&r->io);
}

static const char *path_in(const struct rig *r, const char *name)
{
  static char path[800];
  snprintf(path, sizeof path, "%s/%s", r->root, name);
  return path;
}

static void touch(const char *path)
{
  FILE *f = fopen(path, "w");
  if (f)
    fclose(f);
}

/* With all files of the model, and its mark. */
static void make(const struct rig *r, int64_t number, bool complete)
{
  struct lb_mark m = plain_of(number);
  struct lb_err err = LB_ERR_INIT;
  char folder[500], path[700];
  m.complete = complete;
  lb_checkpoint_folder(r->root, 1, number, folder, sizeof folder);
  mkdir(folder, 0777);
  for (int a = 0; a < 3; a++) {
    const struct lb_shard_ref ref = {.accelerator = a};
    struct lb_shard shard;
    m.scheme->shard(&m.model, &ref, &shard);
    snprintf(path, sizeof path, "%s/%s", folder, shard.name);
    touch(path);
  }
  if (lb_mark_write(&m, folder, &err))
    ok(false, "%s", err.msg);
}

static int names_in(const char *path)
{
  DIR *d = opendir(path);
  int n = -2;
  while (d && readdir(d))
    n++;
  if (!d)
    return -1;
  closedir(d);
  return n;
}

static void test_found(void)
{
  struct rig r;
  struct lb_found_list l;
  struct lb_err err = LB_ERR_INIT;
  rig_init(&r, "found");
  is_int(lb_found_list(&l, path_in(&r, "none"), r.s, &r.io, &err), 0,
         "a folder that is not there has none");
  is_int(l.n, 0, "really none");
  make(&r, 12, true); /* by name before 2, by time after 3 */
  make(&r, 2, true);
  make(&r, 3, false);
  mkdir(path_in(&r, "global_epoch1_step9"), 0777); /* nobody's */
  touch(path_in(&r, "global_epoch7"));
  mkdir(path_in(&r, "other"), 0777);
  is_int(lb_found_list(&l, r.root, r.s, &r.io, &err), 0, "listed %s", err.msg);
  is_int(l.n, 3, "those with a mark");
  ok(l.n == 3 && l.v[0].number == 2 && l.v[1].number == 3 &&
         l.v[2].number == 12,
     "in the order of their times");
  is_int(lb_found_complete(&l), 2, "two are whole");
  ok(!lb_found_surplus(&l, 0, 0), "0 keeps all");
  ok(lb_found_surplus(&l, 0, 1) && !lb_found_surplus(&l, 2, 1),
     "1 keeps the newest");
  ok(!lb_found_surplus(&l, 0, 2), "2 keep both");
  ok(!lb_found_surplus(&l, 1, 1), "a cut one is not counted");
  lb_found_fini(&l);
  rig_fini(&r);
}

static void test_remove(void)
{
  struct rig r;
  struct lb_err err = LB_ERR_INIT;
  char folder[500];
  bool left = true;
  rig_init(&r, "remove");
  make(&r, 1, true);
  make(&r, 2, true);
  struct lb_mark m = plain_of(1);
  lb_checkpoint_folder(r.root, 1, 1, folder, sizeof folder);
  touch(path_in(&r, "global_epoch1_step1/readme"));
  struct lb_shard_remover rm = {
      .mark = &m, .folder = folder, .storage = r.s, .io = &r.io, .step = 2};
  is_int(lb_shards_remove(&rm, &err), 0, "accelerators 0 and 2 %s", err.msg);
  is_int(names_in(folder), 3, "the file of 1, the mark and a foreign one stay");
  rm.first = 1;
  is_int(lb_shards_remove(&rm, &err), 0, "accelerator 1");
  is_int(lb_shards_remove(&rm, &err), 0, "once more does no harm");
  is_int(lb_checkpoint_rmdir(&rm, &left, &err), 0, "the mark %s", err.msg);
  ok(left && names_in(folder) == 1, "the foreign file and its folder stay");
  lb_checkpoint_folder(r.root, 1, 2, folder, sizeof folder);
  is_int(names_in(folder), 4, "the other checkpoint is untouched");
  rm.first = 0;
  rm.step = 1;
  m.complete = false;
  touch(path_in(&r, "global_epoch1_step2/.model_states-1.pt.part"));
  ok(!lb_shards_remove(&rm, &err) && !lb_checkpoint_rmdir(&rm, &left, &err) &&
         !left && names_in(folder) == -1,
     "of one that was cut off what is unfinished, too");
  rig_fini(&r);
}

int main(void)
{
  test_text();
  test_numbers();
  test_damage();
  test_found();
  test_remove();
  return done();
}
