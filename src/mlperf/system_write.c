/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A new description: what the hosts say of themselves, and every other key of
 * the schema blank, with what is allowed behind it. */
#include "lb-config.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "loadbank/json.h"
#include "loadbank/mlperf.h"
#include "loadbank/path.h"
#include "loadbank/wholefile.h"
#include "mlperf/system_impl.h"

/* Where the comments begin. */
enum { COMMENTS = 44 };

/* "key: value    # allowed; what it is".  before: what stands in front of the
 * key: blanks, a dash, a comment's sign. */
static void line(struct lb_buf *b, const char *before,
                 const struct lb_system_key *k, const char *value)
{
  char allowed[LB_SYSTEM_ALLOWED];
  size_t start = b->len;
  lb_buf_printf(b, "%s%s:%s%s", before, k->name, *value ? " " : "", value);
  do
    lb_buf_puts(b, " ");
  while (b->len - start < COMMENTS && !b->failed);
  lb_system_allowed(k, allowed);
  const char *when = k->must & LB_SYSTEM_ALWAYS   ? ""
                     : k->must & LB_SYSTEM_ONPREM ? "; onprem only"
                     : k->must & LB_SYSTEM_REMOTE ? "; for remote storage"
                     : k->must & LB_SYSTEM_UP     ? "; when up"
                                                  : "; may be left out";
  bool map = k->type == LB_SYSTEM_MAP || k->type == LB_SYSTEM_MAPS;
  lb_buf_printf(b, "# %s%s%s%s\n", k->doc, map ? "" : ": ", map ? "" : allowed,
                when);
}

/* A text in quotes, whatever is in it; NULL: blank, or no memory. */
static char *quoted(const char *text)
{
  json_t *v = *text ? lb_json_string(text) : NULL;
  char *out = v ? json_dumps(v, JSON_ENCODE_ANY | JSON_ENSURE_ASCII) : NULL;
  json_decref(v);
  return out;
}

static void blank_map(struct lb_buf *b, enum lb_system_map kind, int indent,
                      bool comment, bool item);

/* A value that is a map is written out; one that may be left out, and the
 * entry of a list, as a comment. */
static void blank_key(struct lb_buf *b, const struct lb_system_key *k,
                      int indent, const char *before, bool comment)
{
  bool maps = k->type == LB_SYSTEM_MAPS, map = k->type == LB_SYSTEM_MAP;
  bool must = k->must & LB_SYSTEM_ALWAYS;
  line(b, before, k, maps && !comment ? "[]" : "");
  if (map || maps)
    blank_map(b, k->map, indent + 2, comment || maps || !must, maps);
}

static void blank_map(struct lb_buf *b, enum lb_system_map kind, int indent,
                      bool comment, bool item)
{
  char before[80];
  for (size_t i = 0; i < lb_system_n_keys; i++) {
    const struct lb_system_key *k = &lb_system_keys[i];
    if (k->of != kind)
      continue;
    snprintf(before, sizeof before, "%s%*s%s", comment ? "#" : "",
             indent - (comment ? 1 : 0), "", item ? "- " : "");
    if (item)
      indent += 2;
    item = false;
    blank_key(b, k, indent, before, comment);
  }
}

/* system_under_test.solution, of which the name is known. */
static void put_solution(struct lb_buf *b, const char *system)
{
  char *name = quoted(system);
  line(b, "  ", lb_system_key(LB_SYSTEM_UNDER_TEST, "solution"), "");
  for (size_t i = 0; i < lb_system_n_keys; i++) {
    const struct lb_system_key *k = &lb_system_keys[i];
    if (k->of == LB_SYSTEM_SOLUTION && !strcmp(k->name, "submission_name"))
      line(b, "    ", k, name ? name : "");
    else if (k->of == LB_SYSTEM_SOLUTION)
      blank_key(b, k, 4, "    ", false);
  }
  free(name);
}

/* ---- clients ---- */

/* One level below system_under_test.clients. */
static void put(struct lb_buf *b, const char *before, enum lb_system_map of,
                const char *key, const char *value)
{
  line(b, before, lb_system_key(of, key), value);
}

static void put_text(struct lb_buf *b, const char *before,
                     enum lb_system_map of, const char *key, const char *text)
{
  char *value = quoted(text);
  put(b, before, of, key, value ? value : "");
  free(value);
}

static void put_count(struct lb_buf *b, const char *before,
                      enum lb_system_map of, const char *key, int64_t v)
{
  char text[24] = "";
  if (v)
    snprintf(text, sizeof text, "%" PRId64, v);
  put(b, before, of, key, text);
}

