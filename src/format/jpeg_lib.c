/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decodes a JPEG image that is in memory, with libjpeg-turbo. */
#include "lb-config.h"

#include "format/decode.h"

#ifdef HAVE_JPEG

#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include <jpeglib.h>

#include <jerror.h>

enum { SCANS_MAX = 100 }; /* of a progressive image; real ones have about 10 */

struct decoder {
  struct jpeg_decompress_struct lib; /* first: the library hands it back */
  struct jpeg_error_mgr on_error;
  struct jpeg_progress_mgr progress;
  jmp_buf failed;
  bool cut;
  struct lb_err *err;
};

static void fail(j_common_ptr lib)
{
  struct decoder *d = (struct decoder *)lib;
  char text[JMSG_LENGTH_MAX];
  d->on_error.format_message(lib, text);
  lb_err_set(d->err, LB_FAILED, "%s", text);
  longjmp(d->failed, 1);
}

/* The library goes on with what is left; Pillow takes all but an early end. */
static void warn(j_common_ptr lib, int level)
{
  struct decoder *d = (struct decoder *)lib;
  if (level >= 0)
    return;
  d->on_error.num_warnings++;
  if (lib->err->msg_code == JWRN_JPEG_EOF)
    d->cut = true;
}

static void say_nothing(j_common_ptr lib)
{
  (void)lib;
}

static void look(j_common_ptr lib)
{
  struct decoder *d = (struct decoder *)lib;
  if (d->lib.input_scan_number <= SCANS_MAX)
    return;
  lb_err_set(d->err, LB_FAILED, "more than %d scans", SCANS_MAX);
  longjmp(d->failed, 1);
}

static int rows(struct decoder *d, struct lb_pixels *px, uint64_t most)
{
  struct jpeg_decompress_struct *lib = &d->lib;
  jpeg_read_header(lib, TRUE);
  if (lb_pixels_room(px, lib->image_width, lib->image_height,
                     (uint64_t)lib->num_components, most, d->err) < 0)
    return -d->err->code;
  jpeg_start_decompress(lib);
  size_t stride = (size_t)lib->output_width * (size_t)lib->output_components;
  while (lib->output_scanline < lib->output_height && !d->cut) {
    JSAMPROW row = (JSAMPROW)px->bytes + stride * lib->output_scanline;
    jpeg_read_scanlines(lib, &row, 1);
  }
  if (d->cut)
    return lb_err_set(d->err, LB_FAILED, "cut short");
  jpeg_finish_decompress(lib);
  return 0;
}

int lb_jpeg_decode(const void *bytes, size_t n, struct lb_pixels *px,
                   uint64_t most, struct lb_err *err)
{
  struct decoder d = {.err = err};
  d.lib.err = jpeg_std_error(&d.on_error);
  d.on_error.error_exit = fail;
  d.on_error.emit_message = warn;
  d.on_error.output_message = say_nothing;
  d.progress.progress_monitor = look;
  if (setjmp(d.failed)) {
    jpeg_destroy_decompress(&d.lib);
    return -err->code;
  }
  jpeg_create_decompress(&d.lib);
  d.lib.progress = &d.progress;
  jpeg_mem_src(&d.lib, bytes, n);
  rows(&d, px, most);
  jpeg_destroy_decompress(&d.lib);
  return -err->code;
}

#endif
