/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rules about descriptions of systems: the files in systems/, what is in them,
 * and whether the runs agree with them. */
#include "lb-config.h"

#include "mlperf/checks.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "mlperf/system.h"

enum { PERCENT = 10 }; /* by which memory may differ: 2.1.9 */

static size_t systems_of(const struct lb_mlperf_check *c)
{
  size_t i =
      lb_mlperf_folder_in(c->tree, 0, lb_mlperf_mode_names[c->place.mode]);
  i = lb_mlperf_folder_in(c->tree, i, c->place.org);
  return lb_mlperf_folder_in(c->tree, i, "systems");
}

/* NAME.yaml of systems/, or what is wrong with it as flaws.  False: there is no
 * such file. */
static bool read_system(const struct lb_mlperf_check *c, size_t in,
                        const char *name, struct lb_mlperf_system *s,
                        struct lb_mlperf_flaws *flaws)
{
  char path[PATH_MAX], file[LB_MLPERF_NAME + 8];
  struct lb_err err = LB_ERR_INIT;
  snprintf(file, sizeof file, "%s.yaml", name);
  if (in == LB_MLPERF_NOWHERE ||
      !lb_mlperf_entry_type(&c->tree->folder[in], file) ||
      snprintf(path, sizeof path, "%s/%s", c->tree->folder[in].path, file) >=
          (int)sizeof path)
    return false;
  if (lb_mlperf_system_read(path, s, flaws, &err))
    lb_mlperf_flaw(flaws, file, 0, "", "%s", err.msg);
  return true;
}

void lb_mlperf_describe(struct lb_mlperf_check *c)
{
  struct lb_mlperf_flaws flaws = {.n = 0};
  c->described =
      read_system(c, systems_of(c), c->place.system, &c->system, &flaws);
  lb_mlperf_flaws_fini(&flaws);
}

/* Are all leaves of this system a rehearsal's?  Of one that has none, those of
 * the organisation. */
static bool is_rehearsal(const struct lb_mlperf_check *c, const char *system)
{
  size_t leaves[2] = {0}, rehearsals[2] = {0};
  for (size_t i = c->first; i < c->end; i++) {
    bool own = !strcmp(c->tree->leaf[i].place.system, system);
    leaves[own] += c->facts[i].scaled;
    rehearsals[own] += lb_mlperf_is_rehearsal(&c->facts[i].scale);
  }
  bool own = leaves[true] > 0;
  return leaves[own] && leaves[own] == rehearsals[own];
}

static bool split_name(const char *file, const char *ending,
                       char stem[LB_MLPERF_NAME])
{
  size_t n = strlen(file), e = strlen(ending);
  if (n <= e || n - e >= LB_MLPERF_NAME || strcmp(file + n - e, ending) != 0)
    return false;
  memcpy(stem, file, n - e);
  stem[n - e] = '\0';
  return true;
}

static bool has(const struct lb_mlperf_folder *f, const char *stem,
                const char *ending)
{
  char name[LB_MLPERF_NAME + 8];
  snprintf(name, sizeof name, "%s%s", stem, ending);
  return lb_mlperf_entry_type(f, name) == 'f';
}

const char *lb_mlperf_flaw_text(const struct lb_mlperf_flaw *f,
                                const char **before)
{
  const char *text = f->text ? f->text : "no memory";
  const char *end = strstr(text, ".yaml:");
  if (end)
    text = end + sizeof ".yaml:" - 1;
  text += strspn(text, " ");
  *before = isdigit((unsigned char)*text) ? "line " : "";
  return text;
}

/* Fields of a new description that nobody has filled in yet. */
static bool is_blank(const struct lb_mlperf_flaw *f)
{
  return f->text && strstr(f->text, ": not filled in");
}

static void say_flaws(struct lb_mlperf_check *c, const char *folder,
                      const char *file, const struct lb_mlperf_flaws *flaws,
                      bool rehearsal)
{
  const struct lb_mlperf_flaw *blank = NULL;
  const char *line, *text;
  size_t blanks = 0;
  for (size_t i = 0; i < flaws->n; i++) {
    const struct lb_mlperf_flaw *f = &flaws->flaw[i];
    if (!rehearsal || !is_blank(f)) {
      text = lb_mlperf_flaw_text(f, &line);
      lb_mlperf_say(c, LB_MLPERF_ERROR, folder, file, "%s%s", line, text);
      continue;
    }
    blank = blanks++ ? blank : f;
  }
  if (!blank)
    return;
  text = lb_mlperf_flaw_text(blank, &line);
  lb_mlperf_say(c, LB_MLPERF_WAIVED, folder, file,
                "%zu fields are not filled in, the first: %s%s", blanks, line,
                text);
}

static void check_description(struct lb_mlperf_check *c, size_t in,
                              const char *file, const char *stem)
{
  const struct lb_mlperf_folder *f = &c->tree->folder[in];
  struct lb_mlperf_flaws flaws = {.n = 0};
  struct lb_mlperf_system s;
  bool rehearsal = is_rehearsal(c, stem);
  if (!has(f, stem, ".pdf"))
    lb_mlperf_say(c, rehearsal ? LB_MLPERF_WAIVED : LB_MLPERF_ERROR, f->name,
                  file, "%s.pdf is missing beside it", stem);
  read_system(c, in, stem, &s, &flaws);
  say_flaws(c, f->name, file, &flaws, rehearsal);
  lb_mlperf_flaws_fini(&flaws);
}

