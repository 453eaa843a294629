/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tables of element types (datasets) and of model data types
 * (checkpoints).  Sizes and names only; nothing converts values. */
#include "lb-config.h"

#include "loadbank/dtype.h"

#include <stddef.h>
#include <string.h>

const struct lb_dtype lb_dtypes[] = {
    {"bool", "|b1", 1},      {"int8", "|i1", 1},         {"int16", "<i2", 2},
    {"int32", "<i4", 4},     {"int64", "<i8", 8},        {"uint8", "|u1", 1},
    {"uint16", "<u2", 2},    {"uint32", "<u4", 4},       {"uint64", "<u8", 8},
    {"float16", "<f2", 2},   {"float32", "<f4", 4},      {"float64", "<f8", 8},
    {"complex64", "<c8", 8}, {"complex128", "<c16", 16}, {NULL, NULL, 0},
};

const struct lb_dtype *lb_dtype_find(const char *name)
{
  for (const struct lb_dtype *t = lb_dtypes; t->name; t++)
    if (!strcmp(t->name, name))
      return t;
  return NULL;
}

int lb_model_dtype_bytes(const char *name)
{
  static const struct {
    const char *name;
    int bytes;
  } rows[] = {
      {"fp8", 1},     {"fp16", 2},    {"bf16", 2},     {"fp32", 4},
      {"fp64", 8},    {"int8", 1},    {"int16", 2},    {"int32", 4},
      {"int64", 8},   {"uint8", 1},   {"uint16", 2},   {"uint32", 4},
      {"uint64", 8},  {"float16", 2}, {"bfloat16", 2}, {"float32", 4},
      {"float64", 8}, {"bool", 1},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
    if (!strcmp(rows[i].name, name))
      return rows[i].bytes;
  return 0;
}
