/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Descriptions of systems: each rule of the schema broken once; compared with
 * hosts. */
#include "lb-config.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mlperf/system_impl.h"
#include "system_rig.h"
#include "tap.h"

/* 3 x 2 + 2 x 1 rack units; 3 x 2 x 1400 + 2 x 1 x 300 W. */
static const char sample[] =
    "system_under_test:\n"
    "  solution:\n"
    "    submission_name: box-1\n"
    "    friendly_description: A box\n"
    "    architecture:\n"
    "      storage_location: remote\n"
    "      benchmark_API: file\n"
    "      product_API: block\n"
    "      client_footprint: open_source\n"
    "      client_installation: in_box\n"
    "    capabilities:\n"
    "      multi_host: true\n"
    "      simultaneous_write: yes\n"
    "      simultaneous_read: true\n"
    "      remap_time_in_seconds: 0\n"
    "  deployment: onprem\n"
    "  product_nodes:\n"
    "    - friendly_description: Node\n"
    "      quantity: 3\n"
    "      chassis:\n"
    "        model_name: N-1\n"
    "        rack_units: 2\n"
    "        cpu_model: CPU\n"
    "        cpu_qty: 2\n"
    "        cpu_cores: 64\n"
    "        memory_capacity: 512\n"
    "        power:\n"
    "          min_psus_active: 2\n"
    "          psus_configured:\n"
    "            - {unit_count: 3, inlet_voltage: 230,\n"
    "               nameplate_power_watts: 1600, efficiency: Gold}\n"
    "            - {unit_count: 1, inlet_voltage: 230,\n"
    "               nameplate_power_watts: 800, efficiency: Gold}\n"
    "      networking:\n"
    "        - {unit_count: 2, type: ethernet, state: up, speed: 100,\n"
    "           traffic: [data, backend]}\n"
    "        - {unit_count: 1, type: other, state: down}\n"
    "      drives:\n"
    "        - {unit_count: 24, vendor_name: V, model_name: M,\n"
    "           interface: nvme, media_type: TLC, capacity_in_GB: 7680,\n"
    "           performance: {seq_read_MBps: 7000, seq_write_MBps: 4000,\n"
    "             random_read_IOPS: 1000000, random_write_IOPS: 200000,\n"
    "             form_factor: U.2, interface_speed: PCIe Gen5 x4}}\n"
    "      operating_system: {name: Os, version: \"9.5\"}\n"
    "      environment: []\n"
    "      sysctl: [{name: a.b, value: \"1\"}]\n"
    "  product_switches:\n"
    "    - {unit_count: 2, vendor_name: V, model_name: S, rack_units: 1,\n"
    "       ports: [{unit_count: 32, type: ethernet, state: up, speed: 400,\n"
    "         traffic: [data]}],\n"
    "       power: {min_psus_active: 1, psus_configured: [{unit_count: 2,\n"
    "         inlet_voltage: 230, nameplate_power_watts: 300,\n"
    "         efficiency: Platinum}]}}\n"
    "  total_rack_units: 8\n"
    "  clients:\n"
    "    - friendly_description: Client\n"
    "      quantity: 2\n"
    "      chassis: {model_name: C-1, rack_units: 1, cpu_model: CPU,\n"
    "        cpu_qty: 1, cpu_cores: 32, memory_capacity: 256,\n"
    "        power: {min_psus_active: 1, psus_configured: [{unit_count: 2,\n"
    "          inlet_voltage: 230, nameplate_power_watts: 500,\n"
    "          efficiency: Bronze}]}}\n"
    "      networking:\n"
    "        - {unit_count: 1, type: ethernet, state: up, speed: 100,\n"
    "           traffic: [data]}\n"
    "      operating_system: {name: Os, version: \"9.5\"}\n"
    "    - friendly_description: Another client\n"
    "      quantity: 1\n"
    "      chassis: {model_name: C-2, rack_units: 1, cpu_model: CPU,\n"
    "        cpu_qty: 1, cpu_cores: 32, memory_capacity: 300,\n"
    "        power: {min_psus_active: 1, psus_configured: [{unit_count: 2,\n"
    "          inlet_voltage: 230, nameplate_power_watts: 500,\n"
    "          efficiency: Ruby}]}}\n"
    "      networking:\n"
    "        - {unit_count: 1, type: infiniband, state: up, speed: 400,\n"
    "           traffic: [data]}\n"
    "      operating_system: {name: Os, version: \"9.5\"}\n";

