/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The dataset of a run: what the configuration says of it, and what is on
 * disk.  One rank looks, the others are told; nothing per file is kept on
 * every rank, but for foreign names, which are kept once per node. */
#include "lb-config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench_impl.h"
#include "dataset_impl.h"
#include "loadbank/log.h"

static void describe_layout(struct lb_bench *b)
{
  const struct lb_workload_dataset *d = &b->w->dataset;
  struct lb_layout *l = &b->layout;
  const int64_t files[LB_N_SETS] = {d->num_files_train, d->num_files_eval};
  const int64_t folders[LB_N_SETS] = {d->num_subfolders_train,
                                      d->num_subfolders_eval};
  snprintf(l->root, sizeof l->root, "%s", b->w->derived.data_folder);
  snprintf(l->prefix, sizeof l->prefix, "%s", d->file_prefix);
  lb_format_extension(b->w->derived.format, d->compression, l->extension,
                      sizeof l->extension);
  for (int set = 0; set < LB_N_SETS; set++) {
    l->n_files[set] = l->n_used[set] = files[set];
    l->n_folders[set] = folders[set];
  }
}

static void describe_manifest(struct lb_bench *b)
{
  const struct lb_workload_dataset *d = &b->w->dataset;
  struct lb_manifest *m = &b->manifest;
  snprintf(m->format, sizeof m->format, "%s", d->format);
  m->seed = b->w->derived.content_seed;
  for (int set = 0; set < LB_N_SETS; set++) {
    m->n_files[set] = b->layout.n_files[set];
    m->n_folders[set] = b->layout.n_folders[set];
  }
  m->samples_per_file = d->num_samples_per_file;
  m->record_bytes = (double)b->w->derived.sample_bytes;
  m->record_stdev = d->record_length_bytes_stdev;
  snprintf(m->dtype, sizeof m->dtype, "%s", d->record_element_type);
  m->n_dims = b->params.n_dims;
  memcpy(m->dims, b->params.dims, sizeof m->dims);
  snprintf(m->compression, sizeof m->compression, "%s", d->compression);
  m->compression_level = (int)d->compression_level;
  snprintf(m->file_prefix, sizeof m->file_prefix, "%s", d->file_prefix);
  if (!b->w->derived.format->describe)
    return;
  struct lb_buf text;
  lb_buf_init(&text, sizeof m->extra - 1);
  b->w->derived.format->describe(&b->params, &text);
  if (text.len)
    snprintf(m->extra, sizeof m->extra, "%s", text.data);
  lb_buf_fini(&text);
}

/* Do the paths of file i fit, while it is written, too? */
static bool paths_fit(const struct lb_bench *b, int set, int64_t i)
{
  const struct lb_format *f = b->w->derived.format;
  const struct lb_layout *l = &b->layout;
  char path[PATH_MAX];
  bool fit = lb_layout_path(l, set, i, path, sizeof path) >= 0 &&
             lb_layout_temporary(l, set, i, path, sizeof path) >= 0;
  for (size_t k = 0; fit && k < f->n_sidecars; k++)
    fit =
        lb_layout_sidecar(l, set, i, &f->sidecars[k], path, sizeof path) >= 0 &&
        lb_layout_hide(path, sizeof path) >= 0;
  return fit;
}

/* A path that does not fit is found now, not by a reader: the last file's is
 * the longest. */
static int check_paths(const struct lb_bench *b, struct lb_err *err)
{
  for (int set = 0; set < LB_N_SETS; set++)
    if (b->layout.n_files[set] &&
        !paths_fit(b, set, b->layout.n_files[set] - 1))
      return lb_err_set(err, LB_USAGE,
                        "dataset.data_folder: paths of files in it are longer "
                        "than %d bytes: %.200s...",
                        PATH_MAX - 1, b->layout.root);
  return 0;
}

int lb_bench_describe(struct lb_bench *b, struct lb_err *err)
{
  lb_workload_format_params(b->w, &b->params);
  b->params.has_bytes = !b->w->derived.backend->is_virtual;
  int rc = lb_sizes_init(&b->sizes, b->w->derived.content_seed,
                         (double)b->w->derived.sample_bytes,
                         b->w->dataset.record_length_bytes_stdev, err);
  if (rc)
    return rc;
  b->sizes.unit = b->params.dtype->bytes;
  if (b->w->derived.format->least_bytes)
    b->sizes.least = b->w->derived.format->least_bytes;
  if (b->sizes.nearest)
    lb_warn("record_length_bytes_stdev %.0f cannot be had with a mean of "
            "%.0f (sizes stay inside 0 and twice the mean); the nearest is "
            "%.0f",
            b->sizes.stdev, b->sizes.mean, b->sizes.got_stdev);
  describe_layout(b);
  if (check_paths(b, err) < 0)
    return -err->code;
  describe_manifest(b);
  lb_manifest_fingerprint(&b->manifest, b->fingerprint);
  return lb_bench_spread_layout(b, err);
}

