/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lb-config.h"

#include "world/host_key.h"

#include <string.h>

#include "tap.h"

static const struct {
  const char *text, *file, *path;
  bool v2;
} rows[] = {
    {"version 2", "0::/user.slice/session-1.scope\n",
     "/user.slice/session-1.scope", true},
    {"version 1 beside version 2",
     "12:cpu,cpuacct:/a\n11:memory:/slurm/job_7\n0::/system.slice\n",
     "/slurm/job_7", false},
    {"memory with another controller", "3:memory,hugetlb:/x\n", "/x", false},
    {"version 2 first", "0::/two\n5:memory:/one\n", "/one", false},
    {"a colon in the path", "0::/a:b/c\n", "/a:b/c", true},
    {"a controller whose name only contains memory", "4:mymemory:/x\n", NULL,
     false},
    {"no end of line", "0::/", "/", true},
    {"empty", "", NULL, false},
    {"junk", "hello\n:\n", NULL, false},
};

static void test_numbers(void)
{
  static const char keys[][LB_HOST_KEY_LEN] = {"b", "b", "a", "c",
                                               "a", "b", "c"};
  enum { N = sizeof keys / sizeof *keys };
  static const struct lb_host_seat want[N] = {
      {0, 0, 0, 3}, {0, 0, 1, 3}, {1, 2, 0, 2}, {2, 3, 0, 2},
      {1, 2, 1, 2}, {0, 0, 2, 3}, {2, 3, 1, 2}};
  struct lb_host_seat seat[N];
  is_int(lb_host_number(keys, N, seat), 3, "three hosts");
  for (int i = 0; i < N; i++) {
    is_int(seat[i].host, want[i].host, "rank %d: the host, in their order", i);
    is_int(seat[i].first, want[i].first, "rank %d: its lowest rank", i);
    is_int(seat[i].rank, want[i].rank, "rank %d: its place on it", i);
    is_int(seat[i].ranks, want[i].ranks, "rank %d: of so many", i);
  }
  is_int(lb_host_number(keys, 1, seat), 1, "one rank is one host");
}

int main(void)
{
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char path[64] = "";
    bool v2 = false;
    bool found = lb_host_cgroup(rows[i].file, path, sizeof path, &v2);
    is_str(found ? path : NULL, rows[i].path, "%s", rows[i].text);
    is_int(v2, rows[i].v2, "%s: version", rows[i].text);
  }
  test_numbers();
  char a[LB_HOST_KEY_LEN], b[LB_HOST_KEY_LEN];
  lb_host_key(a);
  lb_host_key(b);
  is_str(a, b, "the key does not change");
  is_int(strcspn(a, "/"), 36, "it begins with the boot id");
  return done();
}
