/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Facts of hosts, from files as /proc and /sys have them. */
#include "lb-config.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "loadbank/json.h"
#include "mlperf/host.h"
#include "tap.h"

/* "path" below the folder of this test, and the folders above it. */
static void place(const char *path, char out[PATH_MAX])
{
  snprintf(out, PATH_MAX, "%s%s", tap_tmpdir(), path);
  for (char *p = out + strlen(tap_tmpdir()) + 1; *p; p++)
    if (*p == '/') {
      *p = '\0';
      mkdir(out, 0777);
      *p = '/';
    }
}

static void put(const char *path, const char *text)
{
  char full[PATH_MAX];
  place(path, full);
  FILE *f = fopen(full, "w");
  if (!f || fprintf(f, "%s\n", text) < 0 || fclose(f) != 0)
    ok(false, "%s is written", path);
}

static void lead(const char *path, const char *target)
{
  char full[PATH_MAX], to[PATH_MAX];
  place(path, full);
  place(target, to);
  mkdir(to, 0777);
  ok(!symlink(to, full), "%s", path);
}

static void make_cpus(void)
{
  static const char *const cpus[][3] = {
      {"cpu0", "0", "0"},  {"cpu1", "0", "1"},  {"cpu2", "1", "0"},
      {"cpu3", "1", "1"},  {"cpu4", "0", "0"},  {"cpu10", "0", "1"},
      {"cpu11", "1", "0"}, {"cpu12", "1", "1"},
  };
  char path[200];
  for (size_t i = 0; i < sizeof cpus / sizeof cpus[0]; i++) {
    snprintf(path, sizeof path,
             "/sys/devices/system/cpu/%s/topology/physical_package_id",
             cpus[i][0]);
    put(path, cpus[i][1]);
    snprintf(path, sizeof path, "/sys/devices/system/cpu/%s/topology/core_id",
             cpus[i][0]);
    put(path, cpus[i][2]);
  }
  put("/sys/devices/system/cpu/cpufreq/topology/core_id", "7");
  put("/proc/cpuinfo", "processor\t: 0\nmodel name\t: Fast CPU @ 3 GHz\n");
}

static void make_interface(const char *name, const char *type,
                           const char *state, const char *speed, bool device)
{
  char path[200], target[200];
  snprintf(path, sizeof path, "/sys/class/net/%s/type", name);
  put(path, type);
  snprintf(path, sizeof path, "/sys/class/net/%s/operstate", name);
  put(path, state);
  snprintf(path, sizeof path, "/sys/class/net/%s/speed", name);
  put(path, speed);
  snprintf(path, sizeof path, "/sys/class/net/%s/device", name);
  snprintf(target, sizeof target, "/sys/devices/pci0/net-%s", name);
  if (device)
    lead(path, target);
}

static void make_ports(void)
{
  make_interface("lo", "772", "unknown", "0", false);
  make_interface("bond0", "1", "up", "200000", false);
  make_interface("eth0", "1", "up", "100000", true);
  make_interface("eth1", "1", "up", "100000", true);
  make_interface("eth2", "1", "down", "-1", true);
  make_interface("eth3", "1", "up", "-1", true); /* a virtual machine's */
  make_interface("ib0", "32", "up", "100000", true);
  put("/sys/class/infiniband/mlx5_0/ports/1/state", "4: ACTIVE");
  put("/sys/class/infiniband/mlx5_0/ports/1/rate", "400 Gb/sec (4X NDR)");
  put("/sys/class/infiniband/mlx5_0/ports/1/link_layer", "InfiniBand");
  put("/sys/class/infiniband/mlx5_0/ports/2/state", "1: DOWN");
  put("/sys/class/infiniband/mlx5_1/ports/1/state", "4: ACTIVE");
  put("/sys/class/infiniband/mlx5_1/ports/1/rate", "100 Gb/sec (4X EDR)");
  put("/sys/class/infiniband/mlx5_1/ports/1/link_layer", "Ethernet");
}

