/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See thread.h. */
#include "lb-config.h"

#include "loadbank/thread.h"

#include <signal.h>

int lb_thread_start(pthread_t *thread, const char *name, void *(*main)(void *),
                    void *arg)
{
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  int rc = pthread_create(thread, NULL, main, arg);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (!rc)
    pthread_setname_np(*thread, name); /* for people; a failure is none */
  return rc;
}
