/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Element types: name in YAML, size, NumPy's descr in .npy headers. */
#ifndef LOADBANK_DTYPE_H
#define LOADBANK_DTYPE_H

struct lb_dtype {
  const char *name;  /* "uint8", "float32" ... */
  const char *descr; /* "|u1", "<f4" ... little-endian */
  int bytes;
};

extern const struct lb_dtype lb_dtypes[]; /* name NULL at the end */
const struct lb_dtype *lb_dtype_find(const char *name); /* or NULL */

/* Those of a model's parameters: fp16, bf16 ...; they have no descr. */
extern const struct lb_dtype lb_model_dtypes[]; /* name NULL at the end */
const struct lb_dtype *lb_model_dtype_find(const char *name); /* or NULL */

#endif