int lb_bench_fingerprint(struct lb_workload *w, char out[LB_FINGERPRINT_LEN],
                         struct lb_err *err)
{
  struct lb_bench b = {.w = w, .claim = -1};
  int rc = lb_bench_describe(&b, err);
  if (lb_bench_makes_files(&b) && !rc)
    memcpy(out, b.fingerprint, LB_FINGERPRINT_LEN);
  else
    out[0] = '\0';
  free(b.mounts);
  return rc;
}

/* What the manifest on disk says against the configuration. */
static int compare_with_disk(struct lb_bench *b, bool to_generate,
                             struct lb_err *err)
{
  struct lb_manifest disk;
  struct lb_buf differ;
  int found = lb_manifest_read(&disk, b->layout.root, err);
  if (found <= 0)
    return found;
  if (!to_generate)
    return lb_manifest_compare(&disk, &b->manifest, err);
  lb_buf_init(&differ, 32768); /* more than there are fields for */
  lb_manifest_differences(&disk, &b->manifest, &differ);
  if (differ.len)
    lb_err_set(err, LB_USAGE, "another dataset is there: %.400s", differ.data);
  lb_buf_fini(&differ);
  return -err->code;
}

int lb_bench_dataset_fits(struct lb_workload *w, bool to_generate,
                          struct lb_err *err)
{
  struct lb_bench b = {.w = w, .claim = -1};
  int rc = w->derived.backend->is_virtual ? 0 : lb_bench_describe(&b, err);
  if (!rc && !w->derived.backend->is_virtual)
    rc = compare_with_disk(&b, to_generate, err);
  free(b.mounts);
  return rc;
}

/* ---- what is on disk; rank 0 ---- */

/* Only what a manifest claims can be compared with what the seed makes. */
static int cannot_verify(const struct lb_bench *b, const char *why,
                         struct lb_err *err)
{
  return lb_err_set(err, LB_USAGE,
                    "reader.verify: %s: there is nothing to compare it with: "
                    "%s",
                    b->layout.root, why);
}

/* Against the manifest, if there is one. */
static int check_manifest(struct lb_bench *b, struct lb_err *err)
{
  struct lb_manifest disk;
  int found = lb_manifest_read(&disk, b->layout.root, err);
  if (found < 0)
    return found;
  bool verify = b->w->reader.verify != LB_VERIFY_OFF;
  if (!found && verify)
    return cannot_verify(b, "it has no manifest, so others made it", err);
  if (!found) {
    b->fingerprint[0] = '\0';
    lb_info("%s: no manifest; the files are taken as they are", b->layout.root);
    return 0;
  }
  lb_manifest_fingerprint(&disk, b->fingerprint);
  if (!disk.complete)
    return lb_err_set(err, LB_USAGE,
                      "%s: its generation was not finished; run again with "
                      "workflow.generate_data=True",
                      b->layout.root);
  struct lb_err differs = LB_ERR_INIT;
  if (!lb_manifest_compare(&disk, &b->manifest, &differs)) {
    /* There may be more files than configured, and all names say how many. */
    if (b->w->dataset.skip_listing)
      memcpy(b->layout.n_files, disk.n_files, sizeof disk.n_files);
    return 0;
  }
  if (b->o->allow_mismatch && verify)
    return cannot_verify(b, differs.msg, err);
  if (b->o->allow_mismatch) {
    lb_warn("%s", differs.msg);
    return 0;
  }
  *err = differs;
  return lb_err_wrap(err, "%s (%s)", b->layout.root,
                     b->o->mismatch_advice
                         ? b->o->mismatch_advice
                         : "--allow-mismatch uses it all the same");
}

/* What rank 0 tells the others of one set. */
struct found {
  int64_t n_files, n_folders;
  uint64_t names_bytes; /* 0: names are computed */
};

/* Every how many files one is looked at, when the configuration leaves that to
 * their number; 0: none. */
static int64_t look_every(int64_t configured, int64_t files)
{
  if (configured >= 0)
    return configured;
  int64_t every = 1;
  for (int64_t most = 10000; files >= most && every < 10000; most *= 10)
    every *= 10;
  return every;
}

/* Without a listing the names are trusted, but for every n-th. */
static int look_at_some(struct lb_bench *b, enum lb_set set, struct lb_err *err)
{
  char path[PATH_MAX];
  int64_t every = look_every(b->w->dataset.listing_validation_interval,
                             b->plan.set[set].files);
  for (int64_t i = 0; every && i < b->plan.set[set].files; i += every) {
    struct lb_io stat = {
        .op = LB_OP_STAT, .slot = -1, .path = path, .flags = LB_IO_FILE};
    if (lb_layout_path(&b->layout, set, i, path, sizeof path) < 0)
      return lb_err_sys(err, LB_FAILED, ENAMETOOLONG, "%s", b->layout.root);
    if (lb_storage_do(b->storage, stat, &b->io, err) < 0)
      return lb_err_wrap(err, "dataset.skip_listing is on, and a file that "
                              "should be there cannot be found");
    if (i > INT64_MAX - every)
      break;
  }
  return 0;
}

static int no_dataset(struct lb_bench *b, int set, struct lb_err *err)
{
  *err = (struct lb_err)LB_ERR_INIT;
  return lb_err_set(err, LB_FAILED,
                    "%s: there is no %s set; workflow.generate_data=true makes "
                    "the dataset",
                    b->layout.root, lb_sets[set].folder);
}

