/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How large the .metadata of PyTorch's distributed checkpoint gets.  It is a
 * pickle (protocol 4) of one Metadata object, whose parts are, in bytes:
 *
 *   550   class names and keys, when they are first mentioned; after that each
 *         is a reference of 2 or 5 bytes
 *   tensor
 *     64  its properties and size, its list of pieces, and its place in the map
 *         of names, beside the name itself
 *   tensor and writer
 *     40  a piece: its offsets and sizes, of 2 dimensions
 *    100  what finds it: an index (name, offsets, number) and a place (file
 *         name of 13 to 16 bytes, offset, length), beside the name, which came
 *         from another process and so is written anew
 *
 * Within 3 % for matrices cut along their first dimension, from 100 tensors
 * on; numbers of other widths make the difference. */
#include "lb-config.h"

#include "loadbank/torch_load.h"

uint64_t lb_torch_metadata_bytes(int64_t tensors, double name_bytes,
                                 int64_t writers)
{
  enum { FIXED = 550, TENSOR = 64, PIECE = 40 + 100 };
  double n = (double)tensors;
  double pieces = n * (double)writers;
  return (uint64_t)(FIXED + n * (TENSOR + name_bytes) +
                    pieces * (PIECE + name_bytes));
}