/* The sample with the first `from' replaced; the caller frees it. */
static char *changed(const char *text, const char *from, const char *to)
{
  const char *at = strstr(text, from);
  if (!at)
    ok(false, "the sample has '%s'", from);
  size_t size = strlen(text) + strlen(to) + 1;
  char *out = malloc(size);
  if (out)
    snprintf(out, size, "%.*s%s%s", at ? (int)(at - text) : 0, text, to,
             at ? at + strlen(from) : "");
  return out;
}

static void test_sample(void)
{
  struct lb_mlperf_system s;
  struct lb_mlperf_flaws flaws = check(sample, &s);
  is_int((long long)flaws.n, 0, "no flaw%s%s", flaws.n ? ": " : "",
         flaws.n ? flaws.flaw[0].text : "");
  lb_mlperf_flaws_fini(&flaws);
  is_str(s.submission_name, "box-1", "its name");
  is_str(s.storage_location, "remote", "where the storage is");
  is_int(s.multi_host, 1, "several hosts");
  is_int(s.simultaneous_write, 1, "yes is true");
  is_int(s.remap_seconds, 0, "no remap time");
  is_int(s.rack_units, 8, "rack units");
  is_near(s.watts, 3 * 2 * 1400 + 2 * 300, 1e-9,
          "watts of the supplies that must be active, at their mean");
  is_int(s.clients, 3, "hosts");
  is_int(s.client_groups, 2, "in two groups");
  is_int(s.client_memory_gib, 256, "memory of the first");
}

/* One change makes exactly one flaw. */
static const struct {
  const char *from, *to, *path, *text;
} broken[] = {
    {"product_API: block", "product_API: blocks",
     "solution.architecture.product_API",
     "x.yaml:8: solution.architecture.product_API: 'blocks': allowed is file, "
     "object or block"},
    {"    friendly_description: A box\n", "", "solution.friendly_description",
     "missing: allowed is a text"},
    {"submission_name: box-1", "submission_name:", "solution.submission_name",
     "x.yaml:3: solution.submission_name: not filled in: allowed is a text"},
    {"friendly_description: A box", "friendly_description: 2026-11-30",
     "solution.friendly_description", "put it in quotes"},
    {"friendly_description: A box", "friendly_description: 12_3.5e+7",
     "solution.friendly_description", "put it in quotes"},
    {"version: \"9.5\"", "version: 9.5",
     "product_nodes[0].operating_system.version",
     "9.5: allowed is a text; put it in quotes"},
    {"value: \"1\"", "value: off", "product_nodes[0].sysctl[0].value",
     "put it in quotes"},
    {"multi_host: true", "multi_host: perhaps",
     "solution.capabilities.multi_host", "allowed is true or false"},
    {"client_footprint: open_source", "client_footprint: n/a",
     "solution.architecture", "n/a is for both or for neither"},
    {"remap_time_in_seconds: 0", "remap_time_in_seconds: 20",
     "solution.capabilities", "0 exactly when both are true"},
    {"simultaneous_read: true", "simultaneous_read: false",
     "solution.capabilities", "0 exactly when both are true"},
    {"remap_time_in_seconds: 0", "remap_time_in_seconds: -1",
     "solution.capabilities.remap_time_in_seconds", "at least 0"},
    {"deployment: onprem", "deployment: moon", "deployment", "onprem or cloud"},
    {"quantity: 3", "quantity: 0x3", "product_nodes[0].quantity",
     "'0x3': allowed is an integer, at least 1"},
    {"cpu_qty: 2", "cpu_qty: 0", "product_nodes[0].chassis.cpu_qty",
     "at least 1"},
    {"        rack_units: 2\n", "", "product_nodes[0].chassis.rack_units",
     "missing when deployment is onprem"},
    {"min_psus_active: 2", "min_psus_active: 5",
     "product_nodes[0].chassis.power", "5, more than the 4"},
    {"nameplate_power_watts: 1600", "power_capacity_watts: 1600",
     "product_nodes[0].chassis.power.psus_configured[0].nameplate_power_watts",
     "missing"},
    {"efficiency: Gold", "efficiency: gold",
     "product_nodes[0].chassis.power.psus_configured[0].efficiency",
     "Standard, Bronze, Silver"},
    {"speed: 100,\n           traffic: [data, backend]}",
     "traffic: [data, backend]}", "product_nodes[0].networking[0].speed",
     "missing when state is up"},
    {"traffic: [data, backend]", "traffic: []",
     "product_nodes[0].networking[0].traffic",
     "not filled in when state is up"},
    {"traffic: [data, backend]", "traffic: [data, front]",
     "product_nodes[0].networking[0].traffic[1]", "'front'"},
    {"state: down", "state: asleep", "product_nodes[0].networking[1].state",
     "up or down"},
    {"interface: nvme", "interface: NVMe",
     "product_nodes[0].drives[0].interface",
     "allowed is nvme, sas, sata or other"},
    {"seq_write_MBps: 4000,", "",
     "product_nodes[0].drives[0].performance.seq_write_MBps", "missing"},
    {"total_rack_units: 8", "total_rack_units: 9", "total_rack_units",
     "9, but product nodes have 6 and product switches 2"},
    {"  total_rack_units: 8\n", "", "total_rack_units",
     "missing when deployment is onprem"},
    {"ports: [{unit_count: 32, type: ethernet, state: up, speed: 400,\n"
     "         traffic: [data]}],",
     "ports: [],", "product_switches[0].ports", "not filled in"},
    {"sysctl: [{name: a.b, value: \"1\"}]", "sysctl: {name: a.b, value: x}",
     "product_nodes[0].sysctl", "a map: allowed is a list of maps"},
    {"sysctl: [{name: a.b, value: \"1\"}]", "sysctl: [a.b]",
     "product_nodes[0].sysctl[0]", "no map"},
    {"environment: []", "enviroment: []", "product_nodes[0].enviroment",
     "unknown key; did you mean 'environment'?"},
    {"  deployment: onprem", "  deployment: onprem\n  color: red", "color",
     "x.yaml:17: color: unknown key"},
    {"quantity: 2", "quantity: 2\n      quantity: 3", "", "given twice"},
    {"system_under_test:", "system: &a", "system", "unknown key"},
};

