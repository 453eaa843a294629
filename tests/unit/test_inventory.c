/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is on disk: standard names, foreign names, and each way in which a
 * dataset is not the one that was configured. */
#include "lb-config.h"

#include "loadbank/dataset.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tap.h"

static struct lb_storage *storage;
static struct lb_iothread thread;

/* Makes an empty file below the temporary folder, its folders too. */
static void __attribute__((format(printf, 1, 2))) touch(const char *fmt, ...)
{
  char path[PATH_MAX];
  int n = snprintf(path, sizeof path, "%s/", tap_tmpdir());
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(path + n, sizeof path - (size_t)n, fmt, ap);
  va_end(ap);
  for (char *slash = path + n; (slash = strchr(slash, '/')); slash++) {
    *slash = '\0';
    mkdir(path, 0777);
    *slash = '/';
  }
  int fd = open(path, O_WRONLY | O_CREAT, 0666);
  if (fd >= 0)
    close(fd);
}

static struct lb_layout layout(const char *name, int64_t used, int64_t folders)
{
  struct lb_layout l = {.prefix = "img",
                        .extension = "npz",
                        .n_used = {used, used},
                        .n_folders = {folders, folders}};
  snprintf(l.root, sizeof l.root, "%s/%s", tap_tmpdir(), name);
  return l;
}

static int take(struct lb_inventory *inv, const struct lb_layout *l,
                struct lb_err *err)
{
  *err = (struct lb_err)LB_ERR_INIT;
  return lb_inventory_take(inv, l, LB_SET_TRAIN, storage, &thread, err);
}

static void test_standard(void)
{
  struct lb_inventory inv;
  struct lb_err err;
  for (int i = 0; i < 10; i++)
    touch("flat/train/img_%02d_of_10.npz", i);
  touch("flat/train/.img_03_of_10.part");
  touch("flat/train/notes.txt");
  touch("flat/train/.hidden.npz");
  struct lb_layout l = layout("flat", 8, 0);
  is_int(take(&inv, &l, &err), 0, "a flat set %s", err.msg);
  is_int(inv.n_files, 10, "... has 10 files, more than the 8 wanted");
  ok(inv.standard && !inv.names, "... with standard names, none kept");
  is_int(inv.n_folders, 0, "... and no sub-folders");
  lb_inventory_fini(&inv);

  for (int i = 0; i < 10; i++)
    touch("subs/train/%d/img_%02d_of_10.npz", i % 3, i);
  touch("subs/train/notes.txt");
  touch("subs/train/empty/readme");
  l = layout("subs", 10, 3);
  is_int(take(&inv, &l, &err), 0, "3 sub-folders %s", err.msg);
  ok(inv.standard && inv.n_files == 10 && inv.n_folders == 3, "... standard");
  lb_inventory_fini(&inv);

  for (int i = 0; i < 2; i++)
    touch("few/train/%d/img_%d_of_2.npz", i, i);
  l = layout("few", 2, 5);
  is_int(take(&inv, &l, &err), 0, "2 files of 5 sub-folders %s", err.msg);
  ok(inv.standard && inv.n_folders == 5, "... are standard");
  lb_inventory_fini(&inv);
}

