/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See loader_rig.h. */
#include "lb-config.h"

#include "loader_rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tap.h"

/* ---- the format `tape' ---- */

struct tape_reader {
  int64_t nth;
};

static int tape_plan(struct lb_reader *r, const struct lb_sample *s, int stage,
                     struct lb_iolist *list, struct lb_err *err)
{
  struct tape *t = (struct tape *)r->params->options;
  struct tape_reader *own = r->state;
  if (stage > 0)
    return 0;
  atomic_fetch_add(&t->begun, 1);
  if (s->file.index == t->fail_file)
    return lb_err_set(err, LB_FAILED, "%s: damaged",
                      s->file.path ? s->file.path : "a file");
  struct tape_entry *e =
      &t->entry[s->file.index * t->samples_per_file + s->in_file];
  atomic_fetch_add(&e->times, 1);
  atomic_store(&e->reader, r);
  atomic_store(&e->nth, own->nth++);
  if (t->sample_bytes) {
    lb_iolist_open(list, s->file.path, 0);
    lb_iolist_read(list, 0, t->sample_bytes, r->params->request, NULL);
    lb_iolist_close(list);
    list->payload_bytes = t->sample_bytes;
  }
  return 1;
}

/* Sizes of their own, so that what readers have seen can be told apart. */
static int tape_parse(struct lb_reader *r, const struct lb_sample *s, int stage,
                      const struct lb_iolist *list, struct lb_err *err)
{
  (void)s, (void)stage, (void)list, (void)err;
  r->samples_seen++;
  r->sample_bytes_seen += 7;
  return 0;
}

static int tape_init(struct lb_reader *r, struct lb_err *err)
{
  struct tape *t = (struct tape *)r->params->options;
  (void)err;
  t->readers++;
  return 0;
}

static void tape_reset(struct lb_reader *r)
{
  struct tape_reader *own = r->state;
  own->nth = 0;
}

static const struct lb_format tape_format = {
    .name = "tape",
    .extension = "tape",
    .reader_size = sizeof(struct tape_reader),
    .reader_init = tape_init,
    .reader_reset = tape_reset,
    .plan = tape_plan,
    .parse = tape_parse,
};

/* ---- the rig ---- */

static void check(bool good, const struct lb_err *err, const char *what)
{
  if (!good)
    ok(false, "%s: %s", what, err->msg);
}

void rig_init(struct rig *r, const char *backend, const char *format,
              int64_t files, int64_t samples)
{
  struct lb_err err = LB_ERR_INIT;
  struct lb_storage_env env = {.bandwidth_share = 1};
  *r = (struct rig){.preprocess = lb_dist_constant(0)};
  r->tape = (struct tape){
      .samples_per_file = samples,
      .n = files * samples,
      .fail_file = -1,
      .entry = calloc((size_t)(files * samples), sizeof(struct tape_entry))};
  r->params = (struct lb_format_params){.samples_per_file = samples,
                                        .dtype = lb_dtype_find("uint8"),
                                        .compression = "none",
                                        .request = 65536,
                                        .n_files = {files, 0},
                                        .content_seed = RIG_SEED,
                                        .options = format ? NULL : &r->tape};
  r->layout = (struct lb_layout){
      .prefix = "img", .n_files = {files, 0}, .n_used = {files, 0}};
  snprintf(r->layout.root, sizeof r->layout.root, "%s", tap_tmpdir());
  const struct lb_backend *b = lb_backend_find(backend);
  r->params.has_bytes = !b->is_virtual;
  check(lb_sizes_init(&r->sizes, RIG_SEED, 1000, 0, &err) == 0 &&
            lb_storage_open(&r->storage, b, b->options_size ? &r->server : NULL,
                            &env, &err) == 0,
        &err, "rig");
  r->kind = lb_loader_find("pytorch");
  r->c = (struct lb_loader_config){.max_threads = 512,
                                   .scratch_bytes = 65536,
                                   .format = format ? lb_format_find(format)
                                                    : &tape_format,
                                   .params = &r->params,
                                   .layout = &r->layout,
                                   .n_layouts = 1,
                                   .sizes = &r->sizes,
                                   .storage = r->storage,
                                   .preprocess = &r->preprocess,
                                   .seed = 123};
  snprintf(r->layout.extension, sizeof r->layout.extension, "%s",
           r->c.format->extension);
  rig_set(r, 1, 1, 2);
}

