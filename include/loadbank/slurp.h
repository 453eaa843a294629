/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef LOADBANK_SLURP_H
#define LOADBANK_SLURP_H

#include <stddef.h>

/* A whole file, of whatever kind, with a zero byte behind it; free() it.  0 or
 * errno; EFBIG: more than `most' bytes, or than there is memory for. */
int lb_slurp_file(const char *path, size_t most, char **text, size_t *len);

/* The same, but only of a plain file: a folder is EISDIR, a pipe or a device,
 * which nobody may ever write to, EINVAL. */
int lb_slurp_plain(const char *path, size_t most, char **text, size_t *len);

/* The text of a small file of /proc or /sys (1 MiB at most), or NULL.  free()
 * it. */
char *lb_slurp(const char *path);

#endif
