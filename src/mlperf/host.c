/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Facts of one host: machine, processors, memory, system. */
#include "lb-config.h"

#include "mlperf/host.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/utsname.h>

#include "loadbank/host.h"
#include "loadbank/json.h"
#include "loadbank/units.h"
#include "mlperf/host_impl.h"

bool lb_mlperf_is_placeholder(const char *name)
{
  static const char *const words[] = {
      "",
      "To be filled by O.E.M.",
      "Default string",
      "System Product Name",
      "System Manufacturer",
      "None",
      "Not Specified",
      "Not Applicable",
      "OEM",
      "O.E.M.",
      "Unknown",
  };
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
    if (!strcasecmp(name, words[i]))
      return true;
  return false;
}

bool lb_mlperf_os_release(const char *text, const char *key, char *out,
                          size_t size)
{
  size_t n = strlen(key);
  for (const char *line = text; line; line = strchr(line, '\n')) {
    line += *line == '\n';
    if (strncmp(line, key, n) != 0 || line[n] != '=')
      continue;
    const char *v = line + n + 1;
    const char quote = *v == '"' || *v == '\'' ? *v : '\n';
    v += quote != '\n';
    const char stop[] = {quote, '\n', '\0'};
    snprintf(out, size, "%.*s", (int)strcspn(v, stop), v);
    return *out != '\0';
  }
  return false;
}

static void machine(struct lb_facts *f)
{
  struct lb_mlperf_host *h = f->host;
  if (!lb_fact_read(f, "/sys/class/dmi/id/product_name"))
    lb_fact_missing(f, "chassis.model_name", NULL);
  else if (lb_mlperf_is_placeholder(f->text))
    lb_fact_missing(f, "chassis.model_name", "the firmware does not say");
  else
    snprintf(h->model, sizeof h->model, "%.127s", f->text);
}

/* Sockets and cores are numbered anew in each: what counts are pairs. */
enum { CORES = 4096 };
struct cores {
  int64_t socket[CORES], core[CORES];
  int n;
};

static void one_cpu(struct lb_facts *f, const char *name)
{
  struct cores *c = f->arg;
  int64_t socket, core;
  if (strncmp(name, "cpu", 3) != 0 || !isdigit((unsigned char)name[3]) ||
      !lb_fact_number(f, &socket,
                      "/sys/devices/system/cpu/%s/topology/physical_package_id",
                      name) ||
      !lb_fact_number(f, &core, "/sys/devices/system/cpu/%s/topology/core_id",
                      name))
    return; /* something else, or not online */
  for (int i = 0; i < c->n; i++)
    if (c->socket[i] == socket && c->core[i] == core)
      return;
  if (c->n < CORES) {
    c->socket[c->n] = socket;
    c->core[c->n++] = core;
  }
}

static int64_t sockets(const struct cores *c)
{
  int64_t n = 0;
  for (int i = 0; i < c->n; i++) {
    int before = 0;
    while (before < i && c->socket[before] != c->socket[i])
      before++;
    n += before == i;
  }
  return n;
}

static void topology(struct lb_facts *f)
{
  static const char *const facts[] = {"chassis.cpu_qty", "chassis.cpu_cores"};
  struct cores *c = calloc(1, sizeof *c);
  f->arg = c;
  bool read = c && lb_fact_each(f, "/sys/devices/system/cpu", one_cpu);
  if (c) {
    f->host->cpu_cores = c->n;
    f->host->cpu_qty = sockets(c);
  }
  if (!f->host->cpu_cores)
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++)
      lb_fact_missing(f, facts[i], read ? "no topology" : NULL);
  free(c);
}

static void processor(struct lb_facts *f)
{
  struct lb_mlperf_host *h = f->host;
  if (!lb_fact_read(f, "/proc/cpuinfo")) {
    lb_fact_missing(f, "chassis.cpu_model", NULL);
  } else {
    lb_cpuinfo_model(f->text, h->cpu_model, sizeof h->cpu_model);
    if (!*h->cpu_model)
      lb_fact_missing(f, "chassis.cpu_model", "no model name");
  }
  topology(f);
}

static void memory(struct lb_facts *f)
{
  struct lb_mlperf_host *h = f->host;
  if (!lb_fact_read(f, "/proc/meminfo")) {
    lb_fact_missing(f, "chassis.memory_capacity", NULL);
    return;
  }
  h->memory_bytes = lb_meminfo_bytes(f->text, "MemTotal");
  if (!h->memory_bytes)
    lb_fact_missing(f, "chassis.memory_capacity", "no MemTotal");
}

int64_t lb_mlperf_host_memory_gib(const struct lb_mlperf_host *h)
{
  const uint64_t gib = (uint64_t)LB_GIB;
  if (!h->memory_bytes)
    return 0;
  uint64_t n = (h->memory_bytes + gib / 2) / gib;
  return n ? (int64_t)n : 1;
}

static void operating_system(struct lb_facts *f)
{
  struct lb_mlperf_host *h = f->host;
  if (!lb_fact_read(f, "/etc/os-release") &&
      !lb_fact_read(f, "/usr/lib/os-release")) {
    lb_fact_missing(f, "operating_system.name", NULL);
    lb_fact_missing(f, "operating_system.version", NULL);
  } else {
    if (!lb_mlperf_os_release(f->text, "NAME", h->os, sizeof h->os))
      lb_fact_missing(f, "operating_system.name", "no NAME");
    if (!lb_mlperf_os_release(f->text, "VERSION_ID", h->os_version,
                              sizeof h->os_version))
      lb_fact_missing(f, "operating_system.version", "no VERSION_ID");
  }
  if (lb_fact_read(f, "/proc/sys/kernel/osrelease"))
    snprintf(h->kernel, sizeof h->kernel, "%.95s", f->text);
  else
    lb_fact_missing(f, "kernel", NULL);
}

