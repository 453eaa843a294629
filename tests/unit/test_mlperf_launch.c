/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the launcher is called with; words to a line and back; the history and
 * the sentinel of a results folder. */
#include "lb-config.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "loadbank/mlperf_launch.h"
#include "tap.h"

static struct lb_err err;

static void fresh(void)
{
  err = (struct lb_err)LB_ERR_INIT;
}

/* ---- the launcher's argv ---- */

#define RUN "open training unet3d run file -cm 64 -at b200 -dd d -rd r -sn s "
#define REQUEST                                          \
  " /bin/loadbank mlperf open training unet3d run file " \
  "--accelerator-type=b200 --num-accelerators=8 "        \
  "--client-host-memory-in-gb=64 "
#define REST "--data-dir=d --results-dir=r --systemname=s --launched"

static const struct {
  enum lb_mlperf_launcher launcher;
  const char *line, *argv; /* or, with a '!' first, the message */
} launches[] = {
    {LB_MLPERF_MPICH, RUN "-na 8", "/l -n 8" REQUEST REST},
    {LB_MLPERF_MPICH, RUN "-na 8 -s localhost",
     "/l -n 8" REQUEST "--hosts=localhost " REST},
    {LB_MLPERF_MPICH, RUN "-na 8 -s here:8",
     "/l -n 8" REQUEST "--hosts=here:8 " REST},
    {LB_MLPERF_MPICH, RUN "-na 8 -s there",
     "/l -n 8 -hosts there:8" REQUEST "--hosts=there " REST},
    {LB_MLPERF_MPICH, RUN "-na 8 -s a b c",
     "/l -n 8 -hosts a:3,b:3,c:2" REQUEST "--hosts=a,b,c " REST},
    {LB_MLPERF_MPICH, RUN "-na 8 -s a:6 b",
     "/l -n 8 -hosts a:6,b:2" REQUEST "--hosts=a:6,b " REST},
    {LB_MLPERF_MPICH, RUN "-na 8 -s a:4 b:4 --ranks 2",
     "/l -n 2 -hosts a:1,b:1" REQUEST "--hosts=a:4,b:4 --ranks=2 " REST},
    {LB_MLPERF_MPICH, RUN "-na 8 -s a:2 b:2 --oversubscribe",
     "/l -n 8 -hosts a:4,b:4" REQUEST "--hosts=a:2,b:2 " REST},
    {LB_MLPERF_MPICH, RUN "-na 8 --mpi-params=' -genv  A=1 '",
     "/l -n 8 -genv A=1" REQUEST REST},
    {LB_MLPERF_MPICH, RUN "-na 8 --allow-run-as-root --mpi-btl tcp",
     "/l -n 8" REQUEST REST},
    {LB_MLPERF_MPICH, RUN "-na 8 -p a=1 'b=x y' --o-direct -aip",
     "/l -n 8" REQUEST "--data-dir=d --results-dir=r --systemname=s "
     "--o-direct --allow-invalid-params --params a=1 'b=x y' --launched"},
    {LB_MLPERF_MPICH, RUN "-na 8 --dry-run --loops 6 --scale 0.5",
     "/l -n 8" REQUEST "--data-dir=d --results-dir=r --systemname=s --loops=6 "
     "--scale=0.5 --launched"},
    {LB_MLPERF_MPICH, "open training unet3d configview -cm 64 -at b200 -na 8",
     "/l -n 8" REQUEST "--launched"},
    {LB_MLPERF_MPICH, RUN "-na 8 -s a:2 b:2",
     "!--hosts takes 4 accelerators, 8 are asked for; --oversubscribe puts "
     "more on a host"},
    {LB_MLPERF_MPICH, RUN "-na 8 -s a:3 b:5 --ranks 4",
     "!--hosts: a takes 3 accelerators, no multiple of the 2 of a rank"},
    {LB_MLPERF_MPICH, RUN "-na 8 -s a:8 b:8",
     "!--hosts: no rank is left for b: 8 ranks, 2 hosts"},
    {LB_MLPERF_MPICH, RUN "-na 8 -nc 2",
     "!--num-client-hosts 2: --hosts names them"},
    {LB_MLPERF_OPEN_MPI, RUN "-na 8 -s a:4 b:4 --mpi-btl tcp",
     "/l -n 8 --host a:4,b:4" REQUEST "--hosts=a:4,b:4 " REST},
    {LB_MLPERF_OPEN_MPI,
     RUN "-na 8 --oversubscribe --allow-run-as-root --mpi-btl vader",
     "/l -n 8 --oversubscribe --allow-run-as-root --mca btl "
     "vader,self" REQUEST REST},
    {LB_MLPERF_SRUN, RUN "-na 8", "/l -n 8" REQUEST REST},
    {LB_MLPERF_SRUN, RUN "-na 8 -nc 2",
     "/l -n 8 -N 2" REQUEST "--num-client-hosts=2 " REST},
    {LB_MLPERF_SRUN, RUN "-na 8 -s a b --oversubscribe",
     "/l -n 8 -N 2 --nodelist=a,b --ntasks-per-node 4 --overcommit" REQUEST
     "--hosts=a,b " REST},
    {LB_MLPERF_SRUN, RUN "-na 8 -s a:6 b --ranks 4",
     "/l -n 4 -N 2 --nodelist=a,a,a,b --distribution=arbitrary" REQUEST
     "--hosts=a:6,b --ranks=4 " REST},
};

