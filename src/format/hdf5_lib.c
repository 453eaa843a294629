/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See hdf5_lib.h.  Without the library both functions say so. */
#include "lb-config.h"

#include "format/hdf5_lib.h"

#ifdef HAVE_HDF5

#include <errno.h>
#include <fcntl.h>
#include <hdf5.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "loadbank/hdf5lock.h"

/* ---- errors ---- */

static herr_t deepest(unsigned n, const H5E_error2_t *e, void *text)
{
  if (n == 0 && e->desc)
    snprintf(text, 256, "%s", e->desc);
  return 0;
}

/* Takes the library's deepest reason; call it before anything is closed. */
static int h5_failed(const char *path, const char *what, struct lb_err *err)
{
  char why[256] = "no reason given";
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, deepest, why);
  H5Eclear2(H5E_DEFAULT);
  const char *sys = strstr(why, "errno = ");
  if (sys)
    return lb_err_sys(err, LB_FAILED, (int)strtol(sys + 8, NULL, 10), "%s: %s",
                      path, what);
  return lb_err_set(err, LB_FAILED, "%s: %s: %s", path, what, why);
}

/* ---- element types, as h5py maps NumPy's ---- */

static hid_t make_bool(void)
{
  hid_t t = H5Tenum_create(H5T_STD_I8LE);
  signed char no = 0, yes = 1;
  if (t >= 0 && (H5Tenum_insert(t, "FALSE", &no) < 0 ||
                 H5Tenum_insert(t, "TRUE", &yes) < 0)) {
    H5Tclose(t);
    return -1;
  }
  return t;
}

static hid_t make_float16(void)
{
  hid_t t = H5Tcopy(H5T_IEEE_F32LE);
  if (t >= 0 && (H5Tset_fields(t, 15, 10, 5, 0, 10) < 0 ||
                 H5Tset_size(t, 2) < 0 || H5Tset_ebias(t, 15) < 0)) {
    H5Tclose(t);
    return -1;
  }
  return t;
}

static hid_t make_complex(int bytes)
{
  size_t half = (size_t)bytes / 2;
  hid_t part = half == 4 ? H5T_IEEE_F32LE : H5T_IEEE_F64LE;
  hid_t t = H5Tcreate(H5T_COMPOUND, 2 * half);
  if (t >= 0 &&
      (H5Tinsert(t, "r", 0, part) < 0 || H5Tinsert(t, "i", half, part) < 0)) {
    H5Tclose(t);
    return -1;
  }
  return t;
}

/* The file type of an element; H5Tclose it. */
static hid_t make_type(const struct lb_dtype *dtype)
{
  /* H5T_... are variables of the library: no table can be constant. */
  const struct {
    const char *descr;
    hid_t type;
  } plain[] = {
      {"|i1", H5T_STD_I8LE},   {"<i2", H5T_STD_I16LE}, {"<i4", H5T_STD_I32LE},
      {"<i8", H5T_STD_I64LE},  {"|u1", H5T_STD_U8LE},  {"<u2", H5T_STD_U16LE},
      {"<u4", H5T_STD_U32LE},  {"<u8", H5T_STD_U64LE}, {"<f4", H5T_IEEE_F32LE},
      {"<f8", H5T_IEEE_F64LE},
  };
  for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++)
    if (!strcmp(plain[i].descr, dtype->descr))
      return H5Tcopy(plain[i].type);
  if (!strcmp(dtype->descr, "|b1"))
    return make_bool();
  return dtype->descr[1] == 'c' ? make_complex(dtype->bytes) : make_float16();
}

/* ---- making ---- */

static hid_t create_file(const char *path)
{
  hid_t fapl = H5Pcreate(H5P_FILE_ACCESS), fcpl = H5Pcreate(H5P_FILE_CREATE);
  hid_t file = -1;
  /* Without block allocation a file's size is a closed form (hdf5.c). */
  if (fapl >= 0 && fcpl >= 0 && H5Pset_meta_block_size(fapl, 0) >= 0 &&
      H5Pset_small_data_block_size(fapl, 0) >= 0 &&
      H5Pset_libver_bounds(fapl, H5F_LIBVER_EARLIEST, H5F_LIBVER_LATEST) >= 0 &&
      H5Pset_obj_track_times(fcpl, false) >= 0)
    file = H5Fcreate(path, H5F_ACC_TRUNC, fcpl, fapl);
  if (fcpl >= 0)
    H5Pclose(fcpl);
  if (fapl >= 0)
    H5Pclose(fapl);
  return file;
}

