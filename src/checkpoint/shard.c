/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One shard: streamed through a small reused buffer, so that memory does not
 * depend on its size.  To write a block costs a stamp of 16 bytes. */
#include "lb-config.h"

#include "loadbank/shard.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "checkpoint/torch_stream.h"
#include "loadbank/newfile.h"
#include "loadbank/ring.h"
#include "loadbank/rng.h"
#include "loadbank/torch_load.h"

enum { STAMP_WORDS = 2 };

uint64_t lb_shard_id(uint64_t seed, int64_t checkpoint,
                     const struct lb_shard_ref *ref)
{
  uint64_t file = (uint64_t)ref->stage << 24 | (uint64_t)ref->i;
  return lb_rng_stream(seed, LB_RNG_CHECKPOINT, (uint64_t)checkpoint,
                       (uint64_t)ref->accelerator << 32 | file)
      .key;
}

/* ---- the buffer ---- */

struct lb_shard_room lb_shard_room(size_t request,
                                   const struct lb_shard_use *use)
{
  request -= request % LB_SHARD_BLOCK;
  if (request < LB_SHARD_BLOCK)
    request = LB_SHARD_BLOCK;
  bool compares = use->reads && use->compares;
  bool noise = use->writes || compares;
  bool packs = use->torch && (compares || (use->writes && !use->ring));
  return (struct lb_shard_room){
      .request = request,
      .read_bytes = use->reads && !use->ring ? request + LB_SCRATCH_ROOM : 0,
      .noise_bytes = noise ? LB_SHARD_PERIOD + request : 0,
      .packed_bytes = packs ? request : 0};
}

size_t lb_shard_room_bytes(const struct lb_shard_room *r)
{
  return r->read_bytes + r->noise_bytes + r->packed_bytes;
}

void lb_shard_fill(const struct lb_shard_room *r, struct lb_iothread *io)
{
  struct lb_rng rng = {.key = LB_RNG_GOLDEN};
  char *noise = (char *)io->scratch + r->read_bytes;
  for (size_t at = 0; at < r->noise_bytes; at += sizeof(uint64_t)) {
    uint64_t word = at < LB_SHARD_PERIOD ? lb_rng_u64(&rng) : 0;
    if (at >= LB_SHARD_PERIOD)
      memcpy(&word, noise + at - LB_SHARD_PERIOD, sizeof word);
    memcpy(noise + at, &word, sizeof word);
  }
}

static void stamp_of(uint64_t id, uint64_t block, uint64_t out[STAMP_WORDS])
{
  out[0] = id;
  out[1] = lb_rng_mix(id + LB_RNG_GOLDEN * (block + 1));
}

/* What [at, at + n) of the shard holds, n at most a request, at whole blocks,
 * but for its container. */
static unsigned char *noise_of(const struct lb_shard_job *job, uint64_t at,
                               size_t n)
{
  unsigned char *noise = (unsigned char *)job->io->scratch +
                         job->room->read_bytes + at % LB_SHARD_PERIOD;
  for (size_t b = 0; b < n; b += LB_SHARD_BLOCK) {
    uint64_t stamp[STAMP_WORDS];
    stamp_of(job->id, (at + b) / LB_SHARD_BLOCK, stamp);
    memcpy(noise + b, stamp, sizeof stamp);
  }
  return noise;
}

/* The bytes of a file from its beginning to its end. */
struct content {
  const struct lb_shard_job *job;
  struct lb_torch_stream stream; /* in a container */
};

static int begin_content(struct content *c, const struct lb_shard_job *job,
                         struct lb_err *err)
{
  *c = (struct content){.job = job};
  return job->torch ? lb_torch_stream_begin(&c->stream, job->torch, err) : 0;
}

static void end_content(struct content *c)
{
  lb_torch_stream_end(&c->stream);
}

/* The next n of them, from `at' on, put there. */
static void put_bytes(struct content *c, uint64_t at, unsigned char *to,
                      size_t n)
{
  memcpy(to, noise_of(c->job, at, n), n);
  if (c->job->torch)
    lb_torch_stream_lay(&c->stream, at, to, n);
}

/* The same in scratch. */
static const unsigned char *bytes_of(struct content *c, uint64_t at, size_t n)
{
  const struct lb_shard_room *room = c->job->room;
  if (!c->job->torch)
    return noise_of(c->job, at, n);
  unsigned char *packed = (unsigned char *)c->job->io->scratch +
                          room->read_bytes + room->noise_bytes;
  put_bytes(c, at, packed, n);
  return packed;
}

uint64_t lb_shard_file_bytes(const struct lb_shard_job *job,
                             const struct lb_shard *shard)
{
  return job->torch ? lb_torch_bytes(job->torch) : shard->bytes;
}

