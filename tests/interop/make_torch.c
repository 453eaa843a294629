/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes files as torch.save makes them, of tensors that its arguments name:
 *   make_torch FILE items|state [NAME TYPE ELEMENTS]...   writes it
 *   make_torch --count N FILE                  N tensors of one element, t<i>
 *   make_torch --reads OLD BUFFER FILE items|state [NAME TYPE ELEMENTS]...
 * prints the reads of torch.load.  Payload byte i of tensor t is (i + t) % 251,
 * or, of more than 1 GiB, a hole. */
#include "lb-config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "loadbank/crc32.h"
#include "loadbank/torch_load.h"

struct listed {
  char **words; /* name, type, elements */
  int64_t count;
};

static const struct lb_dtype *type_of(const char *name)
{
  for (const struct lb_dtype *t = lb_model_dtypes; t->name; t++)
    if (!strcmp(t->name, name))
      return t;
  return lb_dtype_find(name);
}

static void listed_tensor(const void *arg, int64_t t, struct lb_tensor *out)
{
  const struct listed *l = arg;
  char **w = l->words + 3 * t;
  *out = (struct lb_tensor){.dtype = type_of(w[1]),
                            .elements = strtoull(w[2], NULL, 10)};
  snprintf(out->name, sizeof out->name, "%s", w[0]);
}

static void counted_tensor(const void *arg, int64_t t, struct lb_tensor *out)
{
  (void)arg;
  *out = (struct lb_tensor){.dtype = lb_dtype_find("uint8"), .elements = 1};
  snprintf(out->name, sizeof out->name, "t%" PRId64, t);
}

enum { PIECE = 1 << 16 };
static const uint64_t hole_from = (uint64_t)1 << 30;

/* The checksum of zeros costs as much as that of data: only the size of such a
 * file is looked at, so 0 is as good. */
static int payload(int fd, const struct lb_torch_segment *s, uint32_t *crc)
{
  unsigned char piece[PIECE];
  if (s->length >= hole_from)
    return 0;
  for (uint64_t at = 0; at < s->length;) {
    size_t n = PIECE;
    if (n > s->length - at)
      n = (size_t)(s->length - at);
    for (size_t i = 0; i < n; i++)
      piece[i] = (unsigned char)((at + i + (uint64_t)s->tensor) % 251);
    *crc = lb_crc32(*crc, piece, n);
    if (pwrite(fd, piece, n, (off_t)(s->offset + at)) != (ssize_t)n)
      return -1;
    at += n;
  }
  return 0;
}

static int write_file(const struct lb_torch_file *f, const char *path)
{
  struct lb_err err = LB_ERR_INIT;
  if (lb_torch_check(f, &err) < 0) {
    fprintf(stderr, "%s\n", err.msg);
    return 1;
  }
  uint32_t *crc = calloc((size_t)lb_torch_crcs(f) + 1, sizeof *crc);
  int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  struct lb_torch_walk w;
  struct lb_torch_segment s;
  int rc = fd < 0 || !crc;
  if (!rc)
    lb_torch_begin(&w, f, crc);
  while (!rc && lb_torch_next(&w, &s))
    rc = s.bytes ? pwrite(fd, s.bytes, s.length, (off_t)s.offset) < 0
                 : payload(fd, &s, &crc[s.tensor]) < 0;
  if (rc)
    fprintf(stderr, "%s: %s\n", path, strerror(errno));
  free(crc);
  if (fd >= 0)
    close(fd);
  return rc;
}

static void print_reads(const struct lb_torch_file *f, bool old,
                        uint64_t buffer)
{
  struct lb_torch_reads r;
  uint64_t offset, length;
  lb_torch_reads_begin(&r, f, buffer);
  r.old = old;
  while (lb_torch_reads_next(&r, &offset, &length))
    printf("%" PRIu64 " %" PRIu64 "\n", offset, length);
}

int main(int argc, char **argv)
{
  struct lb_torch_file f = {.tensor = listed_tensor};
  if (argc == 4 && !strcmp(argv[1], "--count")) {
    f.count = strtoll(argv[2], NULL, 10);
    f.tensor = counted_tensor;
    return write_file(&f, argv[3]);
  }
  bool reads = argc > 4 && !strcmp(argv[1], "--reads");
  int at = reads ? 4 : 1;
  if (argc < at + 2 || (argc - at - 2) % 3)
    return 2;
  struct listed l = {.words = argv + at + 2, .count = (argc - at - 2) / 3};
  f.items = !strcmp(argv[at + 1], "items");
  f.arg = &l;
  f.count = l.count;
  if (!reads)
    return write_file(&f, argv[at]);
  print_reads(&f, !strcmp(argv[2], "1"), strtoull(argv[3], NULL, 10));
  return 0;
}
