/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Words to a line that a shell takes apart into the same words, and back.  A
 * line never has a line break: it is written $'\n'. */
#include "lb-config.h"

#include <string.h>

#include "loadbank/mlperf_launch.h"

static const char plain[] = LB_MLPERF_NAME_CHARACTERS "%+,/:=@";

static void quote_one(const char *word, struct lb_buf *out)
{
  if (*word && word[strspn(word, plain)] == '\0') {
    lb_buf_puts(out, word);
    return;
  }
  lb_buf_puts(out, "'");
  for (const char *p = word; *p; p++)
    if (*p == '\'')
      lb_buf_puts(out, "'\\''");
    else if (*p == '\n')
      lb_buf_puts(out, "'$'\\n''");
    else
      lb_buf_add(out, p, 1);
  lb_buf_puts(out, "'");
}

void lb_mlperf_quote(const char *const *word, int n, struct lb_buf *out)
{
  for (int i = 0; i < n; i++) {
    lb_buf_puts(out, i ? " " : "");
    quote_one(word[i], out);
  }
}

/* One piece of a word from *p on, to *to; false: a quote that does not end. */
static bool piece(const char **p, char **to)
{
  static const char line_break[] = "$'\\n'";
  const char *from = *p;
  if (!strncmp(from, line_break, sizeof line_break - 1)) {
    *(*to)++ = '\n';
    *p += sizeof line_break - 1;
  } else if (*from == '\'') {
    const char *end = strchr(from + 1, '\'');
    if (!end)
      return false;
    memcpy(*to, from + 1, (size_t)(end - from - 1));
    *to += end - from - 1;
    *p = end + 1;
  } else {
    from += *from == '\\' && from[1];
    *(*to)++ = *from;
    *p = from + 1;
  }
  return true;
}

int lb_mlperf_unquote(const char *line, struct lb_arena *arena, char ***word,
                      int *n, struct lb_err *err)
{
  size_t len = strlen(line);
  char *to = lb_arena_new(arena, 2 * len + 2);
  *n = 0;
  *word = lb_arena_new(arena, sizeof **word * (len / 2 + 2));
  if (!to || !*word)
    return lb_err_set(err, LB_FAILED, "out of memory");
  for (const char *p = line; *(p += strspn(p, " ")); *to++ = '\0') {
    (*word)[(*n)++] = to;
    while (*p && *p != ' ')
      if (!piece(&p, &to))
        return lb_err_set(err, LB_USAGE, "a quote that does not end: %.200s",
                          line);
  }
  return 0;
}
