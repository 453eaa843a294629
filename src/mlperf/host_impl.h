/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of gathering a host's facts, and how they read and tell. */
#ifndef LB_MLPERF_HOST_IMPL_H
#define LB_MLPERF_HOST_IMPL_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mlperf/host.h"

/* Of a file of /proc or /sys: more is not read of it. */
enum { LB_FACT_TEXT = 8192 };

struct lb_facts {
  const char *root;
  struct lb_mlperf_host *host;
  void *arg;               /* of a walk's function */
  char text[LB_FACT_TEXT]; /* what was read last, without blanks at the end */
  char path[PATH_MAX];     /* of that, without the root */
  int sys;                 /* why it could not be read */
};

/* The text of a file into f->text, or false. */
bool lb_fact_read(struct lb_facts *f, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* The number it starts with. */
bool lb_fact_number(struct lb_facts *f, int64_t *v, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
bool lb_fact_exists(struct lb_facts *f, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* Calls each for every name in a folder, in order, but for those that start
 * with a dot; false: it cannot be read. */
bool lb_fact_each(struct lb_facts *f, const char *folder,
                  void (*each)(struct lb_facts *f, const char *name));

/* A fact is missing: why the last file could not be read, or the reason. */
void lb_fact_missing(struct lb_facts *f, const char *fact, const char *reason);
/* Adds a name to those of a group, as long as there is room. */
void lb_fact_name(char *names, size_t size, const char *name);

void lb_facts_ports(struct lb_facts *f);
void lb_facts_drives(struct lb_facts *f);

#endif
