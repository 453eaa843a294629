/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef LOADBANK_SLURP_H
#define LOADBANK_SLURP_H

/* The text of a small file of /proc or /sys (1 MiB at most), or NULL.  free()
 * it. */
char *lb_slurp(const char *path);

#endif
