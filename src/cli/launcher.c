/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a launcher says about a process that does not use MPI: `mpiexec -n 8
 * loadbank plan' shall print once, and plan for 8 ranks.  Whether an MPI world
 * is what the launcher meant is src/world's business. */
#include "lb-config.h"

#include "cli/cli_impl.h"

#include <stdlib.h>

#include "loadbank/units.h"

static const struct {
  const char *rank, *size;
} variables[] = {
    {"PMI_RANK", "PMI_SIZE"},
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
    {"PALS_RANKID", "PALS_SIZE"},
    {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS"},
};

static bool get_int(const char *name, int *value)
{
  const char *text = getenv(name);
  int64_t v;
  if (!text || lb_parse_int(text, false, &v) != LB_PARSED_OK || v < 0 ||
      v > INT_MAX)
    return false;
  *value = (int)v;
  return true;
}

void lb_launcher(int *rank, int *size)
{
  for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++)
    if (get_int(variables[i].rank, rank) && get_int(variables[i].size, size) &&
        *rank < *size)
      return;
  *rank = 0;
  *size = 1;
}
