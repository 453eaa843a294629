/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The hosts of --hosts.  Pure. */
#include "lb-config.h"

#include <string.h>

#include "loadbank/units.h"
#include "mlperf/parse_impl.h"

static int read_one(const char *text, size_t len,
                    struct lb_mlperf_host_slots *h, struct lb_err *err)
{
  char slots[24];
  size_t name = strcspn(text, ":,");
  *h = (struct lb_mlperf_host_slots){0};
  if (name == 0 || name > len || name >= sizeof h->name ||
      strspn(text, LB_MLPERF_NAME_CHARACTERS) < name)
    return lb_err_set(err, LB_USAGE,
                      "--hosts: '%.*s' is no HOST or HOST:N, as in a,b:4",
                      (int)len, text);
  memcpy(h->name, text, name);
  if (name == len)
    return 0;
  size_t n = len - name - 1;
  if (n == 0 || n >= sizeof slots)
    n = 0;
  memcpy(slots, text + name + 1, n);
  slots[n] = '\0';
  if (lb_parse_int(slots, false, &h->slots) != LB_PARSED_OK || h->slots < 1 ||
      h->slots > 1048576)
    return lb_err_set(err, LB_USAGE,
                      "--hosts: %s: '%s' is no number of accelerators in "
                      "1..1048576",
                      h->name, slots);
  return 0;
}

int lb_mlperf_hosts_read(const char *text, struct lb_mlperf_host_slots *host,
                         int max, int *n, struct lb_err *err)
{
  *n = 0;
  while (*text) {
    size_t len = strcspn(text, ",");
    if (*n == max)
      return lb_err_set(err, LB_USAGE, "--hosts: more than %d", max);
    if (read_one(text, len, &host[*n], err))
      return -err->code;
    for (int i = 0; i < *n; i++)
      if (!strcmp(host[i].name, host[*n].name))
        return lb_err_set(err, LB_USAGE,
                          "--hosts: %s twice; HOST:N puts N accelerators on it",
                          host[i].name);
    ++*n;
    text += len + (text[len] == ',');
  }
  return 0;
}
