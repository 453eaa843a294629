/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where a dataset's files are: computed from the index, as DLIO names them,
 * or looked up in a table of foreign names.  Touches no file system. */
#include "lb-config.h"

#include "loadbank/layout.h"

#include <string.h>

#include "loadbank/units.h"

/* A path that grows.  Made by hand: it is made for every sample that is read,
 * and printf would be a tenth of the cost of a read from memory. */
struct path {
  char *buf;
  size_t n, size;
  bool full; /* something did not fit */
};

static void add_bytes(struct path *p, const char *bytes, size_t n)
{
  if (p->full || n >= p->size - p->n) {
    p->full = true;
    return;
  }
  memcpy(p->buf + p->n, bytes, n);
  p->n += n;
}

static void add(struct path *p, const char *text)
{
  add_bytes(p, text, strlen(text));
}

/* With at least `width' digits. */
static void add_number(struct path *p, int64_t value, int width)
{
  char digits[20];
  size_t at = sizeof digits;
  for (; value > 0 || width > 0; value /= 10, width--)
    digits[--at] = (char)('0' + value % 10);
  add_bytes(p, digits + at, sizeof digits - at);
}

/* Its length, or -1 when it did not fit. */
static int end(struct path *p)
{
  if (p->size)
    p->buf[p->n] = '\0';
  return p->full ? -1 : (int)p->n;
}

static void add_folder(struct path *p, const struct lb_layout *l,
                       enum lb_set set, int64_t sub)
{
  add(p, l->root);
  add(p, "/");
  add(p, lb_sets[set].folder);
  if (sub < 0)
    return;
  add(p, "/");
  add_number(p, sub, lb_digits(l->n_folders[set]));
}

int lb_layout_folder(const struct lb_layout *l, enum lb_set set, int64_t sub,
                     char *buf, size_t size)
{
  struct path p = {.buf = buf, .size = size};
  add_folder(&p, l, set, sub);
  return end(&p);
}

int lb_layout_path(const struct lb_layout *l, enum lb_set set, int64_t index,
                   char *buf, size_t size)
{
  struct path p = {.buf = buf, .size = size};
  int64_t subs = l->n_folders[set], count = l->n_files[set];
  bool named = l->names[set] != NULL;
  add_folder(&p, l, set, subs > 1 && !named ? index % subs : -1);
  add(&p, "/");
  if (named) {
    add(&p, l->names[set] + l->name_at[set][index]);
    return end(&p);
  }
  add(&p, l->prefix);
  add(&p, "_");
  add_number(&p, index, lb_digits(count));
  add(&p, "_of_");
  add_number(&p, count, 1);
  add(&p, ".");
  add(&p, l->extension);
  return end(&p);
}

int lb_layout_sidecar_folder(const struct lb_layout *l, enum lb_set set,
                             const struct lb_sidecar *sidecar, char *buf,
                             size_t size)
{
  struct path p = {.buf = buf, .size = size};
  if (!sidecar->folder)
    return 0;
  add(&p, l->root);
  add(&p, "/");
  add(&p, sidecar->folder);
  add(&p, "/");
  add(&p, lb_sets[set].folder);
  return end(&p);
}

int lb_layout_sidecar(const struct lb_layout *l, enum lb_set set, int64_t index,
                      const struct lb_sidecar *sidecar, char *buf, size_t size)
{
  char file[PATH_MAX];
  struct path p = {.buf = buf, .size = size};
  if (lb_layout_path(l, set, index, file, sizeof file) < 0)
    return -1;
  if (sidecar->folder) {
    int n = lb_layout_sidecar_folder(l, set, sidecar, buf, size);
    if (n < 0)
      return -1;
    p.n = (size_t)n;
    add(&p, strrchr(file, '/'));
  } else {
    add(&p, file);
  }
  add(&p, sidecar->ending);
  return end(&p);
}

int lb_layout_temporary(const struct lb_layout *l, enum lb_set set,
                        int64_t index, char *buf, size_t size)
{
  int n = lb_layout_path(l, set, index, buf, size);
  return n < 0 ? -1 : lb_layout_hide(buf, size);
}

/* "folder/name.ext" becomes "folder/.name.part". */
int lb_layout_hide(char *buf, size_t size)
{
  static const char ending[] = ".part";
  char *name = strrchr(buf, '/') + 1;
  char *dot = strrchr(name, '.');
  size_t stem = dot ? (size_t)(dot - name) : strlen(name);
  size_t length = (size_t)(name - buf) + 1 + stem + sizeof ending - 1;
  if (length >= size)
    return -1;
  memmove(name + 1, name, stem);
  name[0] = '.';
  memcpy(name + 1 + stem, ending, sizeof ending);
  return (int)length;
}