static int count(const char *const *v)
{
  int n = 0;
  while (v[n])
    n++;
  return n;
}

static void test_launch(void)
{
  for (size_t i = 0; i < sizeof launches / sizeof *launches; i++) {
    const struct lb_mlperf_site site = {.launcher = launches[i].launcher,
                                        .bin = "/l",
                                        .program = "/bin/loadbank",
                                        .host = "here.example.org"};
    struct lb_mlperf_call call;
    struct lb_arena arena = {0};
    struct lb_buf line;
    char **word;
    const char **argv, *want = launches[i].argv;
    int n;
    fresh();
    lb_buf_init(&line, 1 << 20);
    lb_mlperf_unquote(launches[i].line, &arena, &word, &n, &err);
    is_int(lb_mlperf_parse(n, word, &call, &err), 0, "%s: %s", launches[i].line,
           err.msg);
    int rc = lb_mlperf_launch_argv(&call, &site, &argv, &err);
    if (*want == '!') {
      is_int(rc, -LB_USAGE, "cannot be started");
      is_str(err.msg, want + 1, "and why");
    } else if (ok(rc == 0, "can be started: %s", err.msg)) {
      lb_mlperf_quote(argv, count(argv), &line);
      is_str(line.data, want, "so");
    }
    lb_buf_fini(&line);
    lb_mlperf_call_fini(&call);
    lb_arena_fini(&arena);
  }
}

/* The fields of all flags but of those that only the launching process has. */
static void is_same(const struct lb_mlperf_args *a,
                    const struct lb_mlperf_args *b)
{
  ok(a->mode == b->mode && a->kind == b->kind && a->command == b->command,
     "the same command");
  for (const struct lb_mlperf_flag *f = lb_mlperf_flags; f->option.key; f++) {
    const struct lb_option *o = &f->option;
    if (!f->starts && o->size && strcmp(o->key, "params") != 0)
      ok(!memcmp((const char *)a + o->offset, (const char *)b + o->offset,
                 o->size),
         "the same %s", o->key);
  }
}

/* What is handed to the ranks asks for the same as what was typed. */
static void test_spelt_out(void)
{
  static const char line[] =
      RUN "-na 8 -s a b:4 --scale 0.5 --loops 6 -p x=1 'y= 2' --o-direct";
  const struct lb_mlperf_site site = {
      .bin = "/l", .program = "/p", .host = "h"};
  struct lb_mlperf_call typed, handed;
  struct lb_arena arena = {0};
  static const char *none[] = {"mlperf", NULL};
  const char **argv = none;
  char **word;
  int n, first = 0;
  fresh();
  lb_mlperf_unquote(line, &arena, &word, &n, &err);
  ok(!lb_mlperf_parse(n, word, &typed, &err) &&
         !lb_mlperf_launch_argv(&typed, &site, &argv, &err),
     "a run: %s", err.msg);
  while (strcmp(argv[first], "mlperf") != 0)
    first++;
  n = count(argv) - first - 1;
  is_int(lb_mlperf_parse(n, (char **)argv + first + 1, &handed, &err), 0,
         "its ranks understand it: %s", err.msg);
  is_int(handed.args.n_params, typed.args.n_params, "as many parameters");
  for (int i = 0; i < typed.args.n_params; i++)
    is_str(handed.args.params[i], typed.args.params[i], "the same parameter");
  ok(handed.args.launched, "they know that they are ranks");
  is_same(&handed.args, &typed.args);
  lb_mlperf_call_fini(&typed);
  lb_mlperf_call_fini(&handed);
  lb_arena_fini(&arena);
}

static void test_alone(void)
{
  struct lb_mlperf_args a = {.num_accelerators = 4, .ranks = 1};
  ok(lb_mlperf_alone(&a, "h.x"), "one rank here needs no launcher");
  memcpy(a.hosts, "h:4", 4);
  ok(lb_mlperf_alone(&a, "h.x"), "nor on this host by name");
  memcpy(a.hosts, "g:4", 4);
  ok(!lb_mlperf_alone(&a, "h.x"), "on another it does");
  a.hosts[0] = '\0';
  memcpy(a.mpi_params, "-x", 3);
  ok(!lb_mlperf_alone(&a, "h.x"), "or with words for one");
  a.mpi_params[0] = '\0';
  a.ranks = 2;
  ok(!lb_mlperf_alone(&a, "h.x"), "or with two ranks");
}

