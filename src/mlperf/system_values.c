/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values of a description's tree, which may hold anything. */
#include "lb-config.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "loadbank/mlperf.h"
#include "mlperf/system_impl.h"

const struct lb_node *lb_system_at(const struct lb_node *map, const char *key)
{
  if (!map || map->kind != LB_NODE_MAP)
    return NULL;
  for (const struct lb_node *n = map->first; n; n = n->next)
    if (!strcmp(n->key, key))
      return n->kind == LB_NODE_NULL ? NULL : n;
  return NULL;
}

const char *lb_system_text(const struct lb_node *n)
{
  return n && n->kind == LB_NODE_SCALAR ? n->text : "";
}

bool lb_system_integer(const struct lb_node *n, int64_t *v)
{
  const char *text = lb_system_text(n);
  size_t sign = *text == '-' || *text == '+';
  size_t digits = strspn(text + sign, "0123456789");
  if (!digits || text[sign + digits] || (text[sign] == '0' && digits > 1))
    return false;
  errno = 0;
  long long value = strtoll(text, NULL, 10);
  if (errno)
    return false;
  *v = value;
  return true;
}

int lb_system_boolean(const struct lb_node *n)
{
  return lb_mlperf_boolean(lb_system_text(n));
}

/* Digits, one point at most, an exponent behind a point; hexadecimal; 12:30. */
static bool is_number(const char *p)
{
  p += *p == '-' || *p == '+';
  if (!strcasecmp(p, ".inf") || !strcasecmp(p, ".nan"))
    return true;
  if (p[0] == '0' && (p[1] == 'x' || p[1] == 'b'))
    return p[2] && !p[2 + strspn(p + 2, "0123456789abcdefABCDEF_")];
  size_t n = strspn(p, "0123456789_:");
  bool digit = n && isdigit((unsigned char)*p);
  p += n;
  if (*p == '.') {
    size_t more = strspn(p + 1, "0123456789_");
    digit = digit || more;
    p += 1 + more;
    if ((*p == 'e' || *p == 'E') && (p[1] == '+' || p[1] == '-') && p[2])
      p += 2 + strspn(p + 2, "0123456789");
  }
  return digit && !*p;
}

/* 2026-11-30, with a time or not. */
static bool is_date(const char *p)
{
  if (strspn(p, "0123456789") != 4 || p[4] != '-')
    return false;
  size_t month = strspn(p + 5, "0123456789");
  return (month == 1 || month == 2) && p[5 + month] == '-' &&
         isdigit((unsigned char)p[6 + month]);
}

bool lb_system_is_no_text(const char *text)
{
  const struct lb_node n = {.kind = LB_NODE_SCALAR, .text = text};
  return lb_system_boolean(&n) >= 0 || is_number(text) || is_date(text);
}
