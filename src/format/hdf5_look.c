/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See hdf5_lib.h: what is in a file, of whatever origin.  Nothing is believed
 * of it beyond what the library has checked. */
#include "lb-config.h"

#include "format/hdf5_lib.h"

#ifdef HAVE_HDF5

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/hdf5_filter.h"
#include "format/hdf5_impl.h"
#include "loadbank/hdf5lock.h"
#include "loadbank/units.h"

/* Chunks that one sample may have: 384 MiB of their places. */
enum { MOST_CHUNKS = 1 << 24 };

/* One dataset while it is looked at. */
struct look {
  const struct lb_format_params *p;
  const struct lb_file *f;
  hid_t file, set, space;
  int array; /* its chunks are found by number; see take_array */
  char name[LB_H5_NAME];
};

static int check_type(const struct look *k, struct lb_err *err)
{
  const struct lb_dtype *dtype = k->p->dtype;
  hid_t found = H5Dget_type(k->set), want = lb_h5_type(dtype);
  htri_t same = found >= 0 && want >= 0 ? H5Tequal(found, want) : -1;
  size_t bytes = found >= 0 ? H5Tget_size(found) : 0;
  H5T_class_t class = found >= 0 ? H5Tget_class(found) : H5T_NO_CLASS;
  const char *kind = class == H5T_FLOAT     ? "floats"
                     : class != H5T_INTEGER ? "values of another kind"
                     : H5Tget_sign(found) == H5T_SGN_NONE ? "unsigned integers"
                                                          : "integers";
  if (want >= 0)
    H5Tclose(want);
  if (found >= 0)
    H5Tclose(found);
  if (same > 0)
    return 0;
  return lb_err_set(err, LB_FAILED,
                    "%s: the elements of %s are %s of %zu bytes, "
                    "dataset.record_element_type is %s of %d",
                    k->f->path, k->name, kind, bytes, dtype->name,
                    dtype->bytes);
}

/* The n dimensions of a sample in one dataset are those of record_dims, with or
 * without a leading 1, which DLIO leaves out. */
static int check_dims(const struct look *k, const hsize_t *h, int n,
                      int64_t sets, struct lb_err *err)
{
  const struct lb_format_params *p = k->p;
  int64_t want[LB_MAX_DIMS];
  int m = p->n_dims, skip = 0, skip_found = 0;
  if (m == 0)
    return 0;
  memcpy(want, p->dims, sizeof want);
  want[0] /= sets;
  if (n == m - 1 && want[0] == 1)
    skip = 1;
  else if (n == m + 1 && h[0] == 1)
    skip_found = 1;
  else if (n != m)
    return lb_err_set(err, LB_FAILED,
                      "%s: its samples have %d dimensions, "
                      "dataset.record_dims has %d",
                      k->f->path, n, m);
  for (int i = skip; i < m; i++) {
    hsize_t got = h[i - skip + skip_found];
    if (got != (hsize_t)want[i])
      return lb_err_set(err, LB_FAILED,
                        "%s: dimension %d of its samples is %" PRIu64
                        ", in dataset.record_dims %" PRId64,
                        k->f->path, i + 1, (uint64_t)got, want[i]);
  }
  return 0;
}

/* Dimensions and type are what was configured; *s as far as they tell.  More
 * dimensions than ours have are taken together: only their product counts. */
