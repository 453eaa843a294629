/* SPDX-License-Identifier: GPL-3.0-or-later */
/* THE list of sections, and the order of a report: what was named beside
 * results, all results together, each by itself. */
#include "lb-config.h"

#include "loadbank/digest.h"

#include <stdio.h>
#include <string.h>

#include "digest/story.h"

static void (*const sections[])(struct lb_story *s) = {
    lb_section_short,       lb_section_au,
    lb_section_loads,       lb_section_time,
    lb_section_checkpoints, lb_section_operations,
    lb_section_machine,     lb_section_configuration,
};

/* What cannot be read is told, and missing in the report; so are its
 * pictures. */
static void read_more(struct lb_story *s)
{
  struct lb_err err = LB_ERR_INIT;
  const char *why = lb_result_text(s->r, "loadbank.steps_file_reason");
  snprintf(s->no_steps, sizeof s->no_steps, "%s",
           why ? why : "it has no steps of training");
  if (lb_step_digest_read(&s->steps, s->r, &err))
    snprintf(s->no_steps, sizeof s->no_steps, "%s", err.msg);
  err = (struct lb_err)LB_ERR_INIT;
  snprintf(s->no_seconds, sizeof s->no_seconds, "there is no " LB_PACE_FILE);
  if (lb_seconds_read(&s->seconds, s->r->path, &err))
    snprintf(s->no_seconds, sizeof s->no_seconds, "%s", err.msg);
}

static const char *title_of(const struct lb_result *r)
{
  return strcmp(r->name, ".") != 0 ? r->name : r->path;
}

/* Does the summary say anything? */
static bool has_something(const struct lb_result *r)
{
  return r->summary && r->state != LB_RESULT_FOREIGN;
}

static int add_one(struct lb_page *page, const struct lb_result *r, int number,
                   struct lb_err *err)
{
  struct lb_story s = {.page = page, .r = r, .number = number};
  lb_page_section(page, 1, title_of(r));
  if (r->state != LB_RESULT_COMPLETE)
    lb_page_say(page, "This result is %s: %s.", lb_result_state_names[r->state],
                r->reason ? r->reason : "no reason is known");
  if (has_something(r)) {
    read_more(&s);
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
      sections[i](&s);
  }
  bool failed = s.failed;
  lb_story_fini(&s);
  return failed ? lb_err_set(err, LB_FAILED, "no memory for the report") : 0;
}

int lb_digest(struct lb_page *page, const struct lb_results *results,
              const char *const *named, size_t n_named, struct lb_err *err)
{
  int rc = 0;
  (void)named, (void)n_named;
  if (results->n > 1) {
    struct lb_story s = {.page = page};
    lb_digest_overview(&s, results);
    if (s.failed)
      rc = lb_err_set(err, LB_FAILED, "no memory for the report");
    lb_story_fini(&s);
  }
  if (results->n > LB_DIGEST_SINGLE) {
    lb_page_say(page,
                "These are %zu results: too many to show each by itself. A "
                "report of one of them has its pictures.",
                results->n);
    return rc;
  }
  for (size_t i = 0; i < results->n && !rc; i++)
    rc = add_one(page, &results->result[i], (int)i + 1, err);
  return rc;
}
