/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any bytes as a TFRecord file and its index.  The first byte says how it is
 * read, the second how many of the next ones are the index. */
#include "lb-config.h"

#include "loadbank/format.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unit/format_fixture.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { IN_ORDER = 1, VERIFY = 2, INDEX = 4, BACKWARDS = 8, MOST = 32768 };

static struct fixture x;
static char folder[] = "/dev/shm/loadbank-fuzz-XXXXXX";
static char path[64];

static void need(bool good)
{
  if (!good)
    __builtin_trap();
}

static void remove_all(void)
{
  char name[128];
  static const char *const names[] = {"/index/train/t.idx", "/index/train",
                                      "/index", "/t", ""};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    snprintf(name, sizeof name, "%s%s", folder, names[i]);
    remove(name);
  }
}

/* Once. */
static void begin(void)
{
  char name[128];
  if (path[0])
    return;
  need(fixture_init(&x) && mkdtemp(folder));
  snprintf(name, sizeof name, "%s/index", folder);
  need(mkdir(name, 0700) == 0);
  snprintf(name, sizeof name, "%s/index/train", folder);
  need(mkdir(name, 0700) == 0);
  snprintf(path, sizeof path, "%s/t", folder);
  atexit(remove_all);
}

/* A list as a loader that verifies runs it, in whole pieces. */
static int run(struct lb_reader *r, const struct lb_sample *s,
               struct lb_iolist *list, struct lb_err *err)
{
  static char room[MOST];
  for (size_t i = 0; i < list->n; i++) {
    struct lb_io *io = &list->v[i];
    bool look = s->verify && io->op == LB_OP_READ && io->slot == 0;
    need(io->op != LB_OP_READ || io->length <= MOST);
    if (look && !io->buf)
      io->buf = room;
    if (lb_storage_op(x.storage, io, r->fd, &x.thread, err) < 0)
      return -err->code;
    if (look &&
        r->format->inspect(r, s, io, 0, io->buf, (size_t)io->length, err) < 0)
      return -err->code;
  }
  return 0;
}

static int read_one(struct lb_reader *r, const struct lb_sample *s,
                    struct lb_err *err)
{
  struct lb_iolist list;
  lb_iolist_init(&list);
  int rc = 1;
  for (int stage = 0; rc > 0; stage++) {
    need(stage < 2 * MOST);
    lb_iolist_clear(&list);
    rc = r->format->plan(r, s, stage, &list, err);
    if (rc > 0 && (run(r, s, &list, err) < 0 ||
                   r->format->parse(r, s, stage, &list, err) < 0))
      rc = -err->code;
  }
  lb_iolist_fini(&list);
  return rc;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static const uint32_t requests[] = {1, 5, 12, 61, 64, 100, 4096, 8192};
  if (size < 2 || size > MOST / 2 || size - 2 < data[1])
    return 0;
  begin();
  unsigned how = data[0];
  size_t n_index = data[1];
  struct lb_format_params p = fixture_params(4);
  struct lb_sample s = {
      .file = {.samples = 4, .sample_bytes = 10, .path = path},
      .verify = how & VERIFY};
  char index[600];
  struct lb_err err = LB_ERR_INIT;
  struct lb_reader r;
  p.in_order = how & IN_ORDER;
  p.request = requests[how >> 5];
  need(lb_format_sidecar(&lb_format_tfrecord.sidecars[0], &s.file, index,
                         sizeof index) > 0);
  remove(index);
  if (how & INDEX)
    need(fixture_spit(index, data + 2, n_index));
  need(fixture_spit(path, data + 2 + n_index, size - 2 - n_index));
  need(lb_reader_init(&r, &lb_format_tfrecord, &p, &err) == 0);
  for (int64_t i = 0; i < 4 && !err.code; i++) {
    s.in_file = how & BACKWARDS ? 3 - i : i;
    int rc = read_one(&r, &s, &err);
    need((rc < 0) == (err.code != 0) && (rc == 0 || err.msg[0]));
  }
  lb_storage_release(x.storage, r.fd);
  lb_reader_fini(&r);
  return 0;
}
