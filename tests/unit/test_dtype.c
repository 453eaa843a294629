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
  is_int(lb_model_dtype_bytes("bf16"), 2, "bf16 has 2 bytes");
  is_int(lb_model_dtype_bytes("fp16"), 2, "fp16 has 2 bytes");
  is_int(lb_model_dtype_bytes("fp32"), 4, "fp32 has 4 bytes");
  is_int(lb_model_dtype_bytes("fp64"), 8, "fp64 has 8 bytes");
  is_int(lb_model_dtype_bytes("int8"), 1, "int8 has 1 byte");
  is_int(lb_model_dtype_bytes("int64"), 8, "int64 has 8 bytes");
  is_int(lb_model_dtype_bytes("fp7"), 0, "an unknown one has 0");
  return done();
}
