/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lb-config.h"

#include "world/singleton.h"

#include <string.h>

#include "tap.h"

enum { MAX_VARIABLES = 6 };

struct row {
  const char *text;
  const char *env[MAX_VARIABLES]; /* NAME=VALUE */
  const char *blamed;             /* variable, or NULL: not a trap */
  int rank;
};

static const struct row rows[] = {
    {"nothing set", {NULL}, NULL, 0},
    {"MPICH's launcher, no channel",
     {"PMI_SIZE=4", "PMI_RANK=2", NULL},
     "PMI_SIZE",
     2},
    {"size without rank", {"PMI_SIZE=4", NULL}, "PMI_SIZE", 0},
    {"one rank of one", {"PMI_SIZE=1", "PMI_RANK=0", NULL}, NULL, 0},
    {"Open MPI's launcher",
     {"OMPI_COMM_WORLD_SIZE=32", "OMPI_COMM_WORLD_RANK=31", "PMIX_RANK=31",
      NULL},
     "OMPI_COMM_WORLD_SIZE",
     31},
    {"Open MPI's launcher, one rank",
     {"OMPI_COMM_WORLD_SIZE=1", "OMPI_COMM_WORLD_RANK=0", "PMIX_RANK=0", NULL},
     NULL,
     0},
    {"MVAPICH",
     {"MV2_COMM_WORLD_SIZE=2", "MV2_COMM_WORLD_RANK=0", NULL},
     "MV2_COMM_WORLD_SIZE",
     0},
    {"a task of srun",
     {"SLURM_NTASKS=8", "SLURM_STEP_NUM_TASKS=8", "SLURM_PROCID=0", NULL},
     "SLURM_STEP_NUM_TASKS",
     0},
    {"a later task of srun that knows no size",
     {"SLURM_NTASKS=8", "SLURM_PROCID=5", NULL},
     "SLURM_PROCID",
     5},
    {"a shell of salloc", {"SLURM_NTASKS=8", "SLURM_JOB_ID=1", NULL}, NULL, 0},
    {"a script of sbatch",
     {"SLURM_NTASKS=8", "SLURM_PROCID=0", "SLURM_LOCALID=0", NULL},
     NULL,
     0},
    {"salloc with an interactive step",
     {"SLURM_NTASKS=8", "SLURM_STEP_NUM_TASKS=1", "SLURM_PROCID=0", NULL},
     NULL,
     0},
    {"a step's size alone", {"SLURM_STEP_NUM_TASKS=8", NULL}, NULL, 0},
    {"mpiexec -n 1 within a step of several",
     {"PMI_SIZE=1", "PMI_RANK=0", "SLURM_STEP_NUM_TASKS=2", "SLURM_PROCID=1",
      NULL},
     NULL,
     0},
    {"PALS, first task", {"PALS_RANKID=0", NULL}, NULL, 0},
    {"PALS, later task", {"PALS_RANKID=3", NULL}, "PALS_RANKID", 3},
    {"PMIx, later task", {"PMIX_RANK=1", NULL}, "PMIX_RANK", 1},
    {"not a number", {"PMI_SIZE=four", "PMI_RANK=-1", NULL}, NULL, 0},
    {"a number with more behind it", {"PMI_SIZE=4x", NULL}, NULL, 0},
    {"empty", {"PMI_SIZE=", "PMIX_RANK=", NULL}, NULL, 0},
    {"too large for a rank", {"PMIX_RANK=99999999999999999999", NULL}, NULL, 0},
};

static const char *look(void *arg, const char *name)
{
  const char *const *env = arg;
  size_t n = strlen(name);
  for (; *env; env++)
    if (!strncmp(*env, name, n) && (*env)[n] == '=')
      return *env + n + 1;
  return NULL;
}

static void test_launched(void)
{
  static const struct {
    const char *env[MAX_VARIABLES];
    int rank, size;
    bool launched;
  } cases[] = {
      {{NULL}, 0, 1, false},
      {{"PMI_SIZE=4", "PMI_RANK=2", NULL}, 2, 4, true},
      {{"PMI_SIZE=1", "PMI_RANK=0", NULL}, 0, 1, true},
      {{"MV2_COMM_WORLD_SIZE=2", "MV2_COMM_WORLD_RANK=1", NULL}, 1, 2, true},
      {{"SLURM_STEP_NUM_TASKS=8", "SLURM_PROCID=0", NULL}, 0, 8, true},
      {{"SLURM_STEP_NUM_TASKS=1", "SLURM_PROCID=0", NULL}, 0, 1, false},
      {{"SLURM_NTASKS=8", "SLURM_PROCID=0", NULL}, 0, 1, false},
      {{"PMI_SIZE=1", "PMI_RANK=0", "SLURM_STEP_NUM_TASKS=2", "SLURM_PROCID=1",
        NULL},
       0,
       1,
       true},
      {{"PMI_SIZE=4", "PMI_RANK=4", NULL}, 0, 1, false},
      {{"PMIX_RANK=1", NULL}, 0, 1, false},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    int rank, size;
    ok(lb_singleton_launched(look, (void *)cases[i].env, &rank, &size) ==
           cases[i].launched,
       "launched, case %zu: by a launcher or not", i);
    is_int(rank, cases[i].rank, "launched, case %zu: rank", i);
    is_int(size, cases[i].size, "launched, case %zu: size", i);
  }
}

int main(void)
{
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const struct row *r = &rows[i];
    struct lb_err err = LB_ERR_INIT;
    int rank = 0;
    int rc =
        lb_singleton_check(look, (void *)r->env, "MPICH 4.0.2", &rank, &err);
    is_int(rc, r->blamed ? -LB_USAGE : 0, "%s", r->text);
    is_int(rank, r->rank, "%s: rank", r->text);
    const char *unset = strstr(err.msg, "unset ");
    is_str(unset ? unset + 6 : NULL, r->blamed, "%s: variable", r->text);
    if (r->blamed)
      ok(strstr(err.msg, "MPICH 4.0.2"), "%s: names the MPI", r->text);
  }
  test_launched();
  return done();
}
