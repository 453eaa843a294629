/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The description of a system that is written of its hosts: what it has, what
 * it leaves to a person, and that it is right when that is filled in. */
#include "lb-config.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mlperf/slurp.h"
#include "mlperf/system_impl.h"
#include "system_rig.h"
#include "tap.h"

static char *slurp(const char *path)
{
  struct lb_err err = LB_ERR_INIT;
  char *text;
  size_t len;
  is_int(lb_mlperf_slurp(path, LB_FAILED, &text, &len, &err), 0, "read: %s",
         err.msg);
  return text;
}

/* What a person fills in. */
static const struct {
  const char *key, *value;
} filled[] = {
    {"    friendly_description:", "A box"},
    {"storage_location:", "local"},
    {"benchmark_API:", "file"},
    {"product_API:", "file"},
    {"client_footprint:", "n/a"},
    {"client_installation:", "n/a"},
    {"multi_host:", "false"},
    {"simultaneous_write:", "true"},
    {"simultaneous_read:", "true"},
    {"remap_time_in_seconds:", "0"},
    {"deployment:", "cloud"},
    {"- friendly_description:", NULL}, /* of a node that is a comment */
    {"  - friendly_description:", "One"},
    {"traffic:", "[data]"},
    {"vendor_name:", "V"},
    {"media_type:", "QLC"},
    {"  - friendly_description:", "Other"},
};

/* Puts values behind keys, one after another, that are no comments. */
static char *fill_in(char *text)
{
  size_t from = 0;
  for (size_t i = 0; i < sizeof filled / sizeof filled[0]; i++) {
    if (!filled[i].value)
      continue;
    for (;;) {
      const char *at = strstr(text + from, filled[i].key);
      if (!at) {
        ok(false, "'%s' is there", filled[i].key);
        return text;
      }
      const char *start = at;
      while (start > text && start[-1] != '\n')
        start--;
      from = (size_t)(at - text) + strlen(filled[i].key);
      if (*start != '#')
        break;
    }
    size_t size = strlen(text) + strlen(filled[i].value) + 2;
    char *more = malloc(size);
    if (!more)
      return text;
    snprintf(more, size, "%.*s %s%s", (int)from, text, filled[i].value,
             text + from);
    free(text);
    text = more;
  }
  return text;
}

static void test_written(void)
{
  static struct lb_mlperf_host h[3];
  char folder[PATH_MAX], path[PATH_MAX + 16];
  struct lb_err err = LB_ERR_INIT;
  struct lb_mlperf_system s;
  struct lb_mlperf_flaws flaws;
  bool made;
  for (int i = 0; i < 3; i++)
    make_host(&h[i], i == 0 ? "n0" : i == 1 ? "n1" : "n2");
  snprintf(h[1].port[0].names, sizeof h[1].port[0].names, "ens1");
  snprintf(h[0].model, sizeof h[0].model, "A \"model\": #1 \\");
  memcpy(h[1].model, h[0].model, sizeof h[0].model);
  h[0].n_drives = h[1].n_drives = 1;
  h[0].drive[0] = (struct lb_mlperf_drive){.names = "sda",
                                           .model = "M",
                                           .interface = "sas",
                                           .capacity = 2000,
                                           .count = 1};
  h[1].drive[0] = h[0].drive[0];
  h[2].n_ports = 0;
  h[2].n_sysctls = 1;
  h[2].sysctl[0] = (struct lb_mlperf_sysctl){"vm.dirty_ratio", "20"};
  snprintf(folder, sizeof folder, "%s/closed/acme/systems", tap_tmpdir());
  is_int(
      lb_mlperf_system_write(folder, "1.5", h, 3, "A rehearsal.", &made, &err),
      0, "written: %s", err.msg);
  ok(made, "for the first time");
  snprintf(path, sizeof path, "%s/1.5.yaml", folder);
  char *text = slurp(path);
  ok(text && strstr(text, "# A rehearsal.\n"), "with the note");
  is_int(lb_mlperf_system_read(path, &s, &flaws, &err), 0, "read back");
  is_str(s.submission_name, "1.5", "the name is filled in");
  is_int(s.clients, 3, "three hosts");
  is_int(s.client_groups, 2, "two alike, whatever their devices are called");
  ok(flaws.n > 10, "%zu blanks", flaws.n);
  for (size_t i = 0; i < flaws.n; i++)
    if (!strstr(flaws.flaw[i].text, "not filled in"))
      ok(false, "%s", flaws.flaw[i].text);
  lb_mlperf_flaws_fini(&flaws);
  is_int(lb_mlperf_system_compare(path, h, 3, &flaws, &err), 0, "compared");
  is_int((long long)flaws.n, 0, "as the hosts are");
  lb_mlperf_flaws_fini(&flaws);
  is_int(lb_mlperf_system_write(folder, "1.5", h, 1, NULL, &made, &err), 0,
         "a second time");
  char *again = slurp(path);
  ok(!made, "it is not written");
  is_str(again, text, "and stays");
  text = fill_in(text);
  flaws = check(text, &s);
  is_int((long long)flaws.n, 0, "filled in: %s",
         flaws.n ? flaws.flaw[0].text : "no flaw");
  lb_mlperf_flaws_fini(&flaws);
  free(again);
  free(text);
}

/* The commented-out entries, when they are no comments, have all the keys. */
static void test_templates(void)
{
  struct lb_buf b;
  struct lb_mlperf_system s;
  lb_buf_init(&b, 1 << 20);
  lb_mlperf_system_text(&b, "box", NULL, 0, NULL);
  size_t out = 0;
  for (size_t i = 0; i < b.len; i++) {
    bool start = i == 0 || b.data[i - 1] == '\n';
    if (start && b.data[i] == '#' && b.data[i + 1] == ' ' &&
        b.data[i + 2] == ' ') {
      b.data[out++] = ' ';
      continue;
    }
    if (!strncmp(b.data + i, ": []", 4)) {
      memcpy(b.data + out, ":   ", 4);
      out += 4;
      i += 3;
      continue;
    }
    b.data[out++] = b.data[i];
  }
  b.data[out] = '\0';
  struct lb_mlperf_flaws flaws = check(b.data, &s);
  size_t blanks = 0;
  for (size_t i = 0; i < flaws.n; i++)
    if (strstr(flaws.flaw[i].text, "not filled in"))
      blanks++;
    else if (strcmp(flaws.flaw[i].path, "clients") != 0)
      ok(false, "%s", flaws.flaw[i].text);
  ok(blanks > 30, "%zu blanks", blanks);
  lb_mlperf_flaws_fini(&flaws);
  lb_buf_fini(&b);
}

int main(void)
{
  test_written();
  test_templates();
  return done();
}
