/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One result while its part of the report is made, and what sections share. */
#ifndef LB_DIGEST_STORY_H
#define LB_DIGEST_STORY_H

#include <jansson.h>

#include "digest/seconds.h"
#include "digest/steps.h"
#include "loadbank/page.h"
#include "loadbank/results.h"

enum { LB_STORY_MESSAGE = 1100 };

struct lb_story {
  struct lb_page *page;
  const struct lb_result *r;   /* NULL: several together */
  int number;                  /* of the result, from 1: in the pictures' ids */
  struct lb_step_digest steps; /* n_steps 0: none, for the reason no_steps */
  char no_steps[LB_STORY_MESSAGE];
  struct lb_seconds seconds;         /* n 0: none, ... */
  char no_seconds[LB_STORY_MESSAGE]; /* ... for this reason; "": no file */
  void **memory; /* given out by lb_story_doubles, freed with it */
  size_t n_memory;
  bool failed; /* no memory */
};
void lb_story_fini(struct lb_story *s);

/* Zeroes, freed with the story; NULL: no memory, and the story has failed. */
double *lb_story_doubles(struct lb_story *s, size_t n);
/* 1, 2 ... n. */
double *lb_story_numbers(struct lb_story *s, size_t n);
/* A list of the summary; *n 0 and NULL when it is absent or empty. */
double *lb_story_list(struct lb_story *s, const char *path, size_t *n);
/* The value at a path of the summary; borrowed, or NULL. */
const json_t *lb_story_at(const struct lb_story *s, const char *path);
double lb_story_real(const json_t *object, const char *key); /* NAN */

/* Adds the picture as number-id; it has no data when memory is out. */
void lb_story_picture(struct lb_story *s, struct lb_picture *p, const char *id,
                      const char *note);

/* The sections, in the order of the report; each adds its heading only when it
 * has something to say. */
void lb_section_short(struct lb_story *s);
void lb_section_au(struct lb_story *s);
void lb_section_loads(struct lb_story *s);
void lb_section_time(struct lb_story *s);
void lb_section_checkpoints(struct lb_story *s);
void lb_section_operations(struct lb_story *s);
void lb_section_machine(struct lb_story *s);
void lb_section_configuration(struct lb_story *s);

/* Of all results together. */
void lb_digest_overview(struct lb_story *s, const struct lb_results *results);

#endif
