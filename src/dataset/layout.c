/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where a dataset's files are: computed from the index, as DLIO names them,
 * or looked up in a table of foreign names.  Touches no file system. */
#include "lb-config.h"

#include "loadbank/dataset.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "loadbank/units.h"

/* snprintf's result becomes a length, or -1 when it did not fit. */
static int fitted(int length, size_t size)
{
  return length >= 0 && (size_t)length < size ? length : -1;
}

int lb_layout_folder(const struct lb_layout *l, enum lb_set set, int64_t sub,
                     char *buf, size_t size)
{
  const char *name = lb_sets[set].folder;
  if (sub < 0)
    return fitted(snprintf(buf, size, "%s/%s", l->root, name), size);
  return fitted(snprintf(buf, size, "%s/%s/%0*" PRId64, l->root, name,
                         lb_digits(l->n_folders[set]), sub),
                size);
}

/* The folder of file `index', the slash behind it included. */
static int folder_of(const struct lb_layout *l, enum lb_set set, int64_t index,
                     char *buf, size_t size)
{
  int64_t subs = l->n_folders[set];
  int n = lb_layout_folder(l, set, subs > 1 ? index % subs : -1, buf, size);
  if (n < 0 || (size_t)n + 1 >= size)
    return -1;
  buf[n] = '/';
  buf[n + 1] = '\0';
  return n + 1;
}

int lb_layout_path(const struct lb_layout *l, enum lb_set set, int64_t index,
                   char *buf, size_t size)
{
  if (l->names[set])
    return fitted(snprintf(buf, size, "%s/%s/%s", l->root, lb_sets[set].folder,
                           l->names[set] + l->name_at[set][index]),
                  size);
  int n = folder_of(l, set, index, buf, size);
  if (n < 0)
    return -1;
  size_t left = size - (size_t)n;
  int64_t count = l->n_files[set];
  int m =
      fitted(snprintf(buf + n, left, "%s_%0*" PRId64 "_of_%" PRId64 ".%s",
                      l->prefix, lb_digits(count), index, count, l->extension),
             left);
  return m < 0 ? -1 : n + m;
}

/* "folder/name.ext" becomes "folder/.name.part". */
int lb_layout_temporary(const struct lb_layout *l, enum lb_set set,
                        int64_t index, char *buf, size_t size)
{
  static const char ending[] = ".part";
  int n = lb_layout_path(l, set, index, buf, size);
  if (n < 0)
    return -1;
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
