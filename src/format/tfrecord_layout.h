/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The bytes of a TFRecord file: pure.  A record is
 *
 *   length of the data (8 bytes), masked CRC-32C of these 8 (4)
 *   data: a tf.train.Example with the features `image' and `size'
 *   masked CRC-32C of the data (4)
 *
 * all little-endian. */
#ifndef LB_FORMAT_TFRECORD_LAYOUT_H
#define LB_FORMAT_TFRECORD_LAYOUT_H

#include "loadbank/format.h"

enum {
  LB_TFR_HEADER = 12, /* length and its checksum */
  LB_TFR_FOOTER = 4,  /* the data's checksum */
  LB_TFR_OVERHEAD = LB_TFR_HEADER + LB_TFR_FOOTER,
  LB_TFR_HEAD_MAX = 96, /* header and what stands before the image */
  LB_TFR_TAIL_MAX = 32  /* what stands behind it, but for the footer */
};

/* The records of a file that loadbank makes; all are alike. */
struct lb_tfr_layout {
  uint64_t image;  /* bytes of the sample */
  uint64_t data;   /* of the Example */
  uint64_t record; /* of all */
  size_t head_bytes, tail_bytes;
  unsigned char head[LB_TFR_HEAD_MAX]; /* from the length up to the image */
  unsigned char tail[LB_TFR_TAIL_MAX];
};

/* image < 2^62. */
void lb_tfr_lay_out(uint64_t image, struct lb_tfr_layout *l);

/* Bytes of the index of the first n records. */
uint64_t lb_tfr_index_bytes(const struct lb_tfr_layout *l, uint64_t n);

uint64_t lb_tfr_u64(const unsigned char bytes[8]);
uint32_t lb_tfr_u32(const unsigned char bytes[4]);
void lb_tfr_put_u32(unsigned char bytes[4], uint32_t v);

/* Looks for the feature `image' in the first `have' bytes of an Example of
 * `data' bytes: how long it is.  false: it is not there, or further on. */
bool lb_tfr_find_image(const unsigned char *bytes, size_t have, uint64_t data,
                       uint64_t *image);

#endif