/* What bears on storage and can be set.  One that a kernel or a container
 * lacks is not told. */
static const char *const sysctls[] = {
    "kernel.numa_balancing",
    "net.core.rmem_max",
    "net.core.wmem_max",
    "net.core.netdev_max_backlog",
    "net.ipv4.tcp_rmem",
    "net.ipv4.tcp_wmem",
    "net.ipv4.tcp_congestion_control",
    "vm.dirty_background_bytes",
    "vm.dirty_background_ratio",
    "vm.dirty_bytes",
    "vm.dirty_expire_centisecs",
    "vm.dirty_ratio",
    "vm.dirty_writeback_centisecs",
    "vm.swappiness",
    "vm.vfs_cache_pressure",
};
enum { N_SYSCTLS = sizeof sysctls / sizeof sysctls[0] };
_Static_assert(N_SYSCTLS <= (int)LB_MLPERF_SYSCTLS,
               "more than a host can tell");

static void tunings(struct lb_facts *f)
{
  for (size_t i = 0; i < N_SYSCTLS; i++) {
    char path[64];
    snprintf(path, sizeof path, "%s", sysctls[i]);
    for (char *p = path; *p; p++)
      if (*p == '.')
        *p = '/';
    if (!lb_fact_read(f, "/proc/sys/%s", path) || !*f->text)
      continue;
    for (char *p = f->text; *p; p++)
      if (isspace((unsigned char)*p))
        *p = ' ';
    struct lb_mlperf_sysctl *s = &f->host->sysctl[f->host->n_sysctls++];
    snprintf(s->name, sizeof s->name, "%s", sysctls[i]);
    snprintf(s->value, sizeof s->value, "%.79s", f->text);
  }
}

void lb_mlperf_host_gather(const char *root, struct lb_mlperf_host *h)
{
  struct lb_facts f = {.root = root, .host = h};
  struct utsname u;
  memset(h, 0, sizeof *h);
  if (!uname(&u))
    snprintf(h->name, sizeof h->name, "%s", u.nodename);
  machine(&f);
  processor(&f);
  memory(&f);
  operating_system(&f);
  lb_facts_ports(&f);
  lb_facts_drives(&f);
  tunings(&f);
}

/* ---- as JSON ---- */

static void put_text(json_t *o, const char *key, const char *v)
{
  if (*v)
    lb_json_put_text(o, key, v);
}

static void put_int(json_t *o, const char *key, int64_t v)
{
  if (v)
    lb_json_put_int(o, key, v);
}

static json_t *ports(const struct lb_mlperf_host *h)
{
  json_t *list = json_array();
  for (int i = 0; i < h->n_ports; i++) {
    const struct lb_mlperf_port *p = &h->port[i];
    json_t *o = json_object();
    lb_json_put_text(o, "names", p->names);
    lb_json_put_int(o, "unit_count", p->count);
    lb_json_put_text(o, "type", p->type);
    lb_json_put_text(o, "state", p->up ? "up" : "down");
    put_int(o, "speed", p->speed);
    json_array_append_new(list, o);
  }
  return list;
}

static json_t *drives(const struct lb_mlperf_host *h)
{
  json_t *list = json_array();
  for (int i = 0; i < h->n_drives; i++) {
    const struct lb_mlperf_drive *d = &h->drive[i];
    json_t *o = json_object();
    lb_json_put_text(o, "names", d->names);
    lb_json_put_int(o, "unit_count", d->count);
    put_text(o, "vendor_name", d->vendor);
    put_text(o, "model_name", d->model);
    lb_json_put_text(o, "interface", d->interface);
    put_text(o, "media_type", d->media);
    lb_json_put_int(o, "capacity_in_GB", d->capacity);
    json_array_append_new(list, o);
  }
  return list;
}

json_t *lb_mlperf_host_json(const struct lb_mlperf_host *h)
{
  json_t *o = json_object(), *chassis = json_object();
  json_t *os = json_object(), *sysctl = json_object(), *gone = json_object();
  lb_json_put_text(o, "hostname", h->name);
  put_text(chassis, "model_name", h->model);
  put_text(chassis, "cpu_model", h->cpu_model);
  put_int(chassis, "cpu_qty", h->cpu_qty);
  put_int(chassis, "cpu_cores", h->cpu_cores);
  put_int(chassis, "memory_capacity", lb_mlperf_host_memory_gib(h));
  json_object_set_new(o, "chassis", chassis);
  if (h->memory_bytes)
    json_object_set_new(o, "memory_bytes", lb_json_count(h->memory_bytes));
  put_text(os, "name", h->os);
  put_text(os, "version", h->os_version);
  put_text(os, "kernel", h->kernel);
  json_object_set_new(o, "operating_system", os);
  json_object_set_new(o, "networking", ports(h));
  json_object_set_new(o, "drives", drives(h));
  for (int i = 0; i < h->n_sysctls; i++)
    lb_json_put_text(sysctl, h->sysctl[i].name, h->sysctl[i].value);
  json_object_set_new(o, "sysctl", sysctl);
  for (int i = 0; i < h->n_missing; i++)
    lb_json_put_text(gone, h->missing[i].fact, h->missing[i].reason);
  json_object_set_new(o, "missing", gone);
  return o;
}
