/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Code images that are there, and pointers to them. */
#include "lb-config.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <jansson.h>

#include "loadbank/json.h"
#include "loadbank/path.h"
#include "loadbank/stamp.h"
#include "loadbank/wholefile.h"
#include "mlperf/image_impl.h"
#include "mlperf/slurp.h"

enum { DIGITS = LB_MLPERF_TREE_HASH - 1, SHA_DIGITS = 40 };

/* Lower-case hexadecimal digits, n of them. */
static bool is_hex(const char *text, size_t n)
{
  return text && strlen(text) == n && strspn(text, "0123456789abcdef") == n;
}

/* "2026-06-16T15:42:11Z" */
static bool is_time(const char *text)
{
  size_t n = sizeof "2026-06-16T15:42:11Z" - 1;
  return text && strlen(text) == n && text[n - 1] == 'Z' &&
         isfinite(lb_stamp_seconds(text));
}

/* NULL: as it must be. */
static const char *flaw_of(const json_t *v)
{
  static const char *const keys[] = {"hash", "algorithm", "captured_at",
                                     "mlpstorage_version", "git_sha"};
  for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
    if (!json_object_get(v, keys[i]))
      return "hash, algorithm, captured_at, mlpstorage_version and git_sha "
             "must be there";
  const json_t *algorithm = json_object_get(v, "algorithm");
  const json_t *sha = json_object_get(v, "git_sha");
  if (!json_is_string(algorithm) ||
      strcmp(json_string_value(algorithm), LB_MLPERF_TREE_ALGORITHM) != 0)
    return "algorithm: allowed is " LB_MLPERF_TREE_ALGORITHM;
  if (!is_hex(json_string_value(json_object_get(v, "hash")), DIGITS))
    return "hash: allowed are 32 lower-case hexadecimal digits";
  if (!is_time(json_string_value(json_object_get(v, "captured_at"))))
    return "captured_at: allowed is YYYY-MM-DDThh:mm:ssZ";
  if (!json_is_null(sha) && !is_hex(json_string_value(sha), SHA_DIGITS))
    return "git_sha: allowed are 40 lower-case hexadecimal digits, or null";
  return NULL;
}

int lb_mlperf_image_recorded(const char *image, char hash[LB_MLPERF_TREE_HASH],
                             struct lb_err *err)
{
  char path[PATH_MAX], why[LB_MLPERF_UNREAD];
  *hash = '\0';
  if (lb_path_join(image, LB_IMAGE_RECORD, path, LB_USAGE, err))
    return -err->code;
  json_t *v = lb_mlperf_slurp_json(path, why);
  if (!v)
    return lb_err_set(err, LB_USAGE, "%s: %s", path, why);
  const char *flaw = flaw_of(v);
  if (!flaw)
    memcpy(hash, json_string_value(json_object_get(v, "hash")),
           LB_MLPERF_TREE_HASH);
  json_decref(v);
  return flaw ? lb_err_set(err, LB_USAGE, "%s: %s", path, flaw) : 0;
}

bool lb_mlperf_is_pool(const char *root, const char *name)
{
  char path[PATH_MAX];
  return snprintf(path, sizeof path, "%s/%s/%s", root, name,
                  LB_MLPERF_POOL_MARKER) < (int)sizeof path &&
         access(path, F_OK) == 0;
}

void lb_mlperf_image_id(const char *hash, char id[LB_MLPERF_IMAGE_ID])
{
  snprintf(id, LB_MLPERF_IMAGE_ID, "%s:%.40s", LB_MLPERF_TREE_ALGORITHM, hash);
}

void lb_mlperf_image_name(const char *hash, char name[64])
{
  snprintf(name, 64, "%s/code-%.8s", LB_MLPERF_POOL, hash);
}

int lb_mlperf_image_verify(const char *image, char hash[LB_MLPERF_TREE_HASH],
                           struct lb_err *err)
{
  char found[LB_MLPERF_TREE_HASH], name[64];
  int rc = lb_mlperf_image_recorded(image, hash, err);
  if (rc)
    return rc;
  const char *base = strrchr(image, '/');
  lb_mlperf_image_name(hash, name);
  if (strcmp(base ? base + 1 : image, strchr(name, '/') + 1) != 0)
    return lb_err_set(err, LB_USAGE,
                      "%s: its recorded hash %s wants the name %s", image, hash,
                      strchr(name, '/') + 1);
  rc = lb_mlperf_tree_hash(image, found, err);
  if (!rc && strcmp(found, hash) != 0)
    rc = lb_err_set(err, LB_USAGE,
                    "%s: its files have the hash %s, recorded is %s", image,
                    found, hash);
  return rc;
}

int lb_mlperf_pointer_write(const char *leaf, const char *hash,
                            struct lb_err *err)
{
  char id[LB_MLPERF_IMAGE_ID];
  lb_mlperf_image_id(hash, id);
  return lb_write_file(leaf, LB_MLPERF_POINTER, id, strlen(id), err);
}

int lb_mlperf_pointer_read(const char *leaf, char hash[LB_MLPERF_TREE_HASH],
                           struct lb_err *err)
{
  static const char start[] = LB_MLPERF_TREE_ALGORITHM ":";
  char path[PATH_MAX], text[128];
  *hash = '\0';
  if (lb_path_join(leaf, LB_MLPERF_POINTER, path, LB_USAGE, err))
    return -err->code;
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
  int sys = n < 0 ? errno : 0;
  if (fd >= 0)
    close(fd);
  if (sys)
    return lb_err_sys(err, LB_USAGE, sys, "%s", path);
  while (n > 0 && strchr(" \t\r\n", text[n - 1]))
    n--;
  text[n] = '\0';
  if (strncmp(text, start, sizeof start - 1) != 0 ||
      !is_hex(text + sizeof start - 1, DIGITS))
    return lb_err_set(err, LB_USAGE,
                      "%s: allowed is '%s' and 32 lower-case hexadecimal "
                      "digits",
                      path, start);
  memcpy(hash, text + sizeof start - 1, LB_MLPERF_TREE_HASH);
  return 0;
}
