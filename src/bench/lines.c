/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See lines.h. */
#include "lb-config.h"

#include "lines.h"

#include <string.h>

int lb_split_lines(char *text, const char **line, int n, int room)
{
  for (char *end; n < room && (end = strchr(text, '\n')); text = end + 1) {
    *end = '\0';
    line[n++] = text;
  }
  return n;
}