static int take_dims(const struct look *k, int64_t sets, struct lb_h5_shape *s,
                     struct lb_err *err)
{
  hsize_t h[H5S_MAX_RANK], max[H5S_MAX_RANK];
  int n = H5Sget_simple_extent_ndims(k->space);
  if (n < 1 || H5Sget_simple_extent_dims(k->space, h, max) < 0)
    return lb_err_set(err, LB_FAILED, "%s: %s is not an array", k->f->path,
                      k->name);
  if (h[0] != (hsize_t)k->f->samples)
    return lb_err_set(err, LB_FAILED,
                      "%s: holds %" PRIu64
                      " sample%s, dataset.num_samples_per_file is %" PRId64,
                      k->f->path, (uint64_t)h[0], lb_plural((int64_t)h[0]),
                      k->f->samples);
  if (check_dims(k, h + 1, n - 1, sets, err) < 0)
    return -err->code;
  int64_t bytes = s->element;
  s->rank = n;
  for (int i = 0; i < n; i++) {
    if (h[i] < 1 || h[i] > INT64_MAX ||
        __builtin_mul_overflow(bytes, (int64_t)h[i], &bytes))
      return lb_err_set(err, LB_FAILED,
                        "%s: %s has an impossible size of %" PRIu64
                        " in dimension %d",
                        k->f->path, k->name, (uint64_t)h[i], i);
    int to = i < LB_H5_DIMS ? i : LB_H5_DIMS - 1;
    s->dims[to] = i == to ? (int64_t)h[i] : s->dims[to] * (int64_t)h[i];
    s->resizable |= max[i] != h[i];
  }
  return 0;
}

/* The filters of its chunks; false: there is one that is not undone here. */
static bool take_filters(hid_t dcpl, struct lb_h5_shape *s)
{
  int n = H5Pget_nfilters(dcpl);
  if (n < 0 || n > LB_H5_FILTERS)
    return false;
  for (int i = 0; i < n; i++) {
    unsigned flags, config, values[8] = {0};
    size_t n_values = 8;
    int id = H5Pget_filter2(dcpl, (unsigned)i, &flags, &n_values, values, 0,
                            NULL, &config);
    s->filter[i] = (struct lb_h5_filter){.id = id, .arg = values[0]};
  }
  s->n_filters = n;
  return lb_h5_filters_known(s);
}

/* Is the dataset chunked so that its chunks can be read at their places? */
static bool take_chunks(const struct look *k, hid_t dcpl, struct lb_h5_shape *s)
{
  hsize_t chunk[H5S_MAX_RANK], userblock = 1;
  unsigned options = 0;
  hid_t fcpl = H5Fget_create_plist(k->file);
  bool good = fcpl >= 0 && H5Pget_userblock(fcpl, &userblock) >= 0 &&
              userblock == 0 && s->rank <= LB_H5_DIMS &&
              H5Pget_chunk(dcpl, s->rank, chunk) == s->rank &&
              H5Pget_chunk_opts(dcpl, &options) >= 0 && options == 0 &&
              take_filters(dcpl, s);
  if (fcpl >= 0)
    H5Pclose(fcpl);
  for (int i = 0; good && i < s->rank; i++)
    s->chunk[i] = (int64_t)chunk[i];
  s->chunked = true;
  return good;
}

/* Are the chunks one behind the other, without an index; or is it one? */
static bool has_no_index(hid_t set)
{
  H5D_chunk_index_t type;
  return H5Dget_chunk_index_type(set, &type) >= 0 &&
         (type == H5D_CHUNK_IDX_NONE || type == H5D_CHUNK_IDX_SINGLE);
}

/* With one dimension without limit the index of chunks is an array in which
 * that dimension comes first.  HDF5 1.10 forgets so when it is asked where the
 * chunk of some coordinates is, and names another one; but it counts them in
 * their order.  So k->array becomes that dimension, 0 where it makes no
 * difference. false: chunks are missing, their numbers tell nothing. */
static bool take_array(struct look *k, const struct lb_h5_shape *s)
{
  hsize_t h[LB_H5_DIMS], max[LB_H5_DIMS], chunks = 0;
  H5D_chunk_index_t type;
  k->array = 0;
  if (H5Dget_chunk_index_type(k->set, &type) < 0 ||
      H5Sget_simple_extent_dims(k->space, h, max) < 0)
    return false;
  if (type != H5D_CHUNK_IDX_EARRAY)
    return true;
  for (int i = 0; i < s->rank; i++)
    k->array = max[i] == H5S_UNLIMITED ? i : k->array;
  return k->array == 0 || (H5Dget_num_chunks(k->set, k->space, &chunks) >= 0 &&
                           chunks == (hsize_t)lb_h5_chunks(s));
}

