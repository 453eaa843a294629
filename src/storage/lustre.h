/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lustre's stripes, by its on-disk interface: no library of it is needed. */
#ifndef LUSTRE_H
#define LUSTRE_H

#include <stdbool.h>
#include <stdint.h>

enum { LB_LUSTRE_LAYOUT_BYTES = 32 };

/* The value of the attribute lustre.lov of a folder whose new files are to have
 * `count' stripes (0: the file system's default, -1: on all targets) of `size'
 * bytes (0: the default).  Pure. */
void lb_lustre_layout(int64_t count, int64_t size,
                      unsigned char out[LB_LUSTRE_LAYOUT_BYTES]);

/* Is the folder, or the nearest one above it that exists, on Lustre? */
bool lb_lustre_has(const char *folder);

/* 0 or -errno. */
int lb_lustre_set(const char *folder, int64_t count, int64_t size);

#endif
