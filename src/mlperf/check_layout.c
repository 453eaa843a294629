/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rules about names and places: which folders and files stand where, from the
 * root to the leaves.  Nothing is opened here. */
#include "lb-config.h"

#include "mlperf/checks.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "loadbank/mlperf_cli.h"
#include "mlperf/image.h"
#include "mlperf/params.h"
#include "mlperf/workload.h"

enum { LIST = 512 };

/* A name that the layout has nothing to do with: ".git", "README.md". */
static bool ignored(const char *name)
{
  const char *end = strrchr(name, '.');
  return name[0] == '.' || (end && !strcmp(end, ".md"));
}

static bool among(const char *name, const char *const *words)
{
  for (; *words; words++)
    if (!strcmp(name, *words))
      return true;
  return false;
}

/* "a, b and c" is more than is needed: "a, b, c". */
static void join(const char *const *words, char out[LIST])
{
  size_t len = 0;
  out[0] = '\0';
  for (; *words && len < LIST; words++)
    len += (size_t)snprintf(out + len, LIST - len, "%s%s", len ? ", " : "",
                            *words);
}

/* Says which folders in a folder are not among the allowed ones. */
static void only(struct lb_mlperf_check *c, const struct lb_mlperf_folder *f,
                 const char *const *allowed)
{
  char list[LIST];
  join(allowed, list);
  for (size_t i = 0; i < f->n_entries; i++)
    if (f->type[i] != 'f' && !ignored(f->entry[i]) &&
        !among(f->entry[i], allowed))
      lb_mlperf_say(c, LB_MLPERF_ERROR, f->name, f->entry[i],
                    "%s is not allowed here; allowed are: %s",
                    f->type[i] == 'd' ? "this folder" : "this", list);
}

/* ---- the root ---- */

/* 2.1.1 */
void lb_mlperf_check_org_names(struct lb_mlperf_check *c)
{
  for (int m = 0; m < LB_MLPERF_N_MODES; m++)
    for (LB_MLPERF_EACH(
             i, c->tree,
             lb_mlperf_folder_in(c->tree, 0, lb_mlperf_mode_names[m])))
      if (!lb_mlperf_is_name(c->tree->folder[i].base))
        lb_mlperf_say(c, LB_MLPERF_ERROR, c->tree->folder[i].name, NULL,
                      "the name of an organisation is 1 to %d letters, digits, "
                      "'.', '_' and '-'; nothing below was looked at",
                      LB_MLPERF_NAME - 1);
}

/* Has it a folder of a division, in whatever case? */
static bool has_division(const struct lb_mlperf_folder *root)
{
  for (size_t i = 0; i < root->n_entries; i++)
    if (root->type[i] == 'd' && (!strcasecmp(root->entry[i], "closed") ||
                                 !strcasecmp(root->entry[i], "open") ||
                                 !strcasecmp(root->entry[i], "whatif")))
      return true;
  return false;
}

/* 2.1.2 */
void lb_mlperf_check_top(struct lb_mlperf_check *c)
{
  static const char *const allowed[] = {"closed", "open", LB_MLPERF_POOL, NULL};
  const struct lb_mlperf_folder *root = lb_mlperf_here(c);
  bool any = lb_mlperf_entry_type(root, "closed") == 'd' ||
             lb_mlperf_entry_type(root, "open") == 'd';
  /* Of a folder that is no tree, what else is in it says nothing. */
  for (size_t i = 0; has_division(root) && i < root->n_entries; i++) {
    const char *name = root->entry[i];
    if (root->type[i] == 'f' || ignored(name) || among(name, allowed))
      continue;
    if (!strcmp(name, "whatif"))
      lb_mlperf_say(c, LB_MLPERF_WARNING, name, NULL,
                    "what-if results are never submitted: leave this folder "
                    "out of what you hand in");
    else if (root->type[i] != 'd' || !lb_mlperf_is_pool(root->path, name))
      lb_mlperf_say(c, LB_MLPERF_ERROR, name, NULL,
                    "this is not allowed at the root; allowed are: closed, "
                    "open, %s (in lower case)",
                    LB_MLPERF_POOL);
  }
  if (!any && lb_mlperf_entry_type(root, "whatif") != 'd')
    lb_mlperf_say(c, LB_MLPERF_ERROR, "", NULL,
                  "neither closed/ nor open/ is here: give the folder that "
                  "holds them");
}