/* ---- names ---- */

int lb_shard_paths(const char *folder, const struct lb_shard *shard,
                   char final[PATH_MAX], char temporary[PATH_MAX],
                   struct lb_err *err)
{
  const char *slash = strrchr(shard->name, '/');
  int below = slash ? (int)(slash + 1 - shard->name) : 0;
  int a = snprintf(final, PATH_MAX, "%s/%s", folder, shard->name);
  int b = snprintf(temporary, PATH_MAX, "%s/%.*s.%s.part", folder, below,
                   shard->name, shard->name + below);
  if (a < 0 || a >= PATH_MAX || b < 0 || b >= PATH_MAX)
    return lb_err_sys(err, LB_FAILED, ENAMETOOLONG, "%s/%s", folder,
                      shard->name);
  return 0;
}

int lb_shard_make_parent(const struct lb_shard_job *job,
                         const struct lb_shard *shard, const char *final,
                         struct lb_err *err)
{
  char parent[PATH_MAX];
  if (!strchr(shard->name, '/'))
    return 0;
  snprintf(parent, sizeof parent, "%.*s", (int)(strrchr(final, '/') - final),
           final);
  return lb_storage_mkdirs(job->storage, parent, job->sync, job->io, err);
}

static size_t piece(const struct lb_shard_job *job, uint64_t left)
{
  return left < job->room->request ? (size_t)left : job->room->request;
}

/* The operation through the thread's ring, as the rest of the task says. */
static int through_ring(const struct lb_shard_job *job, struct lb_io io,
                        struct lb_rtask task, const char *path,
                        struct lb_err *err)
{
  struct lb_iolist list = {.v = &io, .n = 1, .cap = 1};
  io.request = (uint32_t)job->room->request;
  task.list = &list;
  task.phase = job->io->phase;
  return lb_ring_run(job->io->ring, &task, job->tick, job->tick_arg, path, err);
}

/* ---- writing ---- */

static void fill(void *arg, const struct lb_io *io, uint64_t at, void *bytes,
                 size_t n)
{
  put_bytes(arg, io->offset + at, bytes, n);
}

static int write_through_ring(struct content *c, struct lb_newfile *f,
                              uint64_t bytes, struct lb_err *err)
{
  const struct lb_io write = {.op = LB_OP_WRITE, .length = bytes};
  const struct lb_rtask task = {.fd = f->fd, .fill = fill, .fill_arg = c};
  return bytes ? through_ring(c->job, write, task, f->temporary, err) : 0;
}

static int write_pieces(const struct lb_shard_job *job, struct lb_newfile *f,
                        uint64_t bytes, struct lb_err *err)
{
  struct content c;
  bool is_virtual = job->storage->backend->is_virtual;
  int rc = begin_content(&c, job, err);
  if (!rc && job->io->ring) {
    rc = write_through_ring(&c, f, bytes, err);
    bytes = 0;
  }
  for (uint64_t at = 0, n; at < bytes && !rc; at += n) {
    n = piece(job, bytes - at);
    rc = lb_newfile_write(f, at, is_virtual ? NULL : bytes_of(&c, at, n), n,
                          err);
  }
  end_content(&c);
  return rc;
}

int lb_shard_write(const struct lb_shard_job *job, const struct lb_shard *shard,
                   struct lb_err *err)
{
  char final[PATH_MAX], temporary[PATH_MAX];
  int rc = lb_shard_paths(job->folder, shard, final, temporary, err);
  if (!rc)
    rc = lb_shard_make_parent(job, shard, final, err);
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
    rc = write_pieces(job, &f, lb_shard_file_bytes(job, shard), err);
  return lb_newfile_end(&f, rc, err);
}

/* ---- reading ---- */

/* The block that is wrong. */
static int blame(const char *path, uint64_t at, const unsigned char *got,
                 const unsigned char *want, size_t n, struct lb_err *err)
{
  uint64_t b = 0;
  while (b < n && !memcmp(got + b, want + b,
                          n - b < LB_SHARD_BLOCK ? n - b : LB_SHARD_BLOCK))
    b += LB_SHARD_BLOCK;
  return lb_err_set(err, LB_FAILED,
                    "%s: offset %" PRIu64
                    ": the block is not the one that was written",
                    path, at + b);
}

struct source {
  const char *path;
  int fd[LB_IO_SLOTS];
};

static int read_piece(const struct lb_shard_job *job, struct source *from,
                      uint64_t at, size_t n, struct lb_err *err)
{
  struct lb_io read = {
      .op = LB_OP_READ, .offset = at, .length = n, .buf = job->io->scratch};
  int rc = lb_storage_op(job->storage, &read, from->fd, job->io, err);
  if (!rc && job->tick && !job->tick(job->tick_arg))
    rc = lb_err_give_up(err, from->path);
  return rc;
}

