/* SPDX-License-Identifier: GPL-3.0-or-later */
/* In words: what bytes are that should be a dataset's content and are not. */
#include "lb-config.h"

#include "loadbank/content.h"

#include <inttypes.h>
#include <stdio.h>

/* So many bytes behind the first wrong one tell damage from other data. */
enum { LOOK_BYTES = 64, LOOK_LEAST = 16, STEP = 8 };

/* Of bytes that are content with some of them replaced (the scan of an image)
 * those are looked for that are not: *at is where. */
static struct lb_content_trace trace_some(uint64_t seed,
                                          const int64_t n_files[LB_N_SETS],
                                          const unsigned char *got, size_t n,
                                          size_t *at)
{
  size_t look = n < LOOK_BYTES ? n : LOOK_BYTES;
  struct lb_content_trace t = lb_content_trace(seed, n_files, got, look);
  size_t i = 0;
  while (t.kind == LB_CONTENT_STRANGE && i < LB_CONTENT_LOOK &&
         i + STEP + LB_CONTENT_TRACE_BYTES <= n) {
    i += STEP;
    t = lb_content_trace(seed, n_files, got + i, LB_CONTENT_TRACE_BYTES);
    if (t.kind == LB_CONTENT_ZEROS)
      t.kind = LB_CONTENT_STRANGE;
  }
  *at = i;
  return t;
}

void lb_content_say(uint64_t seed, const int64_t n_files[LB_N_SETS],
                    const void *got, size_t n, char text[LB_CONTENT_TEXT])
{
  static const char *const words[] = {
      [LB_CONTENT_STRANGE] = "made by another program, or overwritten",
      [LB_CONTENT_ZEROS] = "zeros, as of a hole or of writes that were lost",
      [LB_CONTENT_OTHER] = ("made by loadbank with another dataset.seed, or of "
                            "a larger dataset")};
  size_t at;
  struct lb_content_trace t = trace_some(seed, n_files, got, n, &at);
  if (t.kind == LB_CONTENT_MISPLACED && at > 0)
    snprintf(text, LB_CONTENT_TEXT,
             "content of file %" PRId64 " of the %s set: it is in the wrong "
             "place",
             t.file, lb_sets[t.set].folder);
  else if (t.kind == LB_CONTENT_MISPLACED)
    snprintf(text, LB_CONTENT_TEXT,
             "content of file %" PRId64 " of the %s set from its byte %" PRIu64
             " of content on: it is in the wrong place",
             t.file, lb_sets[t.set].folder, t.offset);
  else
    snprintf(text, LB_CONTENT_TEXT, "%s", words[t.kind]);
}

static size_t count_wrong(const void *got, const void *want, size_t n)
{
  const unsigned char *a = got, *b = want;
  size_t wrong = 0;
  for (size_t i = 0; i < n; i++)
    wrong += a[i] != b[i];
  return wrong;
}

size_t lb_content_damage(const void *got, const void *want, size_t n,
                         size_t *looked_at)
{
  size_t look = n < LOOK_BYTES ? n : LOOK_BYTES;
  size_t wrong = count_wrong(got, want, look);
  *looked_at = look;
  return look < LOOK_LEAST || wrong < look / 2 ? wrong : 0;
}

void lb_content_judge(uint64_t seed, const int64_t n_files[LB_N_SETS],
                      const void *got, const void *want, size_t n,
                      char text[LB_CONTENT_TEXT])
{
  size_t look, wrong = lb_content_damage(got, want, n, &look);
  /* What is the same in all files (an image's tables) may stand between. */
  size_t far = n < LB_CONTENT_LOOK ? n : LB_CONTENT_LOOK;
  if (wrong && count_wrong(got, want, far) < far / 2 + 1)
    snprintf(text, LB_CONTENT_TEXT,
             "damaged (%zu of the %zu bytes from there on are wrong)", wrong,
             look);
  else
    lb_content_say(seed, n_files, got, n, text);
}