/* 2.1.4 */
void lb_mlperf_check_pinned(struct lb_mlperf_check *c)
{
  char org[LB_MLPERF_NAME];
  const struct lb_mlperf_tree *t = c->tree;
  struct lb_err err = LB_ERR_INIT;
  if (lb_mlperf_entry_type(&t->folder[0], LB_MLPERF_SENTINEL) != 'f')
    return;
  if (lb_mlperf_sentinel_read(t->root, org, &err)) {
    lb_mlperf_say(c, LB_MLPERF_ERROR, LB_MLPERF_SENTINEL, NULL, "%s", err.msg);
    return;
  }
  for (int m = 0; m < LB_MLPERF_N_MODES; m++)
    for (LB_MLPERF_EACH(i, t,
                        lb_mlperf_folder_in(t, 0, lb_mlperf_mode_names[m])))
      if (lb_mlperf_is_name(t->folder[i].base) &&
          strcmp(t->folder[i].base, org) != 0)
        lb_mlperf_say(c, LB_MLPERF_ERROR, t->folder[i].name, NULL,
                      "%s says that this results folder is of '%s' alone; in a "
                      "tree of several submitters there is no such file",
                      LB_MLPERF_SENTINEL, org);
}

/* LB-04 */
void lb_mlperf_check_readable(struct lb_mlperf_check *c)
{
  for (size_t i = 0; i < c->tree->n_folders; i++)
    if (c->tree->folder[i].reason)
      lb_mlperf_say(c, LB_MLPERF_ERROR, c->tree->folder[i].name, NULL,
                    "this folder cannot be read: %s",
                    c->tree->folder[i].reason);
}

/* ---- an organisation, a system ---- */

/* 2.1.5 */
void lb_mlperf_check_org(struct lb_mlperf_check *c)
{
  static const char *const needed[] = {"results", "systems", NULL};
  static const char *const allowed[] = {"results", "systems", "code", NULL};
  const struct lb_mlperf_folder *f = lb_mlperf_here(c);
  if (f->reason) /* LB-04 */
    return;
  for (size_t i = 0; needed[i]; i++)
    if (lb_mlperf_entry_type(f, needed[i]) != 'd')
      lb_mlperf_say(c, LB_MLPERF_ERROR, f->name, needed[i],
                    "this folder is missing");
  only(c, f, allowed);
}

/* 2.1.10 */
void lb_mlperf_check_categories(struct lb_mlperf_check *c)
{
  static const char *const known[] = {"training", "checkpointing", "kv_cache",
                                      "vector_database", NULL};
  const struct lb_mlperf_folder *f = lb_mlperf_here(c);
  bool any = false;
  if (f->reason) /* LB-04 */
    return;
  for (size_t i = 0; known[i]; i++) {
    bool is = lb_mlperf_entry_type(f, known[i]) == 'd';
    any |= is;
    if (is && i >= 2)
      lb_mlperf_say(c, LB_MLPERF_INFO, f->name, known[i],
                    "loadbank has no rules for what is in here but LEAF-01");
  }
  if (!any)
    lb_mlperf_say(c, LB_MLPERF_ERROR, f->name, NULL,
                  "neither training/ nor checkpointing/ is here");
  only(c, f, known);
}

static void check_models(struct lb_mlperf_check *c, int kind)
{
  char allowed[LB_MLPERF_LIST];
  size_t in =
      lb_mlperf_folder_in(c->tree, c->folder, lb_mlperf_kind_names[kind]);
  if (in == LB_MLPERF_NOWHERE)
    return;
  const struct lb_mlperf_folder *f = &c->tree->folder[in];
  lb_mlperf_model_names(c->place.mode, kind, allowed);
  for (size_t i = 0; i < f->n_entries; i++)
    if (f->type[i] != 'f' && !ignored(f->entry[i]) &&
        (f->type[i] != 'd' ||
         !lb_mlperf_is_workload(c->place.mode, kind, f->entry[i])))
      lb_mlperf_say(c, LB_MLPERF_ERROR, f->name, f->entry[i],
                    "no workload of this division: %s; nothing below was "
                    "looked at",
                    allowed);
}

/* 2.1.11 */
void lb_mlperf_check_training_models(struct lb_mlperf_check *c)
{
  check_models(c, LB_MLPERF_TRAINING);
}

/* 2.1.21 */
void lb_mlperf_check_checkpointing_models(struct lb_mlperf_check *c)
{
  check_models(c, LB_MLPERF_CHECKPOINTING);
}