/* A contiguous dataset whose place in the file is fixed at once. */
static int create_dataset(hid_t file, const char *name, hid_t type,
                          const int64_t *dims, int n_dims, uint64_t *at)
{
  hsize_t h[LB_H5_DIMS];
  for (int i = 0; i < n_dims; i++)
    h[i] = (hsize_t)dims[i];
  hid_t space = H5Screate_simple(n_dims, h, NULL);
  hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE), set = -1;
  haddr_t offset = HADDR_UNDEF;
  if (space >= 0 && dcpl >= 0 && H5Pset_layout(dcpl, H5D_CONTIGUOUS) >= 0 &&
      H5Pset_alloc_time(dcpl, H5D_ALLOC_TIME_EARLY) >= 0 &&
      H5Pset_fill_time(dcpl, H5D_FILL_TIME_NEVER) >= 0 &&
      H5Pset_obj_track_times(dcpl, false) >= 0)
    set = H5Dcreate2(file, name, type, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
  if (set >= 0) {
    offset = H5Dget_offset(set);
    H5Dclose(set);
  }
  if (dcpl >= 0)
    H5Pclose(dcpl);
  if (space >= 0)
    H5Sclose(space);
  *at = offset;
  return offset == HADDR_UNDEF ? -1 : 0;
}

int lb_h5_create(const char *path, const struct lb_dtype *dtype,
                 const int64_t *dims, int n_dims, uint64_t *records_at,
                 uint64_t *labels_at, struct lb_err *err)
{
  lb_hdf5_lock();
  hid_t file = create_file(path);
  hid_t type = file < 0 ? -1 : make_type(dtype);
  if (type < 0 ||
      create_dataset(file, "records_0", type, dims, n_dims, records_at) < 0 ||
      create_dataset(file, "labels", H5T_STD_I64LE, dims, 1, labels_at) < 0)
    h5_failed(path, "cannot make the HDF5 file", err);
  if (type >= 0)
    H5Tclose(type);
  if (file >= 0 && H5Fclose(file) < 0)
    h5_failed(path, "cannot write the HDF5 file", err);
  lb_hdf5_unlock();
  return -err->code;
}

/* ---- reading ---- */

static int check_type(hid_t set, const struct lb_format_params *p,
                      const struct lb_file *f, struct lb_err *err)
{
  hid_t found = H5Dget_type(set), want = make_type(p->dtype);
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
                    "%s: the elements of records_0 are %s of %zu bytes, "
                    "dataset.record_element_type is %s of %d",
                    f->path, kind, bytes, p->dtype->name, p->dtype->bytes);
}

/* Product of the dimensions of a sample, compared with record_dims. */
static int check_shape(hid_t space, const struct lb_format_params *p,
                       const struct lb_file *f, uint64_t *elements,
                       struct lb_err *err)
{
  hsize_t h[H5S_MAX_RANK];
  int n = H5Sget_simple_extent_ndims(space);
  if (n < 1 || H5Sget_simple_extent_dims(space, h, NULL) < 0)
    return lb_err_set(err, LB_FAILED, "%s: records_0 is not an array", f->path);
  if (h[0] != (hsize_t)f->samples)
    return lb_err_set(err, LB_FAILED,
                      "%s: holds %" PRIu64
                      " samples, dataset.num_samples_per_file is %" PRId64,
                      f->path, (uint64_t)h[0], f->samples);
  bool same = p->n_dims == 0 || p->n_dims == n - 1;
  *elements = 1;
  for (int i = 1; i < n; i++) {
    *elements *= h[i];
    if (p->n_dims > 0 && same && h[i] != (hsize_t)p->dims[i - 1])
      return lb_err_set(err, LB_FAILED,
                        "%s: dimension %d of its samples is %" PRIu64
                        ", in dataset.record_dims %" PRId64,
                        f->path, i, (uint64_t)h[i], p->dims[i - 1]);
  }
  if (!same)
    return lb_err_set(err, LB_FAILED,
                      "%s: its samples have %d dimensions, "
                      "dataset.record_dims has %d",
                      f->path, n - 1, p->n_dims);
  return 0;
}

