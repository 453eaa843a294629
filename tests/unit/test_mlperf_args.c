/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Command lines of `loadbank mlperf': what they ask for, or what is wrong. */
#include "lb-config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loadbank/mlperf_launch.h"
#include "tap.h"

/* What a training run needs, and a checkpointing one. */
#define RUN " -cm 64 -na 8 -at b200 -dd d -rd r -sn s "
#define SAVE " -cm 64 -np 8 -cf c -rd r -sn s "

static struct lb_arena lines; /* what calls borrow from */
static struct lb_mlperf_call call;
static struct lb_err err;

static void forget_environment(void)
{
  for (const struct lb_mlperf_flag *f = lb_mlperf_flags; f->option.key; f++)
    for (int i = 0; i < 2 && f->env[i]; i++)
      unsetenv(f->env[i]);
}

/* As a shell would take the line apart. */
static int parse(const char *line)
{
  char **word;
  int n;
  err = (struct lb_err)LB_ERR_INIT;
  if (lb_mlperf_unquote(line, &lines, &word, &n, &err))
    return -1000;
  lb_mlperf_call_fini(&call);
  return lb_mlperf_parse(n, word, &call, &err);
}

/* ---- tables ---- */

static bool is_sentence(const char *text)
{
  return text && *text && text[strlen(text) - 1] == '.';
}

static void test_verbs(void)
{
  unsigned seen = 0;
  for (const struct lb_mlperf_verb *v = lb_mlperf_verbs; v->words; v++) {
    ok(v->bit && !(seen & v->bit), "%s: a bit of its own", v->words);
    ok(is_sentence(v->doc) && v->args, "%s: is explained", v->words);
    ok(v->max_operands >= v->min_operands, "%s: operands", v->words);
    ok(!v->launches || v->writes, "%s: ranks write results", v->words);
    seen |= v->bit;
  }
}

static void test_flags(void)
{
  for (const struct lb_mlperf_flag *f = lb_mlperf_flags; f->option.key; f++) {
    const struct lb_option *o = &f->option;
    ok(is_sentence(o->doc), "%s: is explained", o->key);
    ok(f->verbs && (f->needs & ~f->verbs) == 0,
       "%s: is needed only where it is taken", o->key);
    ok(o->type == LB_OPT_BOOL || o->unit || o->words, "%s: a value has a name",
       o->key);
    ok(!f->modes || f->why, "%s: why not in every mode", o->key);
    ok(!o->words || !o->ignored || f->why, "%s: why no other word", o->key);
    ok(!f->brief || f->brief[0] == '-', "%s: a short name", o->key);
    bool own = true;
    for (const struct lb_mlperf_flag *g = lb_mlperf_flags; g < f; g++)
      own = own && strcmp(g->option.key, o->key) != 0 &&
            (!f->brief || !g->brief || strcmp(f->brief, g->brief) != 0);
    ok(own, "%s: names of its own", o->key);
  }
}

/* ---- what is right ---- */

static const struct {
  const char *line, *verb, *model;
  int mode;
} right[] = {
    {"closed training unet3d run file" RUN, "training run", "unet3d",
     LB_MLPERF_CLOSED},
    {"closed training unet3d run" RUN, "training run", "unet3d",
     LB_MLPERF_CLOSED},
    {"open training run file --model retinanet" RUN, "training run",
     "retinanet", LB_MLPERF_OPEN},
    {"whatif training dlrm run" RUN "file", "training run", "dlrm",
     LB_MLPERF_WHATIF},
    /* of older scripts */
    {"training run --model unet3d --open" RUN, "training run", "unet3d",
     LB_MLPERF_OPEN},
    {"training run --model unet3d --file" RUN, "training run", "unet3d",
     LB_MLPERF_CLOSED},
    {"training datagen -m unet3d -np 4 -dd d -rd r -sn s", "training datagen",
     "unet3d", LB_MLPERF_CLOSED},
    {"closed training unet3d datasize -cm 64 -ma 8 -at b200 -rd r -sn s",
     "training datasize", "unet3d", LB_MLPERF_CLOSED},
    {"closed training unet3d configview -cm 64 -na 8 -at b200",
     "training configview", "unet3d", LB_MLPERF_CLOSED},
    {"closed checkpointing run file --model llama3-8b" SAVE,
     "checkpointing run", "llama3-8b", LB_MLPERF_CLOSED},
    {"closed checkpointing llama3-8b run file" SAVE, "checkpointing run",
     "llama3-8b", LB_MLPERF_CLOSED},
    {"open checkpointing datasize -m llama3-8b -np 8 -cm 1.5",
     "checkpointing datasize", "llama3-8b", LB_MLPERF_OPEN},
};

static void test_right(void)
{
  for (size_t i = 0; i < sizeof right / sizeof *right; i++) {
    int rc = parse(right[i].line);
    is_int(rc, 0, "%s: %s", right[i].line, err.msg);
    if (rc)
      continue;
    is_str(call.verb->words, right[i].verb, "its sub-command");
    is_str(call.args.model, right[i].model, "its model");
    is_int(call.args.mode, right[i].mode, "its mode");
    is_int(call.args.kind, call.verb->kind, "its kind");
    is_int(call.args.command, call.verb->command, "its command");
  }
}

static void test_values(void)
{
  const struct lb_mlperf_args *a = &call.args;
  is_int(parse("open training unet3d run --num-accelerators=16 -cm 0.5 "
               "--hosts a b,c:4 -at=b200 --data-dir 'a b' -rd r -sn s "
               "--params x.y=1 'z=a b' -p w=[1,2] --param v= file -aip "
               "--mpi-params='-genv A=1' --mpi-params -x --loops 6"),
         0, "flags in all their forms: %s", err.msg);
  is_int(a->num_accelerators, 16, "--flag=value");
  is_near(a->client_host_memory_in_gb, 0.5, 0, "a short name");
  is_str(a->hosts, "a,b,c:4", "hosts with blanks and commas");
  is_str(a->data_dir, "a b", "a blank in a value");
  is_int(a->n_params, 4, "four parameters");
  is_str(a->params[0], "x.y=1", "the first");
  is_str(a->params[1], "z=a b", "the second");
  is_str(a->params[2], "w=[1,2]", "the third, of another flag");
  is_str(a->params[3], "v=", "the fourth; `file' is none");
  is_str(a->mpi_params, "-genv A=1 -x", "launcher's words, one after another");
  ok(a->allow_invalid_params, "a switch");
  is_int(a->loops, 6, "a number");
  is_int(a->timeseries_interval, 10, "a default");
  is_int(a->num_checkpoints_write, 10, "another");
  is_near(a->scale.files, 1, 0, "nothing is shrunk");

  is_int(parse("closed training unet3d run" RUN "--scale 0.001 --scale-bytes "
               "0.5 --scale-time=1e-2 --what-if -na 2"),
         0, "a rehearsal: %s", err.msg);
  is_near(a->scale.files, 0.001, 0, "of files");
  is_near(a->scale.bytes, 0.5, 0, "of bytes");
  is_near(a->scale.time, 0.01, 0, "of time");
  ok(a->dry_run, "--what-if is --dry-run");
  is_int(a->num_accelerators, 2, "the last of two wins");
  is_str(call.command_line,
         "loadbank mlperf closed training unet3d run -cm 64 -na 8 -at b200 -dd "
         "d -rd r -sn s --scale 0.001 --scale-bytes 0.5 --scale-time=1e-2 "
         "--what-if -na 2",
         "the line as it was typed");
}

