/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints the table of docs/formats.md: what one sample costs in operations and
 * bytes, from the lists that are planned.  Files of 4 samples of 1 MiB, uint8
 * (of one where a format has no more), requests of 262144 bytes. */
#include "lb-config.h"

#include "loadbank/format.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/hdf5_shape.h"
#include "loadbank/format_cost.h"
#include "unit/format_fixture.h"

static int plan_sample(struct lb_reader *r, const struct lb_sample *s,
                       struct cost *c, struct lb_err *err)
{
  struct lb_iolist list;
  lb_iolist_init(&list);
  int more = 1;
  for (int stage = 0; more > 0; stage++) {
    lb_iolist_clear(&list);
    more = r->format->plan(r, s, stage, &list, err);
    c->stages += more > 0;
    c->payload += list.payload_bytes;
    lb_iolist_cost(&list, c->count, c->bytes);
  }
  lb_iolist_fini(&list);
  return more;
}

static void print_row(const char *name, const char *when, const struct cost *c)
{
  printf("| %s | %s | %d | %" PRIu64 " | %" PRIu64 " | %" PRIu64 " | %" PRIu64
         " | %" PRIu64 " | %" PRIu64 " | %" PRIu64 " |\n",
         name, when, c->stages, c->count[LB_OP_OPEN], c->count[LB_OP_STAT],
         c->count[LB_OP_LOCK], c->count[LB_OP_READ], c->count[LB_OP_CLOSE],
         c->bytes[LB_OP_READ], c->payload);
}

/* Where it matters that a reader takes the samples of a file in order. */
static int print_in_order(const struct lb_format *f, struct lb_sample *s,
                          struct lb_format_params *p, struct lb_err *err)
{
  struct cost c = {.stages = 0};
  struct lb_format_run run[2];
  lb_format_cost_run(f, p, &s->file, 4, &run[0], err);
  p->in_order = true;
  lb_format_cost_run(f, p, &s->file, 4, &run[1], err);
  if (!memcmp(run[0].bytes, run[1].bytes, sizeof run[0].bytes))
    return -err->code;
  struct lb_reader r;
  if (lb_reader_init(&r, f, p, err) < 0)
    return -err->code;
  for (s->in_file = 0; s->in_file < 4 && !err->code; s->in_file++)
    plan_sample(&r, s, &c, err);
  print_row(f->name, "in order, all 4 samples", &c);
  lb_reader_fini(&r);
  return -err->code;
}

static int print_profile(const struct lb_format *f, const char *name,
                         struct lb_format_params p, struct lb_err *err)
{
  struct lb_sample s = {
      .file = {.samples = 4, .sample_bytes = 1 << 20, .path = "file"}};
  struct lb_reader r;
  struct lb_err refused = LB_ERR_INIT;
  if (f->check(&p, &refused))
    p.samples_per_file = s.file.samples = 1;
  p.has_bytes = false;
  for (int memory = 0; memory < (p.lean ? 1 : 2); memory++) {
    p.memory = memory;
    if (lb_reader_init(&r, f, &p, err) < 0)
      return -err->code;
    for (int i = 0; i < 1 + memory; i++) {
      s.in_file = i % s.file.samples;
      struct cost c = {.stages = 0};
      if (plan_sample(&r, &s, &c, err) == 0)
        print_row(name,
                  !memory  ? "on_demand"
                  : i == 0 ? "memory, a file's first"
                           : "memory, later ones",
                  &c);
    }
    lb_reader_fini(&r);
  }
  p.memory = false;
  return print_in_order(f, &s, &p, err);
}

/* Both profiles, where there are two lists of samples as long as these. */
static int print_format(const struct lb_format *f, const char *name,
                        struct lb_format_params p, struct lb_err *err)
{
  char lean[64];
  print_profile(f, name, p, err);
  if (!f->has_lean || f == &lb_format_hdf5 || err->code)
    return -err->code;
  p.lean = true;
  snprintf(lean, sizeof lean, "%s, lean", name);
  return print_profile(f, lean, p, err);
}

/* Ways of storing that a format has besides its usual one. */
static int print_hdf5(struct lb_err *err)
{
  static const struct {
    const char *name, *compression;
    struct lb_h5_options o;
  } ways[] = {
      {"hdf5, 4 datasets", "none", {.num_dset_per_record = 4}},
      {"hdf5, 4 chunks", "none", {.chunk_dims = {2, {1, 262144}}}},
      {"hdf5, 4 chunks, gzip", "gzip", {.chunk_dims = {2, {1, 262144}}}},
      {"hdf5, 4 chunks, lzf", "lzf", {.chunk_dims = {2, {1, 262144}}}},
  };
  for (size_t i = 0; !err->code && i < sizeof ways / sizeof ways[0]; i++) {
    struct lb_format_params p = fixture_params(4);
    snprintf(p.compression, sizeof p.compression, "%s", ways[i].compression);
    p.options = &ways[i].o;
    print_format(&lb_format_hdf5, ways[i].name, p, err);
  }
  return -err->code;
}

int main(void)
{
  struct lb_err err = LB_ERR_INIT;
  printf("| format | read_type | stages | open | stat | lock | read | close "
         "| bytes read | of these payload |\n"
         "|---|---|--:|--:|--:|--:|--:|--:|--:|--:|\n");
  for (const struct lb_format *const *f = lb_formats; *f; f++)
    if (!(*f)->unavailable)
      print_format(*f, (*f)->name, fixture_params(4), &err);
  if (!lb_format_hdf5.unavailable)
    print_hdf5(&err);
  if (err.code)
    fprintf(stderr, "%s\n", err.msg);
  return err.code;
}
