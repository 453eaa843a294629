/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Drives of a host: disks that are hardware of its own.  Not those that are
 * made of others (loop, md, dm, zram), that can be taken out, that a network
 * brings. */
#include "lb-config.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mlperf/host_impl.h"

enum { SECTOR = 512 }; /* of /sys/block/X/size, whatever the drive's is */

/* Does the path of the device hold this part? */
static bool is_below(struct lb_facts *f, const char *name, const char *part)
{
  char path[PATH_MAX], real[PATH_MAX];
  return snprintf(path, sizeof path, "%s/sys/block/%s", f->root, name) <
             PATH_MAX &&
         realpath(path, real) && strstr(real, part);
}

static bool is_a_disk(struct lb_facts *f, const char *name)
{
  int64_t v;
  if (!lb_fact_exists(f, "/sys/block/%s/device", name))
    return false;
  if (lb_fact_number(f, &v, "/sys/block/%s/removable", name) && v == 1)
    return false;
  if (lb_fact_number(f, &v, "/sys/block/%s/hidden", name) && v == 1)
    return false; /* one of several paths to a namespace */
  if (lb_fact_number(f, &v, "/sys/block/%s/device/type", name) && v != 0)
    return false; /* of SCSI: 5 is a CD-ROM */
  return !lb_fact_read(f, "/sys/block/%s/device/transport", name) ||
         !strcmp(f->text, "pcie");
}

static const char *interface_of(struct lb_facts *f, const char *name,
                                const char *vendor)
{
  if (!strncmp(name, "nvme", 4))
    return "nvme";
  if (!strcmp(vendor, "ATA") || is_below(f, name, "/ata"))
    return "sata";
  return is_below(f, name, "/end_device-") ? "sas" : "other";
}

bool lb_mlperf_drive_alike(const struct lb_mlperf_drive *a,
                           const struct lb_mlperf_drive *b)
{
  return !strcmp(a->vendor, b->vendor) && !strcmp(a->model, b->model) &&
         !strcmp(a->interface, b->interface) && !strcmp(a->media, b->media) &&
         a->capacity == b->capacity;
}

static void put(struct lb_facts *f, const struct lb_mlperf_drive *d)
{
  struct lb_mlperf_host *h = f->host;
  struct lb_mlperf_drive *p = h->drive, *end = h->drive + h->n_drives;
  while (p < end && !lb_mlperf_drive_alike(p, d))
    p++;
  if (p == h->drive + LB_MLPERF_DRIVES) {
    lb_fact_missing(f, "drives", "more kinds of drives than are told");
    return;
  }
  if (p < end) {
    p->count++;
    lb_fact_name(p->names, sizeof p->names, d->names);
    return;
  }
  *p = *d;
  h->n_drives++;
}

static void each_disk(struct lb_facts *f, const char *name)
{
  struct lb_mlperf_drive d = {.count = 1};
  int64_t sectors, rotates;
  if (!is_a_disk(f, name) ||
      !lb_fact_number(f, &sectors, "/sys/block/%s/size", name) || sectors <= 0)
    return;
  d.capacity = (int64_t)((double)sectors * SECTOR / 1e9 + 0.5);
  lb_fact_name(d.names, sizeof d.names, name);
  if (lb_fact_read(f, "/sys/block/%s/device/vendor", name) &&
      strncmp(f->text, "0x", 2) != 0) /* a number of PCI or virtio */
    snprintf(d.vendor, sizeof d.vendor, "%.47s", f->text);
  snprintf(d.interface, sizeof d.interface, "%s",
           interface_of(f, name, d.vendor));
  if (!strcmp(d.vendor, "ATA"))
    *d.vendor = '\0'; /* the standard, no maker */
  if (lb_fact_read(f, "/sys/block/%s/device/model", name))
    snprintf(d.model, sizeof d.model, "%.95s", f->text);
  /* Drives of virtual machines say that they rotate. */
  if (strcmp(d.interface, "other") != 0 &&
      lb_fact_number(f, &rotates, "/sys/block/%s/queue/rotational", name) &&
      rotates)
    memcpy(d.media, "HDD", sizeof "HDD");
  put(f, &d);
}

void lb_facts_drives(struct lb_facts *f)
{
  if (!lb_fact_each(f, "/sys/block", each_disk))
    lb_fact_missing(f, "drives", NULL);
}
