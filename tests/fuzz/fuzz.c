/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See fuzz.h. */
#include "lb-config.h"

#include "fuzz.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* An error without a name or a text is a finding, too. */
static void check_error(int rc, const struct lb_err *err)
{
  if ((rc < 0) != (err->code != 0) || (rc < 0 && !err->msg[0]))
    __builtin_trap();
}

static void read_all(struct fixture *x, const struct lb_format *format,
                     const struct lb_format_params *p, const struct lb_file *f,
                     bool verify)
{
  struct lb_err err = LB_ERR_INIT;
  struct lb_reader r;
  if (lb_reader_init(&r, format, p, &err) < 0)
    return;
  for (int64_t i = 0; i < f->samples && !err.code; i++) {
    struct lb_sample s = {.file = *f, .in_file = i, .verify = verify};
    struct cost c = {.stages = 0};
    check_error(fixture_read(x, &r, &s, &c, &err), &err);
  }
  lb_storage_release(x->storage, r.fd);
  lb_reader_fini(&r);
}

void fuzz_read(const struct lb_format *format, const struct lb_format_params *p,
               struct lb_file *f, const uint8_t *data, size_t size, bool verify)
{
  static struct fixture x; /* made once: it is most of the cost */
  char path[64];
  int fd = memfd_create("fuzz", 0);
  if (fd < 0 || write(fd, data, size) != (ssize_t)size ||
      (!x.storage && !fixture_init(&x)))
    __builtin_trap();
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  f->path = path;
  read_all(&x, format, p, f, verify);
  f->path = NULL;
  close(fd);
}
