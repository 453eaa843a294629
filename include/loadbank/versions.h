/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Versions of the libraries in use, each told by the one module that sees the
 * library.  Static texts.  (MPI's: lb_world_mpi_version.) */
#ifndef LOADBANK_VERSIONS_H
#define LOADBANK_VERSIONS_H

const char *lb_gsl_version(void);   /* src/dist: "2.7.1" */
const char *lb_yaml_version(void);  /* src/config: "0.2.5" */
const char *lb_hwloc_version(void); /* src/core: "2.8.0 (interface)" */
const char *lb_hdf5_version(void);  /* src/format: "1.10.8, serial ..." */

#endif