/* However it is written. */
static void test_hosts(void)
{
  static const char *const forms[] = {
      "-s h1,h2:3",      "-s h1 h2:3", "-s 'h1 h2:3'",
      "-s h1, h2:3",     "-s=h1,h2:3", "--hosts h1 --hosts h2:3",
      "-s ' h1 , h2:3 '"};
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
    char line[200];
    snprintf(line, sizeof line, "closed training unet3d run" RUN "%s",
             forms[i]);
    is_int(parse(line), 0, "%s: %s", forms[i], err.msg);
    is_str(call.args.hosts, "h1,h2:3", "two hosts");
  }
}

/* A value that the row takes. */
static const char *sample(const struct lb_mlperf_flag *f, char out[32])
{
  const struct lb_option *o = &f->option;
  if (o->words)
    return o->words[0];
  if (o->type == LB_OPT_TEXT)
    return strcmp(o->key, "params") != 0 ? "x" : "x=1";
  snprintf(out, 32, "%g", o->max <= 1 ? 0.5 : 1.0);
  return out;
}

/* Each sub-command takes each of its flags, and none of the others. */
static void test_each(const struct lb_mlperf_verb *v)
{
  for (int i = 0; lb_mlperf_flags[i].option.key; i++) {
    const struct lb_mlperf_flag *f = &lb_mlperf_flags[i];
    char line[500], name[LB_MLPERF_FLAG_LEN], number[32];
    bool is_switch = f->option.type == LB_OPT_BOOL;
    lb_mlperf_flag_name(f, name);
    if (!strcmp(name, "--config-file"))
      continue;
    snprintf(line, sizeof line, "open %s --model m %s%s%s", v->words, name,
             is_switch ? "" : " ", is_switch ? "" : sample(f, number));
    int rc = parse(line);
    if (!(f->verbs & v->bit))
      ok(rc && strstr(err.msg, "no option"), "%s: %s", line, err.msg);
    else
      ok((!rc || strstr(err.msg, "missing")) && call.text[i],
         "%s: is taken: %s", line, err.msg);
  }
}

