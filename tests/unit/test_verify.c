/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Comparing what was read with what should be there: whatever the requests,
 * the first wrong byte is told, and what stands in its place. */
#include "lb-config.h"

#include "loadbank/verify.h"

#include <stdio.h>
#include <string.h>

#include "loadbank/content.h"
#include "tap.h"

enum { SAMPLE = 1000, SAMPLES = 9, FILE_BYTES = 100 + SAMPLE * SAMPLES };

struct rig {
  struct lb_format_params params;
  struct lb_reader reader;
  struct lb_sample sample;
  struct lb_iothread io;
  struct lb_verifier verifier;
  unsigned char bytes[FILE_BYTES]; /* a header of 100, then content */
};

static const struct lb_format no_format = {.name = "none"};

static void init(struct rig *x)
{
  *x = (struct rig){.params = {.content_seed = 10, .n_files = {20, 2}},
                    .reader = {.format = &no_format},
                    .sample = {.file = {.set = LB_SET_TRAIN,
                                        .index = 7,
                                        .samples = SAMPLES,
                                        .sample_bytes = SAMPLE,
                                        .path = "some/file"},
                               .verify = true}};
  x->reader.params = &x->params;
  lb_content_fill(10, LB_SET_TRAIN, 7, 0, x->bytes + 100, SAMPLE * SAMPLES);
}

/* The whole file in one READ, in requests of that size. */
static int read_all(struct rig *x, size_t request, struct lb_err *err)
{
  struct lb_io io = {.op = LB_OP_READ,
                     .length = FILE_BYTES,
                     .content = {.skip = 100, .length = SAMPLE * SAMPLES}};
  int rc = 0;
  *err = (struct lb_err)LB_ERR_INIT;
  lb_verify_begin(&x->verifier, &x->reader, &x->sample, &x->io);
  for (size_t at = 0; !rc && at < FILE_BYTES; at += request) {
    size_t n = FILE_BYTES - at < request ? FILE_BYTES - at : request;
    rc = x->io.inspect(x->io.inspect_arg, &io, at, x->bytes + at, n, err);
  }
  return lb_verify_end(&x->verifier, &x->io, err);
}

static void flips(struct rig *x)
{
  static const size_t requests[] = {1, 7, 99, 101, 4096, FILE_BYTES};
  struct lb_err err;
  for (size_t i = 0; i < sizeof requests / sizeof requests[0]; i++) {
    size_t told = 0, n = 0;
    is_int(read_all(x, requests[i], &err), 0, "requests of %zu: right",
           requests[i]);
    for (size_t at = 100; at < FILE_BYTES; at += 411, n++) {
      char place[100];
      snprintf(place, sizeof place,
               "sample %zu: byte %zu of the file is 0x%02x",
               (at - 100) / SAMPLE, at, x->bytes[at] ^ 1u);
      x->bytes[at] ^= 1;
      told += read_all(x, requests[i], &err) < 0 && strstr(err.msg, place) &&
              strstr(err.msg, "some/file");
      x->bytes[at] ^= 1;
    }
    is_int(told, n, "requests of %zu: each flip is told", requests[i]);
  }
  x->bytes[0] ^= 1;
  is_int(read_all(x, 512, &err), 0, "what is no content is not compared");
}

static void instead(struct rig *x)
{
  static const struct {
    uint64_t seed;
    enum lb_set set;
    int64_t file;
    uint64_t at;
    const char *say;
  } rows[] = {
      {10, LB_SET_TRAIN, 7, 13, "file 7 of the train set from its byte 13"},
      {10, LB_SET_EVAL, 1, 4001, "file 1 of the valid set from its byte 4001"},
      {10, LB_SET_TRAIN, 20, 0, "a larger dataset"},
      {11, LB_SET_TRAIN, 7, 2000, "another dataset.seed"},
  };
  struct lb_err err;
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    init(x);
    lb_content_fill(rows[i].seed, rows[i].set, rows[i].file, rows[i].at,
                    x->bytes + 2100, 500);
    read_all(x, 4096, &err);
    ok(strstr(err.msg, "from byte 2100 of the file") &&
           strstr(err.msg, rows[i].say),
       "%s: %s", rows[i].say, err.msg);
  }
  init(x);
  memset(x->bytes + 5000, 0, 512);
  read_all(x, 4096, &err);
  ok(strstr(err.msg, "zeros"), "a hole: %s", err.msg);
  memset(x->bytes + 5000, 'x', 512);
  read_all(x, 4096, &err);
  ok(strstr(err.msg, "another program"), "text: %s", err.msg);
}

static void sizes(struct rig *x)
{
  struct lb_err err = LB_ERR_INIT;
  init(x);
  lb_verify_begin(&x->verifier, &x->reader, &x->sample, &x->io);
  x->reader.samples_seen++;
  x->reader.sample_bytes_seen += SAMPLE + 1;
  lb_verify_end(&x->verifier, &x->io, &err);
  ok(strstr(err.msg, "1001") && strstr(err.msg, "1000"), "sizes: %s", err.msg);
  ok(!x->io.inspect, "nobody looks on after that");
}

/* Each position comes about equally often, and the same again. */
static void choice(void)
{
  int n[16] = {0}, low = 0, same = 0;
  for (int64_t batch = 0; batch < 16000; batch++) {
    int64_t i = lb_verify_choice(1, LB_SET_TRAIN, 1, 2, batch, 16);
    same += i == lb_verify_choice(1, LB_SET_TRAIN, 1, 2, batch, 16);
    n[i]++;
  }
  for (int i = 0; i < 16; i++)
    low += n[i] < 850 || n[i] > 1150;
  is_int(low, 0, "the choice is spread over the positions");
  is_int(same, 16000, "and a pure function");
}

int main(void)
{
  static struct rig x;
  init(&x);
  flips(&x);
  instead(&x);
  sizes(&x);
  choice();
  return done();
}
