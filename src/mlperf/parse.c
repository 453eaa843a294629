/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From argv to a call of `loadbank mlperf'. */
#include "lb-config.h"

#include <inttypes.h>
#include <stdlib.h>

#include "loadbank/mlperf_launch.h"
#include "mlperf/parse_impl.h"

enum { MAX_LINE = 1 << 20, MAX_OUT = 1 << 28 };

static int n_flags(void)
{
  int n = 0;
  while (lb_mlperf_flags[n].option.key)
    n++;
  return n;
}

static int keep_line(int argc, char **argv, struct lb_mlperf_call *call,
                     struct lb_err *err)
{
  struct lb_buf line;
  lb_buf_init(&line, MAX_LINE);
  lb_buf_puts(&line, argc ? "loadbank mlperf " : "loadbank mlperf");
  lb_mlperf_quote((const char *const *)argv, argc, &line);
  call->command_line = line.failed ? NULL : lb_buf_take(&line);
  lb_buf_fini(&line);
  return call->command_line ? 0
                            : lb_err_set(err, LB_USAGE,
                                         "mlperf: a command line of more than "
                                         "%d bytes",
                                         MAX_LINE);
}

int lb_mlperf_parse(int argc, char **argv, struct lb_mlperf_call *call,
                    struct lb_err *err)
{
  struct lb_mlperf_scan s = {0};
  *call = (struct lb_mlperf_call){0};
  lb_buf_init(&call->out, MAX_OUT);
  call->text =
      lb_arena_new(&call->arena, sizeof *call->text * (size_t)n_flags());
  call->origin =
      lb_arena_new(&call->arena, sizeof *call->origin * (size_t)n_flags());
  if (!call->text || !call->origin)
    return lb_err_set(err, LB_FAILED, "out of memory");
  int rc = keep_line(argc, argv, call, err);
  if (!rc)
    rc = lb_mlperf_scan(argc, argv, &s, call, err);
  if (!rc)
    rc = lb_mlperf_grammar(&s, call, err);
  if (rc && s.unknown) { /* its value has been taken for a word */
    *err = (struct lb_err)LB_ERR_INIT;
    return lb_mlperf_no_flag(call, s.unknown, err);
  }
  if (!rc && !call->help)
    rc = lb_mlperf_values(&s, call, err);
  return rc;
}

void lb_mlperf_call_fini(struct lb_mlperf_call *call)
{
  free(call->command_line);
  lb_buf_fini(&call->out);
  lb_arena_fini(&call->arena);
  *call = (struct lb_mlperf_call){0};
}

int64_t lb_mlperf_accelerators(const struct lb_mlperf_args *a)
{
  return a->num_accelerators ? a->num_accelerators
         : a->num_processes  ? a->num_processes
                             : a->max_accelerators;
}

int64_t lb_mlperf_ranks(const struct lb_mlperf_args *a)
{
  return a->ranks ? a->ranks : lb_mlperf_accelerators(a);
}

int lb_mlperf_check_ranks(const struct lb_mlperf_args *a, int n_ranks,
                          struct lb_err *err)
{
  int64_t n = lb_mlperf_accelerators(a);
  if (n_ranks == lb_mlperf_ranks(a) || n % n_ranks == 0)
    return 0;
  return lb_err_set(err, LB_USAGE,
                    "mlperf: started with %d ranks, which %" PRId64
                    " accelerators are no multiple of; %" PRId64
                    " were asked for",
                    n_ranks, n, lb_mlperf_ranks(a));
}
