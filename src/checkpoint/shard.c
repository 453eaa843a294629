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

void lb_shard_prepare(struct lb_iothread *io, uint64_t seed)
{
  lb_content_fill(seed, LB_SET_TRAIN, 0, 0, io->scratch, io->scratch_bytes);
}

uint64_t lb_shard_id(uint64_t seed, int64_t checkpoint, int accelerator,
                     int64_t i)
{
  return lb_rng_stream(seed, LB_RNG_CHECKPOINT, (uint64_t)checkpoint,
                       (uint64_t)accelerator << 32 | (uint64_t)i)
      .key;
}

static void stamp_of(uint64_t id, uint64_t block, uint64_t out[STAMP_WORDS])
{
  out[0] = id;
  out[1] = lb_rng_mix(id + LB_RNG_GOLDEN * (block + 1));
}

static int shard_paths(const struct lb_shard_job *job,
                       const struct lb_shard *shard, char final[SHARD_PATH_MAX],
                       char temporary[SHARD_PATH_MAX], struct lb_err *err)
{
  const char *folder = job->folder;
  int a = snprintf(final, SHARD_PATH_MAX, "%s/%s", folder, shard->name);
  int b =
      snprintf(temporary, SHARD_PATH_MAX, "%s/.%s.part", folder, shard->name);
  if (a < 0 || a >= SHARD_PATH_MAX || b < 0 || b >= SHARD_PATH_MAX)
    return lb_err_set(err, LB_FAILED, "%s: the path is too long", folder);
  if (job->io->scratch_bytes < LB_SHARD_BLOCK)
    return lb_err_set(err, LB_FAILED, "%s: a buffer of %zu bytes, less than %d",
                      final, job->io->scratch_bytes, LB_SHARD_BLOCK);
  return 0;
}

/* One open file and the list that works on it. */
struct stream {
  const struct lb_shard_job *job;
  struct lb_iolist list;
  int fd[LB_IO_SLOTS];
};

static void stream_init(struct stream *s, const struct lb_shard_job *job)
{
  s->job = job;
  job->io->late_ns = 0;
  lb_iolist_init(&s->list);
  for (int i = 0; i < LB_IO_SLOTS; i++)
    s->fd[i] = -1;
}

static void stream_fini(struct stream *s)
{
  lb_storage_release(s->job->storage, s->fd);
  lb_iolist_fini(&s->list);
}

/* Runs what the list holds and empties it. */
static int stream_run(struct stream *s, struct lb_err *err)
{
  int rc = lb_storage_run(s->job->storage, &s->list, s->fd, s->job->io, err);
  lb_iolist_clear(&s->list);
  return rc;
}

/* Bytes of the buffer that starts at `at': whole blocks, so that each has its
 * stamp, but for the end. */
static uint64_t piece(const struct lb_shard_job *job,
                      const struct lb_shard *shard, uint64_t at)
{
  uint64_t left = shard->bytes - at;
  uint64_t room = job->io->scratch_bytes;
  room -= room % LB_SHARD_BLOCK;
  return left < room ? left : room;
}

static int tick(const struct lb_shard_job *job, const char *path,
                struct lb_err *err)
{
  if (!job->tick || job->tick(job->tick_arg))
    return 0;
  return lb_err_set(err, LB_FAILED, "%s: given up", path);
}

static int write_pieces(struct stream *s, const char *path,
                        const struct lb_shard *shard, struct lb_err *err)
{
  const struct lb_shard_job *job = s->job;
  unsigned char *bytes = job->io->scratch;
  for (uint64_t at = 0, n; at < shard->bytes; at += n) {
    n = piece(job, shard, at);
    for (uint64_t b = 0; b < n; b += LB_SHARD_BLOCK) {
      uint64_t stamp[STAMP_WORDS];
      stamp_of(job->id, (at + b) / LB_SHARD_BLOCK, stamp);
      memcpy(bytes + b, stamp, n - b < sizeof stamp ? n - b : sizeof stamp);
    }
    lb_iolist_write(&s->list, at, n, 0, bytes);
    int rc = stream_run(s, err);
    if (!rc)
      rc = tick(job, path, err);
    if (rc)
      return rc;
  }
  return 0;
}

