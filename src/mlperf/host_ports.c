/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Network ports of a host: those of hardware, each once.  A bond is not one,
 * its ports are; a virtual function of a card that this host has is not one; a
 * port for InfiniBand is told by the InfiniBand side. */
#include "lb-config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mlperf/host_impl.h"

/* Of /sys/class/net/X/type, as the kernel numbers kinds of hardware. */
enum { TYPE_ETHERNET = 1, TYPE_INFINIBAND = 32 };

int64_t lb_mlperf_ib_rate(const char *text)
{
  char *end;
  double rate = strtod(text, &end); /* "2.5 Gb/sec (1X SDR)" */
  return end != text && !strncmp(end, " Gb/sec", 7) && rate >= 1 && rate < 1e6
             ? (int64_t)(rate + 0.5)
             : 0;
}

static void add(struct lb_facts *f, const char *name, const char *type, bool up,
                int64_t speed)
{
  struct lb_mlperf_host *h = f->host;
  struct lb_mlperf_port *p = h->port, *end = h->port + h->n_ports;
  while (p < end &&
         (strcmp(p->type, type) != 0 || p->up != up || p->speed != speed))
    p++;
  if (p == h->port + LB_MLPERF_PORTS) {
    lb_fact_missing(f, "networking", "more kinds of ports than are told");
    return;
  }
  if (p == end) {
    snprintf(p->type, sizeof p->type, "%s", type);
    p->up = up;
    p->speed = speed;
    h->n_ports++;
  }
  p->count++;
  lb_fact_name(p->names, sizeof p->names, name);
}

static bool is_up(struct lb_facts *f, const char *name)
{
  int64_t carrier;
  if (!lb_fact_read(f, "/sys/class/net/%s/operstate", name))
    return false;
  if (strcmp(f->text, "unknown") != 0)
    return !strcmp(f->text, "up");
  return lb_fact_number(f, &carrier, "/sys/class/net/%s/carrier", name) &&
         carrier == 1;
}

/* To the nearest Gbit/s, at least 1; 0: the driver does not say. */
static int64_t speed_of(struct lb_facts *f, const char *name)
{
  int64_t mbits;
  if (!lb_fact_number(f, &mbits, "/sys/class/net/%s/speed", name)) {
    lb_fact_missing(f, "networking.speed", f->sys ? NULL : "no number");
    return 0;
  }
  if (mbits <= 0) {
    lb_fact_missing(f, "networking.speed", "the driver does not say");
    return 0;
  }
  return mbits < 1000 ? 1 : (mbits + 500) / 1000;
}

static void each_interface(struct lb_facts *f, const char *name)
{
  int64_t type;
  if (!lb_fact_exists(f, "/sys/class/net/%s/device", name) ||
      lb_fact_exists(f, "/sys/class/net/%s/device/physfn", name) ||
      !lb_fact_number(f, &type, "/sys/class/net/%s/type", name) ||
      type == TYPE_INFINIBAND)
    return;
  bool other = type != TYPE_ETHERNET ||
               lb_fact_exists(f, "/sys/class/net/%s/phy80211", name);
  bool up = is_up(f, name);
  add(f, name, other ? "other" : "ethernet", up, up ? speed_of(f, name) : 0);
}

/* Its ports are numbered from 1 without gaps.  Those whose link is Ethernet
 * (RoCE) are network interfaces too, and told there. */
static void each_adapter(struct lb_facts *f, const char *name)
{
  for (int port = 1;
       lb_fact_read(f, "/sys/class/infiniband/%s/ports/%d/state", name, port);
       port++) {
    char label[80];
    bool up = !strncmp(f->text, "4:", 2); /* "4: ACTIVE" */
    int64_t speed = 0;
    if (lb_fact_read(f, "/sys/class/infiniband/%s/ports/%d/link_layer", name,
                     port) &&
        !strcmp(f->text, "Ethernet"))
      continue;
    if (up &&
        lb_fact_read(f, "/sys/class/infiniband/%s/ports/%d/rate", name, port))
      speed = lb_mlperf_ib_rate(f->text);
    if (up && !speed)
      lb_fact_missing(f, "networking.speed", f->sys ? NULL : "no rate");
    snprintf(label, sizeof label, "%.60s/%d", name, port);
    add(f, label, "infiniband", up, speed);
  }
}

void lb_facts_ports(struct lb_facts *f)
{
  if (!lb_fact_each(f, "/sys/class/net", each_interface))
    lb_fact_missing(f, "networking", NULL);
  /* No such folder: no adapters. */
  lb_fact_each(f, "/sys/class/infiniband", each_adapter);
}
