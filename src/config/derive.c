/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What follows from the keys: rows by their names, paths, sizes, seeds; and
 * the rules between keys that need nothing but the workload. */
#include "lb-config.h"

#include "config/config_impl.h"

#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "loadbank/dtype.h"
#include "loadbank/parquet.h"
#include "loadbank/rng.h"

enum { DEFAULT_REQUEST = 262144 };

bool workload_uses(const struct lb_workload *w, const char *key)
{
  bool data =
      w->workflow.generate_data || w->workflow.train || w->workflow.evaluation;
  const struct {
    const char *section;
    bool used;
  } table[] = {
      {"reader.batch_size_eval", w->workflow.evaluation},
      {"dataset.num_files_eval", w->workflow.evaluation || data},
      {"dataset.", data},
      {"reader.verify", w->workflow.train || w->workflow.checkpoint},
      {"reader.", w->workflow.train || w->workflow.evaluation},
      {"train.", w->workflow.train},
      {"evaluation.", w->workflow.evaluation},
      {"checkpoint.", w->workflow.checkpoint},
      {"model.", w->workflow.checkpoint},
      {"profiling.", w->workflow.profiling},
  };
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    if (!strncmp(key, table[i].section, strlen(table[i].section)))
      return table[i].used;
  return true;
}

/* The _stdev sibling makes a constant normal. */
static int fold(struct lb_workload *w, const char *key, struct lb_dist *d,
                double *stdev, struct lb_err *err)
{
  if (*stdev == 0)
    return 0;
  char sibling[LB_KEY_LEN];
  snprintf(sibling, sizeof sibling, "%s_stdev", key);
  if (d->file[0] || !lb_dist_is_constant(d))
    return lb_workload_error(w, sibling, err,
                             "given beside %s, which is already a distribution",
                             key);
  struct lb_dist n = {.kind = lb_dist_find("normal"),
                      .p = {lb_dist_mean(d), *stdev}};
  struct lb_err cause = LB_ERR_INIT;
  if (!n.kind || n.kind->check(&n, &cause))
    return lb_workload_error(w, sibling, err, "%s", cause.msg);
  *d = n;
  *stdev = 0;
  return 0;
}

/* A row of parquet's columns is a sample, whatever else says how long one is.
 * Columns that cannot be are refused by the format. */
static int derive_row(struct lb_workload *w, struct lb_err *err)
{
  struct lb_workload_dataset *s = &w->dataset;
  const struct lb_parquet_options *o =
      lb_workload_options(w, "dataset.parquet");
  struct lb_err unused = LB_ERR_INIT;
  int64_t bytes = o && o->columns.n ? lb_parquet_row_bytes(o, &unused) : 0;
  if (bytes <= 0)
    return 0;
  if (s->record_length_bytes_stdev > 0)
    return lb_workload_error(w, "dataset.record_length_bytes_stdev", err,
                             "cannot go with dataset.parquet.columns, which "
                             "give every sample the same size");
  w->derived.dtype = lb_dtype_find("uint8"); /* columns have their own */
  int64_t said = w->derived.sample_bytes;
  w->derived.sample_bytes = s->record_length_bytes = bytes;
  if (said == bytes || (!lb_workload_is_set(w, "dataset.record_length_bytes") &&
                        !s->record_dims.n))
    return 0;
  return notes_add(&w->own->notes, err,
                   "dataset.record_length_bytes: a sample has the %lld bytes "
                   "of a row of dataset.parquet.columns, not %lld",
                   (long long)bytes, (long long)said);
}

static int derive_sample(struct lb_workload *w, struct lb_err *err)
{
  struct lb_derived *d = &w->derived;
  struct lb_workload_dataset *s = &w->dataset;
  d->dtype = lb_dtype_find(s->record_element_type);
  d->sample_bytes = s->record_length_bytes;
  if (s->record_dims.n > LB_MAX_DIMS)
    return lb_workload_error(w, "dataset.record_dims", err,
                             "%d dimensions; at most %d are possible",
                             s->record_dims.n, LB_MAX_DIMS);
  if (s->record_dims.n && s->record_length_bytes_stdev > 0)
    return lb_workload_error(w, "dataset.record_length_bytes_stdev", err,
                             "cannot go with dataset.record_dims, which gives "
                             "every sample the same shape");
  if (s->record_dims.n) {
    int64_t bytes = d->dtype->bytes;
    for (int i = 0; i < s->record_dims.n; i++)
      if (__builtin_mul_overflow(bytes, s->record_dims.v[i], &bytes))
        return lb_workload_error(w, "dataset.record_dims", err,
                                 "a sample of this shape is too large");
    d->sample_bytes = bytes;
  }
  return strcmp(s->format, "parquet") ? 0 : derive_row(w, err);
}

