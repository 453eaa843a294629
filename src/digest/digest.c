/* SPDX-License-Identifier: GPL-3.0-or-later */
/* THE list of sections, and the order of a report: what was named beside
 * results, all results together, each by itself. */
#include "lb-config.h"

#include "loadbank/digest.h"

#include <stdio.h>
#include <string.h>

#include "digest/study.h"

enum {
  PATH_LEN = 4400,
  STUDY_NUMBER = 1000 /* of pictures: behind those of results */
};

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

/* ---- sizings and sweeps ---- */

static const struct lb_study *const studies[] = {&lb_study_size,
                                                 &lb_study_sweep, NULL};

/* Whether the folder has that file; what is wrong with it is told. */
static bool add_study(struct lb_story *s, const struct lb_study *study,
                      const char *folder)
{
  char path[PATH_LEN];
  json_error_t bad;
  snprintf(path, sizeof path, "%s/%s", folder, study->file);
  FILE *f = fopen(path, "re");
  if (!f)
    return false;
  json_t *v = json_loadf(f, JSON_REJECT_DUPLICATES, &bad);
  fclose(f);
  lb_page_section(s->page, 1, study->what);
  if (!v)
    lb_page_say(s->page, "%s:%d: %s.", path, bad.line, bad.text);
  else if (lb_story_real(v, "schema_version") != 1)
    lb_page_say(s->page, "%s: of another version of loadbank.", path);
  else
    study->add(s, v);
  json_decref(v);
  return true;
}

static int add_studies(struct lb_page *page, const char *const *named,
                       size_t n_named, int *found, struct lb_err *err)
{
  bool failed = false;
  for (size_t i = 0; i < n_named && !failed; i++)
    for (size_t k = 0; studies[k]; k++) {
      struct lb_story s = {.page = page, .number = STUDY_NUMBER + *found};
      *found += add_study(&s, studies[k], named[i]);
      failed = failed || s.failed;
      lb_story_fini(&s);
    }
  return failed ? lb_err_set(err, LB_FAILED, "no memory for the report") : 0;
}

int lb_digest(struct lb_page *page, const struct lb_results *results,
              const char *const *named, size_t n_named, struct lb_err *err)
{
  int found = 0;
  int rc = add_studies(page, named, n_named, &found, err);
  if (!rc && results->n > 1) {
    struct lb_story s = {.page = page};
    lb_digest_overview(&s, results);
    if (s.failed)
      rc = lb_err_set(err, LB_FAILED, "no memory for the report");
    lb_story_fini(&s);
  }
  if (results->n > LB_DIGEST_SINGLE || found > 0) {
    lb_page_say(page, "A report of one of these results alone has its "
                      "pictures.");
    return rc;
  }
  for (size_t i = 0; i < results->n && !rc; i++)
    rc = add_one(page, &results->result[i], (int)i + 1, err);
  return rc;
}
