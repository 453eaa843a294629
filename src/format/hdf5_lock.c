/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See hdf5lock.h. */
#include "lb-config.h"

#include "loadbank/hdf5lock.h"

#include <pthread.h>
#ifdef HAVE_HDF5
#include <hdf5.h>
#endif

#include "loadbank/clock.h"

static pthread_mutex_t hdf5_mutex = PTHREAD_MUTEX_INITIALIZER;

uint64_t lb_hdf5_lock(void)
{
  uint64_t waited = 0;
  if (pthread_mutex_trylock(&hdf5_mutex)) {
    uint64_t start = lb_clock_ns();
    pthread_mutex_lock(&hdf5_mutex);
    waited = lb_clock_ns() - start;
  }
#ifdef HAVE_HDF5
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL); /* of this thread */
#endif
  return waited;
}

void lb_hdf5_unlock(void)
{
  pthread_mutex_unlock(&hdf5_mutex);
}