/* Its number, in the order of the array. */
static hsize_t number_in_array(const struct look *k,
                               const struct lb_h5_shape *s,
                               const int64_t origin[LB_H5_DIMS])
{
  hsize_t number = (hsize_t)(origin[k->array] / s->chunk[k->array]);
  for (int i = 0; i < s->rank; i++)
    if (i != k->array) {
      int64_t along = (s->dims[i] + s->chunk[i] - 1) / s->chunk[i];
      number = number * (hsize_t)along + (hsize_t)(origin[i] / s->chunk[i]);
    }
  return number;
}

/* ---- places ---- */

static int grow(void *buf, size_t *cap, size_t n, size_t size,
                struct lb_err *err)
{
  void **mine = buf;
  if (n <= *cap)
    return 0;
  void *more = n <= SIZE_MAX / size ? realloc(*mine, n * size) : NULL;
  if (!more)
    return lb_err_set(err, LB_FAILED, "no memory for %zu pieces of %zu bytes",
                      n, size);
  *mine = more;
  *cap = n;
  return 0;
}

static int find_chunk(const struct look *k, const struct lb_h5_shape *s,
                      int64_t chunk, uint64_t file_bytes,
                      struct lb_h5_place *to, struct lb_err *err)
{
  int64_t origin[LB_H5_DIMS];
  hsize_t offset[LB_H5_DIMS], size = 0;
  haddr_t at = HADDR_UNDEF;
  unsigned mask = 0;
  lb_h5_origin(s, chunk, origin);
  for (int i = 0; i < s->rank; i++)
    offset[i] = (hsize_t)origin[i];
  herr_t rc =
      k->array > 0
          ? H5Dget_chunk_info(k->set, k->space, number_in_array(k, s, origin),
                              NULL, &mask, &at, &size)
          : H5Dget_chunk_info_by_coord(k->set, offset, &mask, &at, &size);
  if (rc < 0)
    return lb_h5_failed(k->f->path, "cannot find a chunk", err);
  if (at == HADDR_UNDEF)
    size = 0;
  *to = (struct lb_h5_place){.at = at, .bytes = size, .skipped = mask};
  if (size && (at > file_bytes || size > file_bytes - at))
    return lb_err_set(err, LB_FAILED,
                      "%s: cut short: a chunk of %" PRIu64 " bytes at %" PRIu64
                      " does not fit into %" PRIu64 " bytes",
                      k->f->path, (uint64_t)size, (uint64_t)at, file_bytes);
  if (size && s->n_filters == 0 && size != lb_h5_chunk_bytes(s))
    return lb_err_set(err, LB_FAILED,
                      "%s: damaged: a chunk of %" PRIu64
                      " bytes where all have %" PRIu64,
                      k->f->path, (uint64_t)size, lb_h5_chunk_bytes(s));
  return 0;
}

static int find_chunks(const struct look *k, int set, int64_t row,
                       struct lb_h5_found *found, struct lb_err *err)
{
  const struct lb_h5_shape *s = &found->shape;
  int64_t n = lb_h5_chunks_of_row(s);
  struct stat st;
  if (n > MOST_CHUNKS / s->n_sets)
    return lb_err_set(err, LB_FAILED,
                      "%s: a sample has %" PRId64 " chunks in each of %d "
                      "datasets; %d in all can be read",
                      k->f->path, n, s->n_sets, MOST_CHUNKS);
  size_t first = (size_t)set * (size_t)n;
  if (grow(&found->place, &found->place_cap, first + (size_t)n,
           sizeof *found->place, err))
    return -err->code;
  if (fstat(found->fd, &st) < 0)
    return lb_err_sys(err, LB_FAILED, errno, "%s: stat", k->f->path);
  for (int64_t i = 0; i < n; i++)
    if (find_chunk(k, s, lb_h5_chunk_of_row(s, row, i), (uint64_t)st.st_size,
                   &found->place[first + (size_t)i], err))
      return -err->code;
  return 0;
}

