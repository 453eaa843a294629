/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Facts of a host and of the file system behind a path.  Rank-local; reads
 * /proc and /sys only. */
#ifndef LOADBANK_HOST_H
#define LOADBANK_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lb_host {
  char name[256], kernel[256], processor[128];
  int cpus, cpus_allowed; /* online; in this process' affinity mask */
  uint64_t memory_bytes, available_bytes;
  uint64_t limit_bytes; /* of the cgroup; 0: none */
};
void lb_host_probe(struct lb_host *h);

struct lb_mount {
  char point[512], type[64], device[256], options[512];
};
struct lb_filesystem {
  bool known;
  struct lb_mount mount;
  uint64_t size_bytes, free_bytes;
};
/* The path need not exist: its nearest folder that does is taken. */
void lb_filesystem_probe(struct lb_filesystem *f, const char *path);

/* Pure: the mount of an absolute path in the text of /proc/self/mountinfo
 * (longest mount point that is a whole-component prefix; of several on one
 * point the last).  false: none. */
bool lb_mountinfo_find(const char *text, const char *path,
                       struct lb_mount *out);
/* Pure: "MemTotal" of /proc/meminfo's text, in bytes; 0 when absent. */
uint64_t lb_meminfo_bytes(const char *text, const char *key);
/* Pure: the value of "model name" of /proc/cpuinfo's text. */
void lb_cpuinfo_model(const char *text, char *out, size_t size);
/* Pure: the limit in memory.max's text; 0: none or "max". */
uint64_t lb_cgroup_limit(const char *text);

#endif
