/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Is a file the archive that was described?  Looks at its size, its end records
 * and its directory; not at what readers do not look at either. */
#include "lb-config.h"

#include <inttypes.h>
#include <string.h>

#include "checkpoint/torch_zip.h"
#include "loadbank/torch_load.h"

static uint64_t get(const unsigned char *from, int bytes)
{
  uint64_t v = 0;
  for (int i = bytes; i-- > 0;)
    v = v << 8 | from[i];
  return v;
}

int lb_torch_check_size(const struct lb_torch_file *f, uint64_t bytes,
                        const char *path, struct lb_err *err)
{
  uint64_t want = lb_torch_bytes(f);
  if (bytes == want)
    return 0;
  return lb_err_set(err, LB_FAILED,
                    "%s: has %" PRIu64 " bytes, and the file of its %" PRId64
                    " tensors has %" PRIu64,
                    path, bytes, f->count, want);
}

/* A field of the end records that stands for something else. */
struct field {
  const char *what;
  uint32_t at, bytes;
  uint64_t want;
};

int lb_torch_check_tail(struct lb_torch_checker *c,
                        const struct lb_torch_archive *a,
                        const unsigned char tail[LB_TORCH_TAIL],
                        const char *path, struct lb_err *err)
{
  unsigned char end[LB_TORCH_TAIL];
  lb_torch_put_end(a, end);
  const struct field fields[] = {
      {"signature of the zip64 end record", 0, 4, get(end, 4)},
      {"members", 32, 8, (uint64_t)a->members},
      {"bytes of the directory", 40, 8, a->directory_bytes},
      {"offset of the directory", 48, 8, a->directory},
      {"signature of the locator", 56, 4, get(end + 56, 4)},
      {"offset of the zip64 end record", 64, 8,
       a->directory + a->directory_bytes},
      {"signature of the end record", 76, 4, get(end + 76, 4)},
      {"bytes of a comment", 96, 2, 0},
  };
  *c = (struct lb_torch_checker){.archive = a, .path = path};
  for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
    uint64_t is = get(tail + fields[i].at, (int)fields[i].bytes);
    if (is != fields[i].want)
      return lb_err_set(err, LB_FAILED,
                        "%s: not the zip archive that was written: in its last "
                        "%d bytes, %s: %" PRIu64 ", and %" PRIu64 " is right",
                        path, LB_TORCH_TAIL, fields[i].what, is,
                        fields[i].want);
  }
  return 0;
}

/* Bytes of the entry at the start of c->entry, as far as it is known by now. */
static uint64_t entry_bytes(const struct lb_torch_checker *c)
{
  if (c->have < LB_TORCH_CENTRAL)
    return LB_TORCH_CENTRAL;
  return LB_TORCH_CENTRAL + get(c->entry + 28, 2) + get(c->entry + 30, 2) +
         get(c->entry + 32, 2);
}

static int wrong_entry(const struct lb_torch_checker *c,
                       const struct lb_torch_member *want, struct lb_err *err)
{
  const unsigned char *e = c->entry;
  return lb_err_set(
      err, LB_FAILED,
      "%s: member %" PRId64 ": '%.*s' of %" PRIu64 " bytes at %" PRIu64
      ", and '%s' of %" PRIu64 " bytes at %" PRIu64 " is right",
      c->path, c->k, (int)get(e + 28, 2), (const char *)e + LB_TORCH_CENTRAL,
      get(e + 24, 4), get(e + 42, 4), want->name, want->size, want->at);
}

/* A whole entry: all that readers use, and so all but versions, flags, dates,
 * checksum, disk and attributes, must be as we would write it. */
static int check_entry(struct lb_torch_checker *c, struct lb_err *err)
{
  static const struct {
    uint32_t at, bytes;
  } free_fields[] = {{4, 2}, {6, 2}, {8, 2}, {12, 4}, {16, 4}, {34, 8}};
  unsigned char want[sizeof c->entry];
  struct lb_torch_member m;
  lb_torch_member(c->archive, c->k, c->member_at, &m);
  size_t n = lb_torch_put_central(&m, 0, want);
  for (size_t i = 0; i < sizeof free_fields / sizeof free_fields[0]; i++)
    memcpy(want + free_fields[i].at, c->entry + free_fields[i].at,
           free_fields[i].bytes);
  if (n != c->have || memcmp(want, c->entry, n) != 0)
    return wrong_entry(c, &m, err);
  c->member_at = m.end;
  c->k++;
  c->have = 0;
  return 0;
}

int lb_torch_check_directory(struct lb_torch_checker *c, const void *bytes,
                             size_t n, struct lb_err *err)
{
  const unsigned char *from = bytes;
  const unsigned char *const end = from + n;
  while (from < end) {
    if (c->k == c->archive->members)
      return lb_err_set(err, LB_FAILED,
                        "%s: its directory goes on behind its %" PRId64
                        " members",
                        c->path, c->archive->members);
    uint64_t all = entry_bytes(c);
    if (all > sizeof c->entry ||
        (c->have >= 4 && get(c->entry, 4) != 0x02014b50))
      return lb_err_set(err, LB_FAILED,
                        "%s: its directory is damaged at member %" PRId64,
                        c->path, c->k);
    size_t left = (size_t)(end - from), want = (size_t)(all - c->have);
    size_t take = left < want ? left : want;
    memcpy(c->entry + c->have, from, take);
    c->have += (uint32_t)take;
    from += take;
    if (c->have >= LB_TORCH_CENTRAL && c->have == entry_bytes(c) &&
        check_entry(c, err) < 0)
      return -err->code;
  }
  return 0;
}

int lb_torch_check_end(struct lb_torch_checker *c, struct lb_err *err)
{
  if (c->k == c->archive->members)
    return 0;
  return lb_err_set(err, LB_FAILED,
                    "%s: its directory ends at member %" PRId64 " of %" PRId64,
                    c->path, c->k, c->archive->members);
}