/* Of a dataset that needs no list of chunks: where it begins. */
static uint64_t find_base(const struct look *k, const struct lb_h5_shape *s)
{
  hsize_t zero[LB_H5_DIMS] = {0}, size = 0;
  haddr_t at = HADDR_UNDEF;
  unsigned mask;
  if (!s->chunked)
    at = H5Dget_offset(k->set);
  else if (s->n_filters == 0 && !s->resizable && has_no_index(k->set) &&
           H5Dget_chunk_info_by_coord(k->set, zero, &mask, &at, &size) >= 0 &&
           size != lb_h5_chunk_bytes(s))
    at = HADDR_UNDEF;
  return at == HADDR_UNDEF ? LB_H5_NOWHERE : at;
}

/* Reads one row: of datasets that nobody else can. */
static int read_row(const struct look *k, int64_t row, size_t bytes,
                    struct lb_h5_found *found, struct lb_err *err)
{
  hsize_t start[H5S_MAX_RANK] = {(hsize_t)row}, count[H5S_MAX_RANK];
  if (grow(&found->row, &found->row_cap, bytes, 1, err))
    return -err->code;
  int n = H5Sget_simple_extent_dims(k->space, count, NULL);
  count[0] = 1;
  hid_t rows = H5Screate_simple(n, count, NULL), type = H5Dget_type(k->set);
  if (rows < 0 || type < 0 ||
      H5Sselect_hyperslab(k->space, H5S_SELECT_SET, start, NULL, count, NULL) <
          0 ||
      H5Dread(k->set, type, rows, k->space, H5P_DEFAULT, found->row) < 0)
    lb_h5_failed(k->f->path, "cannot read a sample", err);
  if (type >= 0)
    H5Tclose(type);
  if (rows >= 0)
    H5Sclose(rows);
  return -err->code;
}

/* A descriptor of our own of the file that the library has open: it stays
 * when the library closes, and the storage sees one open and one close. */
static int take_fd(hid_t file, const char *path, struct lb_err *err)
{
  int *fd;
  if (H5Fget_vfd_handle(file, H5P_DEFAULT, (void **)&fd) < 0)
    return lb_h5_failed(path, "no descriptor", err);
  int mine = fcntl(*fd, F_DUPFD_CLOEXEC, 0);
  if (mine < 0)
    return lb_err_sys(err, LB_FAILED, errno, "%s: dup", path);
  return mine;
}

/* Both descriptors would have the flag, and the library asks for no whole
 * blocks: so it comes when that has closed its own. */
static int make_direct(int fd, const char *path, struct lb_err *err)
{
  if (fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_DIRECT) < 0)
    return lb_err_sys(err, LB_FAILED, errno, "%s: O_DIRECT", path);
  return 0;
}

/* ---- the datasets of a file ---- */

/* Can the dataset be read at its place?  Only contiguous ones have an offset;
 * that is asked first, since it is cheap. */
static bool take_layout(struct look *k, struct lb_h5_found *found)
{
  memcpy(found->shape.chunk, found->shape.dims, sizeof found->shape.chunk);
  if (H5Dget_offset(k->set) != HADDR_UNDEF)
    return true;
  hid_t dcpl = H5Dget_create_plist(k->set);
  bool good = dcpl >= 0 && H5Pget_layout(dcpl) == H5D_CHUNKED &&
              take_chunks(k, dcpl, &found->shape) &&
              take_array(k, &found->shape);
  if (dcpl >= 0)
    H5Pclose(dcpl);
  return good;
}

static bool same_shape(const struct lb_h5_shape *a, const struct lb_h5_shape *b)
{
  bool same = a->rank == b->rank && a->chunked == b->chunked &&
              a->n_filters == b->n_filters;
  for (int i = 0; i < a->rank && i < LB_H5_DIMS; i++)
    same = same && a->dims[i] == b->dims[i] && a->chunk[i] == b->chunk[i];
  for (int i = 0; same && i < a->n_filters; i++)
    same = a->filter[i].id == b->filter[i].id;
  return same;
}

