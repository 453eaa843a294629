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

static const struct lb_dtype *find(const struct lb_dtype *t, const char *name)
{
  for (; t->name; t++)
    if (!strcmp(t->name, name))
      return t;
  return NULL;
}

const struct lb_dtype *lb_dtype_find(const char *name)
{
  return find(lb_dtypes, name);
}

const struct lb_dtype lb_model_dtypes[] = {
    {"fp64", NULL, 8},    {"fp32", NULL, 4},     {"fp16", NULL, 2},
    {"bf16", NULL, 2},    {"fp8", NULL, 1},      {"int64", NULL, 8},
    {"int32", NULL, 4},   {"int16", NULL, 2},    {"int8", NULL, 1},
    {"uint64", NULL, 8},  {"uint32", NULL, 4},   {"uint16", NULL, 2},
    {"uint8", NULL, 1},   {"float64", NULL, 8},  {"float32", NULL, 4},
    {"float16", NULL, 2}, {"bfloat16", NULL, 2}, {"bool", NULL, 1},
    {NULL, NULL, 0},
};

const struct lb_dtype *lb_model_dtype_find(const char *name)
{
  return find(lb_model_dtypes, name);
}
