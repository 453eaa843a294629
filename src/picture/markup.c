/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Text that somebody else chose, in a page. */
#include "lb-config.h"

#include "loadbank/picture.h"

static const char *entity(unsigned char c)
{
  switch (c) {
  case '<':
    return "&lt;";
  case '>':
    return "&gt;";
  case '&':
    return "&amp;";
  case '"':
    return "&quot;";
  case '\'':
    return "&#39;";
  default:
    return NULL;
  }
}

/* Bytes of the character that begins at s, 0 when none does: overlong forms,
 * surrogates and what is past the last one are none. */
static size_t character(const unsigned char *s)
{
  static const unsigned char least[] = {0, 0, 0, 0xa0, 0x90};
  size_t n = *s < 0x80                  ? 1
             : *s >= 0xc2 && *s <= 0xdf ? 2
             : *s >= 0xe0 && *s <= 0xef ? 3
             : *s >= 0xf0 && *s <= 0xf4 ? 4
                                        : 0;
  for (size_t i = 1; i < n; i++)
    if ((s[i] & 0xc0) != 0x80)
      return 0;
  if ((*s == 0xe0 || *s == 0xf0) && s[1] < least[n])
    return 0;
  if ((*s == 0xed && s[1] >= 0xa0) || (*s == 0xf4 && s[1] >= 0x90))
    return 0;
  return n;
}

size_t lb_letters(const char *text)
{
  size_t n = 0;
  for (; *text; text++)
    n += ((unsigned char)*text & 0xc0) != 0x80;
  return n;
}

void lb_markup_text(struct lb_buf *out, const char *text)
{
  for (const unsigned char *s = (const unsigned char *)text; *s;) {
    size_t n = character(s);
    const char *e = entity(*s);
    bool control = *s < 0x20 && *s != '\n' && *s != '\t';
    if (e)
      lb_buf_puts(out, e);
    else if (n == 0 || control || *s == 0x7f)
      lb_buf_puts(out, "\xef\xbf\xbd");
    else
      lb_buf_add(out, s, n);
    s += n ? n : 1;
  }
}