/* 2.1.7 */
void lb_mlperf_check_systems(struct lb_mlperf_check *c)
{
  size_t in = lb_mlperf_folder_in(c->tree, c->folder, "systems");
  size_t results = lb_mlperf_folder_in(c->tree, c->folder, "results");
  char stem[LB_MLPERF_NAME];
  if (in == LB_MLPERF_NOWHERE) /* 2.1.5 */
    return;
  const struct lb_mlperf_folder *f = &c->tree->folder[in];
  for (size_t i = 0; i < f->n_entries; i++) {
    const char *file = f->entry[i];
    if (file[0] == '.' || split_name(file, ".md", stem))
      continue;
    if (f->type[i] == 'f' && split_name(file, ".yaml", stem))
      check_description(c, in, file, stem);
    else if (f->type[i] != 'f' || !split_name(file, ".pdf", stem))
      lb_mlperf_say(c, LB_MLPERF_ERROR, f->name, file,
                    "only SYSTEM.yaml, SYSTEM.pdf and *.md are allowed here");
    else if (!has(f, stem, ".yaml") &&
             lb_mlperf_folder_in(c->tree, results, stem) == LB_MLPERF_NOWHERE)
      lb_mlperf_say(c, LB_MLPERF_ERROR, f->name, file,
                    "%s.yaml is missing beside it", stem);
  }
}

/* One way of 2.1.8: results of a system need its description. */
static void check_described(struct lb_mlperf_check *c, size_t in, size_t system)
{
  const struct lb_mlperf_folder *f = &c->tree->folder[system];
  struct lb_mlperf_flaws flaws = {.n = 0};
  struct lb_mlperf_system s = {.clients = 0};
  if (!lb_mlperf_is_name(f->base))
    lb_mlperf_say(c, LB_MLPERF_ERROR, f->name, NULL,
                  "the name of a system is 1 to %d letters, digits, '.', '_' "
                  "and '-'; nothing below was looked at",
                  LB_MLPERF_NAME - 1);
  else if (!read_system(c, in, f->base, &s, &flaws))
    lb_mlperf_say(c, LB_MLPERF_ERROR, f->name, NULL,
                  "systems/%s.yaml, its description, is missing", f->base);
  else if (s.submission_name[0] && strcmp(s.submission_name, f->base) != 0)
    lb_mlperf_say(c, LB_MLPERF_ERROR, f->name, NULL,
                  "systems/%s.yaml has the submission_name '%.100s': it must "
                  "be '%s'",
                  f->base, s.submission_name, f->base);
  lb_mlperf_flaws_fini(&flaws);
}

/* 2.1.8 */
void lb_mlperf_check_described(struct lb_mlperf_check *c)
{
  size_t in = lb_mlperf_folder_in(c->tree, c->folder, "systems");
  size_t results = lb_mlperf_folder_in(c->tree, c->folder, "results");
  char stem[LB_MLPERF_NAME];
  if (in == LB_MLPERF_NOWHERE || results == LB_MLPERF_NOWHERE) /* 2.1.5 */
    return;
  const struct lb_mlperf_folder *f = &c->tree->folder[in];
  for (LB_MLPERF_EACH(i, c->tree, results))
    check_described(c, in, i);
  for (size_t i = 0; i < f->n_entries; i++)
    if (f->type[i] == 'f' && split_name(f->entry[i], ".yaml", stem) &&
        lb_mlperf_folder_in(c->tree, results, stem) == LB_MLPERF_NOWHERE)
      lb_mlperf_say(c, LB_MLPERF_ERROR, f->name, f->entry[i],
                    "results/%s/ is missing: there are no results of this "
                    "system",
                    stem);
}

static void compare_hosts(struct lb_mlperf_check *c, size_t leaf)
{
  const struct lb_mlperf_system *s = &c->system;
  const struct lb_mlperf_facts *f = &c->facts[leaf];
  const char *name = c->tree->leaf[leaf].name;
  double mean = f->memory_gib / (double)f->hosts;
  double said = (double)s->client_memory_gib;
  if (s->clients >= 0 && s->clients != f->hosts)
    lb_mlperf_say(c, LB_MLPERF_ERROR, name, NULL,
                  "it ran on %lld hosts, the description has %lld clients",
                  (long long)f->hosts, (long long)s->clients);
  if (s->client_groups == 1 && said > 0 &&
      fabs(mean - said) > said * PERCENT / 100)
    lb_mlperf_say(c, LB_MLPERF_ERROR, name, NULL,
                  "its hosts had %.2f GiB of memory on average, the "
                  "description says %.0f GiB: %d %% more or less is allowed",
                  mean, said, PERCENT);
  if (s->multi_host == 0 && f->hosts > 1)
    lb_mlperf_say(c, LB_MLPERF_ERROR, name, NULL,
                  "it ran on %lld hosts, the description says multi_host: "
                  "false",
                  (long long)f->hosts);
}

/* 2.1.9 */
void lb_mlperf_check_same_system(struct lb_mlperf_check *c)
{
  for (size_t i = c->first; i < c->end && c->described; i++)
    if (c->facts[i].whole && c->facts[i].hosts > 0)
      compare_hosts(c, i);
}

/* 4.7.4.  A system that is remapped between writing and reading cannot have
 * done both in one process. */
void lb_mlperf_check_simultaneous(struct lb_mlperf_check *c)
{
  const struct lb_mlperf_system *s = &c->system;
  if (c->described && c->end - c->first == 1 && c->facts[c->first].whole &&
      c->facts[c->first].reads > 0 && c->facts[c->first].writes > 0 &&
      (s->simultaneous_read == 0 || s->simultaneous_write == 0))
    lb_mlperf_say(c, LB_MLPERF_WARNING, lb_mlperf_here(c)->name, NULL,
                  "the description says simultaneous_%s: false, but one "
                  "process wrote and read on all hosts",
                  s->simultaneous_write == 0 ? "write" : "read");
}