static void test_refused(void)
{
  struct lb_inventory inv;
  struct lb_err err;
  struct lb_layout l = layout("flat", 64, 1);
  is_int(take(&inv, &l, &err), -LB_FAILED, "fewer files than wanted");
  ok(strstr(err.msg, "/flat/train: 10 files *.npz (and 1 unfinished), and "
                     "num_files_train is 64"),
     "... says %s", err.msg);
  l = layout("flat", 10, 3);
  is_int(take(&inv, &l, &err), -LB_FAILED, "flat, 3 sub-folders wanted");
  ok(strstr(err.msg, "/flat/train: 0 sub-folders hold files (10 files are "
                     "beside them), and num_subfolders_train is 3"),
     "... says %s", err.msg);
  l = layout("subs", 10, 4);
  is_int(take(&inv, &l, &err), -LB_FAILED, "3 sub-folders, 4 wanted");
  ok(strstr(err.msg, "/subs/train: 3 sub-folders hold files, and "
                     "num_subfolders_train is 4"),
     "... says %s", err.msg);
  l = layout("subs", 10, 1);
  is_int(take(&inv, &l, &err), -LB_FAILED, "3 sub-folders, flat wanted");
  ok(strstr(err.msg, "3 sub-folders hold files, and num_subfolders_train is 1"),
     "... says %s", err.msg);
  l = layout("absent", 10, 1);
  is_int(take(&inv, &l, &err), -LB_FAILED, "a missing folder");
  ok(strstr(err.msg, "/absent/train") && strstr(err.msg, "No such file"),
     "... says %s", err.msg);
  ok(err.sys != 0, "... with errno");
  touch("two/train/img_0_of_2.npz");
  touch("two/train/img_1_of_2.npz");
  touch("two/train/img_1_of_4.npz");
  l = layout("two", 2, 1);
  is_int(take(&inv, &l, &err), -LB_FAILED, "two counts in one folder");
  ok(strstr(err.msg, "/two/train: ") && strstr(err.msg, "_of_2") &&
         strstr(err.msg, "_of_4"),
     "... says %s", err.msg);
}

static void test_unreadable(void)
{
  struct lb_inventory inv;
  struct lb_err err;
  struct lb_layout l = layout("file", 1, 1);
  touch("file/train");
  is_int(take(&inv, &l, &err), -LB_FAILED, "a file in the folder's place");
  ok(strstr(err.msg, "/file/train") != NULL, "... says %s", err.msg);
}

static void is_used(const struct lb_inventory *inv, struct lb_layout l,
                    int64_t index, const char *want)
{
  char path[PATH_MAX];
  l.n_files[LB_SET_TRAIN] = inv->n_files;
  l.names[LB_SET_TRAIN] = inv->names;
  l.name_at[LB_SET_TRAIN] = inv->name_at;
  lb_layout_path(&l, LB_SET_TRAIN, index, path, sizeof path);
  is_str(path + strlen(l.root) + 7, want, "... file %d is %s", (int)index,
         want);
}

static void test_foreign(void)
{
  struct lb_inventory inv;
  struct lb_err err;
  touch("own/train/c.npz");
  touch("own/train/a.npz");
  touch("own/train/b.npz");
  touch("own/train/.npz");
  touch("own/train/npz");
  struct lb_layout l = layout("own", 2, 0);
  is_int(take(&inv, &l, &err), 0, "foreign names %s", err.msg);
  ok(!inv.standard && inv.names, "... are kept");
  is_int(inv.n_files, 3, "... all of them");
  is_int(inv.names_bytes, 18, "... packed");
  is_used(&inv, l, 0, "a.npz");
  is_used(&inv, l, 2, "c.npz");
  lb_inventory_fini(&inv);

  /* "a-b" sorts between "a" and "a/..." */
  static const char *const files[] = {"a/1",   "a/2", "a/3",
                                      "a-b/1", "c/1", "c/2"};
  for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
    touch("classes/train/%s.npz", files[i]);
  l = layout("classes", 6, 3);
  is_int(take(&inv, &l, &err), 0, "foreign sub-folders %s", err.msg);
  is_int(inv.n_folders, 3, "... are counted");
  static const char *const order[] = {"a-b/1.npz", "a/1.npz", "c/1.npz",
                                      "a/2.npz",   "c/2.npz", "a/3.npz"};
  for (int i = 0; i < 6; i++) /* a part of the set is taken evenly */
    is_used(&inv, l, i, order[i]);
  lb_inventory_fini(&inv);
}

