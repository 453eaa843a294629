/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command line that starts the ranks.  What a launcher is told is made
 * here as data; only lb_mlperf_launch becomes it. */
#include "lb-config.h"

#include "loadbank/mlperf_launch.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "loadbank/log.h"
#include "loadbank/world.h"
#include "mlperf/parse_impl.h"

/* A growing argv in the arena. */
struct words {
  struct lb_arena *arena;
  const char **v;
  size_t n, max;
  bool failed;
};

static void add(struct words *w, const char *text)
{
  if (w->n + 1 >= w->max) {
    size_t max = w->max ? 2 * w->max : 64;
    const char **v = lb_arena_new(w->arena, max * sizeof *v);
    if (!v) {
      w->failed = true;
      return;
    }
    for (size_t i = 0; i < w->n; i++)
      v[i] = w->v[i];
    w->v = v;
    w->max = max;
  }
  char *copy = lb_arena_text(w->arena, text, strlen(text));
  w->failed |= !copy;
  w->v[w->n++] = copy;
}

static void add_number(struct words *w, const char *flag, int64_t n)
{
  char text[24];
  snprintf(text, sizeof text, "%" PRId64, n);
  add(w, flag);
  add(w, text);
}

/* Ends the buffer's life. */
static void add_buf(struct words *w, struct lb_buf *b)
{
  if (b->failed || !b->data)
    w->failed = true;
  else
    add(w, b->data);
  lb_buf_fini(b);
}

/* ---- hosts ---- */

struct hosts {
  int n;
  bool even; /* the same number of ranks on each */
  struct lb_mlperf_host_slots *host;
  int64_t *ranks; /* of each */
};

static bool is_this(const char *name, const char *host)
{
  size_t n = strcspn(host, ".");
  return !strcmp(name, "127.0.0.1") || !strcmp(name, "localhost") ||
         !strcmp(name, host) || (strlen(name) == n && !strncmp(name, host, n));
}

/* Accelerators first to the hosts that say how many they take, the ranks that
 * are left evenly to the others, the first ones getting one more. */
static int spread(const struct lb_mlperf_args *a, struct hosts *h,
                  struct lb_err *err)
{
  int64_t left = lb_mlperf_accelerators(a), ranks = lb_mlperf_ranks(a);
  int64_t k = ranks > 0 && left >= ranks ? left / ranks : 1, all = left;
  int open = 0;
  for (int i = 0; i < h->n; i++) {
    int64_t take = h->host[i].slots < left ? h->host[i].slots : left;
    open += h->host[i].slots == 0;
    if (take % k)
      return lb_err_set(err, LB_USAGE,
                        "--hosts: %s takes %" PRId64
                        " accelerators, no multiple of the %" PRId64
                        " of a rank",
                        h->host[i].name, take, k);
    h->ranks[i] = take / k;
    left -= take;
  }
  if (left && !open && !a->oversubscribe)
    return lb_err_set(err, LB_USAGE,
                      "--hosts takes %" PRId64 " accelerators, %" PRId64
                      " are asked for; --oversubscribe puts more on a host",
                      all - left, all);
  int64_t over = left / k;
  for (int i = 0, left_open = open ? open : h->n; i < h->n && left_open; i++) {
    if (open && h->host[i].slots)
      continue;
    int64_t more = (over + left_open - 1) / left_open;
    h->ranks[i] += more;
    over -= more;
    left_open--;
  }
  h->even = true;
  for (int i = 0; i < h->n; i++) {
    if (h->ranks[i] == 0)
      return lb_err_set(err, LB_USAGE,
                        "--hosts: no rank is left for %s: %" PRId64
                        " ranks, %d hosts",
                        h->host[i].name, ranks, h->n);
    h->even = h->even && h->ranks[i] == h->ranks[0];
  }
  return 0;
}

static int find_hosts(struct lb_mlperf_call *call,
                      const struct lb_mlperf_site *site, struct hosts *h,
                      struct lb_err *err)
{
  const struct lb_mlperf_args *a = &call->args;
  h->host = lb_arena_new(&call->arena, sizeof *h->host * LB_MLPERF_MAX_HOSTS);
  h->ranks = lb_arena_new(&call->arena, sizeof *h->ranks * LB_MLPERF_MAX_HOSTS);
  if (!h->host || !h->ranks)
    return lb_err_set(err, LB_FAILED, "out of memory");
  int rc =
      lb_mlperf_hosts_read(a->hosts, h->host, LB_MLPERF_MAX_HOSTS, &h->n, err);
  if (rc)
    return rc;
  if (h->n == 0 && a->num_client_hosts > 1 && site->launcher != LB_MLPERF_SRUN)
    return lb_err_set(err, LB_USAGE,
                      "--num-client-hosts %" PRId64 ": --hosts names them",
                      a->num_client_hosts);
  rc = h->n ? spread(a, h, err) : 0;
  if (!rc && h->n == 1 && is_this(h->host[0].name, site->host))
    h->n = 0;
  return rc;
}

