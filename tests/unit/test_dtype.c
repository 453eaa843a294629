/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lb-config.h"

#include "loadbank/dtype.h"

#include <stdlib.h>
#include <string.h>

#include "tap.h"

int main(void)
{
  int n = 0, bad = 0;
  for (const struct lb_dtype *t = lb_dtypes; t->name; t++, n++) {
    bad += lb_dtype_find(t->name) != t;
    bad += strtol(t->descr + 2, NULL, 10) != t->bytes;
    bad += (t->bytes == 1) != (t->descr[0] == '|');
  }
  is_int(n, 14, "all element types are there");
  is_int(bad, 0, "names are unique, descr and size agree");
  is_str(lb_dtype_find("float32")->descr, "<f4", "float32");
  is_int(lb_dtype_find("complex128")->bytes, 16, "complex128 has 16 bytes");
  ok(!lb_dtype_find("float"), "an unknown name is not found");
  bad = 0;
  for (const struct lb_dtype *t = lb_model_dtypes; t->name; t++) {
    size_t digits = strcspn(t->name, "0123456789");
    long bits = t->name[digits] ? strtol(t->name + digits, NULL, 10) : 8;
    bad += bits != 8 * t->bytes;
  }
  is_int(bad, 0, "a model's data types have the bits that they are named for");
  return done();
}
