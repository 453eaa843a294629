/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parsers of /proc on canned text, and the probes on this host. */
#include "lb-config.h"

#include "loadbank/host.h"

#include <stdio.h>
#include <string.h>

#include "tap.h"

static const char mounts[] =
    "22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw,errors=remount-ro\n"
    "23 22 0:21 / /proc rw,nosuid - proc proc rw\n"
    "30 22 0:40 / /mnt/lustre rw,noatime shared:5 master:2 - lustre "
    "10.0.0.1@tcp:/fs rw,flock\n"
    "31 22 0:41 / /mnt/lustre2 rw - nfs4 srv:/x rw,vers=4.2,rsize=1048576\n"
    "32 22 0:42 / /mnt/with\\040space rw - tmpfs tmpfs rw,size=1024k\n"
    "33 22 0:43 / /mnt/twice rw - xfs /dev/sdb1 rw\n"
    "34 33 0:44 / /mnt/twice rw - tmpfs none rw\n"
    "35 22 0:45 /sub /mnt/noopt ro - btrfs /dev/sdc rw,subvol=/sub\n"
    "garbage line\n"
    "36 22 0:46 / /mnt/last rw - fuse.sshfs host: rw";

static void mount(const char *path, const char *point, const char *type,
                  const char *device, const char *options)
{
  struct lb_mount m;
  ok(lb_mountinfo_find(mounts, path, &m), "%s is somewhere", path);
  is_str(m.point, point, "mount point of %s", path);
  is_str(m.type, type, "its type");
  is_str(m.device, device, "its device");
  is_str(m.options, options, "its options");
}

int main(void)
{
  mount("/home/x", "/", "ext4", "/dev/sda1",
        "rw,relatime,rw,errors=remount-ro");
  mount("/mnt/lustre/a/b", "/mnt/lustre", "lustre", "10.0.0.1@tcp:/fs",
        "rw,noatime,rw,flock");
  mount("/mnt/lustre", "/mnt/lustre", "lustre", "10.0.0.1@tcp:/fs",
        "rw,noatime,rw,flock");
  mount("/mnt/lustre2/a", "/mnt/lustre2", "nfs4", "srv:/x",
        "rw,rw,vers=4.2,rsize=1048576");
  mount("/mnt/lustre3/a", "/", "ext4", "/dev/sda1",
        "rw,relatime,rw,errors=remount-ro");
  mount("/mnt/with space/f", "/mnt/with space", "tmpfs", "tmpfs",
        "rw,rw,size=1024k");
  mount("/mnt/twice/f", "/mnt/twice", "tmpfs", "none", "rw,rw");
  mount("/mnt/noopt", "/mnt/noopt", "btrfs", "/dev/sdc", "ro,rw,subvol=/sub");
  mount("/mnt/last/x", "/mnt/last", "fuse.sshfs", "host:", "rw,rw");
  struct lb_mount m;
  ok(!lb_mountinfo_find("", "/x", &m), "no mounts: none");
  ok(!lb_mountinfo_find("1 2 3\n- - -\n", "/x", &m), "junk: none");

  const char *mem = "MemTotal:       16384 kB\nMemFree: 1 kB\n"
                    "MemAvailable:    8192 kB\n";
  is_int(lb_meminfo_bytes(mem, "MemTotal"), 16 << 20, "MemTotal");
  is_int(lb_meminfo_bytes(mem, "MemAvailable"), 8 << 20, "MemAvailable");
  is_int(lb_meminfo_bytes(mem, "Mem"), 0, "no prefix");
  is_int(lb_meminfo_bytes("", "MemTotal"), 0, "empty");
  char model[32];
  lb_cpuinfo_model("processor\t: 0\nmodel\t\t: 7\nmodel name\t: Big CPU @ 9\n",
                   model, sizeof model);
  is_str(model, "Big CPU @ 9", "model name");
  lb_cpuinfo_model("processor : 0\n", model, sizeof model);
  is_str(model, "", "none");
  is_int(lb_cgroup_limit("max\n"), 0, "no limit");
  is_int(lb_cgroup_limit("1073741824\n"), 1 << 30, "1 GiB");
  is_int(lb_cgroup_limit("9223372036854771712\n"), 0, "version 1's no limit");

  struct lb_host h;
  lb_host_probe(&h);
  ok(*h.name && !strncmp(h.kernel, "Linux ", 6), "%s, %s", h.name, h.kernel);
  ok(h.cpus > 0 && h.cpus_allowed > 0 && h.cpus_allowed <= h.cpus,
     "%d of %d CPUs", h.cpus_allowed, h.cpus);
  ok(h.memory_bytes > h.available_bytes && h.available_bytes > 0, "memory");
  struct lb_filesystem f;
  lb_filesystem_probe(&f, "/proc/self");
  ok(f.known && !strcmp(f.mount.type, "proc"), "/proc is a proc");
  lb_filesystem_probe(&f, tap_tmpdir());
  ok(f.known && f.size_bytes > 0 && f.free_bytes <= f.size_bytes, "%s at %s",
     f.mount.type, f.mount.point);
  struct lb_filesystem g;
  char missing[512];
  snprintf(missing, sizeof missing, "%s/not/there", tap_tmpdir());
  lb_filesystem_probe(&g, missing);
  is_str(g.mount.point, f.mount.point, "of a path that is still to come");
  return done();
}
