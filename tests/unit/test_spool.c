/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The spool: all records arrive in order, losses are counted, a full disk does
 * not stop the recorder. */
#include "lb-config.h"

#include "loadbank/spool.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tap.h"

enum { N = 300000, RING = 32768 };

/* Slower than the writer by far on a machine with a core to spare. */
static void put_all(struct lb_spool *s)
{
  for (uint32_t i = 0; i < N; i++) {
    struct lb_spool_record r = {i & 7, i >> 3, {i, i + 1, i + 2}};
    lb_spool_put(s, &r);
    if (i % 4096 == 0)
      usleep(2000);
  }
}

static void all_arrive(const char *path)
{
  struct lb_err err = LB_ERR_INIT;
  struct lb_spool *s;
  is_int(lb_spool_new(&s, path, &err), 0, "made");
  put_all(s);
  is_int(lb_spool_finish(s, &err), 0, "finished");
  is_int(lb_spool_finish(s, &err), 0, "twice is fine");
  FILE *f = fopen(path, "rb");
  struct lb_spool_record r;
  uint64_t n = 0, in_order = 0;
  uint32_t last = 0;
  while (f && fread(&r, sizeof r, 1, f) == 1) {
    in_order += (n == 0 || r.v[0] > last) && r.v[1] == r.v[0] + 1 &&
                r.v[2] == r.v[0] + 2 && r.acc == (r.v[0] & 7);
    last = r.v[0];
    n++;
  }
  if (f)
    fclose(f);
  is_int(n + lb_spool_lost(s), N, "arrived or counted as lost");
  is_int(in_order, n, "whole and in order");
  ok(n >= RING || n == N, "at least what the ring can hold has arrived");
  uint64_t lost = lb_spool_lost(s);
  lb_spool_put(s, &r);
  is_int(lb_spool_lost(s), lost + 1, "after the end all are lost");
  lb_spool_free(s);
  ok(access(path, F_OK) != 0, "the file is gone");
}

static void full_disk(void)
{
  struct lb_err err = LB_ERR_INIT;
  struct lb_spool *s;
  if (access("/dev/full", W_OK)) {
    ok(true, "# SKIP no /dev/full");
    return;
  }
  char link_path[512];
  snprintf(link_path, sizeof link_path, "%s/full", tap_tmpdir());
  is_int(symlink("/dev/full", link_path), 0, "link to a full device");
  is_int(lb_spool_new(&s, link_path, &err), 0, "made");
  put_all(s);
  is_int(lb_spool_finish(s, &err), -LB_FAILED, "no space is an error");
  ok(strstr(err.msg, "No space") != NULL, "that says so: %s", err.msg);
  is_int(lb_spool_lost(s), N, "and everything counts as lost");
  lb_spool_free(s);
}

int main(void)
{
  char path[512];
  snprintf(path, sizeof path, "%s/spool", tap_tmpdir());
  all_arrive(path);
  full_disk();
  struct lb_err err = LB_ERR_INIT;
  struct lb_spool *s;
  is_int(lb_spool_new(&s, "/nonexistent/spool", &err), -LB_FAILED,
         "no folder: an error");
  ok(s == NULL && strstr(err.msg, "/nonexistent/spool"), "with the path");
  lb_spool_free(NULL);
  is_int(lb_step_units(0), 0, "0 ns");
  is_int(lb_step_units(149), 1, "149 ns rounds to 1");
  is_int(lb_step_units(150), 2, "150 ns rounds to 2");
  is_int(lb_step_units(UINT64_C(430000000000)), LB_STEP_LONGEST,
         "430 s is the longest");
  ok(LB_STEP_LONGEST != LB_STEP_MISSING, "which is not `missing'");
  return done();
}