static void put_ports(struct lb_buf *b, const struct lb_mlperf_host *h)
{
  put(b, "      ", LB_SYSTEM_NODE, "networking", h->n_ports ? "" : "[]");
  if (!h->n_ports)
    blank_map(b, LB_SYSTEM_PORT, 8, true, true);
  for (int i = 0; i < h->n_ports; i++) {
    const struct lb_mlperf_port *p = &h->port[i];
    lb_buf_printf(b, "        # %s\n", p->names);
    put_count(b, "        - ", LB_SYSTEM_PORT, "unit_count", p->count);
    put(b, "          ", LB_SYSTEM_PORT, "type", p->type);
    put(b, "          ", LB_SYSTEM_PORT, "state", p->up ? "up" : "down");
    put_count(b, "          ", LB_SYSTEM_PORT, "speed", p->speed);
    put(b, "          ", LB_SYSTEM_PORT, "traffic", "");
  }
}

static void put_drives(struct lb_buf *b, const struct lb_mlperf_host *h)
{
  put(b, "      ", LB_SYSTEM_NODE, "drives", h->n_drives ? "" : "[]");
  if (!h->n_drives)
    blank_map(b, LB_SYSTEM_DRIVE, 8, true, true);
  for (int i = 0; i < h->n_drives; i++) {
    const struct lb_mlperf_drive *d = &h->drive[i];
    lb_buf_printf(b, "        # %s\n", d->names);
    put_count(b, "        - ", LB_SYSTEM_DRIVE, "unit_count", d->count);
    put_text(b, "          ", LB_SYSTEM_DRIVE, "vendor_name", d->vendor);
    put_text(b, "          ", LB_SYSTEM_DRIVE, "model_name", d->model);
    put(b, "          ", LB_SYSTEM_DRIVE, "interface", d->interface);
    put(b, "          ", LB_SYSTEM_DRIVE, "media_type", d->media);
    put_count(b, "          ", LB_SYSTEM_DRIVE, "capacity_in_GB", d->capacity);
    put(b, "          ", LB_SYSTEM_DRIVE, "performance", "");
    blank_map(b, LB_SYSTEM_PERFORMANCE, 12, true, false);
  }
}

static void put_chassis(struct lb_buf *b, const struct lb_mlperf_host *h)
{
  put(b, "      ", LB_SYSTEM_NODE, "chassis", "");
  put_text(b, "        ", LB_SYSTEM_CHASSIS, "model_name", h->model);
  put(b, "        ", LB_SYSTEM_CHASSIS, "rack_units", "");
  put_text(b, "        ", LB_SYSTEM_CHASSIS, "cpu_model", h->cpu_model);
  put_count(b, "        ", LB_SYSTEM_CHASSIS, "cpu_qty", h->cpu_qty);
  put_count(b, "        ", LB_SYSTEM_CHASSIS, "cpu_cores", h->cpu_cores);
  put_count(b, "        ", LB_SYSTEM_CHASSIS, "memory_capacity",
            lb_mlperf_host_memory_gib(h));
  put(b, "        ", LB_SYSTEM_CHASSIS, "power", "");
  blank_map(b, LB_SYSTEM_POWER, 10, true, false);
}

static void put_client(struct lb_buf *b, const struct lb_mlperf_host *h,
                       int64_t quantity)
{
  for (int i = 0; i < h->n_missing; i++)
    lb_buf_printf(b, "    # not found out: %s (%s)\n", h->missing[i].fact,
                  h->missing[i].reason);
  put(b, "    - ", LB_SYSTEM_NODE, "friendly_description", "");
  put_count(b, "      ", LB_SYSTEM_NODE, "quantity", quantity);
  put_chassis(b, h);
  put_ports(b, h);
  put_drives(b, h);
  put(b, "      ", LB_SYSTEM_NODE, "operating_system", "");
  put_text(b, "        ", LB_SYSTEM_OS, "name", h->os);
  put_text(b, "        ", LB_SYSTEM_OS, "version", h->os_version);
  put(b, "      ", LB_SYSTEM_NODE, "environment", "[]");
  blank_map(b, LB_SYSTEM_SETTING, 8, true, true);
  put(b, "      ", LB_SYSTEM_NODE, "sysctl", h->n_sysctls ? "" : "[]");
  for (int i = 0; i < h->n_sysctls; i++) {
    char *value = quoted(h->sysctl[i].value);
    lb_buf_printf(b, "        - {name: %s, value: %s}\n", h->sysctl[i].name,
                  value ? value : "");
    free(value);
  }
}

