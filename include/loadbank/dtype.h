/* SPDX-License-Identifier: GPL-3.0-or-later */
/* NumPy's element types: name in YAML, size, descr in .npy headers. */
#ifndef LOADBANK_DTYPE_H
#define LOADBANK_DTYPE_H

struct lb_dtype {
  const char *name;  /* "uint8", "float32" ... */
  const char *descr; /* "|u1", "<f4" ... little-endian */
  int bytes;
};

extern const struct lb_dtype lb_dtypes[]; /* name NULL at the end */
const struct lb_dtype *lb_dtype_find(const char *name); /* or NULL */

/* Bytes of a model's datatype: fp16 bf16 fp32 fp64 int8 ...; 0: unknown. */
int lb_model_dtype_bytes(const char *name);

#endif
