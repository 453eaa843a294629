/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Only variables that a launcher sets for each process count.  Those of an
 * allocation do not: SLURM_NTASKS is set in every salloc or sbatch shell, and a
 * batch script is task 0 (SLURM_PROCID=0) of a step of one; a plain
 * ./loadbank there is one rank and is meant so. */
#include "lb-config.h"

#include "world/singleton.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>

struct launcher {
  const char *name;
  const char *size, *rank; /* size NULL: it does not say how many */
  bool needs_rank;         /* the size alone proves nothing */
  bool outer; /* may stand around a launcher of a job of one rank, as a batch
               * system's does around mpiexec -n 1 */
};

static const struct launcher launchers[] = {
    {.name = "Open MPI's mpiexec",
     .size = "OMPI_COMM_WORLD_SIZE",
     .rank = "OMPI_COMM_WORLD_RANK"},
    {.name = "MVAPICH's mpirun",
     .size = "MV2_COMM_WORLD_SIZE",
     .rank = "MV2_COMM_WORLD_RANK"},
    {.name = "a launcher that speaks PMI",
     .size = "PMI_SIZE",
     .rank = "PMI_RANK"},
    {.name = "srun",
     .size = "SLURM_STEP_NUM_TASKS",
     .rank = "SLURM_PROCID",
     .needs_rank = true,
     .outer = true},
    {.name = "PALS", .rank = "PALS_RANKID", .outer = true},
    {.name = "a launcher that speaks PMIx", .rank = "PMIX_RANK", .outer = true},
};

/* -1: not set, or not a number. */
static int number(lb_lookup *lookup, void *arg, const char *name)
{
  const char *text = name ? lookup(arg, name) : NULL;
  char *end;
  if (!text || *text < '0' || *text > '9')
    return -1;
  errno = 0;
  long n = strtol(text, &end, 10);
  return errno || *end || n > INT_MAX ? -1 : (int)n;
}

int lb_singleton_check(lb_lookup *lookup, void *arg, const char *mpi, int *rank,
                       struct lb_err *err)
{
  bool one = false; /* an inner launcher says that one rank is all */
  for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++) {
    const struct launcher *l = &launchers[i];
    int n = number(lookup, arg, l->size), r = number(lookup, arg, l->rank);
    one |= n == 1;
    if (l->outer && one)
      continue;
    bool of_several = n > 1 && (r >= 0 || !l->needs_rank);
    if (!of_several && r <= 0)
      continue;
    *rank = r > 0 ? r : 0;
    const char *name = of_several ? l->size : l->rank;
    return lb_err_set(
        err, LB_USAGE,
        "started by %s as one of several processes (%s=%s), but MPI gives this "
        "one a world of its own: the launcher does not belong to the MPI of "
        "this program (%s). Use that MPI's mpiexec, or srun with a matching "
        "--mpi; if one rank is meant, unset %s",
        l->name, name, lookup(arg, name), mpi, name);
  }
  return 0;
}

bool lb_singleton_launched(lb_lookup *lookup, void *arg, int *rank, int *size)
{
  for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++) {
    *rank = number(lookup, arg, launchers[i].rank);
    *size = number(lookup, arg, launchers[i].size);
    if (*rank >= 0 && *rank < *size)
      return *size > 1 || !launchers[i].outer;
  }
  *rank = 0;
  *size = 1;
  return false;
}
