/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mlperf-results.yaml: the file that pins a results folder to an organisation.
 * It is whole or not there, and of two that make it at once one wins. */
#include "lb-config.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "loadbank/clock.h"
#include "loadbank/mlperf_cli.h"
#include "loadbank/path.h"
#include "loadbank/wholefile.h"
#include "mlperf/parse_impl.h"
#include "mlperf/place.h"
#include "mlperf/slurp.h"

enum { VERSION_WRITTEN = 3 };
#define TEMPORARY "." LB_MLPERF_SENTINEL "."

/* ---- reading ---- */

static const struct lb_node *member(const struct lb_node *map, const char *key)
{
  const struct lb_node *n = map->first;
  while (n && strcmp(n->key, key) != 0)
    n = n->next;
  return n && n->kind == LB_NODE_SCALAR ? n : NULL;
}

static int take(const char *path, const struct lb_node *root,
                char org[LB_MLPERF_NAME], struct lb_err *err)
{
  if (root->kind != LB_NODE_MAP)
    return lb_node_error(path, root, NULL, err, "no map");
  const struct lb_node *version = member(root, "mlperf_results_version");
  const struct lb_node *name = member(root, "orgname");
  if (!version ||
      (strcmp(version->text, "1") != 0 && strcmp(version->text, "2") != 0 &&
       strcmp(version->text, "3") != 0))
    return lb_node_error(path, version ? version : root,
                         "mlperf_results_version", err, "1, 2 or 3 is needed");
  if (!name || !lb_mlperf_is_name(name->text))
    return lb_node_error(path, name ? name : root, "orgname", err,
                         "a name of 1..%d " LB_MLPERF_NAME_OF " is needed",
                         LB_MLPERF_NAME - 1);
  memcpy(org, name->text, strlen(name->text) + 1);
  return 0;
}

int lb_mlperf_sentinel_read(const char *results, char org[LB_MLPERF_NAME],
                            struct lb_err *err)
{
  char path[PATH_MAX], *text = NULL;
  size_t len;
  struct lb_arena arena = {0};
  struct lb_node *root;
  if (lb_path_join(results, LB_MLPERF_SENTINEL, path, LB_USAGE, err))
    return -err->code;
  if (access(path, F_OK) && errno == ENOENT)
    return lb_err_set(err, LB_USAGE,
                      "%.700s is no results folder; loadbank mlperf init ORG "
                      "DIR makes one",
                      results);
  int rc = lb_mlperf_slurp(path, LB_USAGE, &text, &len, err);
  if (!rc)
    rc = lb_yaml_parse(&arena, text, len, &(struct lb_source){.file = path},
                       &root, err);
  if (!rc)
    rc = take(path, root, org, err);
  lb_arena_fini(&arena);
  free(text);
  return rc;
}

/* ---- writing ---- */

/* Something in the folder but what another that makes it has not finished. */
static int check_empty(const char *results, struct lb_err *err)
{
  DIR *d = opendir(results);
  const struct dirent *e;
  char found[256] = "";
  if (!d)
    return lb_err_sys(err, LB_USAGE, errno, "%.800s", results);
  while (!*found && (e = readdir(d)) != NULL)
    if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0 &&
        strncmp(e->d_name, TEMPORARY, sizeof TEMPORARY - 1) != 0)
      snprintf(found, sizeof found, "%s", e->d_name);
  closedir(d);
  return *found ? lb_err_set(err, LB_USAGE,
                             "%.600s: not empty (%.100s), and no results "
                             "folder; nothing is changed",
                             results, found)
                : 0;
}

static int write_new(const char *results, const char *org, bool *made,
                     struct lb_err *err)
{
  char text[512], now[LB_CLOCK_ISO_LEN];
  lb_clock_utc_iso(lb_clock_utc_ns(), now);
  int len = snprintf(text, sizeof text,
                     "mlperf_results_version: %d\n"
                     "orgname: '%s'\n"
                     "initialized_at: '%s'\n"
                     "initialized_by: 'loadbank " PACKAGE_VERSION "'\n",
                     VERSION_WRITTEN, org, now);
  return lb_write_new_file(results, LB_MLPERF_SENTINEL, text, (size_t)len, made,
                           err);
}

/* There already: 1 for the same organisation. */
static int compare(const char *results, const char *org, struct lb_err *err)
{
  char old[LB_MLPERF_NAME];
  if (lb_mlperf_sentinel_read(results, old, err))
    return -err->code;
  return !strcmp(old, org)
             ? 1
             : lb_err_set(err, LB_USAGE,
                          "%.700s belongs to '%s', not to '%s'; another "
                          "organisation needs another folder",
                          results, old, org);
}

int lb_mlperf_sentinel_write(const char *results, const char *org, bool dry,
                             struct lb_err *err)
{
  char path[PATH_MAX];
  struct stat st;
  if (!lb_mlperf_is_name(org))
    return lb_err_set(err, LB_USAGE,
                      "'%.80s' is no name of 1..%d " LB_MLPERF_NAME_OF, org,
                      LB_MLPERF_NAME - 1);
  if (!*results)
    return lb_err_set(err, LB_USAGE, "init: the folder's name is empty");
  if (lb_path_join(results, LB_MLPERF_SENTINEL, path, LB_USAGE, err))
    return -err->code;
  bool absent = stat(results, &st) && errno == ENOENT, first = true;
  if (!absent && !lstat(path, &st))
    return compare(results, org, err);
  if (dry)
    return absent ? 0 : check_empty(results, err);
  if (absent && mkdir(results, 0777) && errno != EEXIST)
    return lb_err_sys(err, LB_USAGE, errno, "%.800s: make", results);
  int rc = check_empty(results, err);
  if (!rc)
    rc = write_new(results, org, &first, err);
  if (!rc && !first) /* another has been quicker */
    return compare(results, org, err);
  if (rc && absent)
    rmdir(results);
  return rc;
}
