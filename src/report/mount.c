/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The file system behind a path, from /proc/self/mountinfo and statvfs. */
#include "lb-config.h"

#include "loadbank/host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>

#include "loadbank/path.h"
#include "loadbank/slurp.h"

/* A line's fields, by spaces; those before and behind the lone "-" apart:
 *   id parent major:minor root POINT OPTIONS optional ... - TYPE DEVICE SUPER
 */
struct fields {
  const char *point, *options, *type, *device, *super;
  size_t point_len, options_len, type_len, device_len, super_len;
};

static const char *next_field(const char *p, const char *end,
                              const char **field, size_t *n)
{
  while (p < end && *p == ' ')
    p++;
  *field = p;
  while (p < end && *p != ' ')
    p++;
  *n = (size_t)(p - *field);
  return p;
}

static bool parse_line(const char *p, const char *end, struct fields *f)
{
  const char *skipped;
  size_t n;
  for (int i = 0; i < 4; i++)
    p = next_field(p, end, &skipped, &n);
  p = next_field(p, end, &f->point, &f->point_len);
  p = next_field(p, end, &f->options, &f->options_len);
  do
    p = next_field(p, end, &skipped, &n);
  while (n && !(n == 1 && *skipped == '-'));
  if (n == 0)
    return false;
  p = next_field(p, end, &f->type, &f->type_len);
  p = next_field(p, end, &f->device, &f->device_len);
  next_field(p, end, &f->super, &f->super_len);
  return f->type_len > 0;
}

/* The kernel writes space, tab, newline and backslash as \ooo. */
static void unescape(char *out, size_t size, const char *in, size_t n)
{
  size_t to = 0;
  for (size_t i = 0; i < n && to + 1 < size; i++) {
    if (in[i] == '\\' && i + 3 < n && in[i + 1] >= '0' && in[i + 1] <= '3') {
      out[to++] = (char)((in[i + 1] - '0') * 64 + (in[i + 2] - '0') * 8 +
                         (in[i + 3] - '0'));
      i += 3;
    } else {
      out[to++] = in[i];
    }
  }
  out[to] = 0;
}

static void fill(struct lb_mount *m, const char *point, const struct fields *f)
{
  char super[sizeof m->options];
  snprintf(m->point, sizeof m->point, "%s", point);
  unescape(m->type, sizeof m->type, f->type, f->type_len);
  unescape(m->device, sizeof m->device, f->device, f->device_len);
  unescape(m->options, sizeof m->options, f->options, f->options_len);
  unescape(super, sizeof super, f->super, f->super_len);
  /* The mount's own and the file system's, as mount(8) shows them. */
  size_t n = strlen(m->options);
  if (*super)
    snprintf(m->options + n, sizeof m->options - n, "%s%s", n ? "," : "",
             super);
}

bool lb_mountinfo_find(const char *text, const char *path, struct lb_mount *out)
{
  bool found = false;
  size_t best = 0;
  for (const char *p = text; *p;) {
    const char *end = strchr(p, '\n');
    if (!end)
      end = p + strlen(p);
    struct fields f;
    char point[sizeof out->point];
    if (parse_line(p, end, &f)) {
      unescape(point, sizeof point, f.point, f.point_len);
      /* A later mount on the same point hides the earlier one. */
      if (lb_path_within(path, point) && strlen(point) >= best) {
        best = strlen(point);
        fill(out, point, &f);
        found = true;
      }
    }
    p = *end ? end + 1 : end;
  }
  return found;
}

void lb_filesystem_probe(struct lb_filesystem *f, const char *path)
{
  memset(f, 0, sizeof *f);
  char *real = lb_path_existing(path);
  char *text = lb_slurp("/proc/self/mountinfo");
  if (real && text)
    f->known = lb_mountinfo_find(text, real, &f->mount);
  struct statvfs st;
  if (real && statvfs(real, &st) == 0) {
    f->size_bytes = (uint64_t)st.f_blocks * st.f_frsize;
    f->free_bytes = (uint64_t)st.f_bavail * st.f_frsize;
  }
  free(real);
  free(text);
}