/* A manifest says what the files are called: others beside them would be read
 * in their place. */
static int strangers(struct lb_bench *b, int set,
                     const struct lb_inventory *inv, struct lb_err *err)
{
  char text[600 + PATH_MAX];
  snprintf(text, sizeof text,
           "%s/%s: holds %" PRId64
           " files, not all of which are named by its manifest (%.200s is the "
           "first of them all)",
           b->layout.root, lb_sets[set].folder, inv->n_files,
           inv->names + inv->name_at[0]);
  if (b->o->allow_mismatch && b->w->reader.verify != LB_VERIFY_OFF)
    return cannot_verify(b, text, err);
  if (b->o->allow_mismatch) {
    lb_warn("%s", text);
    return 0;
  }
  return lb_err_set(
      err, LB_USAGE,
      "%s; remove what does not belong to it, or its " LB_MANIFEST_NAME "%s",
      text,
      b->o->mismatch_advice ? ""
                            : ", or --allow-mismatch takes all as they are");
}

static int look(struct lb_bench *b, struct lb_inventory inv[LB_N_SETS],
                struct found found[LB_N_SETS], struct lb_err *err)
{
  int rc = check_manifest(b, err);
  for (int set = 0; !rc && set < LB_N_SETS; set++) {
    const struct lb_plan_set *plan = &b->plan.set[set];
    found[set] =
        (struct found){b->layout.n_files[set], b->layout.n_folders[set], 0};
    if (!plan->read || plan->files == 0)
      continue;
    if (b->w->dataset.skip_listing) {
      rc = look_at_some(b, set, err);
      continue;
    }
    rc = lb_inventory_take(&inv[set], &b->layout, set, b->storage, &b->io, err);
    if (rc && err->sys == ENOENT)
      rc = no_dataset(b, set, err);
    if (rc)
      break;
    found[set] = (struct found){inv[set].n_files, inv[set].n_folders,
                                inv[set].names ? inv[set].names_bytes : 0};
    if (inv[set].names && b->fingerprint[0]) {
      rc = strangers(b, set, &inv[set], err);
      if (rc)
        break;
    }
    if (inv[set].names)
      lb_info("%s/%s: the names do not follow the rule "
              "<prefix>_<index>_of_<count>; the first %" PRId64 " of %" PRId64
              " files are used",
              b->layout.root, lb_sets[set].folder, plan->files,
              inv[set].n_files);
  }
  return rc;
}

/* ---- telling the others ---- */

/* Rank 0's bytes into memory of every node, piece by piece.  from: NULL on the
 * other ranks. */
static void spread(const struct lb_world *w, const void *from, void *to,
                   size_t n)
{
  char piece[65536];
  for (size_t at = 0; at < n; at += sizeof piece) {
    size_t len = n - at < sizeof piece ? n - at : sizeof piece;
    if (from)
      memcpy(piece, (const char *)from + at, len);
    lb_world_bcast(w, piece, len);
    if (w->node_rank == 0)
      memcpy((char *)to + at, piece, len);
  }
}

static int share_names(struct lb_bench *b, int set,
                       const struct lb_inventory *inv,
                       const struct found *found, struct lb_err *err)
{
  void *at, *names;
  size_t at_bytes = (size_t)found->n_files * sizeof(uint64_t);
  int rc = lb_world_shared(b->world, at_bytes, &at, err);
  if (!rc)
    rc = lb_world_shared(b->world, found->names_bytes, &names, err);
  if (rc)
    return rc;
  spread(b->world, inv->name_at, at, at_bytes);
  spread(b->world, inv->names, names, found->names_bytes);
  lb_world_barrier(b->world);
  b->layout.names[set] = names;
  b->layout.name_at[set] = at;
  return 0;
}

int lb_bench_check_dataset(struct lb_bench *b, struct lb_err *err)
{
  struct lb_inventory inv[LB_N_SETS] = {0};
  struct found found[LB_N_SETS];
  int rc = 0;
  if (b->w->derived.backend->is_virtual || b->w->derived.format->no_data ||
      !b->plan.set[LB_SET_TRAIN].read)
    return 0;
  memset(found, 0, sizeof found);
  if (b->world->rank == 0)
    look(b, inv, found, err);
  rc = lb_bench_agree(b->world, err);
  lb_world_bcast(b->world, found, sizeof found);
  lb_world_bcast(b->world, b->fingerprint, sizeof b->fingerprint);
  for (int set = 0; !rc && set < LB_N_SETS; set++) {
    b->layout.n_files[set] = found[set].n_files;
    b->layout.n_folders[set] = found[set].n_folders;
    if (found[set].names_bytes)
      rc = share_names(b, set, &inv[set], &found[set], err);
  }
  for (int set = 0; set < LB_N_SETS; set++)
    lb_inventory_fini(&inv[set]);
  if (!rc)
    rc = lb_bench_spread_layout(b, err);
  if (!rc)
    rc = lb_bench_check_mounts(b, err);
  return rc ? rc : lb_bench_check_direct(b, err);
}