static void make_disk(const char *name, const char *where, const char *sectors,
                      const char *vendor, const char *model,
                      const char *rotates)
{
  char path[200], target[200];
  snprintf(target, sizeof target, "/sys/devices/%s/block/%s/size", where, name);
  put(target, sectors);
  snprintf(target, sizeof target, "/sys/devices/%s/block/%s/queue/rotational",
           where, name);
  put(target, rotates);
  snprintf(target, sizeof target, "/sys/devices/%s/model", where);
  put(target, model);
  snprintf(target, sizeof target, "/sys/devices/%s/vendor", where);
  if (*vendor)
    put(target, vendor);
  snprintf(path, sizeof path, "/sys/devices/%s/block/%s/device", where, name);
  snprintf(target, sizeof target, "/sys/devices/%s", where);
  lead(path, target);
  snprintf(path, sizeof path, "/sys/block/%s", name);
  snprintf(target, sizeof target, "/sys/devices/%s/block/%s", where, name);
  lead(path, target);
}

static void make_drives(void)
{
  make_disk("nvme0n1", "pci0/nvme0", "15002931888", "", "MAKER 7T6", "0");
  make_disk("nvme1n1", "pci0/nvme1", "15002931888", "", "MAKER 7T6", "0");
  make_disk("sda", "pci0/ata1/target0", "1953525168", "ATA", "OLD-1T", "1");
  make_disk("sdb", "pci0/host1/end_device-1:0/target1", "3907029168",
            "MAKER   ", "SAS-2T", "0");
  make_disk("vda", "pci0/virtio1", "2000000", "0x1af4", "", "1");
  make_disk("sr0", "pci0/ata2/target0", "2000", "MAKER", "DVD", "1");
  put("/sys/devices/pci0/ata2/target0/type", "5");
  make_disk("nvme9n1", "tcp/nvme9", "15002931888", "", "REMOTE", "0");
  put("/sys/devices/tcp/nvme9/transport", "tcp");
  make_disk("sdu", "pci0/usb1/target0", "2000000", "MAKER", "STICK", "0");
  put("/sys/devices/pci0/usb1/target0/block/sdu/removable", "1");
  put("/sys/block/loop0/size", "1000");
}

static void make_host(void)
{
  put("/sys/class/dmi/id/product_name", "Server 9000   ");
  put("/proc/meminfo", "MemTotal:       263856048 kB\nMemFree: 1 kB");
  put("/etc/os-release",
      "PRETTY_NAME=\"A Linux 9.5\"\nNAME=\"A Linux\"\nVERSION_ID=9.5");
  put("/proc/sys/kernel/osrelease", "6.1.0-x");
  put("/proc/sys/vm/dirty_ratio", "20");
  put("/proc/sys/net/ipv4/tcp_rmem", "4096\t131072\t6291456");
  make_cpus();
  make_ports();
  make_drives();
}

static const char *why(const struct lb_mlperf_host *h, const char *fact)
{
  for (int i = 0; i < h->n_missing; i++)
    if (!strcmp(h->missing[i].fact, fact))
      return h->missing[i].reason;
  return "";
}

static void test_machine(const struct lb_mlperf_host *h)
{
  is_str(h->model, "Server 9000", "the machine's model");
  is_str(h->cpu_model, "Fast CPU @ 3 GHz", "the processor's");
  is_int(h->cpu_qty, 2, "two sockets");
  is_int(h->cpu_cores, 4, "of two cores each, two threads a core");
  is_int(lb_mlperf_host_memory_gib(h), 252, "251.6 GiB");
  is_str(h->os, "A Linux", "the system");
  is_str(h->os_version, "9.5", "its version");
  is_str(h->kernel, "6.1.0-x", "the kernel");
  is_int(h->n_sysctls, 2, "settings that are there");
  is_str(h->sysctl[0].value, "4096 131072 6291456", "without tabs");
  is_str(h->sysctl[1].name, "vm.dirty_ratio", "in order");
}

static void test_ports(const struct lb_mlperf_host *h)
{
  is_int(h->n_ports, 5, "five kinds of ports");
  is_str(h->port[0].names, "eth0 eth1", "two alike");
  is_int(h->port[0].count, 2, "counted");
  is_int(h->port[0].speed, 100, "Gbit/s");
  ok(h->port[0].up && !h->port[1].up, "up and down");
  is_str(h->port[2].names, "eth3", "one whose speed nobody knows");
  ok(h->port[2].up && !h->port[2].speed, "is up all the same");
  is_str(why(h, "networking.speed"),
         "/sys/class/net/eth3/speed: the driver does not say", "and why");
  is_str(h->port[3].names, "mlx5_0/1", "InfiniBand");
  is_int(h->port[3].speed, 400, "its rate");
  ok(!h->port[4].up, "its second port is down; RoCE is counted once");
}

