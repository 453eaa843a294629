/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Making a code image: this program, what it read, how it was built. */
#include "lb-config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <jansson.h>

#include "loadbank/clock.h"
#include "loadbank/json.h"
#include "loadbank/path.h"
#include "loadbank/scratch.h"
#include "loadbank/versions.h"
#include "loadbank/wholefile.h"
#include "loadbank/world.h"
#include "mlperf/image_impl.h"
#include "mlperf/provenance.h"

/* Nothing of an image's own names starts with a dot: some of the rules leave
 * such files out of the hash. */
static const char program[] = "loadbank";
static const char facts[] = "build.json";

enum { PART = 1 << 18, HOST = 65 };

struct capture {
  char pool[PATH_MAX];
  char image[PATH_MAX + 64];
  char making[PATH_MAX + 128]; /* becomes the image when it is whole */
  char host[HOST];
  const char *hash;
};

/* ---- what is in it ---- */

static void build_facts(struct lb_buf *b)
{
  json_t *o = json_object();
  lb_json_put_text(o, "loadbank", PACKAGE_VERSION);
  lb_json_put_text(o, "compiler", __VERSION__);
  lb_json_put_text(o, "mpi", lb_world_mpi_version());
  lb_json_put_text(o, "hdf5", lb_hdf5_version());
  lb_json_put_text(o, "gsl", lb_gsl_version());
  lb_json_put_text(o, "libyaml", lb_yaml_version());
  lb_json_put_text(o, "jansson", JANSSON_VERSION);
  lb_json_put_text(o, "hwloc", lb_hwloc_version());
  lb_json_text(b, o);
  json_decref(o);
}

static int list(struct lb_tree_files *t,
                const struct lb_mlperf_image_file *files, size_t n,
                const struct lb_buf *build, struct lb_err *err)
{
  int rc = build->failed
               ? lb_err_set(err, LB_FAILED, "%s: no memory", facts)
               : lb_tree_add(t, facts, build->data, build->len, NULL, err);
  if (!rc)
    rc = lb_tree_add(t, program, NULL, 0, "/proc/self/exe", err);
  for (size_t i = 0; i < n && !rc; i++)
    rc = lb_tree_add(t, files[i].name, files[i].text, files[i].len, NULL, err);
  return rc;
}

/* ---- writing it ---- */

static int copy_bytes(int from, int to)
{
  char *part = malloc(PART);
  ssize_t n = part ? 1 : -1;
  int sys = part ? 0 : ENOMEM;
  while (n > 0 && !sys) {
    n = read(from, part, PART);
    if (n < 0)
      sys = errno;
    else if (n > 0)
      sys = lb_write_all(to, part, (size_t)n);
  }
  if (!sys && fsync(to) && errno != EINVAL && errno != ENOSYS)
    sys = errno;
  free(part);
  return sys;
}

static int copy_file(const char *from, const char *path, struct lb_err *err)
{
  int in = open(from, O_RDONLY | O_CLOEXEC);
  if (in < 0)
    return lb_err_sys(err, LB_FAILED, errno, "%s: read", from);
  int out = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0777);
  int sys = out < 0 ? errno : copy_bytes(in, out);
  if (out >= 0 && close(out) && !sys)
    sys = errno;
  close(in);
  return sys ? lb_err_sys(err, LB_FAILED, sys, "%s: write", path) : 0;
}

/* Names have one folder at most. */
static int write_one(const char *folder, const struct lb_tree_file *f,
                     struct lb_err *err)
{
  char path[PATH_MAX];
  if (lb_path_join(folder, f->name, path, LB_FAILED, err))
    return -err->code;
  if (!f->text)
    return copy_file(f->from, path, err);
  char *slash = strrchr(path, '/');
  *slash = '\0';
  if (mkdir(path, 0777) && errno != EEXIST)
    return lb_err_sys(err, LB_FAILED, errno, "mkdir: %s", path);
  return lb_write_file(path, slash + 1, f->text, f->len, err);
}

static int write_record(const struct capture *c, struct lb_err *err)
{
  char stamp[LB_CLOCK_ISO_LEN];
  json_t *o = json_object();
  lb_mlperf_now(stamp);
  lb_json_put_text(o, "hash", c->hash);
  lb_json_put_text(o, "algorithm", LB_MLPERF_TREE_ALGORITHM);
  lb_json_put_text(o, "captured_at", stamp);
  lb_json_put_text(o, "mlpstorage_version", "loadbank " PACKAGE_VERSION);
  json_object_set_new(o, "git_sha", json_null());
  return lb_json_write(c->making, LB_IMAGE_RECORD, o, err);
}

static int write_all(const struct capture *c, const struct lb_tree_files *t,
                     struct lb_err *err)
{
  if (mkdir(c->making, 0777))
    return lb_err_sys(err, LB_FAILED, errno, "mkdir: %s", c->making);
  int rc = 0;
  for (size_t i = 0; i < t->n && !rc; i++)
    rc = write_one(c->making, &t->file[i], err);
  return rc ? rc : write_record(c, err);
}

