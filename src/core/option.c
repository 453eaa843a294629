/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A value as a user writes it, into the field of an option's row: for command
 * lines.  Values of YAML are src/config/value.c's. */
#include "lb-config.h"

#include "loadbank/option.h"

#include <string.h>

#include "loadbank/buf.h"
#include "loadbank/units.h"

static int bad_number(const char *name, const struct lb_option *o,
                      const char *text, struct lb_err *err)
{
  return lb_err_set(err, LB_USAGE, "%s: '%s' is not a%s number in %.0f..%.0f",
                    name, text, o->type == LB_OPT_INT ? " whole" : "", o->min,
                    o->max);
}

static int set_word(const char *name, const struct lb_option *o, int *field,
                    const char *text, struct lb_err *err)
{
  struct lb_buf allowed;
  lb_buf_init(&allowed, 400);
  for (int i = 0; o->words[i]; i++) {
    if (!strcmp(o->words[i], text)) {
      *field = i;
      lb_buf_fini(&allowed);
      return 0;
    }
    lb_buf_printf(&allowed, "%s%s", i ? ", " : "", o->words[i]);
  }
  lb_err_set(err, LB_USAGE, "%s: '%s' is none of %s", name, text,
             allowed.data ? allowed.data : "its words");
  lb_buf_fini(&allowed);
  return -LB_USAGE;
}

/* A number; of an option in percent with or without the sign. */
static enum lb_parsed parse_real(const struct lb_option *o, const char *text,
                                 double *value)
{
  char bare[LB_REAL_LEN];
  size_t n = strlen(text);
  if (o->unit && strchr(o->unit, '%') && n > 1 && n <= sizeof bare &&
      text[n - 1] == '%') {
    memcpy(bare, text, n - 1);
    bare[n - 1] = '\0';
    text = bare;
  }
  return lb_parse_real(text, false, value);
}

int lb_option_set(const struct lb_option *o, const char *name, void *table,
                  const char *text, struct lb_err *err)
{
  void *field = (char *)table + o->offset;
  int64_t whole;
  double real;
  switch (o->type) {
  case LB_OPT_BOOL:
    *(bool *)field = text != NULL;
    return 0;
  case LB_OPT_WORD:
    return set_word(name, o, field, text, err);
  case LB_OPT_INT:
    if (lb_parse_int(text, false, &whole) != LB_PARSED_OK ||
        (double)whole < o->min || (double)whole > o->max)
      return bad_number(name, o, text, err);
    *(int64_t *)field = whole;
    return 0;
  case LB_OPT_REAL:
    if (parse_real(o, text, &real) != LB_PARSED_OK || real < o->min ||
        real > o->max)
      return bad_number(name, o, text, err);
    *(double *)field = real;
    return 0;
  default:
    if (strlen(text) >= o->size)
      return lb_err_set(err, LB_USAGE, "%s: longer than %zu bytes", name,
                        o->size - 1);
    memcpy(field, text, strlen(text) + 1);
    return 0;
  }
}
