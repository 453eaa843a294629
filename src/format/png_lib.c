/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decodes a PNG image that is in memory, with libpng. */
#include "lb-config.h"

#include "format/decode.h"

#ifdef HAVE_PNG

#include <png.h>

int lb_png_decode(const void *bytes, size_t n, struct lb_pixels *px,
                  uint64_t most, struct lb_err *err)
{
  png_image image = {.version = PNG_IMAGE_VERSION};
  if (png_image_begin_read_from_memory(&image, bytes, n)) {
    /* As it is, but for a palette, which becomes colours. */
    image.format &= ~(png_uint_32)PNG_FORMAT_FLAG_COLORMAP;
    uint64_t channels = PNG_IMAGE_PIXEL_SIZE(image.format);
    if (lb_pixels_room(px, image.width, image.height, channels, most, err) == 0)
      png_image_finish_read(&image, NULL, px->bytes, 0, NULL);
  }
  if (PNG_IMAGE_FAILED(image))
    lb_err_set(err, LB_FAILED, "%s", image.message);
  png_image_free(&image);
  return -err->code;
}

#endif
