/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a host says of its hardware, for the description of a system and the
 * metadata of a run.  Read from /proc and /sys, no root needed.  A fact that
 * cannot be found out stays missing, with a reason: it is never zero by
 * guess.  Rank-local, any thread. */
#ifndef LB_MLPERF_HOST_H
#define LB_MLPERF_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

enum {
  LB_MLPERF_PORTS = 16,  /* kinds of network ports; more are not told */
  LB_MLPERF_DRIVES = 24, /* kinds of drives */
  LB_MLPERF_SYSCTLS = 16,
  LB_MLPERF_MISSING = 24
};

/* Ports that are alike. */
struct lb_mlperf_port {
  char names[96]; /* "eth0 eth1" */
  char type[12];  /* ethernet, infiniband, other */
  bool up;
  int64_t speed; /* Gbit/s; 0: not known */
  int64_t count;
};
/* Drives that are alike. */
struct lb_mlperf_drive {
  char names[96];
  char vendor[48], model[96]; /* "": not known */
  char interface[8];          /* nvme, sas, sata, other */
  char media[8];              /* HDD, or "": not known */
  int64_t capacity;           /* GB, 10^9 bytes */
  int64_t count;
};
struct lb_mlperf_sysctl {
  char name[48], value[80];
};
struct lb_mlperf_missing {
  char fact[32];    /* the path below a client: "chassis.model_name" */
  char reason[128]; /* "/sys/...: No such file or directory" */
};

/* No pointers: the bytes can be sent as they are to a rank of the same
 * program. */
struct lb_mlperf_host {
  char name[256];
  char model[128];       /* of the machine, by its firmware; "": missing */
  char cpu_model[128];   /* "": missing */
  int64_t cpu_qty;       /* sockets; 0: missing */
  int64_t cpu_cores;     /* of all sockets together; 0: missing */
  uint64_t memory_bytes; /* MemTotal; 0: missing */
  char os[64], os_version[64], kernel[96];
  struct lb_mlperf_port port[LB_MLPERF_PORTS];
  struct lb_mlperf_drive drive[LB_MLPERF_DRIVES];
  struct lb_mlperf_sysctl sysctl[LB_MLPERF_SYSCTLS];
  struct lb_mlperf_missing missing[LB_MLPERF_MISSING];
  int n_ports, n_drives, n_sysctls, n_missing;
};

/* root stands before /proc, /sys and /etc ("": this host). */
void lb_mlperf_host_gather(const char *root, struct lb_mlperf_host *h);
/* GiB, to the nearest; 0: missing. */
int64_t lb_mlperf_host_memory_gib(const struct lb_mlperf_host *h);
/* Names and numbers of drives do not count. */
bool lb_mlperf_drive_alike(const struct lb_mlperf_drive *a,
                           const struct lb_mlperf_drive *b);
/* All of it as an object, missing facts in "missing" by their name only; the
 * caller's reference. */
json_t *lb_mlperf_host_json(const struct lb_mlperf_host *h);

/* ---- pure parsers, for the above and the tests ---- */

/* The value of KEY="..." in the text of os-release; false: none. */
bool lb_mlperf_os_release(const char *text, const char *key, char *out,
                          size_t size);
/* A name that a maker of firmware left as it was ("Default string"). */
bool lb_mlperf_is_placeholder(const char *name);
/* "100 Gb/sec (4X EDR)"; 0: something else. */
int64_t lb_mlperf_ib_rate(const char *text);

#endif
