/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See hdf5_lib.h: element types, and what makes files.  Without the library
 * all functions say so. */
#include "lb-config.h"

#include "format/hdf5_lib.h"

#ifdef HAVE_HDF5

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/hdf5_impl.h"
#include "loadbank/hdf5lock.h"

/* ---- errors ---- */

static herr_t deepest(unsigned n, const H5E_error2_t *e, void *text)
{
  if (n == 0 && e->desc)
    snprintf(text, 256, "%s", e->desc);
  return 0;
}

/* Takes the library's deepest reason; call it before anything is closed, for
 * every call of the library forgets the reason of the one before. */
int lb_h5_failed(const char *path, const char *what, struct lb_err *err)
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
hid_t lb_h5_type(const struct lb_dtype *dtype)
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

/* A file of one contiguous dataset is in the oldest format, that of h5py and of
 * every reader; any other one in that of HDF5 1.10, which DLIO asks for, with
 * its smaller indexes of chunks. */
static hid_t create_file(const char *path, bool plain, struct lb_err *err)
{
  H5F_libver_t low = plain ? H5F_LIBVER_EARLIEST : H5F_LIBVER_V110;
  H5F_libver_t high = plain ? H5F_LIBVER_LATEST : H5F_LIBVER_V110;
  hid_t fapl = H5Pcreate(H5P_FILE_ACCESS), fcpl = H5Pcreate(H5P_FILE_CREATE);
  hid_t file = -1;
  /* Without block allocation a file's size is a closed form (hdf5.c). */
  if (fapl >= 0 && fcpl >= 0 && H5Pset_meta_block_size(fapl, 0) >= 0 &&
      H5Pset_small_data_block_size(fapl, 0) >= 0 &&
      H5Pset_libver_bounds(fapl, low, high) >= 0 &&
      H5Pset_obj_track_times(fcpl, false) >= 0)
    file = H5Fcreate(path, H5F_ACC_TRUNC, fcpl, fapl);
  if (file < 0)
    lb_h5_failed(path, "cannot make the HDF5 file", err);
  if (fcpl >= 0)
    H5Pclose(fcpl);
  if (fapl >= 0)
    H5Pclose(fapl);
  return file;
}

/* h5py's three: its version of the filter, the library's, the chunk's size. */
static herr_t add_filters(hid_t dcpl, const struct lb_h5_shape *s)
{
  const unsigned lzf[3] = {4, 0x0105, (unsigned)lb_h5_chunk_bytes(s)};
  herr_t rc = 0;
  for (int i = 0; rc >= 0 && i < s->n_filters; i++)
    rc = s->filter[i].id == LB_H5_DEFLATE
             ? H5Pset_deflate(dcpl, s->filter[i].arg)
             : H5Pset_filter(dcpl, LB_H5_LZF, H5Z_FLAG_OPTIONAL, 3, lzf);
  return rc;
}

/* Storage is allocated now, without being filled, where its size is known; else
 * chunk by chunk. */
static hid_t make_dcpl(const struct lb_h5_shape *s)
{
  bool early = lb_h5_regular(s);
  hsize_t chunk[LB_H5_DIMS];
  hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE);
  for (int i = 0; i < s->rank; i++)
    chunk[i] = (hsize_t)s->chunk[i];
  herr_t layout = s->chunked ? H5Pset_chunk(dcpl, s->rank, chunk)
                             : H5Pset_layout(dcpl, H5D_CONTIGUOUS);
  if (dcpl >= 0 && (layout < 0 || add_filters(dcpl, s) < 0 ||
                    H5Pset_alloc_time(dcpl, early ? H5D_ALLOC_TIME_EARLY
                                                  : H5D_ALLOC_TIME_INCR) < 0 ||
                    H5Pset_fill_time(dcpl, early ? H5D_FILL_TIME_NEVER
                                                 : H5D_FILL_TIME_ALLOC) < 0 ||
                    H5Pset_obj_track_times(dcpl, false) < 0)) {
    H5Pclose(dcpl);
    return -1;
  }
  return dcpl;
}

/* Where a dataset's bytes begin, that are one piece; LB_H5_NOWHERE. */
static uint64_t place_of(hid_t set, const struct lb_h5_shape *s)
{
  hsize_t zero[LB_H5_DIMS] = {0}, size = 0;
  haddr_t at = HADDR_UNDEF;
  unsigned mask;
  if (!s->chunked)
    at = H5Dget_offset(set);
  else if (H5Dget_chunk_info_by_coord(set, zero, &mask, &at, &size) < 0 ||
           size == 0)
    at = HADDR_UNDEF;
  return at == HADDR_UNDEF ? LB_H5_NOWHERE : at;
}

