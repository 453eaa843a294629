/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Making one dataset file: whole under its final name, or not there.  Which
 * rank makes which file is decided in bench; the bytes are the format's. */
#include "lb-config.h"

#include "loadbank/dataset.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "loadbank/newfile.h"

#define ANY_SIZE UINT64_MAX

void lb_dataset_file(const struct lb_layout *l, const struct lb_sizes *sizes,
                     const struct lb_format_params *p, enum lb_set set,
                     int64_t index, char *buf, size_t size, struct lb_file *out)
{
  *out = (struct lb_file){
      .set = set,
      .index = index,
      .samples = p->samples_per_file,
      .sample_bytes = lb_sizes_sample_bytes(sizes, set, index),
  };
  if (buf && lb_layout_path(l, set, index, buf, size) >= 0)
    out->path = buf;
}

/* Those of what goes with the files. */
static int make_sidecar_folders(const struct lb_layout *l,
                                const struct lb_format *format, int set,
                                struct lb_storage *s, struct lb_iothread *t,
                                struct lb_err *err)
{
  char path[PATH_MAX];
  for (size_t i = 0; i < format->n_sidecars; i++) {
    int n = lb_layout_sidecar_folder(l, set, &format->sidecars[i], path,
                                     sizeof path);
    if (n < 0)
      return lb_err_sys(err, LB_FAILED, ENAMETOOLONG, "mkdir: %s", l->root);
    if (n > 0 && lb_storage_mkdirs(s, path, false, t, err))
      return -err->code;
  }
  return 0;
}

int lb_dataset_make_folders(const struct lb_layout *l,
                            const struct lb_format *format,
                            struct lb_storage *s, struct lb_iothread *t,
                            struct lb_err *err)
{
  char path[PATH_MAX];
  for (int set = 0; set < LB_N_SETS; set++) {
    int64_t subs = l->n_folders[set] > 1 ? l->n_folders[set] : 0;
    for (int64_t i = -1; i < subs; i++) {
      if (lb_layout_folder(l, set, i, path, sizeof path) < 0)
        return lb_err_sys(err, LB_FAILED, ENAMETOOLONG, "mkdir: %s", l->root);
      int rc = lb_storage_mkdirs(s, path, false, t, err);
      if (rc)
        return rc;
    }
    if (make_sidecar_folders(l, format, set, s, t, err))
      return -err->code;
  }
  return 0;
}

/* A file on its way.  The sink is its first member: write finds the rest. */
struct making {
  struct lb_sink sink;
  struct lb_newfile file;
};

static int sink_write(struct lb_sink *sink, uint64_t offset, const void *bytes,
                      size_t n, struct lb_err *err)
{
  return lb_newfile_write(&((struct making *)sink)->file, offset, bytes, n,
                          err);
}

/* The file that was made has the size that was planned: a reader, a plan and a
 * later resume go by it. */
static int check_size(struct making *m, uint64_t planned, struct lb_err *err)
{
  int64_t size;
  int rc = lb_newfile_size(&m->file, &size, err);
  if (!rc && planned != ANY_SIZE && (uint64_t)size != planned)
    rc = lb_err_set(err, LB_FAILED,
                    "%s: %" PRId64 " bytes were written, %" PRIu64
                    " were planned",
                    m->sink.path, size, planned);
  return rc;
}

/* One file: the dataset's, or one that goes with it. */
struct product {
  char path[PATH_MAX], temporary[PATH_MAX];
  uint64_t planned; /* bytes; ANY_SIZE: whatever it comes to */
  int (*make)(const struct lb_format_params *p, const struct lb_file *f,
              struct lb_sink *sink, struct lb_err *err);
};

