/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The libraries that decode images (reader.decode), each seen by one file.
 * Only for src/format. */
#ifndef LB_FORMAT_DECODE_H
#define LB_FORMAT_DECODE_H

#include "format/image.h"

/* As the hook of struct lb_image. */
#ifdef HAVE_JPEG
#define LB_JPEG_DECODE lb_jpeg_decode
int lb_jpeg_decode(const void *bytes, size_t n, struct lb_pixels *px,
                   uint64_t most, struct lb_err *err);
#else
#define LB_JPEG_DECODE NULL
#endif

#ifdef HAVE_PNG
#define LB_PNG_DECODE lb_png_decode
int lb_png_decode(const void *bytes, size_t n, struct lb_pixels *px,
                  uint64_t most, struct lb_err *err);
#else
#define LB_PNG_DECODE NULL
#endif

#endif