/* ---- a workload ---- */

static const char *const phases[] = {"datasize", "datagen", "run", NULL};

/* 2.1.12 */
void lb_mlperf_check_phases(struct lb_mlperf_check *c)
{
  static const char *const allowed[] = {"datasize", "datagen", "run", "code",
                                        NULL};
  const struct lb_mlperf_folder *f = lb_mlperf_here(c);
  if (f->reason) /* LB-04 */
    return;
  for (size_t i = 0; phases[i]; i++)
    if (lb_mlperf_entry_type(f, phases[i]) != 'd')
      lb_mlperf_say(c, LB_MLPERF_ERROR, f->name, phases[i],
                    "this phase is missing: datasize, datagen and run are all "
                    "needed");
  only(c, f, allowed);
}

/* Folders whose names are no stamps; says so of each.  A folder that cannot be
 * read (LB-04) may have some. */
static size_t misnamed(struct lb_mlperf_check *c,
                       const struct lb_mlperf_folder *f)
{
  size_t n = f->reason != NULL;
  for (size_t i = 0; i < f->n_entries; i++) {
    bool stamp = lb_mlperf_is_stamp(f->entry[i]);
    if ((stamp && f->type[i] == 'd') || ignored(f->entry[i]) ||
        (!stamp && f->type[i] == 'f') ||
        (!strcmp(f->entry[i], "code") && f->type[i] == 'd'))
      continue;
    n++;
    lb_mlperf_say(c, LB_MLPERF_ERROR, f->name, f->entry[i],
                  "only folders named YYYYMMDD_HHMMSS, by a time that can be, "
                  "are allowed here; this is %s%s",
                  stamp ? "one by its name, but " : "",
                  f->type[i] == 'd'   ? "another folder"
                  : f->type[i] == 'l' ? "a link"
                                      : "no folder");
  }
  return n;
}

/* Leaves of a command, and those of them that did not fail by themselves. */
static void count(const struct lb_mlperf_check *c, int command, size_t *all,
                  size_t *complete)
{
  *all = *complete = 0;
  for (size_t i = c->first; i < c->end; i++)
    if (c->tree->leaf[i].place.command == command) {
      ++*all;
      *complete += !c->facts[i].status_flaw[0];
    }
}

/* 2.1.13 */
void lb_mlperf_check_datagen_stamps(struct lb_mlperf_check *c)
{
  size_t all, complete;
  size_t in = lb_mlperf_folder_in(c->tree, c->folder, "datagen");
  if (in == LB_MLPERF_NOWHERE) /* 2.1.12 */
    return;
  count(c, LB_MLPERF_DATAGEN, &all, &complete);
  if (!misnamed(c, &c->tree->folder[in]) && all != 1 && complete != 1)
    lb_mlperf_say(c, LB_MLPERF_ERROR, c->tree->folder[in].name, NULL,
                  "%zu leaves are here, exactly 1 is needed", all);
}

/* 2.1.17 */
void lb_mlperf_check_run_stamps(struct lb_mlperf_check *c)
{
  size_t all, complete;
  size_t in = lb_mlperf_folder_in(c->tree, c->folder, "run");
  if (in == LB_MLPERF_NOWHERE)
    return;
  count(c, LB_MLPERF_RUN, &all, &complete);
  if (!misnamed(c, &c->tree->folder[in]) && all != LB_MLPERF_RUNS &&
      complete != LB_MLPERF_RUNS)
    lb_mlperf_say(
        c, LB_MLPERF_ERROR, c->tree->folder[in].name, NULL,
        "%zu runs are here, exactly %d are needed: one to warm up and "
        "%d that count%s",
        all, LB_MLPERF_RUNS, LB_MLPERF_RUNS - 1,
        all > LB_MLPERF_RUNS
            ? "; leaving out all but 6 that followed each other is "
              "allowed (2.1.18a)"
            : "");
}

/* 2.1.23 */
void lb_mlperf_check_save_stamps(struct lb_mlperf_check *c)
{
  size_t all, complete;
  const struct lb_mlperf_folder *f = lb_mlperf_here(c);
  count(c, LB_MLPERF_RUN, &all, &complete);
  if (!misnamed(c, f) && (all < 1 || all > 2) && (complete < 1 || complete > 2))
    lb_mlperf_say(c, LB_MLPERF_ERROR, f->name, NULL,
                  "%zu leaves are here, 1 or 2 are needed: one that writes and "
                  "reads, or one that writes and one that reads",
                  all);
}

