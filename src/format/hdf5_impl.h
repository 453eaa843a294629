/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files that call the HDF5 library share.  The caller has its lock.
 * Empty without the library. */
#ifndef LB_HDF5_IMPL_H
#define LB_HDF5_IMPL_H

#ifdef HAVE_HDF5
#include <hdf5.h>

#include "loadbank/dtype.h"
#include "loadbank/err.h"

/* Takes the library's deepest reason; call it before anything is closed. */
int lb_h5_failed(const char *path, const char *what, struct lb_err *err);

/* The file type of an element; H5Tclose it. */
hid_t lb_h5_type(const struct lb_dtype *dtype);
#endif

#endif
