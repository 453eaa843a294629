/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files beside results that say more than each of them: a sizing's, a sweep's.
 * They are found by their names in the folders that the user named. */
#ifndef LB_DIGEST_STUDY_H
#define LB_DIGEST_STUDY_H

#include "digest/story.h"

struct lb_study {
  const char *file;
  const char *what; /* in the heading */
  /* v: the whole file, an object of schema_version 1. */
  void (*add)(struct lb_story *s, const json_t *v);
};
extern const struct lb_study lb_study_size, lb_study_sweep;

#endif