void rig_set(struct rig *r, int k, int64_t read_threads, int64_t prefetch)
{
  struct lb_loader_knobs knobs = {.read_threads = read_threads,
                                  .prefetch = prefetch};
  r->c.k = k;
  r->c.pace = r->kind->pace(&knobs);
}

void rig_loader(struct rig *r, const char *loader, int k,
                const struct lb_loader_knobs *knobs)
{
  r->kind = lb_loader_find(loader);
  r->c.k = k;
  r->c.pace = r->kind->pace(knobs);
}

void rig_start(struct rig *r)
{
  struct lb_err err = LB_ERR_INIT;
  check(lb_loader_new(&r->loader, &r->c, &err) == 0, &err, "loader");
}

void rig_make(struct rig *r)
{
  struct lb_err err = LB_ERR_INIT;
  struct lb_iothread io;
  const struct lb_maker m = {.format = r->c.format,
                             .params = &r->params,
                             .layout = &r->layout,
                             .sizes = &r->sizes,
                             .storage = r->storage};
  int made;
  check(lb_iothread_init(&io, 65536, &err) == 0, &err, "scratch");
  check(lb_dataset_make_folders(&r->layout, r->c.format, r->storage, &io,
                                &err) == 0,
        &err, "folders");
  for (int64_t i = 0; i < r->layout.n_files[LB_SET_TRAIN]; i++)
    check(lb_dataset_make_file(&m, LB_SET_TRAIN, i, &io, &made, &err) == 0,
          &err, "file");
  lb_iothread_fini(&io);
}

void rig_begin(struct rig *r, int64_t batch, bool file_shuffle,
               bool sample_shuffle)
{
  int64_t batches = r->tape.n / batch / r->c.k;
  memset(r->tape.entry, 0, (size_t)r->tape.n * sizeof *r->tape.entry);
  atomic_store(&r->tape.begun, 0);
  r->pass = (struct lb_loader_pass){
      .set = LB_SET_TRAIN,
      .phase = LB_PHASE_TRAIN,
      .epoch = 1,
      .batch = batch,
      .batches = batches,
      .stride = batches,
      .sampler = lb_sampler_make(
          (uint64_t)r->params.n_files[0], (uint64_t)r->tape.samples_per_file,
          file_shuffle, sample_shuffle, 123, 1, LB_SET_TRAIN)};
  lb_loader_begin(r->loader, &r->pass);
}

void rig_end(struct rig *r)
{
  struct lb_err err = LB_ERR_INIT;
  check(lb_loader_end(r->loader, &err) == 0, &err, "end");
}

void rig_fini(struct rig *r)
{
  lb_loader_free(r->loader);
  lb_storage_close(r->storage);
  free(r->tape.entry);
}

/* ---- driving it ---- */

struct drive {
  struct rig *r;
  int64_t n, had;
  int64_t *taken; /* of each accelerator */
  bool *waits;
  int64_t unasked; /* named, but did not wait */
  uint64_t *ready;
};

/* Takes what is there; true: the next one is waited for. */
static bool take_some(struct drive *d, int acc)
{
  while (d->taken[acc] < d->n) {
    uint64_t t = lb_loader_take(d->r->loader, acc);
    if (!t)
      return true;
    if (d->ready)
      d->ready[acc * d->n + d->taken[acc]] = t;
    d->taken[acc]++;
    d->had++;
    if (d->taken[acc] < d->n || d->r->c.pace.ahead > 0)
      lb_loader_ask(d->r->loader, acc, false, lb_clock_ns());
  }
  return false;
}

static void take_and_ask(struct drive *d, int acc)
{
  d->waits[acc] = take_some(d, acc);
  if (d->waits[acc])
    lb_loader_ask(d->r->loader, acc, true, lb_clock_ns());
}

