/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What drains a burst buffer: a limit of bandwidth that threads share, and one
 * file's copy. */
#include "lb-config.h"

#include "loadbank/shard_copy.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tap.h"

enum { BYTES = 10000, REQUEST = 4096 };

static void a_limit_is_shared(void)
{
  struct lb_throttle p = {.ns_per_byte = 2.5};
  is_int(lb_throttle_take(&p, 1000, 400), 2000, "400 bytes at 0.4 bytes/ns");
  is_int(lb_throttle_take(&p, 1500, 400), 3000, "another's come after them");
  is_int(lb_throttle_take(&p, 5000, 4), 5010, "nothing is saved up");
  struct lb_throttle none = {.ns_per_byte = 0};
  is_int(lb_throttle_take(&none, 7, 1 << 30), 7, "no limit");
}

static bool go_on(void *arg)
{
  return (*(int *)arg)-- > 0;
}

static void write_file(const char *path, const char *bytes, size_t n)
{
  FILE *f = fopen(path, "wb");
  if (!f || fwrite(bytes, 1, n, f) != n || fclose(f))
    printf("Bail out! %s\n", path);
}

static size_t read_file(const char *path, char *bytes, size_t room)
{
  FILE *f = fopen(path, "rb");
  size_t n = f ? fread(bytes, 1, room, f) : 0;
  if (f)
    fclose(f);
  return n;
}

static void a_file_is_copied(struct lb_storage *s, struct lb_iothread *io,
                             const char *folder)
{
  static char bytes[BYTES], got[BYTES + 1];
  char source[200], final[200], temporary[200];
  struct lb_err err = LB_ERR_INIT;
  struct lb_throttle throttle = {.ns_per_byte = 0};
  int goes = 100;
  snprintf(source, sizeof source, "%s/source", folder);
  snprintf(final, sizeof final, "%s/final", folder);
  snprintf(temporary, sizeof temporary, "%s/.final.part", folder);
  for (size_t i = 0; i < BYTES; i++)
    bytes[i] = (char)(i * i >> 3);
  write_file(source, bytes, BYTES);
  struct lb_shard_copy c = {.from = s,
                            .to = s,
                            .source = source,
                            .final = final,
                            .temporary = temporary,
                            .bytes = BYTES,
                            .request = REQUEST,
                            .throttle = &throttle,
                            .io = io,
                            .tick = go_on,
                            .tick_arg = &goes};
  is_int(lb_shard_copy(&c, &err), 0, "a copy %s", err.msg);
  ok(read_file(final, got, sizeof got) == BYTES && !memcmp(got, bytes, BYTES),
     "the same bytes");
  ok(access(temporary, F_OK) != 0, "under its name alone");
  unlink(final);
  c.bytes = BYTES + 1;
  ok(lb_shard_copy(&c, &err) < 0 && strstr(err.msg, "has 10000 bytes, 10001"),
     "another size: %s", err.msg);
  err = (struct lb_err)LB_ERR_INIT;
  c.bytes = BYTES;
  goes = 1;
  ok(lb_shard_copy(&c, &err) < 0 && lb_err_gave_up(&err), "given up");
  ok(access(final, F_OK) != 0 && access(temporary, F_OK) != 0, "no file left");
  err = (struct lb_err)LB_ERR_INIT;
  unlink(source);
  ok(lb_shard_copy(&c, &err) < 0 && strstr(err.msg, source), "no source: %s",
     err.msg);
}

int main(void)
{
  struct lb_storage *s = NULL;
  struct lb_iothread io;
  struct lb_err err = LB_ERR_INIT;
  const struct lb_storage_env env = {.bandwidth_share = 1};
  if (lb_storage_open(&s, lb_backend_find("local_fs"), NULL, &env, &err) ||
      lb_iothread_init(&io, REQUEST, &err)) {
    printf("Bail out! %s\n", err.msg);
    return 1;
  }
  a_limit_is_shared();
  a_file_is_copied(s, &io, tap_tmpdir());
  lb_iothread_fini(&io);
  lb_storage_close(s);
  return done();
}