static void test_others(void)
{
  is_int(parse("init Acme /x"), 0, "init: %s", err.msg);
  is_str(call.verb->words, "init", "is init");
  is_int(call.n_operands, 2, "two operands");
  is_str(call.operand[1], "/x", "the folder");
  is_int(parse("history -rd r"), 0, "history: %s", err.msg);
  is_str(call.verb->words, "history show", "is history show");
  is_int(parse("history show --limit 3 -rd r"), 0, "a limit: %s", err.msg);
  is_int(call.args.limit, 3, "of three");
  is_int(parse("history rerun 7 -rd r"), 0, "rerun: %s", err.msg);
  is_str(call.operand[0], "7", "of seven");
  is_int(parse("--help"), 0, "help");
  ok(call.help && !call.verb, "of everything");
  is_int(parse("open training unet3d -h"), 0, "help of a kind");
  ok(call.help && call.has_mode && call.has_kind && call.has_model &&
         !call.verb && call.args.mode == LB_MLPERF_OPEN,
     "knows what was said");
  is_int(parse("closed checkpointing run --help"), 0, "help of a command");
  ok(call.help && call.verb && call.verb->bit == LB_MLPERF_V_SAVE_RUN,
     "knows which");
}

/* ---- what is wrong ---- */

static const struct {
  const char *line, *message;
} wrong[] = {
    {"", "mlperf: no sub-command; see loadbank mlperf --help"},
    {"clsed", "mlperf: unknown word 'clsed'; did you mean 'closed'?"},
    {"closed", "mlperf: closed what? training or checkpointing"},
    {"closed trainng unet3d run",
     "mlperf: closed: unexpected word 'trainng'; did you mean 'training'?"},
    {"closed open training unet3d run", "mlperf: both 'closed' and 'open'"},
    {"closed training run datagen unet3d", "mlperf: both 'run' and 'datagen'"},
    {"closed training unet3d",
     "mlperf: training needs one of datasize, datagen, run, configview"},
    {"closed checkpointing llama3-8b datagen",
     "mlperf: checkpointing has only datasize, run, configview"},
    {"closed training unet3d rnu" RUN,
     "mlperf: closed training: unexpected word 'rnu'; did you mean 'run'?"},
    {"closed training unet3d run --model retinanet" RUN,
     "mlperf: two models, 'unet3d' and --model retinanet"},
    {"closed training unet3d run object" RUN,
     "mlperf: object storage is not supported; `file' is"},
    {"closed training unet3d run --object" RUN,
     "mlperf: object storage is not supported; `file' is"},
    {"vectordb x run", "mlperf: vectordb is not supported: a database's "
                       "storage is its server's to drive, and loadbank starts "
                       "none"},
    {"open kvcache run", "mlperf: kvcache is not supported: loadbank does not "
                         "emulate a key-value cache"},
    {"lockfile verify", "mlperf: lockfile is not supported: loadbank uses no "
                        "Python packages, so there are none to lock"},
    {"rules-coverage",
     "mlperf: rules-coverage is not supported: that is about the sources of "
     "the official checker; `rules' lists those that are known here"},
    {"init Acme", "mlperf: usage: loadbank mlperf init ORG DIR"},
    {"init Acme a b", "mlperf: init: unexpected word 'b'"},
    /* flags */
    {"closed training unet3d run --num-accelerator 3" RUN,
     "mlperf: closed training: no option '--num-accelerator'; did you mean "
     "'--num-accelerators'?"},
    {"closed training unet3d run --zzzzzzzzzzzz" RUN,
     "mlperf: closed training run: no option '--zzzzzzzzzzzz'; --help lists "
     "those that it takes"},
    {"closed training unet3d datasize -na 8",
     "mlperf: closed training datasize: no option '--num-accelerators'; did "
     "you mean '--max-accelerators'?"},
    {"closed training unet3d run -aip" RUN,
     "mlperf: --allow-invalid-params: not in mode closed: a closed run takes "
     "no others"},
    {"closed training unet3d run -dd d -rd r",
     "mlperf: closed training run: missing --accelerator-type, "
     "--num-accelerators, --client-host-memory-in-gb, --systemname (or "
     "MLPERF_SYSTEMNAME)"},
    {"closed checkpointing run",
     "mlperf: closed checkpointing run: missing --model, --num-processes, "
     "--client-host-memory-in-gb, --checkpoint-folder (or "
     "MLPSTORAGE_CHECKPOINT_FOLDER), --results-dir (or MLPERF_RESULTS_DIR), "
     "--systemname (or MLPERF_SYSTEMNAME)"},
    {"closed training unet3d run -cm --hosts a", "-cm needs a value"},
    {"closed training unet3d run -na", "-na needs a value"},
    {"closed training unet3d run --params file",
     "--params needs a value, KEY=VALUE"},
    {"closed training unet3d run --dry-run=yes", "--dry-run takes no value"},
    {"closed training unet3d run -at b200 -na 0" RUN "-na 0",
     "--num-accelerators: '0' is not a whole number in 1..1048576"},
    {"closed training unet3d run" RUN "-na -4",
     "--num-accelerators: '-4' is not a whole number in 1..1048576"},
    {"closed training unet3d run" RUN "--num-accelerators=2.5",
     "--num-accelerators: '2.5' is not a whole number in 1..1048576"},
    {"closed training unet3d run" RUN "-cm 0",
     "--client-host-memory-in-gb: 0 is not above 0"},
    {"closed training unet3d run" RUN "--scale 0", "--scale: 0 is not above 0"},
    {"closed training unet3d run" RUN "--scale-time 1.5",
     "--scale-time: '1.5' is not a number in 0..1"},
    {"closed training unet3d run" RUN "-sn a/b",
     "--systemname: 'a/b' is no name of 1..63 letters, digits, '_', '-' and, "
     "not first, '.'"},
    {"closed training .. run" RUN,
     "--model: '..' is no name of 1..63 letters, digits, '_', '-' and, not "
     "first, '.'"},
    {"closed training unet3d run" RUN "--mpi-bin prun",
     "--mpi-bin: 'prun' is none of auto, mpiexec, mpirun, srun"},
    {"closed training unet3d run" RUN "--exec-type docker",
     "--exec-type: 'docker': loadbank starts no containers; mpi is allowed"},
    {"closed training unet3d run" RUN "--quiet --debug",
     "--quiet and --debug: one of the two"},
    {"closed training unet3d run" RUN "--ranks 3",
     "--ranks 3: 8 accelerators are no multiple of that"},
    {"closed training unet3d run" RUN "-s a,b -nc 3",
     "--num-client-hosts 3, but --hosts names 2 hosts"},
    {"closed training unet3d run" RUN "--results-dir=",
     "--results-dir: the value is empty"},
    {"closed training unet3d run" RUN "-s a/b",
     "--hosts: 'a/b' is no HOST or HOST:N, as in a,b:4"},
    {"closed training unet3d run" RUN "-s :4",
     "--hosts: ':4' is no HOST or HOST:N, as in a,b:4"},
    {"closed training unet3d run" RUN "--hosts=", "--hosts: nothing in ''"},
    {"closed training unet3d run" RUN "-s a:x",
     "--hosts: a: 'x' is no number of accelerators in 1..1048576"},
    {"closed training unet3d run" RUN "-s a:",
     "--hosts: a: '' is no number of accelerators in 1..1048576"},
    {"closed training unet3d run" RUN "-s a b a:2",
     "--hosts: a twice; HOST:N puts N accelerators on it"},
};

