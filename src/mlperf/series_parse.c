/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counters of a host from the texts of /proc.  Pure. */
#include "lb-config.h"

#include "mlperf/series.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loadbank/host.h"

enum { SECTOR = 512, NAME = 64 }; /* bytes; /proc/diskstats always counts so */

const char *const lb_series_names[LB_SERIES_VALUES] = {
    [LB_SERIES_USER] = "cpu_user_seconds",
    [LB_SERIES_SYSTEM] = "cpu_system_seconds",
    [LB_SERIES_IDLE] = "cpu_idle_seconds",
    [LB_SERIES_IOWAIT] = "cpu_iowait_seconds",
    [LB_SERIES_AVAILABLE] = "memory_available_bytes",
    [LB_SERIES_CACHED] = "memory_cached_bytes",
    [LB_SERIES_DIRTY] = "memory_dirty_bytes",
    [LB_SERIES_DISK_READ] = "disk_read_bytes",
    [LB_SERIES_DISK_WRITTEN] = "disk_written_bytes",
    [LB_SERIES_RECEIVED] = "network_received_bytes",
    [LB_SERIES_SENT] = "network_sent_bytes",
};

/* Where the n-th word of a line begins, from 0; at its end if there is none. */
static const char *word(const char *line, int n)
{
  static const char blank[] = " \t";
  line += strspn(line, blank);
  for (; n > 0; n--) {
    line += strcspn(line, " \t\n");
    line += strspn(line, blank);
  }
  return line;
}

/* That word as a number; false: it is none. */
static bool number(const char *line, int n, double *v)
{
  const char *at = word(line, n);
  if (!isdigit((unsigned char)*at))
    return false;
  *v = (double)strtoull(at, NULL, 10);
  return true;
}

static const char *next_line(const char *line)
{
  line += strcspn(line, "\n");
  return line + (*line == '\n');
}

/* cpu user nice system idle iowait irq softirq */
static void parse_cpu(const char *text, double ticks,
                      struct lb_series_sample *out)
{
  double v[7];
  if (!text || strncmp(text, "cpu ", 4) != 0)
    return;
  for (int i = 0; i < 7; i++)
    if (!number(text, i + 1, &v[i]))
      return;
  out->v[LB_SERIES_USER] = (v[0] + v[1]) / ticks;
  out->v[LB_SERIES_SYSTEM] = (v[2] + v[5] + v[6]) / ticks;
  out->v[LB_SERIES_IDLE] = v[3] / ticks;
  out->v[LB_SERIES_IOWAIT] = v[4] / ticks;
}

static void parse_memory(const char *text, struct lb_series_sample *out)
{
  static const struct {
    enum lb_series_value value;
    const char *key;
  } keys[] = {{LB_SERIES_AVAILABLE, "MemAvailable"},
              {LB_SERIES_CACHED, "Cached"},
              {LB_SERIES_DIRTY, "Dirty"}};
  /* No key, no fact: a host whose memory cannot be read has MemTotal 0. */
  if (!text || !lb_meminfo_bytes(text, "MemTotal"))
    return;
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
    out->v[keys[i].value] = (double)lb_meminfo_bytes(text, keys[i].key);
}

static bool begins(const char *name, const char *const *with)
{
  for (; *with; with++)
    if (!strncmp(name, *with, strlen(*with)))
      return true;
  return false;
}

/* A part of the whole, by its name: sda1, nvme0n1p1, mmcblk0p2. */
static bool is_partition(const char *name)
{
  static const char *const numbered[] = {"nvme", "mmcblk", "nbd", "pmem", NULL};
  size_t n = strlen(name);
  if (!n || !isdigit((unsigned char)name[n - 1]))
    return false;
  if (!begins(name, numbered))
    return true;
  while (n && isdigit((unsigned char)name[n - 1]))
    n--;
  return n && name[n - 1] == 'p';
}

/* Whole drives: what lies on top of them (dm, md, loop) would count twice. */
static bool is_drive(const char *line)
{
  static const char *const above[] = {"loop", "ram",  "dm-", "md",
                                      "zram", "drbd", "sr",  NULL};
  const char *at = word(line, 2);
  char name[NAME];
  snprintf(name, sizeof name, "%.*s", (int)strcspn(at, " \t\n"), at);
  return !begins(name, above) && !is_partition(name);
}

/* major minor name reads merged sectors ms writes merged sectors ... */
static void parse_disks(const char *text, struct lb_series_sample *out)
{
  double read = 0, written = 0, in, to;
  if (!text)
    return;
  for (const char *line = text; *line; line = next_line(line))
    if (number(line, 5, &in) && number(line, 9, &to) && is_drive(line)) {
      read += in * SECTOR;
      written += to * SECTOR;
    }
  out->v[LB_SERIES_DISK_READ] = read;
  out->v[LB_SERIES_DISK_WRITTEN] = written;
}

/* All interfaces but lo, and those that stand for others: "name: received and
 * seven more, sent ..." */
static void parse_network(const char *text, struct lb_series_sample *out)
{
  static const char *const left_out[] = {"lo:",    "bond", "br-",
                                         "docker", "veth", NULL};
  double received = 0, sent = 0, in, to;
  if (!text)
    return;
  for (const char *line = text; *line; line = next_line(line)) {
    const char *colon = strpbrk(line, ":\n");
    if (colon && *colon == ':' && !begins(word(line, 0), left_out) &&
        number(colon + 1, 0, &in) && number(colon + 1, 8, &to)) {
      received += in;
      sent += to;
    }
  }
  out->v[LB_SERIES_RECEIVED] = received;
  out->v[LB_SERIES_SENT] = sent;
}

void lb_series_parse(const char *stat, double ticks, const char *meminfo,
                     const char *diskstats, const char *net_dev,
                     struct lb_series_sample *out)
{
  for (int i = 0; i < LB_SERIES_VALUES; i++)
    out->v[i] = NAN;
  parse_cpu(stat, ticks, out);
  parse_memory(meminfo, out);
  parse_disks(diskstats, out);
  parse_network(net_dev, out);
}
