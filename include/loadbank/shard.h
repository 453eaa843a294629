/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One file of a checkpoint, written and read back.  Rank-local; several threads
 * may do this at the same time, each with its own lb_iothread. */
#ifndef LOADBANK_SHARD_H
#define LOADBANK_SHARD_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "loadbank/checkpoint.h"
#include "loadbank/err.h"
#include "loadbank/storage.h"
#include "loadbank/torch_file.h"

/* Contents are a function of (shard, offset in the file): noise that repeats
 * every LB_SHARD_PERIOD bytes, in which each block begins with a stamp that no
 * other block has.  So nothing compresses or deduplicates, and the bytes are
 * those of a buffer that was filled once.  A container is laid over them. */
enum { LB_SHARD_BLOCK = 4096, LB_SHARD_PERIOD = 1 << 20 };

/* What the shards of a run are used for. */
struct lb_shard_use {
  bool writes, reads, compares;
  bool torch; /* in a container */
  bool ring;  /* requests are those of a ring, which has their buffers */
};

/* What an lb_iothread's scratch is used for: a buffer to read into (the first,
 * for O_DIRECT reads there whatever it is told), noise to write from and to
 * compare with, a request as it is in a container. */
struct lb_shard_room {
  size_t request;      /* bytes of one request; whole blocks */
  size_t read_bytes;   /* 0: nothing is read, or through a ring */
  size_t noise_bytes;  /* 0: nothing is written or compared */
  size_t packed_bytes; /* 0: there is no container, or a ring writes it */
};
struct lb_shard_room lb_shard_room(size_t request,
                                   const struct lb_shard_use *use);
size_t lb_shard_room_bytes(const struct lb_shard_room *r);
/* Fills the noise, outside timed intervals; scratch has that many bytes. */
void lb_shard_fill(const struct lb_shard_room *r, struct lb_iothread *io);

struct lb_shard_job {
  struct lb_storage *storage;
  const char *folder;                /* of the checkpoint; exists */
  uint64_t id;                       /* of this shard: lb_shard_id */
  bool sync;                         /* on stable storage before it is done */
  bool compare;                      /* what is read with what was written */
  const struct lb_torch_file *torch; /* the container, or NULL: none */
  const struct lb_shard_room *room;
  /* With scratch filled as room says (virtual storage: none).  With a ring for
   * requests of that size, its bytes go through that.  Its late_ns is kept, so
   * that shards follow each other from done to done. */
  struct lb_iothread *io;
  bool (*tick)(void *arg); /* after every request, false: give up; NULL: none */
  void *tick_arg;
};

uint64_t lb_shard_id(uint64_t seed, int64_t checkpoint,
                     const struct lb_shard_ref *ref);

/* Of its file. */
uint64_t lb_shard_file_bytes(const struct lb_shard_job *job,
                             const struct lb_shard *shard);

/* Its path, and that under which it is written. */
int lb_shard_paths(const char *folder, const struct lb_shard *shard,
                   char final[PATH_MAX], char temporary[PATH_MAX],
                   struct lb_err *err);

/* The folders between the job's and that file. */
int lb_shard_make_parent(const struct lb_shard_job *job,
                         const struct lb_shard *shard, const char *final,
                         struct lb_err *err);

/* Writes folder/name under a temporary name and renames it; makes folders in
 * between.  On failure no file is left. */
int lb_shard_write(const struct lb_shard_job *job, const struct lb_shard *shard,
                   struct lb_err *err);
/* Reads it: the size must be that written.  With `compare' all of it, and each
 * byte must be; else a container as torch.load does. */
int lb_shard_read(const struct lb_shard_job *job, const struct lb_shard *shard,
                  struct lb_err *err);

#endif