/* ---- quoting ---- */

static void test_quote(void)
{
  static const char *const words[] = {
      "plain", "a b",   "",     "it's", "a\nb",  "\n",    "$HOME",
      "\\",    "\"x\"", "a=b,", "#",    "~",     "'",     "--p=a b",
      "a\\'b", "*",     "\t",   "é",    "-x'y'", "$'\\n'"};
  enum { N = sizeof words / sizeof *words };
  struct lb_arena arena = {0};
  struct lb_buf line;
  char **got;
  int n;
  fresh();
  lb_buf_init(&line, 4096);
  lb_mlperf_quote(words, N, &line);
  ok(line.data && !strchr(line.data, '\n'), "one line: %s", line.data);
  is_int(lb_mlperf_unquote(line.data, &arena, &got, &n, &err), 0, "read back");
  is_int(n, N, "as many words");
  for (int i = 0; i < N && i < n; i++)
    is_str(got[i], words[i], "word %d", i);
  ok(!got[n], "none behind the last");
  is_int(lb_mlperf_unquote("a 'b", &arena, &got, &n, &err), -LB_USAGE,
         "a quote without an end");
  lb_buf_fini(&line);
  lb_arena_fini(&arena);
}

/* ---- history ---- */

static const char *in_folder(const char *name)
{
  static char path[PATH_MAX];
  snprintf(path, sizeof path, "%s/%s", tap_tmpdir(), name);
  return path;
}

static void put(const char *name, const char *text, const char *how)
{
  FILE *f = fopen(in_folder(name), how);
  if (!f || fputs(text, f) < 0 || fclose(f) != 0)
    ok(false, "%s is written", name);
}

/* Lines without their times; a foreign one has a '?' before it. */
static void is_history(const char *want, const char *what)
{
  char text[256];
  struct lb_buf got;
  lb_buf_init(&got, 1 << 20);
  FILE *f = fopen(in_folder(LB_MLPERF_HISTORY "/" LB_MLPERF_HISTORY_FILE), "r");
  while (f && fgets(text, sizeof text, f)) {
    char *a = strchr(text, ','), *b = a ? strchr(a + 1, ',') : NULL;
    if (b && b - a == 16)
      lb_buf_printf(&got, "%.*s%s", (int)(a - text), text, b);
    else
      lb_buf_printf(&got, "?%s", text);
  }
  if (f)
    fclose(f);
  is_str(got.data, want, "%s", what);
  lb_buf_fini(&got);
}

static void add_many(const char *command)
{
  struct lb_err e = LB_ERR_INIT;
  for (int i = 0; i < 20; i++)
    lb_mlperf_history_add(tap_tmpdir(), command, &e);
}

/* Two processes at once: no line is lost or mixed. */
static void test_history_together(void)
{
  pid_t child = fork();
  if (child == 0) {
    add_many("b");
    _exit(0);
  }
  add_many("a");
  is_int(waitpid(child, NULL, 0), child, "the other process has ended");
  char line[64];
  int n = 0;
  bool whole = true;
  FILE *f = fopen(in_folder(LB_MLPERF_HISTORY "/" LB_MLPERF_HISTORY_FILE), "r");
  while (f && fgets(line, sizeof line, f)) {
    char id[16];
    snprintf(id, sizeof id, "%d,", ++n);
    whole = whole && !strncmp(line, id, strlen(id)) &&
            (!strcmp(line + strlen(line) - 3, ",a\n") ||
             !strcmp(line + strlen(line) - 3, ",b\n"));
  }
  if (f)
    fclose(f);
  is_int(n, 40, "two processes, 20 lines each");
  ok(whole, "numbered one after another, each whole");
  unlink(in_folder(LB_MLPERF_HISTORY "/" LB_MLPERF_HISTORY_FILE));
}

