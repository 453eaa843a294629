/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lb-config.h"

#include "loadbank/format.h"

static int hdf5_check(const struct lb_format_params *p, struct lb_err *err)
{
  (void)p;
  return lb_err_set(err, LB_USAGE,
                    "format 'hdf5': not in this build; "
                    "configure --with-hdf5");
}
const struct lb_format lb_format_hdf5 = {
    .name = "hdf5",
    .doc = "HDF5 files, a contiguous dataset records_0 with a row a sample.",
    .extension = "hdf5",
    .unavailable = "not in this build; configure --with-hdf5",
    .check = hdf5_check,
};
