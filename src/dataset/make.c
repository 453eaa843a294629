/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Making one dataset file: whole under its final name, or not there.  Which
 * rank makes which file is decided in bench; the bytes are the format's. */
#include "lb-config.h"

#include "loadbank/dataset.h"

#include <errno.h>
#include <inttypes.h>

#include "loadbank/newfile.h"

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

int lb_dataset_make_folders(const struct lb_layout *l, struct lb_storage *s,
                            struct lb_iothread *t, struct lb_err *err)
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
  if (!rc && (uint64_t)size != planned)
    rc = lb_err_set(err, LB_FAILED,
                    "%s: %" PRId64 " bytes were written, %" PRIu64
                    " were planned",
                    m->sink.path, size, planned);
  return rc;
}

static int write_and_rename(const struct lb_maker *k, const struct lb_file *f,
                            const char *temporary, uint64_t planned,
                            struct lb_iothread *t, struct lb_err *err)
{
  struct making m = {.sink = {.path = temporary,
                              .write = sink_write,
                              .scratch = t->scratch,
                              .scratch_bytes = t->scratch_bytes},
                     .file = {.storage = k->storage,
                              .io = t,
                              .path = f->path,
                              .temporary = temporary,
                              .tick = k->tick,
                              .tick_arg = k->tick_arg}};
  int rc = lb_newfile_begin(&m.file, err);
  if (!rc)
    rc = k->format->make(k->params, f, &m.sink, err);
  if (!rc)
    rc = check_size(&m, planned, err);
  return lb_newfile_end(&m.file, rc, err);
}

/* 1: the file is there and has the planned size; 0: it must be made. */
static int is_there(const struct lb_maker *k, const char *path,
                    uint64_t planned, struct lb_iothread *t, struct lb_err *err)
{
  struct lb_io stat = {.op = LB_OP_STAT, .slot = -1, .path = path};
  bool absent;
  int64_t size = lb_storage_probe(k->storage, stat, ENOENT, &absent, t, err);
  if (size < 0)
    return -err->code;
  return !absent && (uint64_t)size == planned;
}

int lb_dataset_make_file(const struct lb_maker *m, enum lb_set set,
                         int64_t index, struct lb_iothread *t, int *made,
                         struct lb_err *err)
{
  char path[PATH_MAX], temporary[PATH_MAX];
  struct lb_file file;
  struct lb_file_sizes sizes;
  *made = 1;
  if (m->storage->backend->is_virtual)
    return 0;
  lb_dataset_file(m->layout, m->sizes, m->params, set, index, path, sizeof path,
                  &file);
  if (!file.path || lb_layout_temporary(m->layout, set, index, temporary,
                                        sizeof temporary) < 0)
    return lb_err_sys(err, LB_FAILED, ENAMETOOLONG,
                      "making file %" PRId64 " in %s", index, m->layout->root);
  int rc = m->format->sizes(m->params, &file, &sizes, err);
  if (!rc && !m->force) {
    rc = is_there(m, path, sizes.file_bytes, t, err);
    *made = rc == 0;
  }
  if (rc)
    return rc > 0 ? 0 : rc;
  rc = write_and_rename(m, &file, temporary, sizes.file_bytes, t, err);
  return rc ? lb_err_wrap(err, "making %s", path) : 0;
}