static int read_range(const struct lb_shard_job *job, struct source *from,
                      uint64_t at, uint64_t length, struct lb_err *err)
{
  const struct lb_io read = {.op = LB_OP_READ, .offset = at, .length = length};
  int rc = 0;
  if (job->io->ring)
    return through_ring(job, read, (struct lb_rtask){.fd = from->fd},
                        from->path, err);
  for (uint64_t done = 0, n; !rc && done < length; done += n) {
    n = piece(job, length - done);
    rc = read_piece(job, from, at + done, n, err);
  }
  return rc;
}

/* What is read and what it should be. */
struct comparison {
  struct content content;
  struct source *from;
};

/* An lb_rtask's inspect. */
static int compare(void *arg, const struct lb_io *io, uint64_t at,
                   const void *bytes, size_t n, struct lb_err *err)
{
  struct comparison *c = arg;
  const uint64_t offset = io->offset + at;
  const unsigned char *want = bytes_of(&c->content, offset, n);
  if (!memcmp(bytes, want, n))
    return 0;
  return blame(c->from->path, offset, bytes, want, n, err);
}

/* A container's checksums are made of the bytes before them: in order. */
static int compare_through_ring(struct comparison *c, uint64_t bytes,
                                struct lb_err *err)
{
  const struct lb_shard_job *job = c->content.job;
  const struct lb_io read = {.op = LB_OP_READ, .length = bytes};
  const struct lb_rtask task = {.fd = c->from->fd,
                                .inspect = compare,
                                .inspect_arg = c,
                                .in_order = job->torch != NULL};
  return bytes ? through_ring(job, read, task, c->from->path, err) : 0;
}

static int compare_all(const struct lb_shard_job *job, struct source *from,
                       uint64_t bytes, struct lb_err *err)
{
  struct comparison c = {.from = from};
  const struct lb_io whole = {.op = LB_OP_READ, .length = bytes};
  int rc = begin_content(&c.content, job, err);
  if (!rc && job->io->ring) {
    rc = compare_through_ring(&c, bytes, err);
    bytes = 0;
  }
  for (uint64_t at = 0, n; !rc && at < bytes; at += n) {
    n = piece(job, bytes - at);
    rc = read_piece(job, from, at, n, err);
    if (!rc)
      rc = compare(&c, &whole, at, job->io->scratch, n, err);
  }
  end_content(&c.content);
  return rc;
}

/* In the order and with the sizes of torch.load. */
static int read_as_torch(const struct lb_shard_job *job, struct source *from,
                         struct lb_err *err)
{
  struct lb_torch_reads r;
  uint64_t at, length;
  int rc = 0;
  lb_torch_reads_begin(&r, job->torch, LB_SHARD_BLOCK);
  while (!rc && lb_torch_reads_next(&r, &at, &length))
    rc = read_range(job, from, at, length, err);
  return rc;
}

static int read_file(const struct lb_shard_job *job, struct source *from,
                     uint64_t bytes, struct lb_err *err)
{
  struct lb_io open = {.op = LB_OP_OPEN, .path = from->path};
  struct lb_io stat = {.op = LB_OP_STAT}, close = {.op = LB_OP_CLOSE};
  bool is_virtual = job->storage->backend->is_virtual;
  int rc = lb_storage_op(job->storage, &open, from->fd, job->io, err);
  if (!rc)
    rc = lb_storage_op(job->storage, &stat, from->fd, job->io, err);
  if (!rc && !is_virtual && (uint64_t)stat.result != bytes)
    rc = lb_err_set(err, LB_FAILED,
                    "%s: has %" PRId64 " bytes, %" PRIu64 " were written",
                    from->path, stat.result, bytes);
  if (rc)
    return rc;
  if (job->compare && !is_virtual)
    rc = compare_all(job, from, bytes, err);
  else if (job->torch)
    rc = read_as_torch(job, from, err);
  else
    rc = read_range(job, from, 0, bytes, err);
  return rc ? rc : lb_storage_op(job->storage, &close, from->fd, job->io, err);
}

int lb_shard_read(const struct lb_shard_job *job, const struct lb_shard *shard,
                  struct lb_err *err)
{
  char path[PATH_MAX], unused[PATH_MAX];
  struct source from = {.path = path, .fd = {-1, -1, -1, -1}};
  int rc = lb_shard_paths(job->folder, shard, path, unused, err);
  if (rc)
    return rc;
  job->io->rng = (struct lb_rng){.key = job->id};
  rc = read_file(job, &from, lb_shard_file_bytes(job, shard), err);
  lb_storage_release(job->storage, from.fd);
  return rc;
}