/* The flaws of a broken sample but those that every broken name brings. */
static size_t others(const struct lb_mlperf_flaws *flaws, const char *path)
{
  size_t n = 0;
  for (size_t i = 0; i < flaws->n; i++)
    n += strcmp(flaws->flaw[i].path, path) != 0 &&
         !strstr(flaws->flaw[i].text, "unknown key") &&
         !strstr(flaws->flaw[i].path, "system_under_test");
  return n;
}

static void test_broken(void)
{
  for (size_t i = 0; i < sizeof broken / sizeof broken[0]; i++) {
    struct lb_mlperf_system s;
    char *text = changed(sample, broken[i].from, broken[i].to);
    struct lb_mlperf_flaws flaws = check(text, &s);
    size_t j = 0;
    while (j < flaws.n && strcmp(flaws.flaw[j].path, broken[i].path) != 0)
      j++;
    ok(j < flaws.n && strstr(flaws.flaw[j].text, broken[i].text) != NULL,
       "%zu: %s", i,
       j < flaws.n   ? flaws.flaw[j].text
       : flaws.n > 0 ? flaws.flaw[0].text
                     : "no flaw");
    is_int((long long)others(&flaws, broken[i].path), 0, "and no other");
    lb_mlperf_flaws_fini(&flaws);
    free(text);
  }
}

