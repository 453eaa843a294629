/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The manifest: round trip, damage, each field's difference by name. */
#include "lb-config.h"

#include "loadbank/manifest.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record_fixture.h"
#include "tap.h"

static void path_of(char path[PATH_MAX], const char *file)
{
  snprintf(path, PATH_MAX, "%s/%s", tap_tmpdir(), file);
}

static void test_round_trip(void)
{
  struct lb_manifest m = fixture_manifest(), back;
  struct lb_err err = LB_ERR_INIT;
  char a[LB_FINGERPRINT_LEN], b[LB_FINGERPRINT_LEN], path[PATH_MAX];
  is_int(lb_manifest_read(&back, tap_tmpdir(), &err), 0, "there is none yet");
  is_int(lb_manifest_write(&m, tap_tmpdir(), &err), 0, "written %s", err.msg);
  is_int(lb_manifest_read(&back, tap_tmpdir(), &err), 1, "read %s", err.msg);
  lb_manifest_fingerprint(&m, a);
  lb_manifest_fingerprint(&back, b);
  is_str(b, a, "the fingerprint is the same");
  is_int(strlen(a), 16, "... and has 16 digits");
  ok(back.seed == UINT64_MAX && back.n_files[LB_SET_EVAL] == 8 &&
         back.record_bytes == m.record_bytes && back.n_dims == 2 &&
         back.dims[0] == 224 && back.compression_level == 4,
     "numbers are exact");
  is_str(back.file_prefix, m.file_prefix, "text is exact");
  is_int(lb_manifest_compare(&back, &m, &err), 0, "they agree");
  path_of(path, ".loadbank.json.tmp");
  ok(access(path, F_OK) != 0, "no temporary file is left");
  path_of(path, ".loadbank.json");
  struct stat st;
  ok(stat(path, &st) == 0 && (st.st_mode & 0444) == 0444, "others may read it");
  m.seed = 10;
  is_int(lb_manifest_write(&m, tap_tmpdir(), &err), 0, "written over");
  lb_manifest_read(&back, tap_tmpdir(), &err);
  is_int(back.seed, 10, "... takes the old one's place");
}

/* The value is on disks: it must not change from one version to the next. */
static void test_fingerprint(void)
{
  char a[LB_FINGERPRINT_LEN], b[LB_FINGERPRINT_LEN];
  struct lb_manifest m = {.format = "npz",
                          .seed = 10,
                          .n_files = {8, 0},
                          .samples_per_file = 1,
                          .record_bytes = 65536,
                          .dtype = "uint8",
                          .file_prefix = "img"};
  lb_manifest_fingerprint(&m, a);
  is_str(a, "74ff764a1c664fb1", "a known fingerprint");
  m.n_folders[LB_SET_TRAIN] = 1;
  snprintf(m.compression, sizeof m.compression, "none");
  m.compression_level = 4;
  lb_manifest_fingerprint(&m, b);
  is_str(b, a, "one sub-folder is flat; no compression has no level");
  m.compression_level = 5;
  m.record_bytes = 65537;
  lb_manifest_fingerprint(&m, b);
  ok(strcmp(a, b) != 0, "another size, another fingerprint");
}

static void differs(const struct lb_manifest *c, const char *says)
{
  struct lb_manifest disk = fixture_manifest();
  struct lb_err err = LB_ERR_INIT;
  is_int(lb_manifest_compare(&disk, c, &err), -LB_USAGE, "differs: %s", says);
  ok(strstr(err.msg, says) != NULL, "... says: %s", err.msg);
}

#define DIFFERS(change, says)                  \
  do {                                         \
    struct lb_manifest c = fixture_manifest(); \
    change;                                    \
    differs(&c, says);                         \
  } while (0)

static void test_compare(void)
{
  DIFFERS(snprintf(c.format, sizeof c.format, "hdf5"),
          ": format is 'npz' on disk and 'hdf5' configured");
  DIFFERS(c.seed = 11,
          "seed is '18446744073709551615' on disk and '11' configured");
  DIFFERS(c.n_files[0] = 169, "num_files_train is '168' on disk and '169'");
  DIFFERS(c.n_files[1] = 9, "num_files_eval is '8' on disk and '9'");
  DIFFERS(c.n_folders[0] = 3, "num_subfolders_train is '4' on disk and '3'");
  DIFFERS(c.n_folders[1] = 2, "num_subfolders_eval is '1' on disk and '2'");
  DIFFERS(c.samples_per_file = 4,
          "num_samples_per_file is '1' on disk and '4'");
  DIFFERS(c.record_bytes = 65536,
          "record_length_bytes is '146600628.07' on disk and '65536'");
  DIFFERS(c.record_stdev = 0, "record_length_bytes_stdev is '68341808.1'");
  DIFFERS(snprintf(c.dtype, sizeof c.dtype, "float32"),
          "record_element_type is 'uint8' on disk and 'float32'");
  DIFFERS(c.dims[1] = 4, "record_dims is '[224, 3]' on disk and '[224, 4]'");
  DIFFERS(c.n_dims = 0, "record_dims is '[224, 3]' on disk and '[]'");
  DIFFERS(snprintf(c.compression, sizeof c.compression, "none"),
          "compression is 'gzip' on disk and 'none'");
  DIFFERS(c.compression_level = 9, "compression_level is '4' on disk and '9'");
  DIFFERS(snprintf(c.file_prefix, sizeof c.file_prefix, "x"), "file_prefix is");
  DIFFERS(c.extra[0] = '\0', "options is 'chunk_size=65536;' on disk and ''");
  DIFFERS((c.seed = 1, c.samples_per_file = 7), "; num_samples_per_file is");
  struct lb_manifest disk = fixture_manifest(), c = fixture_manifest();
  struct lb_err err = LB_ERR_INIT;
  c.n_files[LB_SET_TRAIN] = 100;
  is_int(lb_manifest_compare(&disk, &c, &err), 0, "a part of it may be used");
  struct lb_buf text;
  lb_buf_init(&text, 4096);
  lb_manifest_differences(&disk, &c, &text);
  is_str(text.data, "num_files_train is '168' on disk and '100' configured",
         "but is a difference");
  lb_buf_fini(&text);
  c.n_files[LB_SET_EVAL] = 0;
  c.n_folders[LB_SET_EVAL] = 7;
  is_int(lb_manifest_compare(&disk, &c, &err), 0, "a set may be unused");
  c = fixture_manifest();
  memset(c.extra, 'x', sizeof c.extra - 1);
  memset(disk.extra, 'y', sizeof disk.extra - 1);
  is_int(lb_manifest_compare(&disk, &c, &err), -LB_USAGE, "long texts fit");
}

