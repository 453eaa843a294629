/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Spools to HDF5.  A spool has the records of a rank's accelerators mixed, in
 * the order of time; each accelerator's go through a column buffer of a chunk
 * into its row.  Memory: k x 24 bytes x chunk, 4 MiB at most but for very many
 * accelerators. */
#include "lb-config.h"

#include "report/steps_h5.h"

#ifndef HAVE_HDF5

const char *lb_steps_h5_unavailable(void)
{
  return "this build has no HDF5 (configure --with-hdf5)";
}

int lb_steps_h5_node(const struct lb_steps_job *job, int node,
                     const struct lb_metrics *m, struct lb_err *err)
{
  (void)job, (void)node, (void)m;
  return lb_err_set(err, LB_FAILED, "%s", lb_steps_h5_unavailable());
}

int lb_steps_h5_join(const struct lb_steps_job *job, const struct lb_metrics *m,
                     struct lb_err *err)
{
  (void)job, (void)m;
  return lb_err_set(err, LB_FAILED, "%s", lb_steps_h5_unavailable());
}

#else

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <hdf5.h>

#include "loadbank/hdf5lock.h"
#include "loadbank/metrics_detail.h"
#include "loadbank/report.h"
#include "loadbank/wholefile.h"

enum { MAX_PATH = 4096, CHUNK_MOST = 4096, CHUNK_LEAST = 64 };
static const size_t column_bytes = (size_t)4 << 20;
static const char *const set_folders[LB_N_SETS] = {
    [LB_SET_TRAIN] = "", [LB_SET_EVAL] = "eval/"};

const char *lb_steps_h5_unavailable(void)
{
  return NULL;
}

static int failed(struct lb_err *err, const char *path, const char *what)
{
  return lb_err_set(err, LB_FAILED, "%s: HDF5 could not %s", path, what);
}

/* ---- attributes and the list of blocks ---- */

