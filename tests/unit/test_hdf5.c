/* SPDX-License-Identifier: GPL-3.0-or-later */
/* HDF5 files: what reading costs, foreign and wrong files, handles. */
#include "lb-config.h"

#include "loadbank/format.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "format_fixture.h"
#include "tap.h"

#ifdef HAVE_HDF5
#include <hdf5.h>

#include "loadbank/clock.h"
#include "loadbank/content.h"
#include "loadbank/hdf5lock.h"

static void cost_of_a_sample(struct fixture *x)
{
  struct lb_format_params p = fixture_params(3);
  struct lb_file f = fixture_file(x, "a.hdf5", 3, 300000);
  struct lb_err err = LB_ERR_INIT;
  struct cost c;
  fixture_make(&lb_format_hdf5, &p, &f, &err);
  int before = tap_open_files();
  fixture_read_once(x, &lb_format_hdf5, &p, &f, &c, &err);
  is_str(err.msg, "", "reads its own file");
  is_int(c.count[LB_OP_OPEN], 1, "one open");
  is_int(c.count[LB_OP_STAT], 2, "two stats");
  is_int(c.count[LB_OP_LOCK], 1, "one lock");
  is_int(c.count[LB_OP_READ], 8 + 2, "eight reads of metadata, two of data");
  is_int(c.bytes[LB_OP_READ],
         8 + 16 + 80 + 512 + 512 + 544 + 328 + 512 + 300000, "bytes read");
  is_int(c.payload, 300000, "only the sample");
  is_int(c.count[LB_OP_CLOSE], 1, "one close");
  is_int(tap_open_files(), before, "nothing stays open");
}

/* Bytes of the last read, of a sample that fits into the library's sieve buffer
 * of 64 KiB: that is filled, if the dataset goes on for so long. */
static void small_samples(struct fixture *x)
{
  static const struct {
    int64_t samples, bytes, in_file;
    bool lean;
    uint64_t read;
  } rows[] = {{40, 4096, 0, false, 65536}, {40, 4096, 30, false, 40960},
              {40, 4096, 39, false, 4096}, {40, 4096, 0, true, 4096},
              {3, 65536, 1, false, 65536}, {3, 65537, 1, false, 65537},
              {2, 40000, 0, false, 65536}, {1, 4096, 0, false, 4096}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    struct lb_format_params p = fixture_params(rows[i].samples);
    struct lb_file f =
        fixture_file(x, "sieve.hdf5", rows[i].samples, rows[i].bytes);
    struct lb_sample s = {
        .file = f, .in_file = rows[i].in_file, .verify = true};
    struct lb_err err = LB_ERR_INIT;
    struct lb_reader r;
    struct cost c = {.stages = 0};
    p.lean = rows[i].lean;
    fixture_make(&lb_format_hdf5, &p, &f, &err);
    lb_reader_init(&r, &lb_format_hdf5, &p, &err);
    fixture_read(x, &r, &s, &c, &err);
    is_str(err.msg, "", "sample %d of %d x %d", (int)s.in_file, (int)f.samples,
           (int)f.sample_bytes);
    is_int(c.bytes[LB_OP_READ] - (8 + 16 + 80 + 512 + 512 + 544 + 328 + 512),
           rows[i].read, "bytes read of its dataset, lean %d", p.lean);
    is_int(c.payload, f.sample_bytes, "only the sample counts");
    lb_reader_fini(&r);
    unlink(f.path);
  }
}

/* The bytes that the library reads are those that were written, where the
 * plan says. */
static void right_bytes(struct fixture *x)
{
  struct lb_format_params p = fixture_params(3);
  struct lb_file f = fixture_file(x, "b.hdf5", 3, 5000);
  struct lb_err err = LB_ERR_INIT;
  unsigned char *got = malloc(15000), *want = malloc(15000);
  int64_t labels[3] = {1, 1, 1};
  fixture_make(&lb_format_hdf5, &p, &f, &err);
  lb_content_fill(10, LB_SET_TRAIN, 0, 0, want, 15000);
  lb_hdf5_lock();
  hid_t file = H5Fopen(f.path, H5F_ACC_RDONLY, H5P_DEFAULT);
  hid_t set = H5Dopen2(file, "records_0", H5P_DEFAULT);
  hid_t y = H5Dopen2(file, "labels", H5P_DEFAULT);
  H5Dread(set, H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, got);
  H5Dread(y, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, labels);
  is_int(H5Dget_offset(set), 1072, "records begin where the plan says");
  H5Dclose(y);
  H5Dclose(set);
  H5Fclose(file);
  lb_hdf5_unlock();
  ok(!memcmp(got, want, 15000), "the library reads the content");
  ok(!labels[0] && !labels[1] && !labels[2], "and zeros as labels");
  free(got);
  free(want);
}

