/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finding a workload: a file, a built-in, and what is neither. */
#include "lb-config.h"

#include "loadbank/config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tap.h"

static void write_file(const char *dir, const char *name, const char *text)
{
  char path[PATH_MAX];
  snprintf(path, sizeof path, "%s/%s", dir, name);
  FILE *f = fopen(path, "w");
  ok(f && fputs(text, f) >= 0, "wrote %s", name);
  if (f)
    fclose(f);
}

static const char *find(const char *what, const char *dir, char path[PATH_MAX],
                        struct lb_err *err)
{
  static char kept[256];
  char *text = NULL;
  size_t len = 0;
  *err = (struct lb_err)LB_ERR_INIT;
  if (lb_workload_find(what, &dir, dir != NULL, &text, &len, path, err))
    return NULL;
  snprintf(kept, sizeof kept, "%s", text);
  free(text);
  return kept;
}

struct seen {
  int n;
  char names[4096], line[256];
};

static void see(void *arg, const char *name, const char *path, const char *line)
{
  struct seen *s = arg;
  size_t n = strlen(s->names);
  s->n++;
  snprintf(s->names + n, sizeof s->names - n, "%s ", name);
  if (strstr(path, "/aa.yaml"))
    snprintf(s->line, sizeof s->line, "%s", line);
}

static void test_bad_files(const char *dir)
{
  char path[PATH_MAX], big[PATH_MAX];
  struct lb_err err;
  ok(!find(dir, NULL, path, &err) && strstr(err.msg, "a folder"), "folder: %s",
     err.msg);
  is_int(err.code, LB_USAGE, "is the user's mistake");
  ok(!find("/no/such.yaml", NULL, path, &err) &&
         strstr(err.msg, "No such file"),
     "missing: %s", err.msg);
  ok(!find("", NULL, path, &err), "no name: %s", err.msg);
  snprintf(big, sizeof big, "%s/big.yaml", dir);
  FILE *f = fopen(big, "w");
  for (int i = 0; f && i < 10 * 1024; i++) {
    char block[1024];
    memset(block, '[', sizeof block);
    fwrite(block, 1, sizeof block, f);
  }
  if (f)
    fclose(f);
  ok(!find(big, NULL, path, &err) && strstr(err.msg, "larger than"),
     "10 MB: %s", err.msg);
  snprintf(big, sizeof big, "%s/pipe.yaml", dir);
  ok(!mkfifo(big, 0600), "a pipe");
  ok(find(big, NULL, path, &err) || err.code, "a pipe does not hang");
}

int main(void)
{
  const char *dir = tap_tmpdir();
  char path[PATH_MAX], env[PATH_MAX], other[PATH_MAX], full[PATH_MAX];
  struct lb_err err;
  snprintf(env, sizeof env, "%.3000s/env", dir);
  snprintf(other, sizeof other, "%.3000s/other", dir);
  snprintf(full, sizeof full, "%.3000s/other/workload", dir);
  ok(!mkdir(env, 0755) && !mkdir(other, 0755) && !mkdir(full, 0755), "folders");
  write_file(env, "aa.yaml", "# First line.\na");
  write_file(env, "bb.yaml", "b");
  write_file(full, "aa.yaml", "mine");
  setenv("LB_WORKLOADDIR", env, 1);

  is_str(find("bb", NULL, path, &err), "b", "$LB_WORKLOADDIR");
  is_str(find("aa", other, path, &err), "mine", "--config-dir goes before");
  ok(strstr(path, "other/workload/aa.yaml"), "its path: %s", path);
  snprintf(full, sizeof full, "%.3000s/bb.yaml", env);
  is_str(find(full, NULL, path, &err), "b", "a file by its path");
  ok(!find("bbb", NULL, path, &err) && strstr(err.msg, "did you mean bb?"),
     "nearest: %s", err.msg);
  test_bad_files(dir);

  struct seen s = {0};
  is_int(lb_workload_each(NULL, 0, see, &s, &err), 0, "lists");
  ok(s.n >= 2 && strstr(s.names, "aa bb"), "by name: %s", s.names);
  is_str(s.line, "First line.", "with the first line");
  return done();
}