/* Where the words stand decides what is refused. */
static void test_places(void)
{
  struct lb_mlperf_system s;
  char *text = changed(sample, "deployment: onprem", "deployment: cloud");
  struct lb_mlperf_flaws flaws = check(text, &s);
  static const char *const cloud[] = {"product_nodes[0].chassis.rack_units",
                                      "product_nodes[0].chassis.power",
                                      "product_switches",
                                      "clients[0].chassis.rack_units",
                                      "clients[0].chassis.power",
                                      "clients[1].chassis.rack_units",
                                      "clients[1].chassis.power"};
  is_int((long long)flaws.n, 7, "a cloud has no racks");
  for (size_t i = 0; i < flaws.n && i < 7; i++)
    ok(!strcmp(flaws.flaw[i].path, cloud[i]) &&
           strstr(flaws.flaw[i].text, "not allowed when deployment is cloud"),
       "%s", flaws.flaw[i].text);
  lb_mlperf_flaws_fini(&flaws);
  free(text);

  text = changed(sample, "storage_location: remote", "storage_location: local");
  flaws = check(text, &s);
  is_int((long long)flaws.n, 1, "local storage has no switches");
  ok(flaws.n && strstr(flaws.flaw[0].text, "not allowed when storage_location"),
     "said so");
  lb_mlperf_flaws_fini(&flaws);
  free(text);

  text = changed(sample, "storage_location: remote",
                 "storage_location: remote_and_local");
  char *bare = changed(text,
                       "      networking:\n        - {unit_count: 1, type: "
                       "ethernet, state: up, speed: 100,\n           traffic: "
                       "[data]}\n",
                       "");
  flaws = check(bare, &s);
  is_int((long long)flaws.n, 1, "remote storage needs a network");
  ok(flaws.n && !strcmp(flaws.flaw[0].path, "clients[0].networking"),
     "of each client");
  lb_mlperf_flaws_fini(&flaws);
  free(bare);
  free(text);
}

static void test_foreign(void)
{
  static const char *const texts[] = {
      "",
      "a: [",
      "- 1\n",
      "x",
      "system_under_test: 5",
      "system_under_test: {clients: 5, product_nodes: {a: {b: c}}}",
      "system_under_test: {product_nodes: [[[[[]]]]], clients: [1, [], {}]}"};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    struct lb_mlperf_system s;
    struct lb_mlperf_flaws flaws = check(texts[i], &s);
    ok(flaws.n > 0, "%zu: %s", i, flaws.n ? flaws.flaw[0].text : "");
    is_int(s.rack_units, -1, "nothing is known of it");
    lb_mlperf_flaws_fini(&flaws);
  }
  char *many = malloc(100000), *p = many;
  p += snprintf(p, 100, "system_under_test:\n");
  for (int i = 0; i < 1000; i++)
    p += snprintf(p, 90, "  k%d: 1\n", i);
  struct lb_mlperf_system s;
  struct lb_mlperf_flaws flaws = check(many, &s);
  is_int((long long)flaws.n, LB_MLPERF_FLAWS, "a thousand flaws are cut off");
  ok(strstr(flaws.flaw[flaws.n - 1].text, "more is wrong") != NULL, "said so");
  lb_mlperf_flaws_fini(&flaws);
  free(many);
}

/* ---- hosts ---- */

static struct lb_mlperf_flaws
compare(const char *text, const struct lb_mlperf_host *hosts, size_t n)
{
  char path[PATH_MAX];
  struct lb_mlperf_flaws flaws;
  struct lb_err err = LB_ERR_INIT;
  snprintf(path, sizeof path, "%s/compare.yaml", tap_tmpdir());
  FILE *f = fopen(path, "w");
  if (!f || fputs(text, f) < 0 || fclose(f) != 0)
    ok(false, "%s is written", path);
  is_int(lb_mlperf_system_compare(path, hosts, n, &flaws, &err), 0, "compared");
  return flaws;
}

static void expect(const struct lb_mlperf_host *hosts, size_t n,
                   const char *path, const char *text)
{
  struct lb_mlperf_flaws flaws = compare(sample, hosts, n);
  is_int((long long)flaws.n, text ? 1 : 0, "differences: %s",
         flaws.n ? flaws.flaw[0].text : "none");
  if (text && flaws.n) {
    is_str(flaws.flaw[0].path, path, "of the right field");
    ok(strstr(flaws.flaw[0].text, text) != NULL, "%s", flaws.flaw[0].text);
  }
  lb_mlperf_flaws_fini(&flaws);
}