/* A foreign file: records_0 of 6 x 40 x 5 elements. */
static void make_foreign(const char *path, const char *name, hid_t type,
                         bool chunked)
{
  hsize_t dims[3] = {6, 40, 5}, chunk[3] = {2, 40, 5};
  lb_hdf5_lock();
  hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  hid_t space = H5Screate_simple(3, dims, NULL);
  hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE);
  if (chunked) {
    H5Pset_chunk(dcpl, 3, chunk);
    H5Pset_deflate(dcpl, 4);
  }
  hid_t set =
      H5Dcreate2(file, name, type, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
  char zeros[6 * 40 * 5 * 8] = {0};
  H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, zeros);
  H5Dclose(set);
  H5Pclose(dcpl);
  H5Sclose(space);
  H5Fclose(file);
  lb_hdf5_unlock();
}

static void foreign(struct fixture *x)
{
  struct lb_format_params p = fixture_params(6), q = p;
  struct lb_file f = fixture_file(x, "c.hdf5", 6, 200), g = f;
  struct lb_err err;
  struct cost c;
  make_foreign(f.path, "records_0", H5T_STD_U8LE, false);
  fixture_read_once(x, &lb_format_hdf5, &p, &f, &c, &err);
  is_str(err.msg, "", "a contiguous foreign file is read");
  g.samples = 5;
  fixture_read_once(x, &lb_format_hdf5, &p, &g, &c, &err);
  ok(strstr(err.msg, "holds 6 samples") && strstr(err.msg, "is 5"),
     "sample count: %s", err.msg);
  q.n_dims = 2;
  q.dims[0] = 40;
  q.dims[1] = 6;
  g = f;
  g.sample_bytes = 240;
  fixture_read_once(x, &lb_format_hdf5, &q, &g, &c, &err);
  ok(strstr(err.msg, "dimension 2") && strstr(err.msg, " 6"), "shape: %s",
     err.msg);
  q.n_dims = 1;
  g.sample_bytes = 40;
  fixture_read_once(x, &lb_format_hdf5, &q, &g, &c, &err);
  ok(strstr(err.msg, "2 dimensions"), "number of dimensions: %s", err.msg);
  make_foreign(f.path, "records_0", H5T_STD_U8LE, true);
  int before = tap_open_files();
  fixture_read_once(x, &lb_format_hdf5, &p, &f, &c, &err);
  is_str(err.msg, "", "a compressed foreign file is read");
  is_int(c.payload, 200, "its payload counts");
  is_int(tap_open_files(), before, "nothing stays open");
  make_foreign(f.path, "records_0", H5T_IEEE_F64LE, false);
  fixture_read_once(x, &lb_format_hdf5, &p, &f, &c, &err);
  ok(strstr(err.msg, "floats of 8 bytes") && strstr(err.msg, "uint8"),
     "element type: %s", err.msg);
  make_foreign(f.path, "images", H5T_STD_U8LE, false);
  fixture_read_once(x, &lb_format_hdf5, &p, &f, &c, &err);
  ok(strstr(err.msg, "records_0"), "no dataset records_0: %s", err.msg);
}

/* What is refused half-way leaves nothing open. */
static void damaged(struct fixture *x)
{
  struct lb_format_params p = fixture_params(2);
  struct lb_file f = fixture_file(x, "f.hdf5", 2, 100);
  struct lb_err err = LB_ERR_INIT;
  struct cost c;
  size_t n;
  int left = 0, before = tap_open_files();
  fixture_make(&lb_format_hdf5, &p, &f, &err);
  unsigned char *bytes = fixture_slurp(f.path, &n);
  for (size_t i = 0; i < n; i += 3) {
    bytes[i] ^= 0xff;
    fixture_spit(f.path, bytes, n);
    fixture_read_once(x, &lb_format_hdf5, &p, &f, &c, &err);
    bytes[i] ^= 0xff;
    left += H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL) != 0;
    left += tap_open_files() != before;
  }
  is_int(left, 0, "a damaged file leaves no handle and no descriptor");
  free(bytes);
}

/* A failure between two stages, with the file lent out or not. */
static void handles(struct fixture *x)
{
  struct lb_format_params p = fixture_params(2);
  struct lb_file f = fixture_file(x, "d.hdf5", 2, 1000);
  struct lb_err err = LB_ERR_INIT;
  struct lb_reader r;
  struct lb_iolist list;
  struct cost c = {.stages = 0};
  int before = tap_open_files();
  p.memory = true;
  fixture_make(&lb_format_hdf5, &p, &f, &err);
  lb_reader_init(&r, &lb_format_hdf5, &p, &err);
  struct lb_sample s = {.file = f};
  fixture_read(x, &r, &s, &c, &err);
  is_int(tap_open_files(), before + 1, "memory: the file stays open");
  is_int(r.fd[0], -1, "and is not in the reader's slot");
  lb_iolist_init(&list);
  is_int(r.format->plan(&r, &s, 0, &list, &err), 1, "planned, never run");
  lb_storage_release(x->storage, r.fd);
  lb_reader_fini(&r);
  lb_iolist_fini(&list);
  is_int(tap_open_files(), before, "everything is closed once");
}