static void test_many_hosts(void)
{
  char line[8192] = "closed training unet3d run" RUN "-s ";
  for (int i = 0; i < 1025; i++)
    snprintf(line + strlen(line), sizeof line - strlen(line), "h%d,", i);
  is_int(parse(line), -LB_USAGE, "1025 hosts");
  is_str(err.msg, "--hosts: more than 1024", "says so");
}

static void test_wrong(void)
{
  test_many_hosts();
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    is_int(parse(wrong[i].line), -LB_USAGE, "refused: %s", wrong[i].line);
    is_str(err.msg, wrong[i].message, "and why");
  }
}

/* ---- other sources ---- */

static void set(const char *name, const char *value)
{
  if (setenv(name, value, 1))
    ok(false, "%s is set", name);
}

static void test_environment(void)
{
  const char *line = "closed training unet3d run -cm 64 -na 8 -at b200 -dd d";
  set("MLPERF_RESULTS_DIR", "/r");
  set("MLPSTORAGE_SYSTEMNAME", "box");
  is_int(parse(line), 0, "both from the environment: %s", err.msg);
  is_str(call.args.results_dir, "/r", "the folder");
  is_str(call.args.systemname, "box", "the name, by its other variable");
  set("MLPERF_SYSTEMNAME", "box");
  is_int(parse(line), 0, "both variables, the same");
  set("MLPERF_SYSTEMNAME", "rack");
  is_int(parse(line), -LB_USAGE, "both, but different");
  is_str(err.msg,
         "mlperf: MLPERF_SYSTEMNAME is 'rack', but MLPSTORAGE_SYSTEMNAME "
         "'box'",
         "says so");
  is_int(parse("closed training unet3d run" RUN), 0,
         "the command line beats them");
  is_str(call.args.systemname, "s", "with its own");
  set("MLPERF_SYSTEMNAME", "");
  is_int(parse(line), 0, "an empty one counts as none");
  is_str(call.args.systemname, "box", "so the other one is taken");
  set("MLPERF_SYSTEMNAME", "a/b");
  set("MLPSTORAGE_SYSTEMNAME", "");
  is_int(parse(line), -LB_USAGE, "one that is no name");
  ok(strstr(err.msg, "MLPERF_SYSTEMNAME: --systemname: 'a/b' is no name") ==
         err.msg,
     "says where it stands: %s", err.msg);
  forget_environment();
}