static void test_compare(void)
{
  static struct lb_mlperf_host h[3], good;
  make_host(&h[0], "n0");
  make_host(&h[1], "n1");
  make_host(&h[2], "n2");
  snprintf(h[1].model, sizeof h[1].model, "C-2");
  h[1].memory_bytes = UINT64_C(300) << 30;
  h[1].port[0] = (struct lb_mlperf_port){
      .type = "infiniband", .up = true, .speed = 400, .count = 1};
  expect(h, 3, NULL, NULL);
  expect(h, 2, "clients[0].quantity", "2, but 1 of the hosts is like that");
  good = h[2];
  h[2].memory_bytes = UINT64_C(200) << 30;
  expect(h, 3, "clients[0].chassis.memory_capacity",
         "256 GiB, but host n2 has 200 GiB");
  h[2].memory_bytes = 0;
  expect(h, 3, NULL, NULL); /* a missing fact */
  h[2] = good;
  h[2].cpu_cores = 64;
  expect(h, 3, "clients[0].chassis.cpu_cores", "32, but host n2 has 64");
  h[2] = good;
  h[2].port[0].speed = 25;
  expect(h, 3, "clients[0].networking",
         "0 ethernet ports up of 25 Gbit/s, but host n2 has 1");
  h[2].port[0].speed = 0;
  expect(h, 3, NULL, NULL);
  h[2].port[0].count = 2;
  expect(h, 3, "clients[0].networking",
         "1 ethernet ports up, but host n2 has 2");
  h[2] = good;
  snprintf(h[2].os_version, sizeof h[2].os_version, "9.6");
  expect(h, 3, "clients[0].operating_system.version", "'9.6'");
  h[2] = good;
  h[2].n_ports = 0;
  expect(h, 3, "clients[0].networking", "but host n2 has 0");
  h[2].n_missing = 1;
  h[2].missing[0] = (struct lb_mlperf_missing){"networking", "gone"};
  expect(h, 3, NULL, NULL);
}

static void test_compare_lists(void)
{
  static struct lb_mlperf_host h[1];
  static const char text[] =
      "system_under_test:\n"
      "  clients:\n"
      "    - quantity: 1\n"
      "      chassis: {model_name: '', cpu_qty: , memory_capacity: x}\n"
      "      drives:\n"
      "        - {unit_count: 2, model_name: M, interface: nvme}\n"
      "      sysctl:\n"
      "        - {name: vm.dirty_ratio, value: '20'}\n"
      "        - {name: not.told, value: '1'}\n";
  make_host(&h[0], "n0");
  h[0].n_drives = 2;
  h[0].drive[0] = (struct lb_mlperf_drive){
      .model = "M", .interface = "nvme", .capacity = 100, .count = 2};
  h[0].drive[1] = (struct lb_mlperf_drive){
      .model = "BOOT", .interface = "sata", .capacity = 100, .count = 1};
  h[0].n_sysctls = 1;
  h[0].sysctl[0] = (struct lb_mlperf_sysctl){"vm.dirty_ratio", "20"};
  struct lb_mlperf_flaws flaws = compare(text, h, 1);
  is_int((long long)flaws.n, 0, "blank fields, and drives more, are fine");
  lb_mlperf_flaws_fini(&flaws);
  h[0].drive[0].count = 1;
  h[0].sysctl[0] = (struct lb_mlperf_sysctl){"vm.dirty_ratio", "40"};
  flaws = compare(text, h, 1);
  is_int((long long)flaws.n, 2, "a drive less, and a setting");
  is_str(flaws.flaw[0].path, "clients[0].drives[0]", "the drive");
  is_str(flaws.flaw[1].path, "clients[0].sysctl[0].value", "the setting");
  lb_mlperf_flaws_fini(&flaws);
  h[0].n_drives = 0;
  h[0].n_sysctls = 0;
  h[0].n_missing = 1;
  h[0].missing[0] = (struct lb_mlperf_missing){"drives", "gone"};
  flaws = compare(text, h, 1);
  is_int((long long)flaws.n, 0, "a host that cannot tell its drives");
  lb_mlperf_flaws_fini(&flaws);
}

static void test_schema(void)
{
  for (size_t i = 0; i < lb_system_n_keys; i++) {
    const struct lb_system_key *k = &lb_system_keys[i];
    bool words = k->type == LB_SYSTEM_WORD || k->type == LB_SYSTEM_WORDS;
    bool maps = k->type == LB_SYSTEM_MAP || k->type == LB_SYSTEM_MAPS;
    if (lb_system_key(k->of, k->name) != k || !k->doc || !*k->doc ||
        words != (k->words != NULL) || maps != (k->map != LB_SYSTEM_ROOT) ||
        (k->must & k->never))
      ok(false, "row %s of the schema", k->name);
  }
  ok(lb_system_n_keys > 60, "%zu keys", lb_system_n_keys);
}

int main(void)
{
  test_schema();
  test_sample();
  test_broken();
  test_places();
  test_foreign();
  test_compare();
  test_compare_lists();
  return done();
}
