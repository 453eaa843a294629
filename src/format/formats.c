/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of formats, a reader's life, and what a sample costs according to
 * its lists. */
#include "lb-config.h"

#include "loadbank/format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define X(n) &lb_format_##n,
const struct lb_format *const lb_formats[] = {LB_FORMAT_LIST(X) NULL};
#undef X

const struct lb_format *lb_format_find(const char *name)
{
  for (const struct lb_format *const *f = lb_formats; *f; f++)
    if (!strcmp((*f)->name, name))
      return *f;
  return NULL;
}

void lb_format_extension(const struct lb_format *f, const char *compression,
                         char *out, size_t size)
{
  snprintf(out, size, "%s%s", f->extension,
           f->ending ? f->ending(compression) : "");
}

int lb_reader_init(struct lb_reader *r, const struct lb_format *f,
                   const struct lb_format_params *p, struct lb_err *err)
{
  *r = (struct lb_reader){.format = f, .params = p};
  for (int i = 0; i < LB_IO_SLOTS; i++)
    r->fd[i] = -1;
  if (f->unavailable)
    return lb_err_set(err, LB_USAGE, "format '%s': %s", f->name,
                      f->unavailable);
  if (f->reader_size) {
    r->state = calloc(1, f->reader_size);
    if (!r->state)
      return lb_err_set(err, LB_FAILED, "no memory for a reader of %s",
                        f->name);
  }
  if (f->reader_init && f->reader_init(r, err) < 0) {
    lb_reader_fini(r);
    return -err->code;
  }
  return 0;
}

void lb_reader_reset(struct lb_reader *r)
{
  if (r->format->reader_reset)
    r->format->reader_reset(r);
}

void lb_reader_fini(struct lb_reader *r)
{
  if (r->state && r->format->reader_fini)
    r->format->reader_fini(r);
  free(r->state);
  r->state = NULL;
}

/* The last part of path[0..n): where it begins. */
static size_t last_part(const char *path, size_t n)
{
  while (n > 0 && path[n - 1] != '/')
    n--;
  return n;
}

static bool is_part(const char *path, size_t from, size_t to, const char *word)
{
  return to - from == strlen(word) && !memcmp(path + from, word, to - from);
}

/* Where the set's folder begins, which the file is in or its folder is. */
static size_t root_of(const char *path, size_t name, const char *set)
{
  size_t part = name;
  for (int up = 0; up < 2 && part > 0; up++) {
    size_t end = part - 1;
    part = last_part(path, end);
    if (is_part(path, part, end, set))
      return part;
  }
  return name;
}

int lb_format_sidecar(const struct lb_sidecar *sidecar, const struct lb_file *f,
                      char *buf, size_t size)
{
  const char *path = f->path, *set = lb_sets[f->set].folder;
  size_t name = last_part(path, strlen(path));
  int n =
      sidecar->folder
          ? snprintf(buf, size, "%.*s%s/%s/%s%s", (int)root_of(path, name, set),
                     path, sidecar->folder, set, path + name, sidecar->ending)
          : snprintf(buf, size, "%s%s", path, sidecar->ending);
  return n >= 0 && (size_t)n < size ? n : -1;
}

int lb_format_sizes(const struct lb_format *f, const struct lb_format_params *p,
                    const struct lb_file *file, struct lb_file_sizes *out,
                    struct lb_err *err)
{
  if (f->sizes(p, file, out, err) < 0)
    return -err->code;
  for (size_t i = 0; i < f->n_sidecars; i++) {
    uint64_t bytes;
    if (f->sidecars[i].size(p, file, &bytes, err) < 0)
      return -err->code;
    out->beside_bytes += bytes;
  }
  return 0;
}

uint64_t lb_format_reader_bytes(const struct lb_format *f,
                                const struct lb_format_params *p)
{
  return f->reader_size + (f->reader_notes ? f->reader_notes(p) : 0);
}