/* The i-th dataset, of a shape already known but for the first. */
static int take_shape(struct look *k, int i, struct lb_h5_found *found,
                      struct lb_err *err)
{
  struct lb_h5_shape first = found->shape;
  int sets = first.n_sets;
  found->shape =
      (struct lb_h5_shape){.n_sets = sets, .element = k->p->dtype->bytes};
  if (check_type(k, err) < 0 || take_dims(k, sets, &found->shape, err) < 0)
    return -err->code;
  bool read_here = take_layout(k, found);
  if (i > 0 &&
      (found->by_library == read_here || !same_shape(&first, &found->shape)))
    return lb_err_set(err, LB_FAILED,
                      "%s: %s has another shape or another way of storing it "
                      "than records_0",
                      k->f->path, k->name);
  found->by_library = !read_here;
  return 0;
}

static int look_dataset(struct look *k, int i, int64_t row,
                        struct lb_h5_found *found, struct lb_err *err)
{
  if (take_shape(k, i, found, err) < 0)
    return -err->code;
  struct lb_h5_shape *s = &found->shape;
  uint64_t row_bytes = 1;
  for (int d = 1; d < s->rank && d < LB_H5_DIMS; d++)
    row_bytes *= (uint64_t)s->dims[d];
  row_bytes *= (uint64_t)s->element;
  found->sample_bytes = row_bytes * (uint64_t)s->n_sets;
  if (found->by_library)
    return read_row(k, row, (size_t)row_bytes, found, err);
  if (s->rank > LB_H5_DIMS)
    s->rank = LB_H5_DIMS;
  if (grow(&found->base, &found->base_cap, (size_t)s->n_sets,
           sizeof *found->base, err))
    return -err->code;
  found->base[i] = find_base(k, s);
  bool regular = found->base[i] != LB_H5_NOWHERE;
  if (i == 0)
    found->regular = regular;
  else if (regular != found->regular)
    return lb_err_set(err, LB_FAILED,
                      "%s: %s has its chunks in another way than records_0",
                      k->f->path, k->name);
  return regular ? 0 : find_chunks(k, i, row, found, err);
}

static int look_datasets(struct look *k, int64_t row, struct lb_h5_found *found,
                         struct lb_err *err)
{
  for (int i = 0; !err->code && i < found->shape.n_sets; i++) {
    lb_h5_name(i, k->name);
    k->set = H5Dopen2(k->file, k->name, H5P_DEFAULT);
    k->space = k->set < 0 ? -1 : H5Dget_space(k->set);
    if (k->space < 0) {
      char text[LB_H5_NAME + 32];
      snprintf(text, sizeof text, "cannot open dataset %s", k->name);
      lb_h5_failed(k->f->path, text, err);
    } else {
      look_dataset(k, i, row, found, err);
    }
    if (k->space >= 0)
      H5Sclose(k->space);
    if (k->set >= 0)
      H5Dclose(k->set);
  }
  return -err->code;
}

int lb_h5_look(const struct lb_format_params *p, const struct lb_file *f,
               int64_t in_file, struct lb_h5_found *found, struct lb_err *err)
{
  const struct lb_h5_options *o = p->options;
  struct look k = {.p = p, .f = f};
  int64_t sets = o && o->num_dset_per_record > 1 ? o->num_dset_per_record : 1;
  found->fd = -1;
  found->by_library = found->regular = false;
  found->shape = (struct lb_h5_shape){.n_sets = (int)sets};
  found->waited_ns = lb_hdf5_lock();
  k.file = H5Fopen(f->path, H5F_ACC_RDONLY, H5P_DEFAULT);
  if (k.file < 0) {
    lb_h5_failed(f->path, "cannot open as HDF5", err);
  } else {
    found->fd = take_fd(k.file, f->path, err);
    if (found->fd >= 0)
      look_datasets(&k, in_file, found, err);
    H5Fclose(k.file);
  }
  lb_hdf5_unlock();
  if (found->fd >= 0 && !err->code && (p->open_flags & LB_IO_DIRECT))
    make_direct(found->fd, f->path, err);
  if (found->fd >= 0 && (err->code || found->by_library)) {
    close(found->fd);
    found->fd = -1;
  }
  return -err->code;
}

#endif
