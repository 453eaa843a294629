/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Someone failed, so everyone fails.  One reduction when nobody did. */
#include "lb-config.h"

#include "loadbank/world.h"

#include "world/world_impl.h"

int lb_err_agree(const struct lb_world *w, struct lb_err *err, int *others)
{
  bool failed = lb_err_is_set(err);
  uint64_t lowest = failed ? (uint64_t)w->rank : UINT64_MAX;
  if (others)
    *others = 0;
  lb_world_min_u64(w, &lowest, 1);
  if (lowest == UINT64_MAX)
    return 0;

  uint64_t count = failed;
  lb_world_sum_u64(w, &count, 1);
  if (others)
    *others = (int)count - 1;
  if (lowest == (uint64_t)w->rank && err->rank < 0)
    err->rank = w->rank;
  MPI_Request r;
  lb_mpi_check(
      w,
      MPI_Ibcast(err, (int)sizeof *err, MPI_BYTE, (int)lowest, w->mpi->job, &r),
      "MPI_Ibcast");
  lb_mpi_await(w, &r, "MPI_Ibcast");
  return -err->code;
}