/* ---- the pool ---- */

static int make_pool(const struct capture *c, struct lb_err *err)
{
  char path[PATH_MAX + 64], own[HOST + 64], from[PATH_MAX + HOST + 64];
  char text[80];
  int len = snprintf(text, sizeof text,
                     "layout=%d\ntool=loadbank " PACKAGE_VERSION "\n",
                     LB_MLPERF_LAYOUT);
  if (mkdir(c->pool, 0777) && errno != EEXIST)
    return lb_err_sys(err, LB_FAILED, errno, "mkdir: %s", c->pool);
  snprintf(path, sizeof path, "%s/%s", c->pool, LB_MLPERF_POOL_MARKER);
  if (!access(path, F_OK))
    return 0;
  /* A name of its own: several jobs may do this at once. */
  snprintf(own, sizeof own, ".pool.%s.%ld", c->host, (long)getpid());
  snprintf(from, sizeof from, "%s/%s", c->pool, own);
  if (lb_write_file(c->pool, own, text, (size_t)len, err))
    return -err->code;
  if (!rename(from, path))
    return 0;
  int sys = errno;
  unlink(from);
  return lb_err_sys(err, LB_FAILED, sys, "%s: write", path);
}

/* ".code-XXXXXXXX.HOST.PID" of a job of this host that is gone. */
static bool is_left_over(const struct capture *c, const char *name)
{
  static const char start[] = ".code-xxxxxxxx.";
  size_t host = strlen(c->host);
  char *end;
  if (strncmp(name, start, sizeof ".code-" - 1) != 0 ||
      strlen(name) < sizeof start + host ||
      strncmp(name + sizeof start - 1, c->host, host) != 0 ||
      name[sizeof start - 1 + host] != '.')
    return false;
  long pid = strtol(name + sizeof start + host, &end, 10);
  return pid > 0 && !*end && kill((pid_t)pid, 0) && errno == ESRCH;
}

/* What a job that was killed has left. */
static void clear_left_over(const struct capture *c)
{
  char path[PATH_MAX + 300];
  const struct dirent *e;
  DIR *d = opendir(c->pool);
  while (d && (e = readdir(d)) != NULL)
    if (is_left_over(c, e->d_name)) {
      snprintf(path, sizeof path, "%s/%s", c->pool, e->d_name);
      lb_scratch_clear(path);
    }
  if (d)
    closedir(d);
}

/* Another hash that begins alike, or files that are not what they were. */
static int check_there(const struct capture *c, struct lb_err *err)
{
  char hash[LB_MLPERF_TREE_HASH];
  int rc = lb_mlperf_image_verify(c->image, hash, err);
  if (!rc && strcmp(hash, c->hash) != 0)
    rc = lb_err_set(err, LB_USAGE,
                    "%s: it is of the hash %s, this program's "
                    "is %s",
                    c->image, hash, c->hash);
  if (rc)
    lb_err_wrap(err, "a code image is not as it was; move it away");
  return rc;
}

static int make(const struct capture *c, const struct lb_tree_files *t,
                struct lb_err *err)
{
  int rc = make_pool(c, err);
  if (rc)
    return rc;
  if (!access(c->image, F_OK))
    return check_there(c, err);
  clear_left_over(c);
  rc = write_all(c, t, err);
  if (!rc && !rename(c->making, c->image))
    return 0;
  int sys = errno;
  lb_scratch_clear(c->making);
  if (rc)
    return rc;
  if (sys == ENOTEMPTY || sys == EEXIST) /* another job was quicker */
    return check_there(c, err);
  return lb_err_sys(err, LB_FAILED, sys, "%s: write", c->image);
}

int lb_mlperf_image_capture(const char *results,
                            const struct lb_mlperf_image_file *files, size_t n,
                            char hash[LB_MLPERF_TREE_HASH], struct lb_err *err)
{
  struct capture c = {.hash = hash};
  struct lb_tree_files t = {0};
  struct lb_buf build;
  char name[64];
  lb_buf_init(&build, 1 << 16);
  build_facts(&build);
  int rc = list(&t, files, n, &build, err);
  if (!rc)
    rc = lb_tree_hash(&t, hash, err);
  if (!rc)
    rc = lb_path_join(results, LB_MLPERF_POOL, c.pool, LB_FAILED, err);
  if (!rc) {
    if (gethostname(c.host, sizeof c.host - 1))
      snprintf(c.host, sizeof c.host, "host");
    lb_mlperf_image_name(hash, name);
    snprintf(c.image, sizeof c.image, "%s/%s", results, name);
    snprintf(c.making, sizeof c.making, "%s/.code-%.8s.%s.%ld", c.pool, hash,
             c.host, (long)getpid());
    rc = make(&c, &t, err);
  }
  lb_tree_fini(&t);
  lb_buf_fini(&build);
  return rc;
}
