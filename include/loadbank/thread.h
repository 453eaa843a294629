/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Starting a thread: the one place where threads are made. */
#ifndef LOADBANK_THREAD_H
#define LOADBANK_THREAD_H

#include <pthread.h>

/* Runs main(arg) in a thread of that name (15 characters are seen).  All
 * signals are blocked in it: they are for the main thread.  0 or an errno. */
int lb_thread_start(pthread_t *thread, const char *name, void *(*main)(void *),
                    void *arg);

#endif
