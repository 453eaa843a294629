/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See format_fixture.h. */
#include "lb-config.h"

#include "format_fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "loadbank/verify.h"
#include "tap.h"

enum { SCRATCH_BYTES = 65536 };

/* Of a damaged file the HDF5 library loses some memory of its own; that no
 * handle of ours stays open is tested (test_hdf5.c). */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
  return "leak:libhdf5\n";
}

bool fixture_init(struct fixture *x)
{
  struct lb_err err = LB_ERR_INIT;
  struct lb_storage_env env = {.bandwidth_share = 1};
  *x = (struct fixture){.storage = NULL};
  return lb_iothread_init(&x->thread, 1 << 20, &err) == 0 &&
         lb_storage_open(&x->storage, lb_backend_find("local_fs"), NULL, &env,
                         &err) == 0;
}

void fixture_fini(struct fixture *x)
{
  lb_storage_close(x->storage);
  lb_iothread_fini(&x->thread);
}

struct lb_format_params fixture_params(int64_t samples)
{
  return (struct lb_format_params){.samples_per_file = samples,
                                   .dtype = lb_dtype_find("uint8"),
                                   .compression = "none",
                                   .has_bytes = true,
                                   .request = 262144,
                                   .n_files = {1, 1},
                                   .content_seed = 10};
}

struct lb_file fixture_file(struct fixture *x, const char *name,
                            int64_t samples, int64_t sample_bytes)
{
  snprintf(x->path, sizeof x->path, "%s/%s", tap_tmpdir(), name);
  return (struct lb_file){.set = LB_SET_TRAIN,
                          .samples = samples,
                          .sample_bytes = sample_bytes,
                          .path = x->path};
}

struct file_sink {
  struct lb_sink sink; /* first */
  int fd;
};

static int write_file(struct lb_sink *sink, uint64_t offset, const void *bytes,
                      size_t n, struct lb_err *err)
{
  const struct file_sink *s = (const struct file_sink *)sink;
  if (pwrite(s->fd, bytes, n, (off_t)offset) != (ssize_t)n)
    return lb_err_sys(err, LB_FAILED, errno, "%s: write", sink->path);
  return 0;
}

typedef int make_hook(const struct lb_format_params *p, const struct lb_file *f,
                      struct lb_sink *sink, struct lb_err *err);

static int make_one(const char *path, make_hook *make,
                    const struct lb_format_params *p, const struct lb_file *f,
                    struct lb_err *err)
{
  struct file_sink s = {.sink = {.path = path,
                                 .write = write_file,
                                 .scratch = malloc(SCRATCH_BYTES),
                                 .scratch_bytes = SCRATCH_BYTES}};
  s.fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0666);
  if (!s.sink.scratch || s.fd < 0)
    lb_err_sys(err, LB_FAILED, errno, "%s: open", path);
  else
    make(p, f, &s.sink, err);
  if (s.fd >= 0)
    close(s.fd);
  free(s.sink.scratch);
  return -err->code;
}

/* Of the file, two of them at most. */
static bool make_folders(const char *path)
{
  char folder[600];
  snprintf(folder, sizeof folder, "%s", path);
  char *end = strrchr(folder, '/');
  if (!end)
    return true;
  *end = '\0';
  if (mkdir(folder, 0777) == 0 || errno == EEXIST)
    return true;
  end = strrchr(folder, '/');
  if (!end)
    return false;
  *end = '\0';
  if (mkdir(folder, 0777) < 0 && errno != EEXIST)
    return false;
  *end = '/';
  return mkdir(folder, 0777) == 0;
}

int fixture_make(const struct lb_format *format,
                 const struct lb_format_params *p, const struct lb_file *f,
                 struct lb_err *err)
{
  char beside[600];
  int rc = make_one(f->path, format->make, p, f, err);
  for (size_t i = 0; !rc && i < format->n_sidecars; i++) {
    if (lb_format_sidecar(&format->sidecars[i], f, beside, sizeof beside) < 0 ||
        !make_folders(beside))
      return lb_err_sys(err, LB_FAILED, errno, "%s", beside);
    rc = make_one(beside, format->sidecars[i].make, p, f, err);
  }
  return rc;
}