static void test_history(void)
{
  const char *file = LB_MLPERF_HISTORY "/" LB_MLPERF_HISTORY_FILE;
  fresh();
  tap_tmpdir(); /* before there are two who might make it */
  test_history_together();
  is_int(lb_mlperf_history_add(tap_tmpdir(), "x, 'y z'", &err), 0, "first: %s",
         err.msg);
  is_int(lb_mlperf_history_add(tap_tmpdir(), "y", &err), 0, "second");
  is_history("1,x, 'y z'\n2,y\n", "numbered");
  put(file, "3,20260101_0000", "a");
  is_int(lb_mlperf_history_add(tap_tmpdir(), "z", &err), 0, "third");
  is_history("1,x, 'y z'\n2,y\n3,z\n", "in the place of a line cut off");
  put(file, "not ours\n9,20260101_000000,q\n", "a");
  is_int(lb_mlperf_history_add(tap_tmpdir(), "w", &err), 0, "one more");
  is_history("1,x, 'y z'\n2,y\n3,z\n?not ours\n9,q\n10,w\n",
             "foreign lines stay, numbers go on");
  int fd = open(in_folder(file), O_WRONLY | O_APPEND);
  ok(fd >= 0 && write(fd, "a\0b\n\0\0\0", 7) == 7 && !close(fd),
     "zeros, as a crash may leave them");
  is_int(lb_mlperf_history_add(tap_tmpdir(), "v", &err), 0, "and one more");
  struct stat st;
  ok(!stat(in_folder(file), &st) &&
         st.st_size == 27 + 20 + 20 + 9 + 20 + 21 + 4 + 21,
     "keeps whole lines");
  unlink(in_folder(file));
  put(file, "9223372036854775807,20260101_000000,x\n-1,20260101_000000,y\n",
      "w");
  is_int(lb_mlperf_history_add(tap_tmpdir(), "z", &err), 0, "odd numbers");
  is_history("9223372036854775807,x\n-1,y\n1,z\n", "are nobody's");
  is_int(lb_mlperf_history_add("/nowhere", "x", &err), -LB_FAILED,
         "no such folder");
}

/* ---- sentinel ---- */

static void test_sentinel(void)
{
  char org[LB_MLPERF_NAME], results[PATH_MAX];
  snprintf(results, sizeof results, "%s", in_folder("results"));
  fresh();
  is_int(lb_mlperf_sentinel_read(results, org, &err), -LB_USAGE, "none there");
  fresh();
  is_int(lb_mlperf_sentinel_write(results, "true", true, &err), 0,
         "would be made");
  ok(access(results, F_OK) != 0, "but is not");
  is_int(lb_mlperf_sentinel_write(results, "true", false, &err), 0, "made: %s",
         err.msg);
  is_int(lb_mlperf_sentinel_read(results, org, &err), 0, "read: %s", err.msg);
  is_str(org, "true", "a name that YAML would take for something else");
  is_int(lb_mlperf_sentinel_write(results, "true", false, &err), 1, "again");
  is_int(lb_mlperf_sentinel_write(results, "other", false, &err), -LB_USAGE,
         "another organisation");
  fresh();
  is_int(lb_mlperf_sentinel_write("/nowhere/r", "a", false, &err), -LB_USAGE,
         "no folder to make it in");
  fresh();
  is_int(lb_mlperf_sentinel_write(in_folder("r2"), "a/b", false, &err),
         -LB_USAGE, "no name");
  fresh();
  put("full", "", "w");
  is_int(lb_mlperf_sentinel_write(tap_tmpdir(), "a", false, &err), -LB_USAGE,
         "a folder with something in it");
  ok(strstr(err.msg, "not empty"), "says so: %s", err.msg);
}

static void test_bad_sentinels(void)
{
  static const struct {
    const char *text, *message;
  } bad[] = {
      {"", ""},
      {"orgname: a\n", "mlperf_results_version: 1, 2 or 3 is needed"},
      {"mlperf_results_version: 4\norgname: a\n",
       ":1: mlperf_results_version: 1, 2 or 3 is needed"},
      {"mlperf_results_version: 3\norgname: a/b\n", ":2: orgname: a name of"},
      {"mlperf_results_version: 1\n", "orgname: a name of"},
      {"[1]\n", "no map"},
      {"a: [\n", ""},
  };
  char org[LB_MLPERF_NAME];
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    fresh();
    put(LB_MLPERF_HISTORY "/mlperf-results.yaml", bad[i].text, "w");
    is_int(lb_mlperf_sentinel_read(in_folder(LB_MLPERF_HISTORY), org, &err),
           -LB_USAGE, "no sentinel, case %zu", i);
    ok(strstr(err.msg, bad[i].message), "says so: %s", err.msg);
  }
  fresh();
  put(LB_MLPERF_HISTORY "/mlperf-results.yaml",
      "mlperf_results_version: 1\norgname: Old\nnew_key: [1, 2]\n", "w");
  is_int(lb_mlperf_sentinel_read(in_folder(LB_MLPERF_HISTORY), org, &err), 0,
         "an older one, with a key more: %s", err.msg);
  is_str(org, "Old", "its organisation");
}

int main(void)
{
  test_launch();
  test_spelt_out();
  test_alone();
  test_quote();
  test_history();
  test_sentinel();
  test_bad_sentinels();
  return done();
}
