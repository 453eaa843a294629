/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The plain loop over HDF5 samples that `make bench' holds loadbank against: no
 * loader, no batches handed over, no statistics.
 *
 *   read_loop pread|library THREADS BATCH SAMPLE_BYTES SAMPLES EPOCHS FILE...
 *
 * Thread t takes batches t, t + THREADS, ... of the sequence of all samples.
 * pread: every thread keeps every file open, a sample is one pread at its
 * offset.  library: each sample opens its file and dataset by the library, one
 * thread at a time, asks where and what the data are, takes a descriptor, reads
 * outside of the lock as much as the library would, closes.  Prints MiB/s of
 * samples. */
#include "lb-config.h"

#include <stdio.h>

#ifdef HAVE_HDF5

#include <fcntl.h>
#include <hdf5.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* SIEVE_BYTES: with less than that the library fills a buffer from the dataset.
 */
enum { MAX_SAMPLE_BYTES = 1 << 20, SIEVE_BYTES = 1 << 16, MAX_THREADS = 64 };

struct work {
  int use_library, threads, n_files;
  long batch, bytes, samples, epochs; /* samples: of a file */
  char **file;
  off_t *start; /* of the data in each file */
  pthread_mutex_t lock;
};

struct thread {
  struct work *w;
  int number, *fd; /* fd: of each file, plus 1; 0: not open */
  pthread_t id;
  char buffer[MAX_SAMPLE_BYTES];
};

static void fail(const char *what)
{
  perror(what);
  exit(1);
}

/* Where the data are; *fd (when asked for): a descriptor of one's own. */
static off_t ask_library(const char *path, int *fd)
{
  hsize_t dims[32];
  int *theirs;
  hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  hid_t set = file < 0 ? -1 : H5Dopen2(file, "records_0", H5P_DEFAULT);
  hid_t space = set < 0 ? -1 : H5Dget_space(set);
  hid_t type = set < 0 ? -1 : H5Dget_type(set), want = H5Tcopy(H5T_STD_U8LE);
  if (space < 0 || type < 0 || H5Tequal(type, want) < 0 ||
      H5Sget_simple_extent_dims(space, dims, NULL) < 1)
    fail(path);
  off_t at = (off_t)H5Dget_offset(set);
  if (fd) {
    H5Fget_vfd_handle(file, H5P_DEFAULT, (void **)&theirs);
    *fd = fcntl(*theirs, F_DUPFD_CLOEXEC, 0);
  }
  H5Tclose(want);
  H5Tclose(type);
  H5Sclose(space);
  H5Dclose(set);
  H5Fclose(file);
  return at;
}

static void read_sample(struct thread *t, int file, long row)
{
  struct work *w = t->w;
  int fd;
  off_t at = w->start[file];
  if (w->use_library) {
    pthread_mutex_lock(&w->lock);
    at = ask_library(w->file[file], &fd);
    pthread_mutex_unlock(&w->lock);
  } else {
    if (!t->fd[file])
      t->fd[file] = open(w->file[file], O_RDONLY) + 1;
    fd = t->fd[file] - 1;
  }
  long n = w->bytes, left = (w->samples - row) * w->bytes;
  if (w->use_library && n < SIEVE_BYTES)
    n = left < SIEVE_BYTES ? left : SIEVE_BYTES;
  if (pread(fd, t->buffer, (size_t)n, at + row * w->bytes) != n)
    fail(w->file[file]);
  if (w->use_library)
    close(fd);
}

static void *run(void *arg)
{
  struct thread *t = arg;
  const struct work *w = t->w;
  long total = w->samples * w->n_files, batches = total / w->batch;
  for (long e = 0; e < w->epochs; e++)
    for (long b = t->number; b < batches; b += w->threads)
      for (long i = b * w->batch; i < (b + 1) * w->batch; i++)
        read_sample(t, (int)(i / w->samples), i % w->samples);
  return NULL;
}

static double now_s(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
  static struct thread *t[MAX_THREADS];
  struct work w = {.lock = PTHREAD_MUTEX_INITIALIZER};
  if (argc < 8)
    return 2;
  w.use_library = !strcmp(argv[1], "library");
  w.threads = (int)strtol(argv[2], NULL, 10);
  w.batch = strtol(argv[3], NULL, 10);
  w.bytes = strtol(argv[4], NULL, 10);
  w.samples = strtol(argv[5], NULL, 10);
  w.epochs = strtol(argv[6], NULL, 10);
  w.file = argv + 7;
  w.n_files = argc - 7;
  if (w.threads < 1 || w.threads > MAX_THREADS || w.batch < 1 || w.bytes < 1 ||
      w.bytes > MAX_SAMPLE_BYTES)
    return 2;
  w.start = calloc((size_t)w.n_files, sizeof *w.start);
  if (!w.start)
    fail("memory");
  for (int i = 0; i < w.n_files; i++)
    w.start[i] = ask_library(w.file[i], NULL);
  for (int i = 0; i < w.threads; i++) {
    t[i] = calloc(1, sizeof *t[i]);
    if (!t[i] || !(t[i]->fd = calloc((size_t)w.n_files, sizeof(int))))
      fail("memory");
    t[i]->w = &w;
    t[i]->number = i;
  }
  double begin = now_s();
  for (int i = 0; i < w.threads; i++)
    if (pthread_create(&t[i]->id, NULL, run, t[i]))
      fail("thread");
  for (int i = 0; i < w.threads; i++)
    pthread_join(t[i]->id, NULL);
  double seconds = now_s() - begin;
  double batches = (double)(w.samples * w.n_files / w.batch * w.epochs);
  printf("%.1f\n",
         batches * (double)w.batch * (double)w.bytes / 1048576 / seconds);
  for (int i = 0; i < w.threads; i++) {
    free(t[i]->fd);
    free(t[i]);
  }
  free(w.start);
  return 0;
}

#else

int main(void)
{
  fputs("read_loop: this build has no HDF5\n", stderr);
  return 1;
}

#endif