/* Names that are nearly standard: the index alone does not lead to them. */
static void test_nearly(void)
{
  struct lb_inventory inv;
  struct lb_err err;
  for (int i = 0; i < 10; i++)
    if (i != 4)
      touch("gap/train/img_%02d_of_10.npz", i);
  struct lb_layout l = layout("gap", 9, 0);
  is_int(take(&inv, &l, &err), 0, "one file is missing %s", err.msg);
  ok(!inv.standard && inv.n_files == 9, "... the others are a table");
  is_used(&inv, l, 4, "img_05_of_10.npz");
  lb_inventory_fini(&inv);

  for (int i = 0; i < 4; i++)
    touch("more/train/img_%d_of_4.npz", i);
  touch("more/train/extra.npz");
  l = layout("more", 4, 0);
  is_int(take(&inv, &l, &err), 0, "one file too many %s", err.msg);
  ok(!inv.standard && inv.n_files == 5, "... all are a table");
  is_used(&inv, l, 0, "extra.npz");
  is_used(&inv, l, 1, "img_0_of_4.npz");
  lb_inventory_fini(&inv);

  touch("wide/train/img_00_of_2.npz"); /* padded too far */
  touch("wide/train/img_01_of_2.npz");
  l = layout("wide", 2, 0);
  is_int(take(&inv, &l, &err), 0, "another padding %s", err.msg);
  ok(!inv.standard, "... is foreign");
  lb_inventory_fini(&inv);

  touch("shifted/train/0/img_1_of_2.npz"); /* in each other's folder */
  touch("shifted/train/1/img_0_of_2.npz");
  l = layout("shifted", 2, 2);
  is_int(take(&inv, &l, &err), 0, "files in another's sub-folder %s", err.msg);
  ok(!inv.standard, "... are foreign");
  is_used(&inv, l, 0, "0/img_1_of_2.npz");
  lb_inventory_fini(&inv);

  touch("huge/train/img_0_of_99999999999999999999999.npz");
  touch("huge/train/img_0_of_9000000000000.npz");
  l = layout("huge", 2, 0);
  is_int(take(&inv, &l, &err), 0, "counts that nobody has %s", err.msg);
  ok(!inv.standard, "... are foreign");
  lb_inventory_fini(&inv);
}

static void test_many(void)
{
  struct lb_inventory inv;
  struct lb_err err;
  for (int i = 0; i < 10000; i++)
    touch("many/train/%02d/img_%05d_of_10000.npz", i % 10, i);
  struct lb_layout l = layout("many", 10000, 10);
  is_int(take(&inv, &l, &err), 0, "10000 files %s", err.msg);
  ok(inv.standard && inv.n_files == 10000, "... are all seen");
  lb_inventory_fini(&inv);
}

static void test_nothing(void)
{
  struct lb_inventory inv;
  struct lb_err err;
  struct lb_layout l = layout("absent", 0, 1);
  is_int(take(&inv, &l, &err), 0, "no file wanted: nothing is listed");
  is_int(inv.n_files, 0, "... and nothing there");
  struct lb_storage *none;
  is_int(lb_storage_open(&none, lb_backend_find("none"), NULL,
                         &(struct lb_storage_env){0}, &err),
         0, "a virtual backend");
  l = layout("absent", 1000, 7);
  is_int(lb_inventory_take(&inv, &l, LB_SET_TRAIN, none, &thread, &err), 0,
         "... has what is planned");
  ok(inv.standard && inv.n_files == 1000 && inv.n_folders == 7, "... all");
  lb_storage_close(none);
}

int main(void)
{
  struct lb_err err = LB_ERR_INIT;
  int rc = lb_storage_open(&storage, lb_backend_find("local_fs"), NULL,
                           &(struct lb_storage_env){0}, &err);
  if (rc || lb_iothread_init(&thread, 65536, &err))
    return 99;
  test_standard();
  test_refused();
  test_unreadable();
  test_foreign();
  test_nearly();
  test_many();
  test_nothing();
  lb_iothread_fini(&thread);
  lb_storage_close(storage);
  return done();
}
