/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One shard: streamed from a small reused buffer, so that memory does not
 * depend on its size; each 4-KiB block is stamped, so that storage cannot
 * deduplicate what the buffer repeats. */
#include "lb-config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "loadbank/checkpoint.h"
#include "loadbank/format.h"
#include "loadbank/rng.h"

enum { STAMP_WORDS = 2, SHARD_PATH_MAX = 4096 };

void lb_shard_prepare(struct lb_iothread *t, uint64_t seed)
{
  lb_content_fill(seed, LB_SET_TRAIN, 0, 0, t->scratch, t->scratch_bytes);
}

static void stamp_of(uint64_t id, uint64_t block, uint64_t out[STAMP_WORDS])
{
  out[0] = id;
  out[1] = lb_rng_mix(id + LB_RNG_GOLDEN * (block + 1));
}

static int shard_paths(const char *folder, const struct lb_shard *shard,
                       char final[SHARD_PATH_MAX],
                       char temporary[SHARD_PATH_MAX], struct lb_err *err)
{
  int a = snprintf(final, SHARD_PATH_MAX, "%s/%s", folder, shard->name);
  int b =
      snprintf(temporary, SHARD_PATH_MAX, "%s/.%s.part", folder, shard->name);
  if (a < 0 || a >= SHARD_PATH_MAX || b < 0 || b >= SHARD_PATH_MAX)
    return lb_err_set(err, LB_FAILED, "%s: the path is too long", folder);
  return 0;
}

/* Runs the list, which holds a single operation. */
static int run_one(struct lb_storage *s, struct lb_iolist *l,
                   int fd[LB_IO_SLOTS], struct lb_iothread *t,
                   struct lb_err *err)
{
  int rc = lb_storage_run(s, l, fd, t, err);
  lb_iolist_clear(l);
  return rc;
}

static int write_chunks(struct lb_storage *s, const struct lb_shard *shard,
                        uint64_t id, struct lb_iolist *l, int fd[LB_IO_SLOTS],
                        struct lb_iothread *t, struct lb_err *err)
{
  unsigned char *bytes = t->scratch;
  for (uint64_t at = 0; at < shard->bytes;) {
    uint64_t n = shard->bytes - at;
    if (n > t->scratch_bytes)
      n = t->scratch_bytes;
    for (uint64_t b = 0; b < n; b += LB_SHARD_BLOCK) {
      uint64_t stamp[STAMP_WORDS];
      stamp_of(id, (at + b) / LB_SHARD_BLOCK, stamp);
      memcpy(bytes + b, stamp, n - b < sizeof stamp ? n - b : sizeof stamp);
    }
    lb_iolist_write(l, at, n, 0, bytes);
    int rc = run_one(s, l, fd, t, err);
    if (rc)
      return rc;
    at += n;
  }
  return 0;
}

static int write_file(struct lb_storage *s, const char *path,
                      const struct lb_shard *shard, uint64_t id, bool sync,
                      struct lb_iothread *t, struct lb_err *err)
{
  int fd[LB_IO_SLOTS] = {-1, -1, -1, -1};
  struct lb_iolist l;
  lb_iolist_init(&l);
  lb_iolist_open(&l, path, LB_IO_WRITE | LB_IO_CREATE | LB_IO_TRUNCATE);
  int rc = run_one(s, &l, fd, t, err);
  if (!rc)
    rc = write_chunks(s, shard, id, &l, fd, t, err);
  if (!rc && sync) {
    lb_iolist_add(&l, (struct lb_io){.op = LB_OP_SYNC});
    rc = run_one(s, &l, fd, t, err);
  }
  if (!rc) {
    lb_iolist_close(&l);
    rc = run_one(s, &l, fd, t, err);
  }
  lb_storage_release(s, fd);
  lb_iolist_fini(&l);
  return rc;
}

/* The new name itself must survive a crash. */
static int sync_folder(struct lb_storage *s, const char *folder,
                       struct lb_iothread *t, struct lb_err *err)
{
  int fd[LB_IO_SLOTS] = {-1, -1, -1, -1};
  struct lb_iolist l;
  lb_iolist_init(&l);
  lb_iolist_open(&l, folder, LB_IO_DIRECTORY);
  lb_iolist_add(&l, (struct lb_io){.op = LB_OP_SYNC});
  lb_iolist_close(&l);
  int rc = lb_storage_run(s, &l, fd, t, err);
  lb_storage_release(s, fd);
  lb_iolist_fini(&l);
  return rc;
}

int lb_shard_write(struct lb_storage *s, const char *folder,
                   const struct lb_shard *shard, uint64_t id, bool sync,
                   struct lb_iothread *t, struct lb_err *err)
{
  char final[SHARD_PATH_MAX], temporary[SHARD_PATH_MAX];
  int rc = shard_paths(folder, shard, final, temporary, err);
  if (rc)
    return rc;
  rc = write_file(s, temporary, shard, id, sync, t, err);
  if (!rc && lb_storage_do(s,
                           (struct lb_io){.op = LB_OP_RENAME,
                                          .slot = -1,
                                          .path = temporary,
                                          .path2 = final},
                           t, err) < 0)
    rc = -err->code;
  if (!rc && sync)
    rc = sync_folder(s, folder, t, err);
  if (rc) {
    struct lb_err ignored = LB_ERR_INIT;
    lb_storage_do(
        s, (struct lb_io){.op = LB_OP_UNLINK, .slot = -1, .path = temporary}, t,
        &ignored);
    return rc;
  }
  return 0;
}

static int check_chunk(const char *path, uint64_t id, uint64_t at,
                       const unsigned char *bytes, uint64_t n,
                       struct lb_err *err)
{
  for (uint64_t b = 0; b < n; b += LB_SHARD_BLOCK) {
    uint64_t stamp[STAMP_WORDS];
    stamp_of(id, (at + b) / LB_SHARD_BLOCK, stamp);
    size_t len = n - b < sizeof stamp ? n - b : sizeof stamp;
    if (memcmp(bytes + b, stamp, len))
      return lb_err_set(err, LB_FAILED,
                        "%s: offset %" PRIu64
                        ": the block is not the one that was written",
                        path, at + b);
  }
  return 0;
}

int lb_shard_verify(struct lb_storage *s, const char *folder,
                    const struct lb_shard *shard, uint64_t id,
                    struct lb_iothread *t, struct lb_err *err)
{
  char path[SHARD_PATH_MAX], unused[SHARD_PATH_MAX];
  int rc = shard_paths(folder, shard, path, unused, err);
  if (rc)
    return rc;
  int fd[LB_IO_SLOTS] = {-1, -1, -1, -1};
  struct lb_iolist l;
  lb_iolist_init(&l);
  lb_iolist_open(&l, path, 0);
  lb_iolist_stat(&l);
  rc = lb_storage_run(s, &l, fd, t, err);
  if (!rc && (uint64_t)l.v[1].result != shard->bytes)
    rc = lb_err_set(err, LB_FAILED,
                    "%s: has %" PRId64 " bytes, %" PRIu64 " were written", path,
                    l.v[1].result, shard->bytes);
  lb_iolist_clear(&l);
  for (uint64_t at = 0; !rc && at < shard->bytes;) {
    uint64_t n = shard->bytes - at;
    if (n > t->scratch_bytes)
      n = t->scratch_bytes;
    lb_iolist_read(&l, at, n, 0, t->scratch);
    rc = run_one(s, &l, fd, t, err);
    if (!rc)
      rc = check_chunk(path, id, at, t->scratch, n, err);
    at += n;
  }
  lb_storage_release(s, fd);
  lb_iolist_fini(&l);
  return rc;
}