static int write_and_rename(const struct lb_maker *k, const struct lb_file *f,
                            const struct product *what, struct lb_iothread *t,
                            struct lb_err *err)
{
  struct making m = {.sink = {.path = what->temporary,
                              .write = sink_write,
                              .scratch = t->scratch,
                              .scratch_bytes = t->scratch_bytes},
                     .file = {.storage = k->storage,
                              .io = t,
                              .path = what->path,
                              .temporary = what->temporary,
                              .tick = k->tick,
                              .tick_arg = k->tick_arg}};
  t->late_ns = 0;
  int rc = lb_newfile_begin(&m.file, err);
  if (!rc)
    rc = what->make(k->params, f, &m.sink, err);
  if (!rc)
    rc = check_size(&m, what->planned, err);
  return lb_newfile_end(&m.file, rc, err);
}

/* 1: the file is there and has the planned size; 0: it must be made.  A name is
 * only given to a whole file. */
static int is_there(const struct lb_maker *k, const char *path,
                    uint64_t planned, struct lb_iothread *t, struct lb_err *err)
{
  struct lb_io stat = {.op = LB_OP_STAT, .slot = -1, .path = path};
  bool absent;
  int64_t size = lb_storage_probe(k->storage, stat, ENOENT, &absent, t, err);
  if (size < 0)
    return -err->code;
  return !absent &&
         (planned == ANY_SIZE ? size > 0 : (uint64_t)size == planned);
}

/* ---- what belongs to a file: what goes with it, then itself ---- */

static int paths_of(const struct lb_maker *m, const struct lb_file *f, size_t i,
                    struct product *what)
{
  size_t size = sizeof what->path;
  int n = i < m->format->n_sidecars
              ? lb_layout_sidecar(m->layout, f->set, f->index,
                                  &m->format->sidecars[i], what->path, size)
              : lb_layout_path(m->layout, f->set, f->index, what->path, size);
  if (n < 0)
    return n;
  memcpy(what->temporary, what->path, (size_t)n + 1);
  return lb_layout_hide(what->temporary, size);
}

/* The i-th of n_sidecars + 1. */
static int describe(const struct lb_maker *m, const struct lb_file *f, size_t i,
                    struct product *what, struct lb_err *err)
{
  struct lb_file_sizes sizes;
  if (paths_of(m, f, i, what) < 0)
    return lb_err_sys(err, LB_FAILED, ENAMETOOLONG,
                      "making file %" PRId64 " in %s", f->index,
                      m->layout->root);
  if (i < m->format->n_sidecars) {
    const struct lb_sidecar *s = &m->format->sidecars[i];
    what->make = s->make;
    return s->size(m->params, f, &what->planned, err);
  }
  what->make = m->format->make;
  int rc = m->format->sizes(m->params, f, &sizes, err);
  what->planned = sizes.estimated ? ANY_SIZE : sizes.file_bytes;
  return rc;
}

int lb_dataset_has_file(const struct lb_maker *m, enum lb_set set,
                        int64_t index, struct lb_iothread *t,
                        struct lb_err *err)
{
  struct lb_file file;
  struct product what;
  int there = 1;
  lb_dataset_file(m->layout, m->sizes, m->params, set, index, NULL, 0, &file);
  for (size_t i = 0; there > 0 && i <= m->format->n_sidecars; i++)
    there = describe(m, &file, i, &what, err)
                ? -err->code
                : is_there(m, what.path, what.planned, t, err);
  return there;
}

/* The file itself comes last: where it is, what goes with it is there, too. */
int lb_dataset_make_file(const struct lb_maker *m, enum lb_set set,
                         int64_t index, struct lb_iothread *t, int *made,
                         struct lb_err *err)
{
  struct lb_file file;
  struct product what;
  *made = 1;
  if (m->storage->backend->is_virtual)
    return 0;
  lb_dataset_file(m->layout, m->sizes, m->params, set, index, NULL, 0, &file);
  for (size_t i = 0; i <= m->format->n_sidecars; i++) {
    if (describe(m, &file, i, &what, err))
      return -err->code;
    int there = is_there(m, what.path, what.planned, t, err);
    if (there < 0)
      return there;
    *made = !there;
    if (there)
      continue;
    file.path = what.path;
    if (write_and_rename(m, &file, &what, t, err))
      return lb_err_wrap(err, "making %s", what.path);
  }
  return 0;
}