/* "a:2,b:2" */
static void add_list(struct words *w, const char *flag, const struct hosts *h)
{
  struct lb_buf list;
  if (h->n == 0)
    return;
  lb_buf_init(&list, 1 << 20);
  for (int i = 0; i < h->n; i++)
    lb_buf_printf(&list, "%s%s:%" PRId64, i ? "," : "", h->host[i].name,
                  h->ranks[i]);
  add(w, flag);
  add_buf(w, &list);
}

/* Each host once; with another number of ranks on each as often as that. */
static void add_nodes(struct words *w, const struct hosts *h, int64_t ranks)
{
  struct lb_buf list;
  lb_buf_init(&list, 16 << 20);
  lb_buf_puts(&list, "--nodelist=");
  for (int i = 0; i < h->n; i++)
    for (int64_t r = 0; r < (h->even ? 1 : h->ranks[i]); r++)
      lb_buf_printf(&list, "%s%s", i || r ? "," : "", h->host[i].name);
  add_number(w, "-N", h->n);
  add_buf(w, &list);
  if (h->even)
    add_number(w, "--ntasks-per-node", ranks / h->n);
  else
    add(w, "--distribution=arbitrary");
}

/* ---- launchers ---- */

static void add_mpich(struct words *w, const struct lb_mlperf_args *a,
                      const struct hosts *h)
{
  add_number(w, "-n", lb_mlperf_ranks(a));
  add_list(w, "-hosts", h);
}

static void add_open_mpi(struct words *w, const struct lb_mlperf_args *a,
                         const struct hosts *h)
{
  static const char *const transport[] = {NULL, "vader,self", "tcp,self"};
  add_number(w, "-n", lb_mlperf_ranks(a));
  add_list(w, "--host", h);
  if (a->oversubscribe)
    add(w, "--oversubscribe");
  if (a->allow_run_as_root)
    add(w, "--allow-run-as-root");
  if (h->n <= 1 && transport[a->mpi_btl]) {
    add(w, "--mca");
    add(w, "btl");
    add(w, transport[a->mpi_btl]);
  }
}

static void add_srun(struct words *w, const struct lb_mlperf_args *a,
                     const struct hosts *h)
{
  add_number(w, "-n", lb_mlperf_ranks(a));
  if (h->n)
    add_nodes(w, h, lb_mlperf_ranks(a));
  else if (a->num_client_hosts)
    add_number(w, "-N", a->num_client_hosts);
  if (a->oversubscribe)
    add(w, "--overcommit");
}

static void (*const launchers[])(struct words *, const struct lb_mlperf_args *,
                                 const struct hosts *) = {
    [LB_MLPERF_MPICH] = add_mpich,
    [LB_MLPERF_OPEN_MPI] = add_open_mpi,
    [LB_MLPERF_SRUN] = add_srun,
};

static void add_params(struct words *w, const char *text)
{
  while (*(text += strspn(text, " "))) {
    size_t n = strcspn(text, " ");
    char *word = lb_arena_text(w->arena, text, n);
    if (word)
      add(w, word);
    w->failed |= !word;
    text += n;
  }
}

/* ---- the request, spelt out ---- */

static void add_flag(struct words *w, const struct lb_mlperf_call *call, int i)
{
  const struct lb_mlperf_flag *f = &lb_mlperf_flags[i];
  char name[LB_MLPERF_FLAG_LEN];
  struct lb_buf text;
  lb_mlperf_flag_name(f, name);
  if (f->option.type == LB_OPT_BOOL) {
    add(w, name);
    return;
  }
  lb_buf_init(&text, 1 << 20);
  lb_buf_printf(&text, "%s=%s", name, call->text[i]);
  add_buf(w, &text);
}

static void add_request(struct words *w, const struct lb_mlperf_call *call)
{
  const struct lb_mlperf_args *a = &call->args;
  bool view = a->command == LB_MLPERF_CONFIGVIEW;
  add(w, "mlperf");
  add(w, lb_mlperf_mode_names[a->mode]);
  add(w, lb_mlperf_kind_names[a->kind]);
  add(w, a->model);
  add(w, lb_mlperf_command_names[view ? LB_MLPERF_RUN : a->command]);
  add(w, "file");
  for (int i = 0; lb_mlperf_flags[i].option.key; i++) {
    const struct lb_mlperf_flag *f = &lb_mlperf_flags[i];
    size_t at = f->option.offset;
    if (call->text[i] && !f->starts && !f->option.ignored &&
        at != offsetof(struct lb_mlperf_args, model) &&
        at != offsetof(struct lb_mlperf_args, params))
      add_flag(w, call, i);
  }
  if (a->n_params)
    add(w, "--params");
  for (int i = 0; i < a->n_params; i++)
    add(w, a->params[i]);
  add(w, "--launched");
}

