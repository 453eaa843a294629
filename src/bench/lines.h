/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Texts of several lines; inside src/bench only. */
#ifndef LINES_H
#define LINES_H

/* Cuts the text up: each of its lines, with a newline at its end, becomes
 * line[n], line[n + 1] ... up to line[room - 1].  How many there are then. */
int lb_split_lines(char *text, const char **line, int n, int room);

#endif
