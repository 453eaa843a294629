/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The one lock around the HDF5 library, whatever its build says of threads.
 * Whoever calls the library holds it.  Raw data are read outside of it. */
#ifndef LOADBANK_HDF5LOCK_H
#define LOADBANK_HDF5LOCK_H

#include <stdint.h>

/* Also keeps the library from printing its error stack by itself.  Returns the
 * ns that it had to wait. */
uint64_t lb_hdf5_lock(void);
void lb_hdf5_unlock(void);

#endif