static int64_t ports_like(const struct lb_mlperf_host *h,
                          const struct lb_mlperf_port *p)
{
  for (int i = 0; i < h->n_ports; i++)
    if (!strcmp(h->port[i].type, p->type) && h->port[i].up == p->up &&
        h->port[i].speed == p->speed)
      return h->port[i].count;
  return 0;
}

static int64_t drives_like(const struct lb_mlperf_host *h,
                           const struct lb_mlperf_drive *d)
{
  for (int i = 0; i < h->n_drives; i++)
    if (lb_mlperf_drive_alike(&h->drive[i], d))
      return h->drive[i].count;
  return 0;
}

/* Alike in all that a client's entry says; names of devices do not count. */
static bool alike(const struct lb_mlperf_host *a,
                  const struct lb_mlperf_host *b)
{
  bool same = !strcmp(a->model, b->model) &&
              !strcmp(a->cpu_model, b->cpu_model) && a->cpu_qty == b->cpu_qty &&
              a->cpu_cores == b->cpu_cores &&
              lb_mlperf_host_memory_gib(a) == lb_mlperf_host_memory_gib(b) &&
              !strcmp(a->os, b->os) && !strcmp(a->os_version, b->os_version) &&
              a->n_ports == b->n_ports && a->n_drives == b->n_drives &&
              !memcmp(a->sysctl, b->sysctl, sizeof a->sysctl);
  for (int i = 0; i < a->n_ports && same; i++)
    same = ports_like(b, &a->port[i]) == a->port[i].count;
  for (int i = 0; i < a->n_drives && same; i++)
    same = drives_like(b, &a->drive[i]) == a->drive[i].count;
  return same;
}

static void put_clients(struct lb_buf *b, const struct lb_mlperf_host *hosts,
                        size_t n)
{
  put(b, "  ", LB_SYSTEM_UNDER_TEST, "clients", n ? "" : "[]");
  for (size_t i = 0; i < n; i++) {
    size_t first = 0;
    int64_t quantity = 1;
    while (first < i && !alike(&hosts[first], &hosts[i]))
      first++;
    if (first < i)
      continue;
    for (size_t j = i + 1; j < n; j++)
      quantity += alike(&hosts[i], &hosts[j]);
    put_client(b, &hosts[i], quantity);
  }
}

void lb_mlperf_system_text(struct lb_buf *b, const char *system,
                           const struct lb_mlperf_host *hosts, size_t n,
                           const char *note)
{
  static const char head[] =
      "# A system under test, as the benchmark's rules want it described.\n"
      "# Written once, by the first run; fill in what is blank.  clients: is "
      "what\n"
      "# the hosts say of themselves; entries that are commented out show what "
      "can be\n"
      "# added.\n";
  lb_buf_puts(b, head);
  if (note)
    lb_buf_printf(b, "# %s\n", note);
  lb_buf_puts(b, "system_under_test:\n");
  for (size_t i = 0; i < lb_system_n_keys; i++) {
    const struct lb_system_key *k = &lb_system_keys[i];
    if (k->of != LB_SYSTEM_UNDER_TEST)
      continue;
    if (k->map == LB_SYSTEM_SOLUTION)
      put_solution(b, system);
    else if (!strcmp(k->name, "clients"))
      put_clients(b, hosts, n);
    else
      blank_key(b, k, 2, "  ", false);
  }
}

/* ---- the file ---- */

int lb_mlperf_system_write(const char *folder, const char *system,
                           const struct lb_mlperf_host *hosts, size_t n,
                           const char *note, bool *made, struct lb_err *err)
{
  char path[PATH_MAX], name[LB_MLPERF_NAME + 8];
  struct lb_buf b;
  struct stat st;
  *made = false;
  snprintf(name, sizeof name, "%s.yaml", system);
  if (lb_path_join(folder, name, path, LB_FAILED, err))
    return -err->code;
  if (!lstat(path, &st))
    return 0;
  snprintf(path, sizeof path, "%s", folder);
  int sys = lb_make_folders(path);
  if (sys)
    return lb_err_sys(err, LB_FAILED, sys, "mkdir: %s", folder);
  lb_buf_init(&b, (size_t)16 << 20);
  lb_mlperf_system_text(&b, system, hosts, n, note);
  int rc = b.failed
               ? lb_err_set(err, LB_FAILED, "%s/%s: no memory", folder, name)
               : lb_write_new_file(folder, name, b.data, b.len, made, err);
  lb_buf_fini(&b);
  return rc;
}
