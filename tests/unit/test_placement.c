/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sets of processors as text, who shares them, and the warnings. */
#include "lb-config.h"

#include "loadbank/placement.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tap.h"

/* "0-3,8" to a set. */
static cpu_set_t set_of(const char *text)
{
  cpu_set_t set;
  CPU_ZERO(&set);
  while (*text) {
    char *end;
    long first = strtol(text, &end, 10), last = first;
    if (*end == '-')
      last = strtol(end + 1, &end, 10);
    for (long i = first; i <= last; i++)
      CPU_SET((int)i, &set);
    text = end + (*end == ',');
  }
  return set;
}

static void test_text(void)
{
  static const char *const rows[] = {"0",     "0-1",         "0,2",    "0-3,8",
                                     "63-64", "1,1022-1023", "0-1023", ""};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    cpu_set_t set = set_of(rows[i]);
    char text[64];
    lb_cpus_text(&set, text, sizeof text);
    is_str(text, rows[i], "the set '%s'", rows[i]);
  }
  cpu_set_t set = set_of("0,2,4,6,8,10,12");
  char text[12];
  lb_cpus_text(&set, text, sizeof text);
  is_str(text, "0,2,4,6,...", "a set that does not fit says so");
}

/* Two packages of two cores of two processors each: 0-3 and 4-7. */
static struct lb_cpu_map two_packages(void)
{
  struct lb_cpu_map map = {.known = true};
  map.allowed = set_of("0-7");
  for (int i = 0; i < 8; i++) {
    map.part[i][LB_CPU_CORE] = (uint16_t)(i / 2);
    map.part[i][LB_CPU_PACKAGE] = map.part[i][LB_CPU_NUMA] = (uint16_t)(i / 4);
  }
  return map;
}

static void test_map(void)
{
  struct lb_cpu_map map = two_packages();
  cpu_set_t set = set_of("1-4"), nodes;
  char text[16];
  is_int(lb_cpu_map_count(&map, &set, LB_CPU_CORE), 3, "three cores");
  is_int(lb_cpu_map_count(&map, &set, LB_CPU_PACKAGE), 2, "two packages");
  lb_cpu_map_parts(&map, &set, LB_CPU_NUMA, &nodes);
  lb_cpus_text(&nodes, text, sizeof text);
  is_str(text, "0-1", "NUMA nodes by number");
  map.known = false;
  is_int(lb_cpu_map_count(&map, &set, LB_CPU_CORE), 0, "not known: none");
}

static void test_here(void)
{
  static struct lb_cpu_map map;
  cpu_set_t mine, both;
  lb_cpu_map_probe(&map);
  lb_cpus_mine(&mine);
  CPU_AND(&both, &mine, &map.allowed);
  ok(CPU_COUNT(&mine) > 0, "this process runs on some processor");
  ok(CPU_EQUAL(&both, &mine), "... of those that are allowed");
  ok(!map.known || lb_cpu_map_count(&map, &mine, LB_CPU_CORE) > 0,
     "... which belong to cores, where these are known");
  ok(!map.known ||
         lb_cpu_map_count(&map, &mine, LB_CPU_CORE) <= CPU_COUNT(&mine),
     "... not more than there are processors");
}

struct heard {
  int n;
  char text[400];
};

static void hear(void *arg, const char *text)
{
  struct heard *h = arg;
  h->n++;
  snprintf(h->text, sizeof h->text, "%s", text);
}

/* n ranks with masks taken in turn from `masks', all on one host. */
static struct heard warned(int n, const char *const *masks, int n_masks,
                           int threads, bool known)
{
  struct lb_host_place host = {.map = two_packages()};
  struct lb_placement p = {.n_hosts = 1, .host = &host};
  struct lb_place place[64];
  struct lb_err err = LB_ERR_INIT;
  struct heard h = {0};
  host.map.known = known;
  for (int i = 0; i < n; i++)
    place[i] = (struct lb_place){.threads = threads,
                                 .cpus = set_of(masks[i % n_masks]),
                                 .name = "node7"};
  if (lb_placement_sort(&p, place, n, &err))
    ok(false, "sorted");
  lb_placement_warnings(&p, hear, &h);
  free(host.binding);
  return h;
}

static void test_warnings(void)
{
  static const char *const all[] = {"0-7"}, *const halves[] = {"0-3", "4-7"},
                           *const cores[] = {"0", "1", "2", "3"};
  is_int(warned(2, all, 1, 33, true).n, 0, "free ranks: nothing");
  is_int(warned(2, halves, 2, 33, true).n, 0, "a package each: nothing");
  is_int(warned(4, cores, 4, 1, true).n, 0, "a core and a thread: nothing");
  struct heard h = warned(4, cores, 4, 5, true);
  is_int(h.n, 1, "five threads bound to one processor: a warning");
  ok(strstr(h.text, "host node7: rank 0 has 5 threads and is bound to 1 of 8 "
                    "processors (0)"),
     "... with the numbers");
  is_int(warned(4, cores, 4, 5, false).n, 0,
         "not when the host may allow no others");
  is_int(warned(32, all, 1, 1, true).n, 0, "32 ranks on 8 processors: nothing");
  h = warned(33, all, 1, 1, true);
  is_int(h.n, 1, "33 ranks on 8 processors: a warning");
  ok(strstr(h.text, "33 ranks share 8 processors"), "... with the numbers");
}

static void test_sort(void)
{
  struct lb_host_place host[2] = {{.ranks = 0}};
  struct lb_placement p = {.n_hosts = 2, .host = host};
  struct lb_err err = LB_ERR_INIT;
  const struct lb_place all[] = {
      {.host = 0, .threads = 3, .cpus = set_of("0-1"), .name = "a"},
      {.host = 1, .threads = 3, .cpus = set_of("0"), .name = "b"},
      {.host = 0, .threads = 5, .cpus = set_of("0-1"), .name = "a"},
      {.host = 0, .threads = 4, .cpus = set_of("2"), .name = "a"},
  };
  ok(!lb_placement_sort(&p, all, 4, &err), "four ranks on two hosts");
  ok(host[0].ranks == 3 && host[0].threads == 12 && !strcmp(host[0].name, "a"),
     "ranks and threads of a host");
  is_int(CPU_COUNT(&host[0].cpus), 3, "its processors together");
  is_int((long long)host[0].n_bindings, 2, "two masks");
  ok(host[0].binding[0].ranks == 2 && host[0].binding[0].threads == 5 &&
         host[0].binding[1].first_rank == 3,
     "who has which");
  const struct lb_host_place *worst = lb_placement_crowded(&p);
  is_str(worst ? worst->name : "", "a", "4 threads a processor are the most");
  for (int i = 0; i < 2; i++)
    free(host[i].binding);
}

int main(void)
{
  test_text();
  test_map();
  test_here();
  test_warnings();
  test_sort();
  return done();
}
