/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Targets of src/mlperf: command lines, the history.  See targets.h. */
#include "lb-config.h"

#include <stdio.h>
#include <string.h>

#include "loadbank/mlperf_launch.h"
#include "targets.h"

/* Aborts, so that it is a finding. */
static void must(bool good, const char *what)
{
  if (good)
    return;
  fprintf(stderr, "%s\n", what);
  __builtin_trap();
}

/* ---- a command line ---- */

static bool make_line(const char *folder)
{
  static const char text[] =
      "open training unet3d run file -cm 64 --num-accelerators=8 -at b200 "
      "-dd 'a b' -rd r -sn s --hosts a b:4,c --params x=1 'y=it'\\''s' "
      "--scale 0.5 --loops 6 --mpi-params='-x 1' --o-direct -aip";
  char path[700];
  snprintf(path, sizeof path, "%s/%s", folder, fuzz_mlperf_line.file);
  return fixture_spit(path, text, sizeof text - 1);
}

/* What can be started asks its ranks for the same. */
static void start(struct lb_mlperf_call *call)
{
  const struct lb_mlperf_site site = {
      .bin = "/l", .program = "/p", .host = "h"};
  struct lb_mlperf_call rank;
  struct lb_err err = LB_ERR_INIT;
  const char **argv = NULL;
  int n = 0, first = 0;
  if (call->help || !call->verb->launches ||
      lb_mlperf_launch_argv(call, &site, &argv, &err) || !argv)
    return;
  while (argv[n])
    n++;
  while (first < n - 2 && strcmp(argv[first], "/p") != 0)
    first++;
  must(!lb_mlperf_parse(n - first - 2, (char **)argv + first + 2, &rank, &err),
       err.msg);
  must(rank.args.launched && rank.verb == call->verb &&
           lb_mlperf_ranks(&rank.args) == lb_mlperf_ranks(&call->args) &&
           rank.args.n_params == call->args.n_params,
       "the ranks are asked for something else");
  lb_mlperf_call_fini(&rank);
}

static void read_line(const char *folder, const uint8_t *bytes, size_t n)
{
  char text[4096], **word;
  struct lb_mlperf_call call;
  struct lb_arena arena = {0};
  struct lb_err err = LB_ERR_INIT;
  int words;
  (void)folder;
  snprintf(text, sizeof text, "%.*s", (int)(n < 4096 ? n : 4096),
           (const char *)bytes);
  /* A file that is named may be a device, and a launcher's words end a line. */
  if (!strstr(text, "/dev") && !strstr(text, "/p") &&
      !lb_mlperf_unquote(text, &arena, &word, &words, &err)) {
    if (!lb_mlperf_parse(words, word, &call, &err))
      start(&call);
    else
      must(err.code && err.msg[0], "refused, but how?");
    lb_mlperf_call_fini(&call);
  }
  lb_arena_fini(&arena);
}

const struct fuzz_text fuzz_mlperf_line = {"line", make_line, read_line};

/* ---- the history ---- */

static bool make_history(const char *folder)
{
  struct lb_err err = LB_ERR_INIT;
  return !lb_mlperf_history_add(folder, "loadbank mlperf x 'y z'", &err) &&
         !lb_mlperf_history_add(folder, "loadbank mlperf z", &err);
}

/* One more line, whatever was there. */
static void read_history(const char *folder, const uint8_t *bytes, size_t n)
{
  struct lb_mlperf_call call = {.args = {.limit = 1}};
  struct lb_err err = LB_ERR_INIT;
  (void)bytes, (void)n;
  snprintf(call.args.results_dir, sizeof call.args.results_dir, "%s", folder);
  lb_buf_init(&call.out, 16 << 20);
  if (lb_mlperf_history_add(folder, "new", &err) == 0) {
    must(!lb_mlperf_history_show(&call, &err), err.msg);
    must(call.out.data && strstr(call.out.data, "  new\n"),
         "the new line is not the last one");
  }
  lb_mlperf_call_fini(&call);
}

const struct fuzz_text fuzz_mlperf_history = {
    LB_MLPERF_HISTORY "/" LB_MLPERF_HISTORY_FILE, make_history, read_history};
