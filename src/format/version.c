/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which HDF5 this build uses: serial and parallel, thread-safe or not, differ
 * in what they cost. */
#include "lb-config.h"

#include "loadbank/versions.h"

#ifdef HAVE_HDF5
#include <hdf5.h>

#ifdef H5_HAVE_PARALLEL
#define KIND "parallel"
#else
#define KIND "serial"
#endif

#ifdef H5_HAVE_THREADSAFE
#define THREADS "thread-safe"
#else
#define THREADS "not thread-safe"
#endif

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)

const char *lb_hdf5_version(void)
{
  return TEXT(H5_VERS_MAJOR) "." TEXT(H5_VERS_MINOR) "." TEXT(
      H5_VERS_RELEASE) ", " KIND ", " THREADS;
}

#else

const char *lb_hdf5_version(void)
{
  return "not in this build";
}

#endif
