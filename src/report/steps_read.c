/* SPDX-License-Identifier: GPL-3.0-or-later */
/* steps.h5, read back, row by row. */
#include "lb-config.h"

#include "loadbank/steps_file.h"

#include "report/steps_h5.h"

#ifndef HAVE_HDF5

int lb_steps_file_open(struct lb_steps_file *f, const char *path,
                       enum lb_set set, struct lb_err *err)
{
  (void)set;
  *f = (struct lb_steps_file){.steps = 0};
  return lb_err_set(err, LB_FAILED, "%s: %s", path, lb_steps_h5_unavailable());
}

void lb_steps_file_close(struct lb_steps_file *f)
{
  (void)f;
}

int lb_steps_file_row(struct lb_steps_file *f, const char *column, int64_t row,
                      uint32_t *out, struct lb_err *err)
{
  (void)f, (void)column, (void)row, (void)out;
  return lb_err_set(err, LB_FAILED, "%s", lb_steps_h5_unavailable());
}

#else

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hdf5.h>

#include "loadbank/hdf5lock.h"

enum { MOST_BLOCKS = 1 << 22, BLOCK_COLUMNS = 4 };
static const int64_t most_steps = (int64_t)1 << 28; /* weeks of short ones */

struct lb_steps_open {
  hid_t file;
  char *path, prefix[8];
};

static int bad(const struct lb_steps_file *f, struct lb_err *err,
               const char *what)
{
  return lb_err_set(err, LB_FAILED, "%s: %s", f->open->path, what);
}

/* A dataset of two dimensions; -1: there is none. */
static hid_t open_2d(const struct lb_steps_file *f, const char *name,
                     hsize_t dims[2])
{
  char path[48];
  snprintf(path, sizeof path, "%s%s", f->open->prefix, name);
  hid_t d = H5Dopen2(f->open->file, path, H5P_DEFAULT);
  if (d < 0)
    return -1;
  hid_t space = H5Dget_space(d);
  bool good = space >= 0 && H5Sget_simple_extent_ndims(space) == 2 &&
              H5Sget_simple_extent_dims(space, dims, NULL) == 2;
  if (space >= 0)
    H5Sclose(space);
  if (good)
    return d;
  H5Dclose(d);
  return -1;
}

static int64_t integer(hid_t file, const char *name)
{
  int64_t v = 0;
  hid_t a = H5Aopen(file, name, H5P_DEFAULT);
  if (a < 0)
    return 0;
  if (H5Aread(a, H5T_NATIVE_INT64, &v) < 0)
    v = 0;
  H5Aclose(a);
  return v < 0 ? 0 : v;
}

/* In order, inside the set, none in another. */
static bool plausible(const struct lb_steps_file *f)
{
  int64_t end = 0;
  for (size_t i = 0; i < f->n_blocks; i++) {
    const struct lb_steps_block *b = &f->block[i];
    if (b->first < end || b->steps < 0 || b->first > f->steps ||
        b->steps > f->steps - b->first)
      return false;
    end = b->first + b->steps;
  }
  return true;
}

static int read_blocks(struct lb_steps_file *f, struct lb_err *err)
{
  hsize_t dims[2];
  hid_t d = open_2d(f, "blocks", dims);
  if (d < 0 || dims[1] != BLOCK_COLUMNS || dims[0] > MOST_BLOCKS) {
    if (d >= 0)
      H5Dclose(d);
    return bad(f, err, "no list of blocks");
  }
  int64_t *v = calloc((size_t)dims[0] + 1, BLOCK_COLUMNS * sizeof *v);
  f->block = calloc((size_t)dims[0] + 1, sizeof *f->block);
  int rc = 0;
  if (!v || !f->block)
    rc = bad(f, err, "no memory for its blocks");
  else if (dims[0] &&
           H5Dread(d, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, v) < 0)
    rc = bad(f, err, "its blocks cannot be read");
  for (hsize_t i = 0; !rc && v && f->block && i < dims[0]; i++) {
    const int64_t *row = &v[BLOCK_COLUMNS * i];
    f->block[f->n_blocks++] =
        (struct lb_steps_block){row[0], row[1], row[2], row[3]};
  }
  free(v);
  H5Dclose(d);
  if (!rc && !plausible(f))
    rc = bad(f, err, "its blocks do not fit its steps");
  return rc;
}