static void need_table(struct lb_mlperf_check *c, size_t in)
{
  if (in != LB_MLPERF_NOWHERE && !c->tree->folder[in].reason &&
      lb_mlperf_entry_type(&c->tree->folder[in], "results.json") != 'f')
    lb_mlperf_say(c, LB_MLPERF_ERROR, c->tree->folder[in].name, "results.json",
                  "this file is missing: `loadbank mlperf report' makes it");
}

/* 2.1.16 */
void lb_mlperf_check_run_table(struct lb_mlperf_check *c)
{
  need_table(c, lb_mlperf_folder_in(c->tree, c->folder, "run"));
}

/* 2.1.22 */
void lb_mlperf_check_save_table(struct lb_mlperf_check *c)
{
  need_table(c, c->folder);
}

/* ---- a leaf ---- */

/* LB-01 */
void lb_mlperf_check_status(struct lb_mlperf_check *c)
{
  const struct lb_mlperf_facts *f = lb_mlperf_facts_of(c);
  if (f->status_flaw[0])
    lb_mlperf_say(c, LB_MLPERF_ERROR, lb_mlperf_here(c)->name, NULL, "%s",
                  f->status_flaw);
}

/* 2.1.14, 2.1.19, 2.1.25, 3.1.1 */
void lb_mlperf_check_files(struct lb_mlperf_check *c)
{
  const struct lb_mlperf_facts *f = lb_mlperf_facts_of(c);
  if (f->files_flaw[0] && !f->status_flaw[0] && !lb_mlperf_here(c)->reason)
    lb_mlperf_say(c, LB_MLPERF_ERROR, lb_mlperf_here(c)->name, NULL, "%s",
                  f->files_flaw);
}

/* LB-02 */
void lb_mlperf_check_place(struct lb_mlperf_check *c)
{
  const struct lb_mlperf_facts *f = lb_mlperf_facts_of(c);
  if (f->place_flaw[0] && !f->status_flaw[0] && !f->files_flaw[0])
    lb_mlperf_say(c, LB_MLPERF_ERROR, lb_mlperf_here(c)->name, NULL,
                  "%s: it was renamed, or stands in the wrong place",
                  f->place_flaw);
}

/* 2.1.15, 2.1.20, 2.1.26 */
void lb_mlperf_check_dlio_config(struct lb_mlperf_check *c)
{
  static const char *const names[] = {"config.yaml", "hydra.yaml",
                                      "overrides.yaml", NULL};
  size_t in = lb_mlperf_folder_in(c->tree, c->folder, LB_MLPERF_DLIO_CONFIG);
  if (in == LB_MLPERF_NOWHERE) {
    lb_mlperf_say(c, LB_MLPERF_ERROR, lb_mlperf_here(c)->name,
                  LB_MLPERF_DLIO_CONFIG, "this is no folder");
    return;
  }
  const struct lb_mlperf_folder *f = &c->tree->folder[in];
  size_t right = 0;
  for (size_t i = 0; i < f->n_entries; i++)
    right += f->type[i] == 'f' && among(f->entry[i], names);
  if (right != 3 || f->n_entries != 3)
    lb_mlperf_say(
        c, LB_MLPERF_ERROR, f->name, NULL,
        "it has %zu names, %zu of them right; config.yaml, hydra.yaml "
        "and overrides.yaml are needed and nothing else",
        f->n_entries, right);
}

static void foreign_in(struct lb_mlperf_check *c,
                       const struct lb_mlperf_folder *f)
{
  static const char *const known[] = {"results.json", "results.csv",
                                      "results.html", NULL};
  for (size_t i = 0; i < f->n_entries; i++)
    if (f->type[i] == 'f' && !ignored(f->entry[i]) &&
        !among(f->entry[i], known) && !lb_mlperf_is_stamp(f->entry[i]))
      lb_mlperf_say(c, LB_MLPERF_WARNING, f->name, f->entry[i],
                    "no rule knows of this file: is it to be handed in?");
}

/* LB-05 */
void lb_mlperf_check_foreign(struct lb_mlperf_check *c)
{
  foreign_in(c, lb_mlperf_here(c));
  for (LB_MLPERF_EACH(i, c->tree, c->folder))
    if (c->tree->folder[i].leaf == LB_MLPERF_NOWHERE)
      foreign_in(c, &c->tree->folder[i]);
}
