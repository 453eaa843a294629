/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One shard: streamed from a small reused buffer, so that memory does not
 * depend on its size; each 4-KiB block is stamped, so that storage cannot
 * deduplicate what the buffer repeats. */
#include "lb-config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "loadbank/newfile.h"
#include "loadbank/rng.h"
#include "loadbank/shard.h"

enum { STAMP_WORDS = 2, SHARD_PATH_MAX = 4096 };

uint64_t lb_shard_id(uint64_t seed, int64_t checkpoint,
                     const struct lb_shard_ref *ref)
{
  uint64_t file = (uint64_t)ref->stage << 24 | (uint64_t)ref->i;
  return lb_rng_stream(seed, LB_RNG_CHECKPOINT, (uint64_t)checkpoint,
                       (uint64_t)ref->accelerator << 32 | file)
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
  return lb_err_give_up(err, path);
}

static int write_pieces(const struct lb_shard_job *job, struct lb_newfile *f,
                        const struct lb_shard *shard, struct lb_err *err)
{
  unsigned char *bytes = job->io->scratch;
  int rc = 0;
  for (uint64_t at = 0, n; at < shard->bytes && !rc; at += n) {
    n = piece(job, shard, at);
    for (uint64_t b = 0; b < n; b += LB_SHARD_BLOCK) {
      uint64_t stamp[STAMP_WORDS];
      stamp_of(job->id, (at + b) / LB_SHARD_BLOCK, stamp);
      memcpy(bytes + b, stamp, n - b < sizeof stamp ? n - b : sizeof stamp);
    }
    rc = lb_newfile_write(f, at, bytes, n, err);
  }
  return rc;
}

int lb_shard_write(const struct lb_shard_job *job, const struct lb_shard *shard,
                   struct lb_err *err)
{
  char final[SHARD_PATH_MAX], temporary[SHARD_PATH_MAX];
  int rc = shard_paths(job, shard, final, temporary, err);
  if (rc)
    return rc;
  struct lb_newfile f = {.storage = job->storage,
                         .io = job->io,
                         .path = final,
                         .temporary = temporary,
                         .sync = job->sync,
                         .tick = job->tick,
                         .tick_arg = job->tick_arg};
  job->io->rng = (struct lb_rng){.key = job->id};
  rc = lb_newfile_begin(&f, err);
  if (!rc)
    rc = write_pieces(job, &f, shard, err);
  return lb_newfile_end(&f, rc, err);
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

static int verify_piece(const struct lb_shard_job *job, const char *path,
                        uint64_t at, uint64_t n, int fd[LB_IO_SLOTS],
                        struct lb_err *err)
{
  struct lb_io read = {
      .op = LB_OP_READ, .offset = at, .length = n, .buf = job->io->scratch};
  int rc = lb_storage_op(job->storage, &read, fd, job->io, err);
  if (!rc)
    rc = check_piece(job, path, at, n, err);
  return rc ? rc : tick(job, path, err);
}

static int verify_file(const struct lb_shard_job *job, const char *path,
                       const struct lb_shard *shard, int fd[LB_IO_SLOTS],
                       struct lb_err *err)
{
  struct lb_io open = {.op = LB_OP_OPEN, .path = path};
  job->io->late_ns = 0;
  struct lb_io stat = {.op = LB_OP_STAT};
  int rc = lb_storage_op(job->storage, &open, fd, job->io, err);
  if (!rc)
    rc = lb_storage_op(job->storage, &stat, fd, job->io, err);
  if (!rc && (uint64_t)stat.result != shard->bytes)
    rc = lb_err_set(err, LB_FAILED,
                    "%s: has %" PRId64 " bytes, %" PRIu64 " were written", path,
                    stat.result, shard->bytes);
  for (uint64_t at = 0, n; !rc && at < shard->bytes; at += n) {
    n = piece(job, shard, at);
    rc = verify_piece(job, path, at, n, fd, err);
  }
  return rc;
}

int lb_shard_verify(const struct lb_shard_job *job,
                    const struct lb_shard *shard, struct lb_err *err)
{
  char path[SHARD_PATH_MAX], unused[SHARD_PATH_MAX];
  int fd[LB_IO_SLOTS] = {-1, -1, -1, -1};
  int rc = shard_paths(job, shard, path, unused, err);
  if (rc)
    return rc;
  rc = verify_file(job, path, shard, fd, err);
  lb_storage_release(job->storage, fd);
  return rc;
}