static int read_shape(struct lb_steps_file *f, struct lb_err *err)
{
  hsize_t dims[2];
  if (H5Lexists(f->open->file, "eval", H5P_DEFAULT) <= 0 && *f->open->prefix)
    return 0; /* there was no evaluation */
  hid_t d = open_2d(f, lb_step_column_names[LB_COLUMN_LOAD], dims);
  if (d < 0)
    return *f->open->prefix || H5Lexists(f->open->file,
                                         lb_step_column_names[LB_COLUMN_LOAD],
                                         H5P_DEFAULT) > 0
               ? bad(f, err, "its steps are not a table")
               : 0;
  H5Dclose(d);
  if (dims[0] > INT32_MAX || dims[1] > (hsize_t)most_steps)
    return bad(f, err, "more steps than can be");
  f->accelerators = (int64_t)dims[0];
  f->steps = (int64_t)dims[1];
  f->exclude_start = integer(f->open->file, "exclude_start_steps");
  f->exclude_end = integer(f->open->file, "exclude_end_steps");
  f->lost = integer(f->open->file, "lost");
  return read_blocks(f, err);
}

int lb_steps_file_open(struct lb_steps_file *f, const char *path,
                       enum lb_set set, struct lb_err *err)
{
  *f = (struct lb_steps_file){.steps = 0};
  f->open = calloc(1, sizeof *f->open);
  if (!f->open || !(f->open->path = strdup(path))) {
    free(f->open);
    f->open = NULL;
    return lb_err_set(err, LB_FAILED, "%s: no memory", path);
  }
  if (set == LB_SET_EVAL)
    snprintf(f->open->prefix, sizeof f->open->prefix, "eval/");
  lb_hdf5_lock();
  f->open->file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  int rc = f->open->file < 0 ? bad(f, err, "HDF5 cannot read it")
                             : read_shape(f, err);
  lb_hdf5_unlock();
  if (rc)
    lb_steps_file_close(f);
  return rc;
}

void lb_steps_file_close(struct lb_steps_file *f)
{
  if (f->open) {
    lb_hdf5_lock();
    if (f->open->file >= 0)
      H5Fclose(f->open->file);
    lb_hdf5_unlock();
    free(f->open->path);
  }
  free(f->open);
  free(f->block);
  *f = (struct lb_steps_file){.steps = 0};
}

static int read_row(struct lb_steps_file *f, hid_t d, int64_t row,
                    uint32_t *out)
{
  hsize_t start[2] = {(hsize_t)row, 0}, count[2] = {1, (hsize_t)f->steps};
  hid_t space = H5Dget_space(d), memory = H5Screate_simple(1, &count[1], NULL);
  int rc =
      space < 0 || memory < 0 ||
              H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count,
                                  NULL) < 0 ||
              H5Dread(d, H5T_NATIVE_UINT32, memory, space, H5P_DEFAULT, out) < 0
          ? -1
          : 0;
  if (memory >= 0)
    H5Sclose(memory);
  if (space >= 0)
    H5Sclose(space);
  return rc;
}

int lb_steps_file_row(struct lb_steps_file *f, const char *column, int64_t row,
                      uint32_t *out, struct lb_err *err)
{
  hsize_t dims[2];
  lb_hdf5_lock();
  hid_t d = open_2d(f, column, dims);
  int rc = 0;
  if (d < 0 || dims[0] != (hsize_t)f->accelerators ||
      dims[1] != (hsize_t)f->steps || row < 0 || row >= f->accelerators)
    rc = bad(f, err, "its columns differ in their shape");
  else if (read_row(f, d, row, out))
    rc = bad(f, err, "its steps cannot be read");
  if (d >= 0)
    H5Dclose(d);
  lb_hdf5_unlock();
  return rc;
}

#endif