struct lb_reader fixture_reader(const struct lb_format *format,
                                const struct lb_format_params *p)
{
  struct lb_reader r;
  struct lb_err err = LB_ERR_INIT;
  ok(!lb_reader_init(&r, format, p, &err), "a reader of %s: %s", format->name,
     err.msg);
  return r;
}

void fixture_end_reader(struct fixture *x, struct lb_reader *r)
{
  lb_storage_release(x->storage, r->fd);
  lb_reader_fini(r);
}

int fixture_read(struct fixture *x, struct lb_reader *r,
                 const struct lb_sample *s, struct cost *cost,
                 struct lb_err *err)
{
  struct lb_iolist list;
  struct lb_verifier verifier;
  lb_iolist_init(&list);
  int rc = 1;
  if (s->verify)
    lb_verify_begin(&verifier, r, s, &x->thread);
  for (int stage = 0; rc > 0; stage++) {
    lb_iolist_clear(&list);
    rc = r->format->plan(r, s, stage, &list, err);
    cost->payload += list.payload_bytes;
    if (rc <= 0)
      break;
    cost->stages++;
    lb_iolist_cost(&list, cost->count, cost->bytes);
    if (lb_storage_run(x->storage, &list, r->fd, &x->thread, err) < 0 ||
        (r->format->parse && r->format->parse(r, s, stage, &list, err) < 0))
      rc = -err->code;
  }
  lb_iolist_fini(&list);
  return s->verify ? lb_verify_end(&verifier, &x->thread, err) : rc;
}

int fixture_verify_cost(struct fixture *x, const struct lb_format *format,
                        const struct lb_format_params *p,
                        const struct lb_file *f, struct cost *cost,
                        struct lb_err *err)
{
  struct lb_reader r;
  int rc = 0;
  *err = (struct lb_err)LB_ERR_INIT;
  if (lb_reader_init(&r, format, p, err) < 0)
    return -err->code;
  for (int64_t i = 0; !rc && i < f->samples; i++) {
    struct lb_sample s = {.file = *f, .in_file = i, .verify = true};
    rc = fixture_read(x, &r, &s, cost, err);
  }
  lb_storage_release(x->storage, r.fd);
  lb_reader_fini(&r);
  return rc;
}

int fixture_verify(struct fixture *x, const struct lb_format *format,
                   const struct lb_format_params *p, const struct lb_file *f,
                   struct lb_err *err)
{
  struct cost cost = {.stages = 0};
  return fixture_verify_cost(x, format, p, f, &cost, err);
}

int fixture_read_once(struct fixture *x, const struct lb_format *format,
                      const struct lb_format_params *p, const struct lb_file *f,
                      struct cost *cost, struct lb_err *err)
{
  struct lb_reader r;
  struct lb_sample s = {.file = *f};
  *cost = (struct cost){.stages = 0};
  *err = (struct lb_err)LB_ERR_INIT;
  if (lb_reader_init(&r, format, p, err) < 0)
    return -err->code;
  int rc = fixture_read(x, &r, &s, cost, err);
  lb_storage_release(x->storage, r.fd);
  lb_reader_fini(&r);
  return rc;
}

unsigned char *fixture_slurp(const char *path, size_t *n)
{
  FILE *f = fopen(path, "rb");
  unsigned char *bytes = NULL;
  *n = 0;
  if (f && fseek(f, 0, SEEK_END) == 0) {
    *n = (size_t)ftell(f);
    rewind(f);
    bytes = malloc(*n + 1);
    if (bytes && fread(bytes, 1, *n, f) != *n) {
      free(bytes);
      bytes = NULL;
    }
  }
  if (f)
    fclose(f);
  return bytes;
}

bool fixture_spit(const char *path, const void *bytes, size_t n)
{
  unlink(path); /* ext4 flushes a file that is cut off and written again */
  FILE *f = fopen(path, "wb");
  bool good = f && fwrite(bytes, 1, n, f) == n;
  return f && fclose(f) == 0 && good;
}
