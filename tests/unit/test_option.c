/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers as people write them. */
#include "lb-config.h"

#include "loadbank/units.h"

#include <float.h>
#include <stddef.h>
#include <stdlib.h>

#include "tap.h"

static void test_ints(void)
{
  static const struct {
    const char *text;
    bool bytes;
    enum lb_parsed rc;
    int64_t value;
  } table[] = {
      {"0", false, LB_PARSED_OK, 0},
      {"-1", false, LB_PARSED_OK, -1},
      {"+7", false, LB_PARSED_OK, 7},
      {"9223372036854775807", false, LB_PARSED_OK, INT64_MAX},
      {"9007199254740993", false, LB_PARSED_OK, 9007199254740993},
      {"-9223372036854775808", false, LB_PARSED_OK, INT64_MIN},
      {"9223372036854775808", false, LB_PARSED_LARGE, 0},
      {"-9223372036854775809", false, LB_PARSED_LARGE, 0},
      {"99999999999999999999999", false, LB_PARSED_LARGE, 0},
      {"1e6", false, LB_PARSED_OK, 1000000},
      {"1e18", false, LB_PARSED_OK, 1000000000000000000},
      {"1e19", false, LB_PARSED_LARGE, 0},
      {"1e999999999999", false, LB_PARSED_LARGE, 0},
      {"12.0", false, LB_PARSED_OK, 12},
      {"12.000000000000000000000000", false, LB_PARSED_OK, 12},
      {"1.25e2", false, LB_PARSED_OK, 125},
      {"12.5", false, LB_PARSED_FRACTION, 0},
      {"0.5", false, LB_PARSED_FRACTION, 0},
      {"012", false, LB_PARSED_NOT, 0},
      {"0x10", false, LB_PARSED_NOT, 0},
      {"", false, LB_PARSED_NOT, 0},
      {"-", false, LB_PARSED_NOT, 0},
      {".", false, LB_PARSED_NOT, 0},
      {"abc", false, LB_PARSED_NOT, 0},
      {"1a", false, LB_PARSED_NOT, 0},
      {"1 KiB", false, LB_PARSED_NOT, 0},
      {"1 KiB", true, LB_PARSED_OK, 1024},
      {"64KiB", true, LB_PARSED_OK, 65536},
      {"2 MiB", true, LB_PARSED_OK, 2097152},
      {"1.5 GiB", true, LB_PARSED_OK, 1610612736},
      {"3 KB", true, LB_PARSED_OK, 3000},
      {"3 MB", true, LB_PARSED_OK, 3000000},
      {"1.5GB", true, LB_PARSED_OK, 1500000000},
      {"8589934591 GiB", true, LB_PARSED_OK, 9223372035781033984},
      {"8589934592 GiB", true, LB_PARSED_LARGE, 0},
      {"5 QiB", true, LB_PARSED_NOT, 0},
      {"114660.07", true, LB_PARSED_ROUNDED, 114660},
      {"2898688.13", true, LB_PARSED_ROUNDED, 2898688},
      {"0.5", true, LB_PARSED_ROUNDED, 0},
      {"-0.5", true, LB_PARSED_FRACTION, 0},
  };
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    int64_t v = 0;
    is_int(lb_parse_int(table[i].text, table[i].bytes, &v), table[i].rc,
           "'%s' is judged right", table[i].text);
    is_int(v, table[i].value, "'%s' has its value", table[i].text);
  }
}

static void test_reals(void)
{
  double v = 0;
  is_int(lb_parse_real("0.323", false, &v), LB_PARSED_OK, "a number");
  ok(v == 0.323, "has its value");
  is_int(lb_parse_real("1e-3", false, &v), LB_PARSED_OK, "an exponent");
  ok(v == 1e-3, "has its value");
  is_int(lb_parse_real(".5", false, &v), LB_PARSED_OK, "no digit before");
  is_int(lb_parse_real("2 KiB", true, &v), LB_PARSED_OK, "a size");
  ok(v == 2048, "has its value");
  static const char *const bad[] = {"",      "nan", "inf",  ".inf", "-.inf",
                                    "0x1p3", "1s",  "true", " 1",   "1 2"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    is_int(lb_parse_real(bad[i], false, &v), LB_PARSED_NOT, "not '%s'", bad[i]);
  is_int(lb_parse_real("1e999", false, &v), LB_PARSED_LARGE, "not infinity");
}

static void test_bools(void)
{
  bool b = false;
  ok(lb_parse_bool("on", &b) && b, "on");
  ok(lb_parse_bool("Yes", &b) && b, "Yes");
  ok(lb_parse_bool("TRUE", &b) && b, "TRUE");
  ok(lb_parse_bool("off", &b) && !b, "off");
  ok(lb_parse_bool("no", &b) && !b, "no");
  ok(lb_parse_bool("False", &b) && !b, "False");
  ok(!lb_parse_bool("1", &b), "1 is a number");
  ok(!lb_parse_bool("", &b), "nothing is nothing");
  ok(!lb_parse_bool("tRUE", &b), "not any case");
}

static void test_format(void)
{
  static const double values[] = {0,
                                  0.1,
                                  1.0 / 3,
                                  1e300,
                                  5e-324,
                                  0.1626,
                                  1.3604,
                                  DBL_MAX,
                                  -2.5,
                                  1e15,
                                  123456789012345680.0};
  char text[LB_REAL_LEN];
  for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
    lb_format_real(values[i], text);
    ok(strtod(text, NULL) == values[i], "%s reads back", text);
  }
  lb_format_real(0.1, text);
  is_str(text, "0.1", "the shortest decimal");
  lb_format_real(0.90, text);
  is_str(text, "0.9", "the shortest decimal");
}

int main(void)
{
  test_ints();
  test_reals();
  test_bools();
  test_format();
  return done();
}
