/* SPDX-License-Identifier: GPL-3.0-or-later */
/* loadbank version: what this program is made of. */
#include "lb-config.h"

#include "cli/cli_impl.h"

#include <jansson.h>
#include <zlib.h>

#include "loadbank/versions.h"
#include "loadbank/world.h"

void lb_help_version(struct lb_buf *out)
{
  lb_buf_printf(out,
                "loadbank %s\n"
                "MPI      %s\n"
                "HDF5     %s\n"
                "GSL      %s\n"
                "libyaml  %s\n"
                "jansson  %s\n"
                "zlib     %s\n"
                "hwloc    %s\n",
                PACKAGE_VERSION, lb_world_mpi_version(), lb_hdf5_version(),
                lb_gsl_version(), lb_yaml_version(), JANSSON_VERSION,
                zlibVersion(), lb_hwloc_version());
}

int lb_cmd_version(struct lb_cli *cli, struct lb_err *err)
{
  struct lb_buf text;
  lb_buf_init(&text, 1 << 16);
  lb_help_version(&text);
  int rc = lb_print(cli, &text, err);
  lb_buf_fini(&text);
  return rc;
}
