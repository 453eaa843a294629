/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Damaged workloads load or are refused, and nothing else happens: meant for
 * the build with sanitizers.  The damage is the same in every run. */
#include "lb-config.h"

#include <stdlib.h>
#include <string.h>

#include "loadbank/config.h"
#include "loadbank/rng.h"
#include "source_tree.h"
#include "tap.h"

enum { ROUNDS = 1500 };

static const char *const seeds[] = {
    "tests/data/workloads/distributions.yaml",
    "tests/data/workloads/parquet_columns.yaml",
    "tests/data/workloads/config_root.yaml",
    "tests/data/workloads/megatron_v1.yaml",
    "tests/data/workloads/unet3d_s3.yaml",
};

static const char *const pieces[] = {"{",        "}",
                                     "[",        "]",
                                     ": ",       "\n  ",
                                     "- ",       "*a",
                                     "&a ",      "null",
                                     "~",        "-1",
                                     "1e400",    "${x}",
                                     "\"",       "'",
                                     "\t",       "? ",
                                     "<<: ",     "!!int",
                                     "\n---\n",  "#",
                                     "false",    "99999999999999999999",
                                     "\xff\xfe", "\xef\xbb\xbf",
                                     "model:",   "workload:",
                                     "|\n",      "train: "};

static size_t below(struct lb_rng *r, size_t n)
{
  return (size_t)(lb_rng_u64(r) % n);
}

/* A few changes: a byte, a piece put in, a stretch taken out or doubled. */
static size_t damage(struct lb_rng *r, char *text, size_t len, size_t room)
{
  for (size_t i = 0, n = 1 + below(r, 4); i < n && len > 8; i++) {
    size_t at = below(r, len), span = 1 + below(r, len - at);
    span = span > 40 ? 40 : span;
    const char *piece = pieces[below(r, sizeof pieces / sizeof *pieces)];
    switch (below(r, 4)) {
    case 0:
      text[at] = (char)below(r, 256);
      break;
    case 1:
      memmove(text + at, text + at + span, len - at - span);
      len -= span;
      break;
    case 2:
      span = strlen(piece);
      /* fallthrough */
    default:
      if (len + span > room)
        break;
      memmove(text + at + span, text + at, len - at);
      if (span == strlen(piece))
        memcpy(text + at, piece, span);
      len += span;
    }
  }
  return len;
}

static void check(const char *text, size_t len, const char *override, int *good,
                  int *bad)
{
  struct lb_err err = LB_ERR_INIT;
  struct lb_workload *w = NULL;
  int rc = lb_workload_load(text, len, "fuzz.yaml", &override, override != NULL,
                            &w, &err);
  if (rc) {
    *bad += err.code == LB_USAGE && err.msg[0] && !w;
    return;
  }
  struct lb_buf out;
  struct lb_workload *again = NULL;
  lb_buf_init(&out, 4 << 20);
  lb_workload_print(w, &out);
  rc = lb_workload_load(out.data, out.len, "again", NULL, 0, &again, &err);
  if (rc)
    ok(false, "what loads must load back: %s\n%.*s", err.msg, (int)len, text);
  *good += !rc;
  lb_workload_check_run(w, &err);
  lb_workload_free(again);
  lb_workload_free(w);
  lb_buf_fini(&out);
}

int main(void)
{
  int good = 0, bad = 0, rounds = 0;
  char *text = malloc(65536);
  for (size_t s = 0; text && s < sizeof seeds / sizeof *seeds; s++) {
    char *seed = read_source(seeds[s]);
    ok(seed, "%s is there", seeds[s]);
    for (int i = 0; seed && i < ROUNDS; i++, rounds++) {
      struct lb_rng r = lb_rng_stream(1, LB_RNG_CONTENT, s, (uint64_t)i);
      size_t len = strlen(seed);
      memcpy(text, seed, len);
      len = damage(&r, text, len, 65536);
      check(text, len, NULL, &good, &bad);
    }
    free(seed);
  }
  for (int i = 0; text && i < ROUNDS; i++, rounds++) {
    static const char *const overrides[] = {
        "++workload.train.computation_time={mean:1.0,stdev:0.1}",
        "~workload.dataset.record_dims", "dataset.parquet.columns=[{name: a}]",
        "train.computation_time.stdev=0.5"};
    struct lb_rng r = lb_rng_stream(2, LB_RNG_CONTENT, 0, (uint64_t)i);
    const char *seed = overrides[i % 4];
    size_t len = strlen(seed);
    memcpy(text, seed, len);
    len = damage(&r, text, len, 65535);
    text[len] = '\0';
    check("{}", 2, text, &good, &bad);
  }
  is_int(good + bad, rounds, "each loads or is refused as the user's mistake");
  ok(good > 100 && bad > 100, "%d load, %d do not", good, bad);
  free(text);
  return done();
}