static const char *write_config(const char *text)
{
  static char path[PATH_MAX];
  snprintf(path, sizeof path, "%s/c.yaml", tap_tmpdir());
  FILE *f = fopen(path, "w");
  if (!f || fputs(text, f) < 0 || fclose(f) != 0)
    ok(false, "%s is written", path);
  return path;
}

/* With this file, and these words behind it. */
static int parse_with(const char *yaml, const char *more)
{
  char line[2 * PATH_MAX];
  snprintf(line, sizeof line,
           "open training unet3d run -at b200 -dd d -sn s --config-file %s %s",
           write_config(yaml), more);
  return parse(line);
}

static void test_file(void)
{
  const struct lb_mlperf_args *a = &call.args;
  set("MLPERF_RESULTS_DIR", "/env");
  is_int(parse_with("client-host-memory-in-gb: 64\nnum_accelerators: 8\n"
                    "results-dir: /file\nhosts: [a, 'b:4']\no_direct: yes\n"
                    "skip-timeseries: off\n"
                    "params: {reader.read_threads: 4, x: 1}\n"
                    "max_accelerators: 3\n",
                    "-na 16 -p x=2"),
         0, "values of a file: %s", err.msg);
  is_near(a->client_host_memory_in_gb, 64, 0, "a number");
  is_int(a->num_accelerators, 16, "the command line beats it");
  is_str(a->results_dir, "/file", "it beats the environment");
  is_str(a->hosts, "a,b:4", "a list");
  ok(a->o_direct && !a->skip_timeseries, "switches, on and off");
  is_int(a->n_params, 3, "parameters of both");
  is_str(a->params[0], "reader.read_threads=4", "the file's first");
  is_str(a->params[2], "x=2", "the command line's last, so it wins");
  is_int(a->max_accelerators, 0, "another sub-command's is left alone");

  static const struct {
    const char *yaml, *message;
  } bad[] = {
      {"num-acelerators: 3\n", ":1: num-acelerators: no option of this name"},
      {"\nhosts: {a: 1}\n", ":2: hosts: a single value"},
      {"params: [a]\n", ":1: params: a list of KEY=VALUE, or a map of values"},
      {"[1]\n", ":1: a map of options is needed"},
      {"config-file: x\n", ":1: config-file: no option of this name"},
      {"\nscale-time: 0.5\nscale_time: 0.5\n",
       ":3: scale_time: given twice, first in "},
      {"\nranks: many\n", ":2: --ranks: 'many' is not a whole number"},
      {"client-host-memory-in-gb: 0\n",
       ":1: --client-host-memory-in-gb: 0 is not above 0"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    is_int(parse_with(bad[i].yaml, ""), -LB_USAGE, "refused, case %zu", i);
    ok(strstr(err.msg, bad[i].message), "says so: %s", err.msg);
  }
  is_int(parse("closed training unet3d run --config-file /nowhere/x" RUN),
         -LB_USAGE, "no such file");
  ok(strstr(err.msg, "/nowhere/x: No such file"), "says so: %s", err.msg);
  is_int(parse("closed training unet3d run --config-file /dev/zero" RUN),
         -LB_USAGE, "a file without an end");
  ok(strstr(err.msg, "/dev/zero: larger than"), "says so: %s", err.msg);
  is_int(parse("closed training unet3d run --config-file=" RUN), -LB_USAGE,
         "a file without a name");
  is_str(err.msg, "--config-file: the value is empty", "says so");
  forget_environment();
}

/* ---- ranks ---- */

static void test_ranks(void)
{
  struct lb_mlperf_args a = {.num_accelerators = 8};
  static const struct {
    int64_t asked;
    int started, rc;
  } cases[] = {{0, 8, 0}, {0, 4, 0}, {0, 1, 0},         {2, 2, 0},
               {2, 8, 0}, {4, 1, 0}, {0, 3, -LB_USAGE}, {2, 16, -LB_USAGE}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    err = (struct lb_err)LB_ERR_INIT;
    a.ranks = cases[i].asked;
    is_int(lb_mlperf_check_ranks(&a, cases[i].started, &err), cases[i].rc,
           "8 accelerators on %d ranks", cases[i].started);
  }
  is_str(err.msg,
         "mlperf: started with 16 ranks, which 8 accelerators are no multiple "
         "of; 2 were asked for",
         "all numbers are said");
}

int main(void)
{
  forget_environment();
  test_verbs();
  test_flags();
  test_right();
  test_values();
  test_hosts();
  for (const struct lb_mlperf_verb *v = lb_mlperf_verbs; v->words; v++)
    if (v->is_workload)
      test_each(v);
  test_others();
  test_wrong();
  test_environment();
  test_file();
  test_ranks();
  lb_mlperf_call_fini(&call);
  lb_arena_fini(&lines);
  return done();
}