static int put_text(hid_t at, const char *name, const char *text)
{
  hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
  H5Tset_size(type, strlen(text));
  hid_t a = H5Acreate2(at, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
  int rc = a < 0 || H5Awrite(a, type, text) < 0 ? -1 : 0;
  if (a >= 0)
    H5Aclose(a);
  H5Sclose(space);
  H5Tclose(type);
  return rc;
}

static int put_integer(hid_t at, const char *name, int64_t v)
{
  hid_t space = H5Screate(H5S_SCALAR);
  hid_t a =
      H5Acreate2(at, name, H5T_STD_I64LE, space, H5P_DEFAULT, H5P_DEFAULT);
  int rc = a < 0 || H5Awrite(a, H5T_NATIVE_INT64, &v) < 0 ? -1 : 0;
  if (a >= 0)
    H5Aclose(a);
  H5Sclose(space);
  return rc;
}

/* A small dataset of int64, [rows][columns] or [rows] (columns 0). */
static int put_table(hid_t file, const char *name, const int64_t *v,
                     hsize_t rows, hsize_t columns)
{
  hsize_t dims[2] = {rows, columns};
  hid_t space = H5Screate_simple(columns ? 2 : 1, dims, NULL);
  hid_t d = H5Dcreate2(file, name, H5T_STD_I64LE, space, H5P_DEFAULT,
                       H5P_DEFAULT, H5P_DEFAULT);
  int rc = d < 0 ? -1 : 0;
  if (!rc && rows)
    rc = H5Dwrite(d, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, v) < 0
             ? -1
             : 0;
  if (!rc && columns)
    rc = put_text(d, "columns", "epoch, block, first step, steps");
  if (d >= 0)
    H5Dclose(d);
  H5Sclose(space);
  return rc;
}

static int put_blocks(hid_t file, const struct lb_metrics *m, int set)
{
  size_t n, rows = 0;
  const struct lb_block_record *b = lb_metrics_blocks(m, &n);
  int64_t *v = malloc((4 * n + 1) * sizeof *v);
  if (!v)
    return -1;
  for (size_t i = 0; i < n; i++)
    if ((int)b[i].set == set) {
      int64_t row[] = {b[i].epoch, b[i].block, b[i].first_step, b[i].steps};
      memcpy(&v[4 * rows++], row, sizeof row);
    }
  char name[32];
  snprintf(name, sizeof name, "%sblocks", set_folders[set]);
  int rc = put_table(file, name, v, rows, 4);
  free(v);
  return rc;
}

static int put_facts(hid_t file, const struct lb_steps_job *job,
                     const struct lb_metrics *m, const int64_t *accelerators,
                     hsize_t rows)
{
  const struct lb_metrics_config *c = lb_metrics_config(m);
  int rc = put_text(file, "unit", "100 ns");
  for (int i = 0; i < LB_N_STALLS; i++) {
    char name[32];
    snprintf(name, sizeof name, "stall_%s", lb_stall_names[i]);
    rc |= put_integer(file, name, i);
  }
  rc |= put_text(file, "layout", "[accelerator][step]");
  rc |= put_text(file, "written_by", PACKAGE_STRING);
  rc |= put_integer(file, "missing", LB_STEP_MISSING);
  rc |= put_integer(file, "longest", LB_STEP_LONGEST);
  rc |= put_integer(file, "lost", (int64_t)job->lost);
  rc |= put_integer(file, "exclude_start_steps", c->exclude_start);
  rc |= put_integer(file, "exclude_end_steps", c->exclude_end);
  rc |= put_table(file, "accelerator", accelerators, rows, 0);
  for (int set = 0; set < LB_N_SETS; set++)
    if (job->steps[set] > 0)
      rc |= put_blocks(file, m, set);
  return rc;
}

/* ---- a file that appears when it is whole ---- */

static int open_new(const struct lb_steps_job *job, const char *name,
                    char temporary[MAX_PATH], hid_t *file, struct lb_err *err)
{
  *file = -1;
  int n = snprintf(temporary, MAX_PATH, "%s/.%s.tmp", job->folder, name);
  if (n >= MAX_PATH)
    return lb_err_sys(err, LB_FAILED, ENAMETOOLONG, "%s", job->folder);
  *file = H5Fcreate(temporary, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  if (*file < 0)
    return failed(err, temporary, "make the file");
  for (int set = 0; set < LB_N_SETS; set++) {
    if (!*set_folders[set] || job->steps[set] == 0)
      continue;
    hid_t g = H5Gcreate2(*file, set_folders[set], H5P_DEFAULT, H5P_DEFAULT,
                         H5P_DEFAULT);
    if (g < 0)
      return failed(err, temporary, "make a group");
    H5Gclose(g);
  }
  return 0;
}

static int close_new(const struct lb_steps_job *job, const char *name,
                     const char *temporary, hid_t file, struct lb_err *err)
{
  char path[MAX_PATH];
  snprintf(path, sizeof path, "%s/%s", job->folder, name);
  if (file >= 0 && H5Fclose(file) < 0)
    failed(err, temporary, "write the file (is the disk full?)");
  int sys =
      lb_err_is_set(err) ? 0 : lb_file_appear(job->folder, temporary, path);
  if (sys)
    lb_err_sys(err, LB_FAILED, sys, "%s", path);
  if (lb_err_is_set(err))
    unlink(temporary);
  return -err->code;
}

/* ---- one node ---- */

struct column { /* steps of one accelerator that wait for their chunk */
  int set;
  int64_t first, n;
  uint32_t *v; /* LB_N_COLUMNS x chunk */
};

struct node_file {
  const char *path;
  hid_t file, data[LB_N_SETS][LB_N_COLUMNS];
  int64_t chunk[LB_N_SETS], chunk_most;
  struct column *column; /* of the rank at work */
  uint32_t *values;
};

static hid_t new_dataset(struct node_file *f, int set, const char *time,
                         hsize_t rows, hsize_t steps)
{
  char name[32];
  snprintf(name, sizeof name, "%s%s", set_folders[set], time);
  hsize_t dims[2] = {rows, steps}, chunk[2] = {1, (hsize_t)f->chunk[set]};
  uint32_t missing = LB_STEP_MISSING;
  hid_t space = H5Screate_simple(2, dims, NULL);
  hid_t p = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_chunk(p, 2, chunk);
  H5Pset_fill_value(p, H5T_NATIVE_UINT32, &missing);
  if (H5Zfilter_avail(H5Z_FILTER_DEFLATE) > 0) {
    H5Pset_shuffle(p);
    H5Pset_deflate(p, 4);
  }
  hid_t d = H5Dcreate2(f->file, name, H5T_STD_U32LE, space, H5P_DEFAULT, p,
                       H5P_DEFAULT);
  H5Pclose(p);
  H5Sclose(space);
  return d;
}

static int new_datasets(struct node_file *f, const struct lb_steps_job *job,
                        hsize_t rows)
{
  for (int set = 0; set < LB_N_SETS; set++) {
    if (job->steps[set] == 0)
      continue;
    f->chunk[set] =
        job->steps[set] < f->chunk_most ? job->steps[set] : f->chunk_most;
    for (int i = 0; i < LB_N_COLUMNS; i++) {
      f->data[set][i] = new_dataset(f, set, lb_step_column_names[i], rows,
                                    (hsize_t)job->steps[set]);
      if (f->data[set][i] < 0)
        return -1;
    }
  }
  return 0;
}

static int flush(struct node_file *f, struct column *c, hsize_t row)
{
  hsize_t start[2] = {row, (hsize_t)c->first}, count[2] = {1, (hsize_t)c->n};
  if (c->n == 0)
    return 0;
  hid_t memory = H5Screate_simple(1, &count[1], NULL);
  int rc = 0;
  for (int i = 0; i < LB_N_COLUMNS && !rc; i++) {
    hid_t space = H5Dget_space(f->data[c->set][i]);
    if (H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL) <
            0 ||
        H5Dwrite(f->data[c->set][i], H5T_NATIVE_UINT32, memory, space,
                 H5P_DEFAULT, c->v + i * f->chunk_most) < 0)
      rc = -1;
    H5Sclose(space);
  }
  H5Sclose(memory);
  c->n = 0;
  return rc;
}

static int put_record(struct node_file *f, const struct lb_steps_rank *rank,
                      const struct lb_spool_record *r, hsize_t first_row)
{
  uint32_t acc = r->acc / 2;
  int set = (int)(r->acc % 2), rc = 0;
  if (acc >= (uint32_t)rank->k || r->step >= rank->steps[set])
    return -1;
  struct column *c = &f->column[acc];
  if (c->n && (c->set != set || c->first + c->n != r->step))
    rc = flush(f, c, first_row + acc);
  if (c->n == 0) {
    c->set = set;
    c->first = r->step;
  }
  for (int i = 0; i < LB_N_COLUMNS; i++)
    c->v[i * f->chunk_most + c->n] = r->v[i];
  c->n++;
  if (!rc && (c->first + c->n) % f->chunk[set] == 0)
    rc = flush(f, c, first_row + acc);
  return rc;
}

static int put_rank(struct node_file *f, const struct lb_steps_job *job, int r,
                    hsize_t first_row, struct lb_err *err)
{
  char path[MAX_PATH];
  lb_report_spool(path, sizeof path, job->folder, r);
  const struct lb_steps_rank *rank = &job->rank[r];
  if (rank->steps[LB_SET_TRAIN] + rank->steps[LB_SET_EVAL] == 0)
    return 0;
  FILE *in = fopen(path, "rbe");
  if (!in)
    return lb_err_sys(err, LB_FAILED, errno, "%s: step records", path);
  int rc = 0;
  struct lb_spool_record record;
  while (!rc && fread(&record, sizeof record, 1, in) == 1)
    rc = put_record(f, rank, &record, first_row);
  for (int a = 0; a < rank->k && !rc; a++)
    rc = flush(f, &f->column[a], first_row + (hsize_t)a);
  if (ferror(in))
    rc = lb_err_sys(err, LB_FAILED, errno, "%s: step records", path);
  fclose(in);
  return rc ? failed(err, f->path, "write the steps") : 0;
}

/* Rows of a node's file, in the order of ranks. */
static hsize_t rows_of(const struct lb_steps_job *job, int node, int before)
{
  hsize_t rows = 0;
  for (int r = 0; r < before; r++)
    if (job->rank[r].node == node)
      rows += (hsize_t)job->rank[r].k;
  return rows;
}

static int new_columns(struct node_file *f, const struct lb_steps_job *job,
                       int node)
{
  int k = 1;
  for (int r = 0; r < job->n_ranks; r++)
    if (job->rank[r].node == node && job->rank[r].k > k)
      k = job->rank[r].k;
  size_t each = LB_N_COLUMNS * sizeof *f->values;
  size_t chunk = column_bytes / each / (size_t)k;
  chunk = chunk > CHUNK_MOST ? CHUNK_MOST : chunk;
  chunk = chunk < CHUNK_LEAST ? CHUNK_LEAST : chunk;
  f->chunk_most = (int64_t)chunk;
  f->column = calloc((size_t)k, sizeof *f->column);
  f->values = calloc((size_t)k * chunk, each);
  if (!f->column || !f->values)
    return -1;
  for (int a = 0; a < k; a++)
    f->column[a].v = f->values + (size_t)a * LB_N_COLUMNS * chunk;
  return 0;
}

static int put_node(struct node_file *f, const struct lb_steps_job *job,
                    int node, const struct lb_metrics *m, struct lb_err *err)
{
  hsize_t rows = rows_of(job, node, job->n_ranks), row = 0;
  int64_t *number = malloc((rows + 1) * sizeof *number);
  if (!number || new_columns(f, job, node)) {
    free(number);
    return lb_err_set(err, LB_FAILED, "no memory for steps.h5");
  }
  int rc = 0;
  if (new_datasets(f, job, rows))
    rc = failed(err, f->path, "make the datasets");
  for (int r = 0; r < job->n_ranks && !rc; r++) {
    if (job->rank[r].node != node)
      continue;
    rc = put_rank(f, job, r, row, err);
    for (int a = 0; a < job->rank[r].k; a++)
      number[row++] = job->rank[r].first + a;
  }
  if (!rc && put_facts(f->file, job, m, number, rows))
    rc = failed(err, f->path, "write the attributes");
  free(number);
  return rc;
}

static void node_name(char name[48], const struct lb_steps_job *job, int node)
{
  if (job->n_nodes == 1)
    snprintf(name, 48, "steps.h5");
  else
    snprintf(name, 48, "steps-node%d.h5", node);
}

int lb_steps_h5_node(const struct lb_steps_job *job, int node,
                     const struct lb_metrics *m, struct lb_err *err)
{
  char name[48], temporary[MAX_PATH];
  node_name(name, job, node);
  lb_hdf5_lock(); /* readers that still exist may be in the library */
  struct node_file f = {.path = temporary};
  for (int set = 0; set < LB_N_SETS; set++)
    for (int i = 0; i < LB_N_COLUMNS; i++)
      f.data[set][i] = -1;
  if (!open_new(job, name, temporary, &f.file, err))
    put_node(&f, job, node, m, err);
  for (int set = 0; set < LB_N_SETS; set++)
    for (int i = 0; i < LB_N_COLUMNS; i++)
      if (f.data[set][i] >= 0 && H5Dclose(f.data[set][i]) < 0)
        failed(err, temporary, "write the steps");
  free(f.column);
  free(f.values);
  close_new(job, name, temporary, f.file, err);
  lb_hdf5_unlock();
  return -err->code;
}

/* ---- all nodes ---- */

/* Rows of one rank in its node's file are rows of all. */
static int map_rank(hid_t p, const struct lb_steps_job *job, int r,
                    const char *dataset, hsize_t steps)
{
  const struct lb_steps_rank *rank = &job->rank[r];
  char name[48];
  node_name(name, job, rank->node);
  hsize_t all[2] = {(hsize_t)job->accelerators, steps};
  hsize_t theirs[2] = {rows_of(job, rank->node, job->n_ranks), steps};
  hsize_t count[2] = {(hsize_t)rank->k, steps};
  hsize_t to[2] = {(hsize_t)rank->first, 0};
  hsize_t from[2] = {rows_of(job, rank->node, r), 0};
  hid_t view = H5Screate_simple(2, all, NULL);
  hid_t source = H5Screate_simple(2, theirs, NULL);
  int rc =
      H5Sselect_hyperslab(view, H5S_SELECT_SET, to, NULL, count, NULL) < 0 ||
              H5Sselect_hyperslab(source, H5S_SELECT_SET, from, NULL, count,
                                  NULL) < 0 ||
              H5Pset_virtual(p, view, name, dataset, source) < 0
          ? -1
          : 0;
  H5Sclose(view);
  H5Sclose(source);
  return rc;
}

static int put_view(hid_t file, const struct lb_steps_job *job, int set,
                    const char *time)
{
  char name[32];
  snprintf(name, sizeof name, "%s%s", set_folders[set], time);
  hsize_t dims[2] = {(hsize_t)job->accelerators, (hsize_t)job->steps[set]};
  uint32_t missing = LB_STEP_MISSING;
  hid_t p = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_fill_value(p, H5T_NATIVE_UINT32, &missing);
  int rc = 0;
  for (int r = 0; r < job->n_ranks && !rc; r++)
    if (job->rank[r].k > 0)
      rc = map_rank(p, job, r, name, dims[1]);
  hid_t space = H5Screate_simple(2, dims, NULL);
  hid_t d = rc ? -1
               : H5Dcreate2(file, name, H5T_STD_U32LE, space, H5P_DEFAULT, p,
                            H5P_DEFAULT);
  if (d < 0)
    rc = -1;
  else
    H5Dclose(d);
  H5Sclose(space);
  H5Pclose(p);
  return rc;
}

static int put_views(hid_t file, const struct lb_steps_job *job,
                     const struct lb_metrics *m)
{
  int64_t *number = malloc((size_t)job->accelerators * sizeof *number);
  int rc = number ? 0 : -1;
  for (int a = 0; a < job->accelerators && number; a++)
    number[a] = a;
  for (int set = 0; set < LB_N_SETS; set++)
    for (int i = 0; i < LB_N_COLUMNS && job->steps[set] > 0 && !rc; i++)
      rc = put_view(file, job, set, lb_step_column_names[i]);
  if (!rc)
    rc = put_facts(file, job, m, number, (hsize_t)job->accelerators);
  free(number);
  return rc;
}

int lb_steps_h5_join(const struct lb_steps_job *job, const struct lb_metrics *m,
                     struct lb_err *err)
{
  char temporary[MAX_PATH];
  hid_t file;
  lb_hdf5_lock();
  if (!open_new(job, "steps.h5", temporary, &file, err) &&
      put_views(file, job, m))
    failed(err, temporary, "join the nodes' files");
  close_new(job, "steps.h5", temporary, file, err);
  lb_hdf5_unlock();
  return -err->code;
}

#endif