static void test_drives(const struct lb_mlperf_host *h)
{
  is_int(h->n_drives, 4, "four kinds of drives");
  const struct lb_mlperf_drive *d = h->drive;
  is_int(d[0].count, 2, "two of NVMe");
  is_int(d[0].capacity, 7682, "GB");
  is_str(d[0].interface, "nvme", "interface");
  is_str(d[0].media, "", "which cells is not known");
  is_str(d[1].interface, "sata", "a SATA disk");
  is_str(d[1].vendor, "", "ATA is no vendor");
  is_str(d[1].media, "HDD", "that rotates");
  is_str(d[2].interface, "sas", "a SAS drive");
  is_str(d[2].vendor, "MAKER", "its vendor");
  is_str(d[3].names, "vda", "a virtual one");
  is_str(d[3].media, "", "does not rotate, whatever it says");
  is_str(d[3].vendor, "", "and has a number for a vendor");
}

static void test_json(const struct lb_mlperf_host *h)
{
  json_t *o = lb_mlperf_host_json(h);
  is_int(json_integer_value(lb_json_at(o, "chassis.memory_capacity")), 252,
         "facts as JSON");
  is_int((long long)json_array_size(lb_json_at(o, "drives")), 4, "drives");
  ok(lb_json_at(o, "missing.networking_speed") == NULL &&
         json_object_get(json_object_get(o, "missing"), "networking.speed"),
     "what is missing, and why");
  json_decref(o);
}

/* Nothing is there: all is missing, with reasons. */
static void test_nothing(void)
{
  static struct lb_mlperf_host h;
  static const char *const facts[] = {"chassis.model_name",
                                      "chassis.cpu_model",
                                      "chassis.cpu_qty",
                                      "chassis.cpu_cores",
                                      "chassis.memory_capacity",
                                      "operating_system.name",
                                      "operating_system.version",
                                      "networking",
                                      "drives",
                                      "kernel"};
  lb_mlperf_host_gather("/nowhere", &h);
  for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++)
    ok(strstr(why(&h, facts[i]), ": No such file or directory") != NULL,
       "%s: %s", facts[i], why(&h, facts[i]));
  is_int(h.n_missing, sizeof facts / sizeof facts[0], "and no more");
  json_t *o = lb_mlperf_host_json(&h);
  ok(!lb_json_at(o, "chassis.memory_capacity") &&
         !lb_json_at(o, "memory_bytes"),
     "what is missing is no zero");
  json_decref(o);
}

static void test_parsers(void)
{
  char out[8];
  ok(lb_mlperf_is_placeholder("To Be Filled By O.E.M.") &&
         lb_mlperf_is_placeholder("") && !lb_mlperf_is_placeholder("R760"),
     "names that firmware has by default");
  is_int(lb_mlperf_ib_rate("2.5 Gb/sec (1X SDR)"), 3, "a rate, rounded");
  is_int(lb_mlperf_ib_rate("fast"), 0, "no rate");
  ok(lb_mlperf_os_release("XNAME=a\nNAME='b c'\n", "NAME", out, sizeof out),
     "a key of os-release");
  is_str(out, "b c", "in single quotes");
  ok(!lb_mlperf_os_release("NAME=\"\"\n", "NAME", out, sizeof out), "empty");
  ok(lb_mlperf_os_release("NAME=\"unended\nID=x", "NAME", out, sizeof out),
     "without an end");
  is_str(out, "unended", "the line ends it");
}

int main(void)
{
  static struct lb_mlperf_host h;
  make_host();
  lb_mlperf_host_gather(tap_tmpdir(), &h);
  test_machine(&h);
  test_ports(&h);
  test_drives(&h);
  test_json(&h);
  test_nothing();
  test_parsers();
  return done();
}
