/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Paths of a results tree, there and back.  Pure. */
#include "lb-config.h"

#include "mlperf/place.h"

#include <stdio.h>
#include <string.h>

enum { MAX_PARTS = 8 };

bool lb_mlperf_is_name(const char *name)
{
  size_t n = strlen(name);
  return n > 0 && n < LB_MLPERF_NAME &&
         strspn(name, LB_MLPERF_NAME_CHARACTERS) == n &&
         name[0] != '.'; /* such a folder is hidden: no report would see it */
}

static int number(const char *digits, int n)
{
  int v = 0;
  for (int i = 0; i < n; i++) {
    if (digits[i] < '0' || digits[i] > '9')
      return -1;
    v = 10 * v + (digits[i] - '0');
  }
  return v;
}

static bool within(int v, int least, int most)
{
  return v >= least && v <= most;
}

bool lb_mlperf_is_stamp(const char *s)
{
  static const int days[] = {31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  if (strlen(s) != LB_MLPERF_STAMP - 1 || s[8] != '_')
    return false;
  int month = number(s + 4, 2);
  return number(s, 4) > 0 && within(month, 1, 12) &&
         within(number(s + 6, 2), 1, days[month - 1]) &&
         within(number(s + 9, 2), 0, 23) && within(number(s + 11, 2), 0, 59) &&
         within(number(s + 13, 2), 0, 60);
}

time_t lb_mlperf_stamp_time(const char *stamp)
{
  struct tm tm = {.tm_year = number(stamp, 4) - 1900,
                  .tm_mon = number(stamp + 4, 2) - 1,
                  .tm_mday = number(stamp + 6, 2),
                  .tm_hour = number(stamp + 9, 2),
                  .tm_min = number(stamp + 11, 2),
                  .tm_sec = number(stamp + 13, 2)};
  return timegm(&tm);
}

static int fits(int length, struct lb_err *err)
{
  return length < PATH_MAX ? 0
                           : lb_err_set(err, LB_USAGE,
                                        "a path of the results tree would be "
                                        "longer than %d bytes",
                                        PATH_MAX - 1);
}

int lb_mlperf_group_path(const struct lb_mlperf_place *p, char out[PATH_MAX],
                         struct lb_err *err)
{
  bool training = p->kind == LB_MLPERF_TRAINING;
  return fits(snprintf(out, PATH_MAX, "%s/%s/results/%s/%s/%s%s%s",
                       lb_mlperf_mode_names[p->mode], p->org, p->system,
                       lb_mlperf_kind_names[p->kind], p->model,
                       training ? "/" : "",
                       training ? lb_mlperf_command_names[p->command] : ""),
              err);
}

int lb_mlperf_leaf_path(const struct lb_mlperf_place *p, char out[PATH_MAX],
                        struct lb_err *err)
{
  char group[PATH_MAX];
  int rc = lb_mlperf_group_path(p, group, err);
  return rc ? rc : fits(snprintf(out, PATH_MAX, "%s/%s", group, p->stamp), err);
}

int lb_mlperf_systems_path(const struct lb_mlperf_place *p, char out[PATH_MAX],
                           struct lb_err *err)
{
  return fits(snprintf(out, PATH_MAX, "%s/%s/systems",
                       lb_mlperf_mode_names[p->mode], p->org),
              err);
}

/* Splits at '/'; the number of parts, 0: too many or an empty one. */
static int split(char *path, char *part[MAX_PARTS])
{
  int n = 0;
  for (char *p = path, *end; p; p = end ? end + 1 : NULL) {
    end = strchr(p, '/');
    if (end)
      *end = '\0';
    if (!*p || n == MAX_PARTS)
      return 0;
    part[n++] = p;
  }
  return n;
}

static bool word(const char *text, const char *const *words, size_t n, int *out)
{
  *out = lb_mlperf_word(words, n, text);
  return *out >= 0;
}

static bool take_name(const char *text, char out[LB_MLPERF_NAME])
{
  if (!lb_mlperf_is_name(text))
    return false;
  memcpy(out, text, strlen(text) + 1);
  return true;
}

bool lb_mlperf_leaf_parse(const char *path, struct lb_mlperf_place *out)
{
  char text[PATH_MAX], *part[MAX_PARTS];
  *out = (struct lb_mlperf_place){0};
  if (strlen(path) >= sizeof text)
    return false;
  memcpy(text, path, strlen(path) + 1);
  int n = split(text, part);
  if (n < 7 || strcmp(part[2], "results") != 0 ||
      !word(part[0], lb_mlperf_mode_names, LB_MLPERF_N_MODES, &out->mode) ||
      !word(part[4], lb_mlperf_kind_names, LB_MLPERF_N_KINDS, &out->kind) ||
      !take_name(part[1], out->org) || !take_name(part[3], out->system) ||
      !take_name(part[5], out->model) || !lb_mlperf_is_stamp(part[n - 1]))
    return false;
  memcpy(out->stamp, part[n - 1], LB_MLPERF_STAMP);
  out->command = LB_MLPERF_RUN;
  if (out->kind == LB_MLPERF_CHECKPOINTING)
    return n == 7;
  return n == 8 && word(part[6], lb_mlperf_command_names, LB_MLPERF_CONFIGVIEW,
                        &out->command);
}