int64_t rig_take(struct rig *r, int64_t n, uint64_t *ready)
{
  struct drive d = {.r = r, .n = n, .ready = ready};
  struct lb_err err = LB_ERR_INIT;
  uint64_t end = lb_clock_ns() + 60 * (uint64_t)LB_NS_PER_S;
  int acc;
  d.taken = calloc((size_t)r->c.k, sizeof *d.taken);
  d.waits = calloc((size_t)r->c.k, sizeof *d.waits);
  for (int a = 0; a < r->c.k; a++)
    take_and_ask(&d, a);
  lb_loader_flush(r->loader, lb_clock_ns());
  while (d.had < n * r->c.k && lb_clock_ns() < end &&
         !lb_loader_failed(r->loader, &err)) {
    lb_loader_advance(r->loader, lb_clock_ns());
    while ((acc = lb_loader_next(r->loader)) >= 0) {
      d.unasked += !d.waits[acc];
      take_and_ask(&d, acc);
    }
    lb_loader_flush(r->loader, lb_clock_ns());
    uint64_t until = lb_loader_deadline(r->loader);
    if (d.had < n * r->c.k)
      lb_loader_wait(r->loader, until < end ? until : end);
  }
  free(d.taken);
  free(d.waits);
  return d.unasked ? -d.unasked : d.had;
}

/* Reader w of the accelerator read the samples that it was dealt, in that
 * order?  The wrong ones; *read: how many it should have read. */
static int64_t wrong_of_reader(const struct rig *r, int acc, int64_t w,
                               const void **own, int64_t *read)
{
  const struct lb_loader_pass *p = &r->pass;
  const struct lb_loader_pace *pace = &r->c.pace;
  int64_t samples = p->stride * p->batch, wrong = 0, run;
  const struct lb_share share = {
      .begin = (r->c.first + acc) * samples,
      .samples = samples,
      .batch = p->batch,
      .readers = pace->readers,
      .buffer = pace->buffer,
      .segment = pace->by_file ? r->tape.samples_per_file : 1};
  *read = 0;
  for (int64_t b = 0; b < p->batches; b++)
    if (!pace->deal->whole || b % pace->readers == w)
      *read = pace->deal->until(&share, w, b);
  for (int64_t n = 0; n < *read; n++) {
    int64_t file, in_file, at = pace->deal->at(&share, w, n, &run);
    lb_sampler_at(&p->sampler, (uint64_t)(share.begin + at), &file, &in_file);
    const struct tape_entry *e =
        &r->tape.entry[file * r->tape.samples_per_file + in_file];
    if (!*own)
      *own = atomic_load(&e->reader);
    wrong += atomic_load(&e->times) != 1 || atomic_load(&e->reader) != *own ||
             atomic_load(&e->nth) != n;
  }
  return wrong;
}

int64_t rig_wrong(const struct rig *r)
{
  int64_t n = r->c.k * r->c.pace.readers, wrong = 0, read = 0, some;
  const void **reader = calloc((size_t)n, sizeof(const void *));
  for (int64_t i = 0; i < n; i++) {
    wrong += wrong_of_reader(r, (int)(i / r->c.pace.readers),
                             i % r->c.pace.readers, &reader[i], &some);
    read += some;
  }
  for (int64_t i = 0; i < n; i++)
    for (int64_t j = 0; j < i; j++)
      wrong += reader[i] && reader[i] == reader[j]; /* each its own */
  for (int64_t i = 0; i < r->tape.n; i++)
    read -= atomic_load(&r->tape.entry[i].times);
  free(reader);
  return wrong + llabs(read);
}

uint64_t rig_count(const struct rig *r, enum lb_op op, uint64_t *errors)
{
  struct lb_iostats s;
  lb_iostats_init(&s);
  lb_loader_cost(r->loader, &s);
  const struct lb_iostat *cell = s.cell[LB_PHASE_TRAIN][op];
  uint64_t n = cell ? cell->ns.count : 0;
  if (errors)
    *errors = cell ? cell->errors : 0;
  lb_iostats_fini(&s);
  return n;
}