/* Writes the example's manifest with `old' in its text made `new'. */
static void damage(const char *old, const char *new)
{
  struct lb_manifest m = fixture_manifest();
  struct lb_err err = LB_ERR_INIT;
  char path[PATH_MAX], text[8192];
  lb_manifest_write(&m, tap_tmpdir(), &err);
  path_of(path, ".loadbank.json");
  FILE *f = fopen(path, "r+");
  if (!f)
    return;
  size_t n = fread(text, 1, sizeof text - 1, f);
  text[n] = '\0';
  char *at = strstr(text, old);
  ok(at != NULL, "the manifest has %s", old);
  rewind(f);
  if (at) {
    fwrite(text, 1, (size_t)(at - text), f);
    fputs(new, f);
    fputs(at + strlen(old), f);
  }
  fflush(f);
  ok(ftruncate(fileno(f), ftell(f)) == 0, "... damaged");
  fclose(f);
}

static void test_damaged(void)
{
  static const char *const rows[][3] = {
      {"\"num_files_train\": 168", "\"num_files_train\": 167", "fingerprint"},
      {"\"num_files_train\": 168", "\"num_files_train\": -1",
       "num_files_train"},
      {"\"num_files_train\": 168", "\"num_files_train\": \"a\"",
       "num_files_train"},
      {"\"num_files_train\": 168,", "", "num_files_train is missing"},
      {"\"18446744073709551615\"", "\"99999999999999999999\"", "seed"},
      {"\"18446744073709551615\"", "10", "seed"},
      {"\"npz\"", "\"0123456789012345678901234567890123456789\"", "format"},
      {"224,", "224, 0,", "record_dims"},
      {"224,", "1,1,1,1,1,1,1,1,", "record_dims"},
      {"\"manifest_version\": 1", "\"manifest_version\": 2", "knows 1"},
      {"\"manifest_version\"", "\"mani\"", "is it a manifest"},
      {"\"fingerprint\"", "\"finger\"", "missing"},
      {"\"seed\"", "\"format\"", "duplicate"},
      {"{", "[", ".loadbank.json:"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    struct lb_manifest back;
    struct lb_err err = LB_ERR_INIT;
    damage(rows[i][0], rows[i][1]);
    is_int(lb_manifest_read(&back, tap_tmpdir(), &err), -LB_FAILED, "refused");
    ok(strstr(err.msg, rows[i][2]) && strstr(err.msg, ".loadbank.json"),
       "... says: %s", err.msg);
  }
  char path[PATH_MAX];
  struct lb_manifest back;
  struct lb_err err = LB_ERR_INIT;
  path_of(path, ".loadbank.json");
  ok(truncate(path, 1 << 20) == 0, "a megabyte of zeros behind it");
  is_int(lb_manifest_read(&back, tap_tmpdir(), &err), -LB_FAILED,
         "... is refused: %s", err.msg);
  err = (struct lb_err)LB_ERR_INIT;
  ok(truncate(path, 0) == 0, "an empty one");
  is_int(lb_manifest_read(&back, tap_tmpdir(), &err), -LB_FAILED,
         "... is refused: %s", err.msg);
}

/* A failed write leaves the old manifest and nothing else. */
static void test_failed_write(void)
{
  struct lb_manifest m = fixture_manifest(), back;
  struct lb_err err = LB_ERR_INIT;
  char path[PATH_MAX];
  lb_manifest_write(&m, tap_tmpdir(), &err);
  struct rlimit old, small;
  getrlimit(RLIMIT_FSIZE, &old);
  small = old;
  small.rlim_cur = 16;
  signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &small);
  m.seed = 5;
  int rc = lb_manifest_write(&m, tap_tmpdir(), &err);
  setrlimit(RLIMIT_FSIZE, &old);
  is_int(rc, -LB_FAILED, "a limit is met: %s", err.msg);
  is_int(err.sys, EFBIG, "... with its errno");
  path_of(path, ".loadbank.json.tmp");
  ok(access(path, F_OK) != 0, "... no temporary file is left");
  err = (struct lb_err)LB_ERR_INIT;
  lb_manifest_read(&back, tap_tmpdir(), &err);
  ok(back.seed == UINT64_MAX, "... and the old one is whole");
  m.record_bytes = 1.0 / 0.0;
  is_int(lb_manifest_write(&m, tap_tmpdir(), &err), -LB_FAILED,
         "JSON has no infinity");
  err = (struct lb_err)LB_ERR_INIT;
  m = fixture_manifest();
  is_int(lb_manifest_write(&m, "/nowhere/at/all", &err), -LB_FAILED,
         "no folder: %s", err.msg);
}

int main(void)
{
  test_round_trip();
  test_fingerprint();
  test_compare();
  test_damaged();
  test_failed_write();
  return done();
}
