/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See hdf5lock.h. */
#include "lb-config.h"

#include "loadbank/hdf5lock.h"

#include <pthread.h>
#ifdef HAVE_HDF5
#include <hdf5.h>
#endif

static pthread_mutex_t hdf5_mutex = PTHREAD_MUTEX_INITIALIZER;

void lb_hdf5_lock(void)
{
  pthread_mutex_lock(&hdf5_mutex);
#ifdef HAVE_HDF5
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL); /* of this thread */
#endif
}

void lb_hdf5_unlock(void)
{
  pthread_mutex_unlock(&hdf5_mutex);
}