static int write_file(const struct lb_shard_job *job, const char *path,
                      const struct lb_shard *shard, struct lb_err *err)
{
  struct stream s;
  stream_init(&s, job);
  lb_iolist_open(&s.list, path, LB_IO_WRITE | LB_IO_CREATE | LB_IO_TRUNCATE);
  int rc = stream_run(&s, err);
  if (!rc)
    rc = write_pieces(&s, path, shard, err);
  if (!rc) {
    if (job->sync)
      lb_iolist_add(&s.list, (struct lb_io){.op = LB_OP_SYNC});
    lb_iolist_close(&s.list);
    rc = stream_run(&s, err);
  }
  stream_fini(&s);
  return rc;
}

/* The new name itself must survive a crash. */
static int sync_folder(const struct lb_shard_job *job, struct lb_err *err)
{
  struct stream s;
  stream_init(&s, job);
  lb_iolist_open(&s.list, job->folder, LB_IO_DIRECTORY);
  lb_iolist_add(&s.list, (struct lb_io){.op = LB_OP_SYNC});
  lb_iolist_close(&s.list);
  int rc = stream_run(&s, err);
  stream_fini(&s);
  return rc;
}

int lb_shard_write(const struct lb_shard_job *job, const struct lb_shard *shard,
                   struct lb_err *err)
{
  char final[SHARD_PATH_MAX], temporary[SHARD_PATH_MAX];
  const char *there = temporary;
  int rc = shard_paths(job, shard, final, temporary, err);
  if (rc)
    return rc;
  rc = write_file(job, temporary, shard, err);
  if (!rc) {
    struct lb_io io = {
        .op = LB_OP_RENAME, .slot = -1, .path = temporary, .path2 = final};
    lb_storage_do(job->storage, io, job->io, err);
    rc = -err->code;
  }
  if (!rc && job->sync) {
    there = final;
    rc = sync_folder(job, err);
  }
  if (rc) {
    struct lb_err ignored = LB_ERR_INIT;
    struct lb_io io = {.op = LB_OP_UNLINK, .slot = -1, .path = there};
    lb_storage_do(job->storage, io, job->io, &ignored);
  }
  return rc;
}

static int check_piece(const struct lb_shard_job *job, const char *path,
                       uint64_t at, uint64_t n, struct lb_err *err)
{
  const unsigned char *bytes = job->io->scratch;
  for (uint64_t b = 0; b < n; b += LB_SHARD_BLOCK) {
    uint64_t stamp[STAMP_WORDS];
    stamp_of(job->id, (at + b) / LB_SHARD_BLOCK, stamp);
    size_t len = n - b < sizeof stamp ? n - b : sizeof stamp;
    if (memcmp(bytes + b, stamp, len) != 0)
      return lb_err_set(err, LB_FAILED,
                        "%s: offset %" PRIu64
                        ": the block is not the one that was written",
                        path, at + b);
  }
  return 0;
}

static int verify_file(struct stream *s, const char *path,
                       const struct lb_shard *shard, struct lb_err *err)
{
  lb_iolist_open(&s->list, path, 0);
  lb_iolist_stat(&s->list);
  int rc = lb_storage_run(s->job->storage, &s->list, s->fd, s->job->io, err);
  if (!rc && (uint64_t)s->list.v[1].result != shard->bytes)
    rc = lb_err_set(err, LB_FAILED,
                    "%s: has %" PRId64 " bytes, %" PRIu64 " were written", path,
                    s->list.v[1].result, shard->bytes);
  lb_iolist_clear(&s->list);
  for (uint64_t at = 0, n; !rc && at < shard->bytes; at += n) {
    n = piece(s->job, shard, at);
    lb_iolist_read(&s->list, at, n, 0, s->job->io->scratch);
    rc = stream_run(s, err);
    if (!rc)
      rc = check_piece(s->job, path, at, n, err);
    if (!rc)
      rc = tick(s->job, path, err);
  }
  return rc;
}

int lb_shard_verify(const struct lb_shard_job *job,
                    const struct lb_shard *shard, struct lb_err *err)
{
  char path[SHARD_PATH_MAX], unused[SHARD_PATH_MAX];
  int rc = shard_paths(job, shard, path, unused, err);
  if (rc)
    return rc;
  struct stream s;
  stream_init(&s, job);
  rc = verify_file(&s, path, shard, err);
  stream_fini(&s);
  return rc;
}
