/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The plain loop that `make bench' holds loadbank against: the requests that a
 * workload's training makes for its samples, one pread each, and nothing else:
 * no plan, no batches handed over, no statistics.
 *
 *   same_reads THREADS EPOCHS WORKLOAD.yaml [KEY=VALUE...]
 *
 * The requests are found beforehand, by going through the first epoch twice: as
 * readers do that have opened all their files.  Thread t takes the batches t,
 * t + THREADS, ...  THREADS 0: a process without any, in which a read costs
 * less than where threads share the open files.  Prints MiB/s of what is
 * read. */
#include "lb-config.h"

#include "loadbank/config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "loadbank/dataset.h"
#include "loadbank/sampler.h"

enum { SCRATCH_BYTES = 4 << 20, MAX_THREADS = 64 };

struct request {
  int64_t file;
  uint64_t offset;
  uint32_t bytes;
  uint32_t batch;
};

struct job {
  const struct lb_workload *w;
  struct lb_format_params params;
  struct lb_layout layout;
  struct lb_sizes sizes;
  struct lb_storage *storage;
  struct lb_iothread io;
  struct request *v;
  size_t n, cap;
  int *fd;    /* of each file */
  bool alone; /* no thread is made */
  int threads, epochs;
};

struct thread {
  struct job *job;
  int number;
  char *buffer;
  pthread_t id;
};

static void fail(const char *what)
{
  fprintf(stderr, "same_reads: %s\n", what);
  exit(1);
}

static void *must(void *memory)
{
  if (!memory)
    fail("no memory");
  return memory;
}

/* ---- what a workload asks for ---- */

static struct lb_workload *load(const char *path, const char *const *overrides,
                                int n)
{
  struct lb_err err = LB_ERR_INIT;
  struct lb_workload *w;
  char *text, found[PATH_MAX];
  size_t len;
  if (lb_workload_find(path, NULL, 0, &text, &len, found, &err) < 0 ||
      lb_workload_load(text, len, found, overrides, n, &w, &err) < 0)
    fail(err.msg);
  free(text);
  return w;
}

static void describe(struct job *j)
{
  const struct lb_workload_dataset *d = &j->w->dataset;
  const struct lb_storage_env env = {.bandwidth_share = 1};
  struct lb_layout *l = &j->layout;
  struct lb_err err = LB_ERR_INIT;
  lb_workload_format_params(j->w, &j->params);
  j->params.has_bytes = true;
  snprintf(l->root, sizeof l->root, "%s", j->w->derived.data_folder);
  snprintf(l->prefix, sizeof l->prefix, "%s", d->file_prefix);
  snprintf(l->extension, sizeof l->extension, "%s",
           j->w->derived.format->extension);
  l->n_files[LB_SET_TRAIN] = l->n_used[LB_SET_TRAIN] = d->num_files_train;
  if (lb_sizes_init(&j->sizes, j->w->derived.content_seed,
                    (double)j->w->derived.sample_bytes,
                    d->record_length_bytes_stdev, &err) < 0 ||
      lb_iothread_init(&j->io, SCRATCH_BYTES, &err) < 0 ||
      lb_storage_open(&j->storage, lb_backend_find("local_fs"), NULL, &env,
                      &err) < 0)
    fail(err.msg);
}

static void note(struct job *j, int64_t file, int64_t batch,
                 const struct lb_io *io)
{
  uint32_t most = io->request ? io->request : (uint32_t)io->length;
  for (uint64_t at = 0; at < io->length; at += most) {
    if (j->n == j->cap) {
      j->cap = j->cap ? 2 * j->cap : 4096;
      j->v = must(realloc(j->v, j->cap * sizeof *j->v));
    }
    uint64_t left = io->length - at;
    j->v[j->n++] = (struct request){
        .file = file,
        .offset = io->offset + at,
        .bytes = left < most ? (uint32_t)left : most,
        .batch = (uint32_t)batch,
    };
  }
}

/* Reads the sample; notes the requests to the file itself, not to what is
 * beside it. */
static void read_sample(struct job *j, struct lb_reader *r,
                        const struct lb_sample *s, int64_t batch, bool noting)
{
  struct lb_iolist list;
  struct lb_err err = LB_ERR_INIT;
  lb_iolist_init(&list);
  int rc = 1;
  for (int stage = 0; rc > 0; stage++) {
    lb_iolist_clear(&list);
    rc = r->format->plan(r, s, stage, &list, &err);
    if (rc > 0 &&
        (lb_storage_run(j->storage, &list, r->fd, &j->io, &err) < 0 ||
         (r->format->parse && r->format->parse(r, s, stage, &list, &err) < 0)))
      rc = -1;
    for (size_t i = 0; rc > 0 && noting && i < list.n; i++)
      if (list.v[i].op == LB_OP_READ && list.v[i].slot == 0)
        note(j, s->file.index, batch, &list.v[i]);
  }
  if (rc < 0)
    fail(err.msg);
  lb_iolist_fini(&list);
}

static void find_requests(struct job *j)
{
  const struct lb_workload *w = j->w;
  int64_t n = j->layout.n_used[LB_SET_TRAIN] * j->params.samples_per_file;
  struct lb_sampler order = lb_sampler_make(
      (uint64_t)j->layout.n_used[LB_SET_TRAIN],
      (uint64_t)j->params.samples_per_file, w->derived.file_shuffle,
      w->derived.sample_shuffle, w->derived.order_seed, 1, LB_SET_TRAIN);
  struct lb_err err = LB_ERR_INIT;
  struct lb_reader r;
  char path[PATH_MAX];
  if (lb_reader_init(&r, w->derived.format, &j->params, &err) < 0)
    fail(err.msg);
  for (int pass = 0; pass < 2; pass++)
    for (int64_t i = 0; i < n / w->reader.batch_size * w->reader.batch_size;
         i++) {
      struct lb_sample s = {.in_file = 0};
      int64_t file;
      lb_sampler_at(&order, (uint64_t)i, &file, &s.in_file);
      lb_dataset_file(&j->layout, &j->sizes, &j->params, LB_SET_TRAIN, file,
                      path, sizeof path, &s.file);
      read_sample(j, &r, &s, i / w->reader.batch_size, pass == 1);
    }
  lb_storage_release(j->storage, r.fd);
  lb_reader_fini(&r);
}

static void open_files(struct job *j)
{
  int64_t n = j->layout.n_used[LB_SET_TRAIN];
  char path[PATH_MAX];
  j->fd = must(calloc((size_t)n, sizeof *j->fd));
  for (int64_t i = 0; i < n; i++) {
    if (lb_layout_path(&j->layout, LB_SET_TRAIN, i, path, sizeof path) < 0 ||
        (j->fd[i] = open(path, O_RDONLY)) < 0)
      fail(path);
  }
}

/* ---- the loop ---- */

static void read_one(const struct thread *t, const struct request *q)
{
  if (pread(t->job->fd[q->file], t->buffer, q->bytes, (off_t)q->offset) !=
      (ssize_t)q->bytes)
    fail("a request was not answered in full");
}

static void read_all(const struct thread *t)
{
  const struct job *j = t->job;
  for (size_t i = 0; i < j->n; i++)
    read_one(t, &j->v[i]);
}

static void read_share(const struct thread *t)
{
  const struct job *j = t->job;
  for (size_t i = 0; i < j->n; i++)
    if ((int)(j->v[i].batch % (uint32_t)j->threads) == t->number)
      read_one(t, &j->v[i]);
}

static void *run(void *arg)
{
  const struct thread *t = arg;
  for (int e = 0; e < t->job->epochs; e++)
    (t->job->threads == 1 ? read_all : read_share)(t);
  return NULL;
}

static double now_s(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double measure(struct job *j)
{
  struct thread t[MAX_THREADS];
  for (int i = 0; i < j->threads; i++) {
    t[i] = (struct thread){.job = j, .number = i};
    t[i].buffer = must(aligned_alloc(4096, SCRATCH_BYTES));
    memset(t[i].buffer, 0, SCRATCH_BYTES);
  }
  double begin = now_s();
  if (j->alone)
    run(&t[0]);
  for (int i = 0; i < j->threads && !j->alone; i++)
    if (pthread_create(&t[i].id, NULL, run, &t[i]))
      fail("no thread");
  for (int i = 0; i < j->threads && !j->alone; i++)
    pthread_join(t[i].id, NULL);
  double seconds = now_s() - begin;
  for (int i = 0; i < j->threads; i++)
    free(t[i].buffer);
  return seconds;
}

int main(int argc, char **argv)
{
  static struct job j;
  if (argc < 4)
    return 2;
  j.threads = (int)strtol(argv[1], NULL, 10);
  j.alone = j.threads == 0;
  j.threads += j.alone;
  j.epochs = (int)strtol(argv[2], NULL, 10);
  if (j.threads < 1 || j.threads > MAX_THREADS || j.epochs < 1)
    return 2;
  struct lb_workload *w =
      load(argv[3], (const char *const *)argv + 4, argc - 4);
  j.w = w;
  describe(&j);
  find_requests(&j);
  open_files(&j);
  double bytes = 0;
  for (size_t i = 0; i < j.n; i++) {
    bytes += j.v[i].bytes;
    if (j.v[i].bytes > SCRATCH_BYTES)
      fail("a request is larger than the buffer");
  }
  double seconds = measure(&j);
  printf("%.1f\n", bytes * j.epochs / 1048576 / seconds);
  lb_storage_close(j.storage);
  lb_iothread_fini(&j.io);
  free(j.v);
  free(j.fd);
  lb_workload_free(w);
  return 0;
}