/* *at: LB_H5_NOWHERE where chunks are still to come. */
static int create_dataset(hid_t file, const char *name, hid_t type,
                          const struct lb_h5_shape *s, uint64_t *at,
                          const char *path, struct lb_err *err)
{
  hsize_t dims[LB_H5_DIMS], max[LB_H5_DIMS];
  for (int i = 0; i < s->rank; i++) {
    dims[i] = (hsize_t)s->dims[i];
    max[i] = s->max[i] < 0 ? H5S_UNLIMITED : (hsize_t)s->max[i];
  }
  hid_t space = H5Screate_simple(s->rank, dims, max);
  hid_t dcpl = make_dcpl(s), set = -1;
  *at = LB_H5_NOWHERE;
  if (space >= 0 && dcpl >= 0)
    set = H5Dcreate2(file, name, type, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
  if (set >= 0 && lb_h5_regular(s))
    *at = place_of(set, s);
  if (set < 0 || (lb_h5_regular(s) && *at == LB_H5_NOWHERE))
    lb_h5_failed(path, "cannot make a dataset", err);
  if (set >= 0)
    H5Dclose(set);
  if (dcpl >= 0)
    H5Pclose(dcpl);
  if (space >= 0)
    H5Sclose(space);
  return -err->code;
}

static int create_datasets(hid_t file, hid_t type, const struct lb_h5_shape *s,
                           uint64_t *base, uint64_t *labels_at,
                           const char *path, struct lb_err *err)
{
  struct lb_h5_shape labels = {
      .n_sets = 1, .rank = 1, .dims = {s->dims[0]}, .max = {s->dims[0]}};
  char name[LB_H5_NAME];
  for (int i = 0; i < s->n_sets; i++) {
    lb_h5_name(i, name);
    if (create_dataset(file, name, type, s, &base[i], path, err) < 0)
      return -err->code;
  }
  return create_dataset(file, "labels", H5T_STD_I64LE, &labels, labels_at, path,
                        err);
}

int lb_h5_create(const char *path, const struct lb_dtype *dtype,
                 const struct lb_h5_shape *s, uint64_t *base,
                 uint64_t *labels_at, struct lb_h5_writer *w,
                 struct lb_err *err)
{
  *w = (struct lb_h5_writer){.file = -1, .set = -1};
  lb_hdf5_lock();
  hid_t file = create_file(path, lb_h5_plain(s), err);
  hid_t type = file < 0 ? -1 : lb_h5_type(dtype);
  if (file >= 0 && type < 0)
    lb_h5_failed(path, "cannot make the HDF5 file", err);
  else if (file >= 0)
    create_datasets(file, type, s, base, labels_at, path, err);
  if (type >= 0)
    H5Tclose(type);
  if (!err->code && !lb_h5_regular(s))
    w->file = file;
  else if (file >= 0 && H5Fclose(file) < 0)
    lb_h5_failed(path, "cannot write the HDF5 file", err);
  lb_hdf5_unlock();
  return -err->code;
}

static int open_set(struct lb_h5_writer *w, int set)
{
  char name[LB_H5_NAME];
  if (w->set >= 0 && w->number == set)
    return 0;
  if (w->set >= 0)
    H5Dclose(w->set);
  lb_h5_name(set, name);
  w->set = H5Dopen2(w->file, name, H5P_DEFAULT);
  w->number = set;
  return w->set < 0 ? -1 : 0;
}

int lb_h5_write_chunk(struct lb_h5_writer *w, const struct lb_h5_shape *s,
                      int set, int64_t chunk, const void *bytes, size_t n,
                      uint32_t skipped, const char *path, struct lb_err *err)
{
  int64_t origin[LB_H5_DIMS];
  hsize_t offset[LB_H5_DIMS];
  lb_h5_origin(s, chunk, origin);
  for (int i = 0; i < s->rank; i++)
    offset[i] = (hsize_t)origin[i];
  lb_hdf5_lock();
  if (open_set(w, set) < 0 ||
      H5Dwrite_chunk(w->set, H5P_DEFAULT, skipped, offset, n, bytes) < 0)
    lb_h5_failed(path, "cannot write a chunk", err);
  lb_hdf5_unlock();
  return -err->code;
}

int lb_h5_writer_close(struct lb_h5_writer *w, const char *path,
                       struct lb_err *err)
{
  if (w->file < 0)
    return -err->code;
  lb_hdf5_lock();
  if (w->set >= 0 && H5Dclose(w->set) < 0 && !err->code)
    lb_h5_failed(path, "cannot write the HDF5 file", err);
  if (H5Fclose(w->file) < 0 && !err->code)
    lb_h5_failed(path, "cannot write the HDF5 file", err);
  lb_hdf5_unlock();
  w->file = w->set = -1;
  return -err->code;
}

#else

static int absent(struct lb_err *err)
{
  return lb_err_set(err, LB_USAGE, "format 'hdf5': %s", LB_HDF5_UNAVAILABLE);
}

int lb_h5_create(const char *path, const struct lb_dtype *dtype,
                 const struct lb_h5_shape *s, uint64_t *base,
                 uint64_t *labels_at, struct lb_h5_writer *w,
                 struct lb_err *err)
{
  (void)path, (void)dtype, (void)s, (void)base;
  *labels_at = 0;
  *w = (struct lb_h5_writer){.file = -1, .set = -1};
  return absent(err);
}

int lb_h5_write_chunk(struct lb_h5_writer *w, const struct lb_h5_shape *s,
                      int set, int64_t chunk, const void *bytes, size_t n,
                      uint32_t skipped, const char *path, struct lb_err *err)
{
  (void)w, (void)s, (void)set, (void)chunk, (void)bytes, (void)n;
  (void)skipped, (void)path;
  return absent(err);
}

int lb_h5_writer_close(struct lb_h5_writer *w, const char *path,
                       struct lb_err *err)
{
  (void)w, (void)path;
  return -err->code;
}

int lb_h5_look(const struct lb_format_params *p, const struct lb_file *f,
               int64_t in_file, struct lb_h5_found *found, struct lb_err *err)
{
  (void)p, (void)f, (void)in_file;
  found->fd = -1;
  return absent(err);
}

#endif