/* Who waits for the library's lock does not wait for the storage. */
static void *hold_lock(void *arg)
{
  lb_hdf5_lock();
  atomic_store((_Atomic int *)arg, 1);
  lb_clock_sleep_until(lb_clock_ns() + 500 * UINT64_C(1000000));
  lb_hdf5_unlock();
  return NULL;
}

static void waits_for_lock(const struct fixture *shared)
{
  struct fixture mine = *shared, *x = &mine;
  struct lb_format_params p = fixture_params(3);
  struct lb_file f = fixture_file(x, "l.hdf5", 3, 4000);
  struct lb_err err = LB_ERR_INIT;
  struct cost c;
  _Atomic int held = 0;
  pthread_t holder;
  fixture_make(&lb_format_hdf5, &p, &f, &err);
  lb_iothread_init(&mine.thread, 1 << 20, &err);
  pthread_create(&holder, NULL, hold_lock, &held);
  while (!atomic_load(&held))
    lb_clock_sleep_until(lb_clock_ns() + 1000);
  fixture_read_once(x, &lb_format_hdf5, &p, &f, &c, &err);
  pthread_join(holder, NULL);
  const struct lb_iostat *open =
      mine.thread.stats->cell[mine.thread.phase][LB_OP_OPEN];
  uint64_t waited = mine.thread.waited_ns;
  ok(waited > 100000000, "the wait for the lock is seen: %d ms",
     (int)(waited / 1000000));
  /* The call stands for a dozen requests: 500 ms would be 40 each. */
  ok(open && open->ns.max < 30000000, "and not in the latency of an open");
  lb_iothread_fini(&mine.thread);
}

enum { THREADS = 4, ROUNDS = 50 };

static void *read_often(void *arg)
{
  struct fixture mine = *(struct fixture *)arg;
  struct lb_format_params p = fixture_params(3);
  struct lb_file f = {.samples = 3, .sample_bytes = 4000, .path = mine.path};
  struct lb_err err = LB_ERR_INIT;
  struct cost c;
  if (lb_iothread_init(&mine.thread, 1 << 20, &err) == 0)
    for (int i = 0; i < ROUNDS && !err.code; i++)
      fixture_read_once(&mine, &lb_format_hdf5, &p, &f, &c, &err);
  lb_iothread_fini(&mine.thread);
  return err.code ? arg : NULL;
}

static void threads(struct fixture *x)
{
  struct lb_format_params p = fixture_params(3);
  struct lb_file f = fixture_file(x, "e.hdf5", 3, 4000);
  struct lb_err err = LB_ERR_INIT;
  pthread_t t[THREADS];
  int failed = 0;
  fixture_make(&lb_format_hdf5, &p, &f, &err);
  for (int i = 0; i < THREADS; i++)
    pthread_create(&t[i], NULL, read_often, x);
  for (int i = 0; i < THREADS; i++) {
    void *bad;
    pthread_join(t[i], &bad);
    failed += bad != NULL;
  }
  is_int(failed, 0, "%d threads read at once", THREADS);
}

/* The library's call that fails is followed by others, which forget why. */
static void no_room(struct fixture *x)
{
  struct lb_format_params p = fixture_params(3);
  struct lb_file f = fixture_file(x, "full.hdf5", 3, 30000);
  struct lb_err err = LB_ERR_INIT;
  struct rlimit old, none;
  getrlimit(RLIMIT_FSIZE, &old);
  none = (struct rlimit){.rlim_cur = 0, .rlim_max = old.rlim_max};
  signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &none);
  fixture_make(&lb_format_hdf5, &p, &f, &err);
  setrlimit(RLIMIT_FSIZE, &old);
  ok(strstr(err.msg, "File too large") && strstr(err.msg, f.path),
     "no room at all: %s", err.msg);
}

static void with_library(void)
{
  struct fixture x;
  if (!ok(fixture_init(&x), "storage"))
    return;
  cost_of_a_sample(&x);
  small_samples(&x);
  right_bytes(&x);
  foreign(&x);
  damaged(&x);
  no_room(&x);
  handles(&x);
  waits_for_lock(&x);
  threads(&x);
  is_int(H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL), 0,
         "no handle of the library is left");
  fixture_fini(&x);
}
#else
static void with_library(void)
{
  struct lb_format_params p = fixture_params(1);
  struct lb_err err = LB_ERR_INIT;
  struct lb_reader r;
  is_str(lb_format_hdf5.unavailable, "not in this build; configure --with-hdf5",
         "says why it is absent");
  ok(lb_reader_init(&r, &lb_format_hdf5, &p, &err) < 0 &&
         strstr(err.msg, "format 'hdf5': not in this build"),
     "and so does a reader");
}
#endif

int main(void)
{
  with_library();
  return done();
}
