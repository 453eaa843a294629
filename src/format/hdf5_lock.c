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
static pthread_once_t hdf5_once = PTHREAD_ONCE_INIT;

/* The library would close at exit what it could not close before (a full disk)
 * and crash over that.  What we open we close; there is nothing left to do. */
static void begin(void)
{
#ifdef HAVE_HDF5
  H5dont_atexit();
#endif
}

uint64_t lb_hdf5_lock(void)
{
  uint64_t waited = 0;
  pthread_once(&hdf5_once, begin);
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