static const void *row_options(const struct lb_workload *w, const char *prefix,
                               const char *row)
{
  const struct lb_workload_own *own = w->own;
  for (size_t i = 1; i < own->n_blocks; i++)
    if (!strcmp(own->blocks[i].prefix, prefix) &&
        (!row || !strcmp(own->blocks[i].row, row)))
      return own->blocks[i].data;
  return NULL;
}

const void *lb_workload_options(const struct lb_workload *w, const char *prefix)
{
  bool storage = !strcmp(prefix, "storage.storage_options");
  return row_options(w, prefix, storage ? w->storage.storage_type : NULL);
}

static void derive_rows(struct lb_workload *w)
{
  struct lb_derived *d = &w->derived;
  char prefix[64];
  snprintf(prefix, sizeof prefix, "dataset.%s", w->dataset.format);
  d->format = lb_format_find(w->dataset.format);
  d->format_options = lb_workload_options(w, prefix);
  d->backend = lb_backend_find(w->storage.storage_type);
  d->backend_options = lb_workload_options(w, "storage.storage_options");
}

/* Of what can be any size the draws are cut at so many means. */
enum { MOST_MEANS = 8 };

static int64_t request_within(double bytes)
{
  const double most = 1 << 30; /* that of reader.transfer_size */
  return bytes < 1 ? 1 : (int64_t)(bytes < most ? bytes : most);
}

/* The plan of a varying size goes by its mean. */
void workload_derive_request(struct lb_workload *w)
{
  const struct lb_dist *t = &w->reader.transfer_size;
  struct lb_derived *d = &w->derived;
  bool unread = t->file[0] && !t->values;
  double mean = unread ? DEFAULT_REQUEST : lb_dist_mean(t);
  bool varies = unread || !lb_dist_is_constant(t);
  d->request = varies ? t : NULL;
  d->request_bytes = request_within(mean);
  d->longest_request = d->request_bytes;
  if (t->values)
    d->longest_request = request_within(t->values[t->n_values - 1]);
  else if (varies)
    d->longest_request = request_within(MOST_MEANS * mean);
}

static int word_of(const struct lb_loader_kind *loader)
{
  int i = 0;
  while (lb_loaders[i] != loader)
    i++;
  return i;
}

/* LB_SAMPLER_INDEX or _ITERATIVE. */
static int sampler_of(const struct lb_workload *w)
{
  int word = w->reader.data_loader_sampler;
  bool own = word == LB_SAMPLER_DEFAULT || word == LB_SAMPLER_NONE;
  return own ? (int)w->derived.loader->sampler : word;
}

static struct lb_loader_pace pace_of(const struct lb_workload *w)
{
  const struct lb_workload_reader *r = &w->reader;
  const struct lb_loader_knobs knobs = {
      .read_threads = r->read_threads,
      .prefetch = r->prefetch_size,
      .computation_threads = r->computation_threads,
      .shuffle = w->derived.sample_shuffle ? r->shuffle_size : 0,
      .iterative = !w->derived.index_sampler,
  };
  /* cppcheck-suppress returnDanglingLifetime ; a pace has no pointer to it */
  return w->derived.loader->pace(&knobs);
}

static void derive_order(struct lb_workload *w)
{
  struct lb_derived *d = &w->derived;
  struct lb_workload_reader *r = &w->reader;
  if (!lb_workload_is_set(w, "reader.data_loader") &&
      w->framework == LB_FRAMEWORK_PYTORCH)
    r->data_loader = word_of(&lb_loader_pytorch);
  d->loader = lb_loaders[r->data_loader];
  d->index_sampler = sampler_of(w) == LB_SAMPLER_INDEX;
  d->file_shuffle = r->file_shuffle != LB_SHUFFLE_OFF;
  d->sample_shuffle = r->sample_shuffle != LB_SHUFFLE_OFF;
  d->seed_is_random = r->file_shuffle == LB_SHUFFLE_RANDOM ||
                      r->sample_shuffle == LB_SHUFFLE_RANDOM;
  d->order_seed = (uint64_t)w->train.seed;
  d->content_seed = (uint64_t)w->dataset.seed;
  d->pace = pace_of(w);
  /* Who reads a file from front to back opens it once; with a sample a file
   * that is nothing to keep it for. */
  d->leaves_files = !d->index_sampler && w->dataset.num_samples_per_file > 1 &&
                    r->read_type == LB_READ_ON_DEMAND;
}

/* DLIO tells it to DALI's own readers, and to nobody else. */
static int note_mapping(struct lb_workload *w, struct lb_err *err)
{
  if (!w->reader.dont_use_mmap || w->derived.loader == &lb_loader_native_dali)
    return 0;
  return notes_add(&w->own->notes, err,
                   "reader.dont_use_mmap: ignored: in DLIO only the readers of "
                   "data_loader native_dali look at it, and this is %s",
                   w->derived.loader->name);
}

