/* SPDX-License-Identifier: GPL-3.0-or-later */
/* HDF5 files that others made: every filter and index of chunks, chunks that
 * were never written, one that lies about its size. */
#include "lb-config.h"

#include "loadbank/format.h"

#include "format_fixture.h"
#include "tap.h"

#ifdef HAVE_HDF5
#include <hdf5.h>
#include <string.h>

#include "format/hdf5_filter.h"
#include "format/hdf5_shape.h"
#include "loadbank/content.h"
#include "loadbank/hdf5lock.h"

struct foreign {
  const char *path;
  bool shuffle, fletcher, btree, holes;
  int deflate; /* level; -1: none */
};

static void make_foreign(const struct foreign *o, const void *bytes)
{
  hsize_t dims[3] = {6, 40, 5}, chunk[3] = {4, 30, 5};
  hid_t fapl = H5Pcreate(H5P_FILE_ACCESS), dcpl = H5Pcreate(H5P_DATASET_CREATE);
  if (!o->btree)
    H5Pset_libver_bounds(fapl, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
  hid_t file = H5Fcreate(o->path, H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
  hid_t space = H5Screate_simple(3, dims, NULL);
  H5Pset_chunk(dcpl, 3, chunk);
  if (o->shuffle)
    H5Pset_shuffle(dcpl);
  if (o->deflate >= 0)
    H5Pset_deflate(dcpl, (unsigned)o->deflate);
  if (o->fletcher)
    H5Pset_fletcher32(dcpl);
  hid_t set = H5Dcreate2(file, "records_0", H5T_STD_U16LE, space, H5P_DEFAULT,
                         dcpl, H5P_DEFAULT);
  if (!o->holes)
    H5Dwrite(set, H5T_STD_U16LE, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes);
  H5Dclose(set);
  H5Sclose(space);
  H5Fclose(file);
  H5Pclose(dcpl);
  H5Pclose(fapl);
}

/* Their content is ours, so that reading can be verified. */
static void foreign(struct fixture *x)
{
  static const struct foreign rows[] = {
      {.deflate = -1},
      {.deflate = -1, .btree = true},
      {.deflate = 6},
      {.deflate = 6, .btree = true},
      {.deflate = 6, .shuffle = true},
      {.deflate = -1, .shuffle = true, .btree = true},
      {.deflate = 1, .shuffle = true, .fletcher = true},
  };
  struct lb_format_params p = fixture_params(6);
  struct lb_file f = fixture_file(x, "theirs.hdf5", 6, 400);
  uint16_t content[1200];
  struct lb_err err;
  p.dtype = lb_dtype_find("uint16");
  lb_content_fill(10, LB_SET_TRAIN, 0, 0, content, sizeof content);
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    struct foreign o = rows[i];
    struct cost cost = {.stages = 0};
    o.path = f.path;
    lb_hdf5_lock();
    make_foreign(&o, content);
    lb_hdf5_unlock();
    fixture_verify_cost(x, &lb_format_hdf5, &p, &f, &cost, &err);
    is_str(err.msg, "", "foreign %zu: read and verified", i);
    is_int(cost.payload, 2400, "foreign %zu: payload", i);
  }
  struct foreign o = {.path = f.path, .deflate = -1, .holes = true};
  struct cost cost;
  lb_hdf5_lock();
  make_foreign(&o, content);
  lb_hdf5_unlock();
  fixture_read_once(x, &lb_format_hdf5, &p, &f, &cost, &err);
  is_str(err.msg, "", "chunks that were never written are not read");
  fixture_verify_cost(x, &lb_format_hdf5, &p, &f, &cost, &err);
  ok(strstr(err.msg, "never written"), "but missed: %s", err.msg);
}

/* A chunk that inflates to more than its size. */
static void bomb(struct fixture *x)
{
  struct lb_format_params p = fixture_params(1);
  struct lb_file f = fixture_file(x, "bomb.hdf5", 1, 1000);
  struct lb_err err = LB_ERR_INIT;
  struct cost cost;
  struct lb_h5_shape s = {.n_sets = 1,
                          .rank = 2,
                          .dims = {1, 9000000},
                          .chunk = {1, 9000000},
                          .element = 1,
                          .chunked = true,
                          .n_filters = 1,
                          .filter = {{LB_H5_DEFLATE, 9}}};
  struct lb_h5_zlib z = {.z = NULL};
  static unsigned char zeros[9000000], packed[20000];
  size_t n = 0;
  uint32_t skipped;
  lb_h5_pack(&s, &z, zeros, sizeof zeros, packed, sizeof packed, &n, &skipped,
             &err);
  lb_h5_zlib_fini(&z);
  hsize_t dims[2] = {1, 1000}, zero[2] = {0, 0};
  lb_hdf5_lock();
  hid_t file = H5Fcreate(f.path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  hid_t space = H5Screate_simple(2, dims, NULL);
  hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_chunk(dcpl, 2, dims);
  H5Pset_deflate(dcpl, 1);
  hid_t set = H5Dcreate2(file, "records_0", H5T_STD_U8LE, space, H5P_DEFAULT,
                         dcpl, H5P_DEFAULT);
  H5Dwrite_chunk(set, H5P_DEFAULT, 0, zero, n, packed);
  H5Dclose(set);
  H5Pclose(dcpl);
  H5Sclose(space);
  H5Fclose(file);
  lb_hdf5_unlock();
  fixture_read_once(x, &lb_format_hdf5, &p, &f, &cost, &err);
  ok(strstr(err.msg, "bomb.hdf5") && strstr(err.msg, "1000 bytes"),
     "a bomb: %s", err.msg);
}

int main(void)
{
  struct fixture x;
  if (!ok(fixture_init(&x), "storage"))
    return done();
  foreign(&x);
  bomb(&x);
  is_int(H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL), 0,
         "no handle of the library is left");
  fixture_fini(&x);
  return done();
}
#else
int main(void)
{
  ok(true, "theirs # SKIP %s", lb_format_hdf5.unavailable);
  return done();
}
#endif
