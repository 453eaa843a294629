/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A tensor of a checkpoint: one-dimensional, as DLIO's are. */
#ifndef LOADBANK_TENSOR_H
#define LOADBANK_TENSOR_H

#include <stdint.h>

#include "loadbank/dtype.h"

struct lb_tensor {
  char name[80];
  const struct lb_dtype *dtype;
  uint64_t elements;
};

#endif