/* Reads one row: for chunked, compressed and compact datasets. */
static int read_row(hid_t set, hid_t space, int64_t row, size_t bytes,
                    void **buf, size_t *cap, const char *path,
                    struct lb_err *err)
{
  hsize_t start[H5S_MAX_RANK] = {(hsize_t)row}, count[H5S_MAX_RANK];
  if (bytes > *cap) {
    void *more = realloc(*buf, bytes);
    if (!more)
      return lb_err_set(err, LB_FAILED, "%s: no memory for a sample of %zu",
                        path, bytes);
    *buf = more;
    *cap = bytes;
  }
  int n = H5Sget_simple_extent_dims(space, count, NULL);
  count[0] = 1;
  hid_t rows = H5Screate_simple(n, count, NULL), type = H5Dget_type(set);
  if (rows < 0 || type < 0 ||
      H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL) <
          0 ||
      H5Dread(set, type, rows, space, H5P_DEFAULT, *buf) < 0)
    h5_failed(path, "cannot read a sample of records_0", err);
  if (type >= 0)
    H5Tclose(type);
  if (rows >= 0)
    H5Sclose(rows);
  return -err->code;
}

/* A descriptor of our own of the file that the library has open: it stays
 * when the library closes, and the storage sees one open and one close. */
static int take_fd(hid_t file, const struct lb_format_params *p,
                   const char *path, struct lb_err *err)
{
  int *fd;
  if (H5Fget_vfd_handle(file, H5P_DEFAULT, (void **)&fd) < 0)
    return h5_failed(path, "no descriptor", err);
  int mine = fcntl(*fd, F_DUPFD_CLOEXEC, 0);
  if (mine < 0)
    return lb_err_sys(err, LB_FAILED, errno, "%s: dup", path);
  if ((p->open_flags & LB_IO_DIRECT) &&
      fcntl(mine, F_SETFL, fcntl(mine, F_GETFL) | O_DIRECT) < 0) {
    lb_err_sys(err, LB_FAILED, errno, "%s: O_DIRECT", path);
    close(mine);
    return -err->code;
  }
  return mine;
}

static int look_dataset(hid_t file, hid_t set, hid_t space,
                        const struct lb_format_params *p,
                        const struct lb_file *f, int64_t in_file,
                        struct lb_h5_found *found, void **buf, size_t *cap,
                        struct lb_err *err)
{
  uint64_t elements = 0;
  if (check_type(set, p, f, err) < 0 ||
      check_shape(space, p, f, &elements, err) < 0)
    return -err->code;
  found->sample_bytes = elements * (uint64_t)p->dtype->bytes;
  haddr_t at = H5Dget_offset(set);
  found->records_at = at == HADDR_UNDEF ? LB_H5_NOWHERE : at;
  if (at == HADDR_UNDEF)
    return read_row(set, space, in_file, found->sample_bytes, buf, cap, f->path,
                    err);
  found->fd = take_fd(file, p, f->path, err);
  return found->fd < 0 ? -err->code : 0;
}

int lb_h5_look(const struct lb_format_params *p, const struct lb_file *f,
               int64_t in_file, struct lb_h5_found *found, void **buf,
               size_t *cap, struct lb_err *err)
{
  *found = (struct lb_h5_found){.fd = -1, .records_at = LB_H5_NOWHERE};
  found->waited_ns = lb_hdf5_lock();
  hid_t file = H5Fopen(f->path, H5F_ACC_RDONLY, H5P_DEFAULT);
  hid_t set = file < 0 ? -1 : H5Dopen2(file, "records_0", H5P_DEFAULT);
  hid_t space = set < 0 ? -1 : H5Dget_space(set);
  if (file < 0)
    h5_failed(f->path, "cannot open as HDF5", err);
  else if (space < 0)
    h5_failed(f->path, "cannot open dataset records_0", err);
  else
    look_dataset(file, set, space, p, f, in_file, found, buf, cap, err);
  if (space >= 0)
    H5Sclose(space);
  if (set >= 0)
    H5Dclose(set);
  if (file >= 0)
    H5Fclose(file);
  lb_hdf5_unlock();
  return -err->code;
}

#else

static int absent(struct lb_err *err)
{
  return lb_err_set(err, LB_USAGE, "format 'hdf5': %s", LB_HDF5_UNAVAILABLE);
}

int lb_h5_create(const char *path, const struct lb_dtype *dtype,
                 const int64_t *dims, int n_dims, uint64_t *records_at,
                 uint64_t *labels_at, struct lb_err *err)
{
  (void)path, (void)dtype, (void)dims, (void)n_dims;
  *records_at = *labels_at = 0;
  return absent(err);
}

int lb_h5_look(const struct lb_format_params *p, const struct lb_file *f,
               int64_t in_file, struct lb_h5_found *found, void **buf,
               size_t *cap, struct lb_err *err)
{
  (void)p, (void)f, (void)in_file, (void)buf, (void)cap;
  *found = (struct lb_h5_found){.fd = -1, .records_at = LB_H5_NOWHERE};
  return absent(err);
}

#endif