/* The table of the key that counts: a chosen one, else the first. */
static bool is_home(const struct lb_workload *w, size_t block, const char *key)
{
  const struct lb_workload_own *own = w->own;
  size_t home = own->n_blocks;
  for (size_t i = 0; option_find(own->blocks, own->n_blocks, key, &i); i++)
    if (home == own->n_blocks || block_chosen(w, &own->blocks[i]))
      home = i;
  return home == block;
}

/* Keys of a format or a storage_type that is not chosen. */
static int note_others(struct lb_workload *w, struct lb_err *err)
{
  struct lb_workload_own *own = w->own;
  char key[LB_KEY_LEN];
  for (size_t i = 0; i < own->n_blocks; i++)
    for (size_t j = 0; j < own->blocks[i].n; j++) {
      const struct block *b = &own->blocks[i];
      option_key(b, &b->options[j], key);
      if (block_chosen(w, b) || b->options[j].ignored ||
          !lb_workload_is_set(w, key) || !is_home(w, i, key))
        continue;
      bool storage = !strncmp(key, "storage.", strlen("storage."));
      if (notes_add(&own->notes, err,
                    "%s: ignored: it is about %s %s, and this is %s", key,
                    storage ? "storage_type" : "format", b->row,
                    storage ? w->storage.storage_type : w->dataset.format) < 0)
        return -err->code;
    }
  return 0;
}

int workload_derive(struct lb_workload *w, struct lb_err *err)
{
  struct lb_derived *d = &w->derived;
  int rc = fold(w, "train.computation_time", &w->train.computation_time,
                &w->train.computation_time_stdev, err);
  rc = rc ? rc
          : fold(w, "reader.preprocess_time", &w->reader.preprocess_time,
                 &w->reader.preprocess_time_stdev, err);
  rc = rc ? rc
          : fold(w, "evaluation.eval_time", &w->evaluation.eval_time,
                 &w->evaluation.eval_time_stdev, err);
  rc = rc ? rc : derive_sample(w, err);
  if (rc)
    return rc;
  d->compute = &w->train.computation_time;
  d->preprocess = &w->reader.preprocess_time;
  d->eval = &w->evaluation.eval_time;
  derive_rows(w);
  derive_order(w);
  workload_derive_request(w);
  if (derive_paths(w, err))
    return -err->code;
  return note_mapping(w, err) < 0 ? -err->code : note_others(w, err);
}

uint64_t lb_random_seed(void)
{
  uint64_t seed = 0;
  if (getrandom(&seed, sizeof seed, 0) == (ssize_t)sizeof seed)
    return seed >> 1; /* an int64, as train.seed is */
  struct timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  return lb_rng_mix((uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec);
}

void lb_workload_set_seed(struct lb_workload *w, uint64_t seed)
{
  w->derived.order_seed = seed;
}

/* An iterative sampler goes through files, and shuffles what it has read; an
 * index sampler that does not shuffle samples does it with one reader. */
static bool reads_in_order(const struct lb_workload *w)
{
  const struct lb_derived *d = &w->derived;
  return !d->index_sampler || (!d->sample_shuffle && d->pace.readers <= 1);
}

void lb_workload_format_params(const struct lb_workload *w,
                               struct lb_format_params *p)
{
  const struct lb_workload_dataset *s = &w->dataset;
  *p = (struct lb_format_params){
      .samples_per_file = s->num_samples_per_file,
      .dtype = w->derived.dtype,
      .n_dims = s->record_dims.n,
      .compression_level = (int)s->compression_level,
      .chunking = s->enable_chunking,
      .chunk_size = s->chunk_size,
      .memory =
          w->reader.read_type == LB_READ_MEMORY || w->derived.leaves_files,
      .in_order = reads_in_order(w),
      .request = (uint32_t)w->derived.request_bytes,
      .open_flags = (w->reader.odirect ? LB_IO_DIRECT : 0) |
                    (w->derived.backend
                         ? lb_backend_open_flags(w->derived.backend,
                                                 w->derived.backend_options)
                         : 0),
      .n_files = {s->num_files_train, s->num_files_eval},
      .content_seed = w->derived.content_seed,
      .lean = w->reader.call_profile == LB_CALLS_LEAN && w->derived.format &&
              w->derived.format->has_lean,
      .decode = w->reader.decode,
      .options = w->derived.format_options,
  };
  for (int i = 0; i < s->record_dims.n; i++)
    p->dims[i] = s->record_dims.v[i];
  snprintf(p->compression, sizeof p->compression, "%.15s", s->compression);
}
