/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints the size of the world, once: do the launcher and the MPI belong
 * together? */
#include "lb-config.h"

#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (rank == 0)
    printf("%d\n", size);
  MPI_Finalize();
  return 0;
}