int lb_mlperf_launch_argv(struct lb_mlperf_call *call,
                          const struct lb_mlperf_site *site, const char ***argv,
                          struct lb_err *err)
{
  struct words w = {.arena = &call->arena};
  struct hosts h = {0};
  int rc = find_hosts(call, site, &h, err);
  if (rc)
    return rc;
  add(&w, site->bin);
  launchers[site->launcher](&w, &call->args, &h);
  add_params(&w, call->args.mpi_params);
  add(&w, site->program);
  add_request(&w, call);
  *argv = w.v;
  return w.failed ? lb_err_set(err, LB_FAILED, "out of memory") : 0;
}

bool lb_mlperf_alone(const struct lb_mlperf_args *a, const char *host)
{
  const char *name = a->hosts;
  size_t n = strcspn(name, ":");
  char bare[256];
  snprintf(bare, sizeof bare, "%.*s", (int)n, name);
  return lb_mlperf_ranks(a) == 1 && !a->mpi_bin && !a->mpi_params[0] &&
         (!*name || is_this(bare, host));
}

/* ---- finding the launcher ---- */

/* The first of the names in a folder of PATH; "": none. */
static void find_program(const char *name, char out[PATH_MAX])
{
  const char *path = getenv("PATH");
  for (; path && *path; path += strspn(path, ":")) {
    size_t n = strcspn(path, ":");
    int len = snprintf(out, PATH_MAX, "%.*s/%s", (int)n, path, name);
    if (len < PATH_MAX && !access(out, X_OK))
      return;
    path += n;
  }
  *out = '\0';
}

/* mpiexec of one MPI is often called by its name beside that of another. */
static int find_bin(const char *bin, const char *vendor, char out[PATH_MAX],
                    struct lb_err *err)
{
  char named[64];
  snprintf(named, sizeof named, "%s.%s", bin, vendor);
  find_program(named, out);
  if (!*out)
    find_program(bin, out);
  return *out ? 0
              : lb_err_set(err, LB_USAGE,
                           "mlperf: no %s to start ranks with in PATH (%s); "
                           "--mpi-bin names another, or start loadbank by "
                           "it yourself",
                           bin, lb_world_mpi_version());
}

static char *own_path(struct lb_arena *arena)
{
  char path[PATH_MAX];
  ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
  return n > 0 ? lb_arena_text(arena, path, (size_t)n)
               : lb_arena_text(arena, "loadbank", 8);
}

static int find_site(struct lb_mlperf_call *call, struct lb_mlperf_site *site,
                     struct lb_err *err)
{
  enum { AUTO, MPIEXEC, MPIRUN, SRUN };
  static const char *const names[] = {"mpiexec", "mpiexec", "mpirun", "srun"};
  char path[PATH_MAX] = "", host[256] = "localhost";
  int bin = call->args.mpi_bin;
  bool open = !strncmp(lb_world_mpi_version(), "Open MPI", 8);
  if (bin == AUTO && getenv("SLURM_JOB_ID")) {
    find_program(names[SRUN], path);
    bin = *path ? SRUN : MPIEXEC;
  }
  int rc =
      *path ? 0 : find_bin(names[bin], open ? "openmpi" : "mpich", path, err);
  if (rc)
    return rc;
  gethostname(host, sizeof host - 1);
  site->launcher = bin == SRUN ? LB_MLPERF_SRUN
                   : open      ? LB_MLPERF_OPEN_MPI
                               : LB_MLPERF_MPICH;
  site->bin = lb_arena_text(&call->arena, path, strlen(path));
  site->host = lb_arena_text(&call->arena, host, strlen(host));
  site->program = own_path(&call->arena);
  return site->bin && site->host && site->program
             ? 0
             : lb_err_set(err, LB_FAILED, "out of memory");
}

int lb_mlperf_launch_make(struct lb_mlperf_call *call, const char ***argv,
                          struct lb_err *err)
{
  struct lb_mlperf_site site;
  int rc = find_site(call, &site, err);
  return rc ? rc : lb_mlperf_launch_argv(call, &site, argv, err);
}

int lb_mlperf_launch(const char *const *argv, struct lb_err *err)
{
  fflush(stdout);
  execv(argv[0], (char *const *)argv);
  return lb_err_sys(err, LB_FAILED, errno, "%s", argv[0]);
}
