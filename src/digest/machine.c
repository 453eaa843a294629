/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where it ran and with what: hosts, file systems, versions, and the effective
 * configuration. */
#include "lb-config.h"

#include <stdio.h>
#include <stdlib.h>

#include "digest/story.h"
#include "loadbank/slurp.h"

enum { PATH_LEN = 4400, MOST_HOSTS = 64 };

static const char *word(const json_t *o, const char *key)
{
  return json_string_value(json_object_get(o, key));
}

static void hosts(struct lb_story *s)
{
  static const char *const columns[] = {"Host",  "Kernel",  "Processor",
                                        "CPUs",  "memory",  "limit",
                                        "ranks", "threads", NULL};
  const json_t *list = lb_story_at(s, "loadbank.hosts");
  size_t n = json_array_size(list);
  if (n == 0)
    return;
  lb_page_table(s->page, "Hosts", columns);
  for (size_t i = 0; i < n && i < MOST_HOSTS; i++) {
    const json_t *o = json_array_get(list, i);
    lb_page_cell(s->page, word(o, "name"));
    lb_page_cell(s->page, word(o, "kernel"));
    lb_page_cell(s->page, word(o, "processor"));
    lb_page_number(s->page, LB_COUNT, lb_story_real(o, "cpus"));
    lb_page_number(s->page, LB_BYTES, lb_story_real(o, "memory_bytes"));
    lb_page_number(s->page, LB_BYTES, lb_story_real(o, "limit_bytes"));
    lb_page_number(s->page, LB_COUNT, lb_story_real(o, "ranks"));
    lb_page_number(s->page, LB_COUNT, lb_story_real(o, "threads"));
  }
  if (n > MOST_HOSTS)
    lb_page_say(s->page, "The first %d of %zu hosts.", MOST_HOSTS, n);
}

static void filesystems(struct lb_story *s)
{
  static const char *const columns[] = {"Of",      "Path", "Type", "Device",
                                        "Options", "size", "free", NULL};
  static const char *const folders[] = {"data", "checkpoint", "results"};
  const json_t *all = lb_story_at(s, "loadbank.filesystems");
  if (!all)
    return;
  lb_page_table(s->page, "File systems, as rank 0 saw them", columns);
  for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
    const json_t *o = json_object_get(all, folders[i]);
    if (!word(o, "path"))
      continue;
    lb_page_cell(s->page, folders[i]);
    lb_page_cell(s->page, word(o, "path"));
    lb_page_cell(s->page, word(o, "type"));
    lb_page_cell(s->page, word(o, "device"));
    lb_page_cell(s->page, word(o, "options"));
    lb_page_number(s->page, LB_BYTES, lb_story_real(o, "size_bytes"));
    lb_page_number(s->page, LB_BYTES, lb_story_real(o, "free_bytes"));
  }
}

/* An object of texts. */
static void texts(struct lb_story *s, const char *path, const char *title)
{
  static const char *const columns[] = {"Name", "Text", NULL};
  const json_t *o = lb_story_at(s, path);
  /* jansson's iterators want a mutable object but do not change it. */
  json_t *all = (json_t *)(uintptr_t)o;
  if (json_object_size(o) == 0)
    return;
  lb_page_table(s->page, title, columns);
  for (void *i = json_object_iter(all); i; i = json_object_iter_next(all, i)) {
    lb_page_cell(s->page, json_object_iter_key(i));
    lb_page_cell(s->page, json_string_value(json_object_iter_value(i)));
  }
}

void lb_section_machine(struct lb_story *s)
{
  lb_page_section(s->page, 2, "Machine");
  hosts(s);
  filesystems(s);
  texts(s, "loadbank.versions", "Versions");
  texts(s, "loadbank.notes", "Notes");
}

void lb_section_configuration(struct lb_story *s)
{
  char path[PATH_LEN];
  snprintf(path, sizeof path, "%s/.hydra/config.yaml", s->r->path);
  char *text = lb_slurp(path);
  /* It may have another name, or was not copied: nothing depends on it. */
  if (text && *text) {
    lb_page_section(s->page, 2, "Configuration");
    lb_page_listing(s->page, "Effective configuration, .hydra/config.yaml",
                    text);
  }
  free(text);
}
