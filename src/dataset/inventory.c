/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is on disk of one set.  While all names follow the rule with one count
 * only a bit per index is kept; the first foreign name turns those bits back
 * into names and from then on all names are collected.
 *
 * Sizes and contents are not looked at here. */
#include "lb-config.h"

#include "loadbank/dataset.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dataset/names.h"
#include "loadbank/units.h"

/* A count in a name beyond this is not believed: the name is foreign. */
#define LARGEST_COUNT ((int64_t)1 << 32)

struct scan {
  const struct lb_layout *want;
  struct lb_layout rule; /* the same, without names: for standard names */
  enum lb_set set;
  struct lb_err *err;
  const char *folder;         /* now listed: a sub-folder's name, or NULL */
  size_t folder_bytes;        /* of the whole path of what is listed */
  int64_t n_files, in_folder; /* in all; in the folder now listed */
  int64_t n_temporary;        /* left by a generation that did not end */
  int64_t n_folders;          /* sub-folders that hold files */
  int64_t n_loose;            /* files beside the sub-folders */
  int64_t count;              /* of the standard names so far; 0: none yet */
  uint8_t *seen;              /* while all are standard: one bit an index */
  bool foreign;               /* names are collected */
  struct lb_names names, folders; /* folders: candidates */
};

static int no_memory(struct scan *s)
{
  return lb_err_set(s->err, LB_FAILED, "%s/%s: no memory for %" PRId64 " names",
                    s->want->root, lb_sets[s->set].folder, s->n_files);
}

static bool has_ending(const char *name, const char *extension)
{
  size_t n = strlen(name), e = strlen(extension);
  return n > e + 1 && name[n - e - 1] == '.' &&
         !strcmp(name + n - e, extension);
}

/* The relative name of the standard file of this index and count. */
static const char *relative(struct scan *s, int64_t index, int64_t count,
                            char path[PATH_MAX])
{
  s->rule.n_files[s->set] = count;
  if (lb_layout_path(&s->rule, s->set, index, path, PATH_MAX) < 0)
    return "";
  return path + strlen(s->rule.root) + 1 + strlen(lb_sets[s->set].folder) + 1;
}

/* Digits at *text as a number, *text moves behind them; -1: there are none, or
 * too many. */
static int64_t take_number(const char **text)
{
  int64_t n = 0;
  const char *start = *text;
  for (; **text >= '0' && **text <= '9'; (*text)++) {
    if (n > LARGEST_COUNT)
      return -1;
    n = 10 * n + (**text - '0');
  }
  return *text == start ? -1 : n;
}

/* Takes "<prefix>_<index>_of_<count>." apart. */
static bool parse(const struct scan *s, const char *name, int64_t *index,
                  int64_t *count)
{
  static const char of[] = "_of_";
  size_t n = strlen(s->want->prefix);
  if (strncmp(name, s->want->prefix, n) != 0 || name[n] != '_')
    return false;
  name += n + 1;
  *index = take_number(&name);
  if (*index < 0 || strncmp(name, of, sizeof of - 1) != 0)
    return false;
  name += sizeof of - 1;
  *count = take_number(&name);
  return *count > 0 && *count <= LARGEST_COUNT && *index < *count &&
         *name == '.';
}

/* Exactly the name that the rule gives this index, in the right folder? */
static bool follows_rule(struct scan *s, const char *name, int64_t index,
                         int64_t count)
{
  char path[PATH_MAX];
  const char *want = relative(s, index, count, path);
  size_t n = s->folder ? strlen(s->folder) : 0;
  if (s->folder) {
    if (strncmp(want, s->folder, n) != 0 || want[n] != '/')
      return false;
    want += n + 1;
  }
  return !strcmp(want, name);
}

static int64_t bytes_of(int64_t bits)
{
  return bits / 8 + 1;
}

static bool get_bit(const uint8_t *bits, int64_t i)
{
  return bits[i / 8] >> (i % 8) & 1;
}

static int begin_foreign(struct scan *s)
{
  if (s->foreign)
    return 0;
  s->foreign = true;
  if (!s->seen)
    return 0;
  char path[PATH_MAX];
  for (int64_t i = 0; i < s->count; i++)
    if (get_bit(s->seen, i) &&
        !lb_names_add(&s->names, NULL, relative(s, i, s->count, path)))
      return no_memory(s);
  free(s->seen);
  s->seen = NULL;
  return 0;
}

static int note_standard(struct scan *s, int64_t index, int64_t count)
{
  if (s->count && s->count != count)
    return lb_err_set(
        s->err, LB_FAILED,
        "%s/%s%s%s: files of two datasets: names end in _of_%" PRId64
        " and in _of_%" PRId64,
        s->want->root, lb_sets[s->set].folder, s->folder ? "/" : "",
        s->folder ? s->folder : "", s->count, count);
  s->count = count;
  if (s->foreign)
    return 0;
  if (!s->seen)
    s->seen = calloc((size_t)bytes_of(count), 1);
  if (!s->seen)
    return no_memory(s);
  s->seen[index / 8] |= (uint8_t)(1u << (index % 8));
  return 0;
}

static int note_file(struct scan *s, const char *name)
{
  int64_t index, count;
  int rc;
  if (s->folder_bytes + 1 + strlen(name) >= PATH_MAX)
    return lb_err_sys(s->err, LB_FAILED, ENAMETOOLONG, "%s", name);
  s->n_files++;
  s->in_folder++;
  if (parse(s, name, &index, &count) && follows_rule(s, name, index, count))
    rc = note_standard(s, index, count);
  else
    rc = begin_foreign(s);
  if (!rc && s->foreign && !lb_names_add(&s->names, s->folder, name))
    rc = no_memory(s);
  return rc;
}

/* name[0..n) is that of a pipe, a socket or a device. */
static int refuse_special(struct scan *s, const char *name, size_t n)
{
  char path[PATH_MAX];
  snprintf(path, sizeof path, "%.*s", (int)n, name);
  if (!has_ending(path, s->want->extension))
    return 0;
  return lb_err_set(s->err, LB_FAILED,
                    "%s/%s%s%s/%s: a pipe, a socket or a device, and no file",
                    s->want->root, lb_sets[s->set].folder, s->folder ? "/" : "",
                    s->folder ? s->folder : "", path);
}

/* One name of a folder that holds files. */
static int each_file(void *arg, const char *name)
{
  struct scan *s = arg;
  size_t n = strlen(name);
  if (n > 1 && name[n - 1] == '/')
    return refuse_special(s, name, n - 1);
  if (name[0] == '.') {
    s->n_temporary += has_ending(name, "part");
    return 0;
  }
  return has_ending(name, s->want->extension) ? note_file(s, name) : 0;
}

/* One name of the set's own folder, when sub-folders hold the files. */
static int each_folder(void *arg, const char *name)
{
  struct scan *s = arg;
  if (name[0] == '.')
    return 0;
  if (has_ending(name, s->want->extension)) {
    s->n_loose++;
    return 0;
  }
  return lb_names_add(&s->folders, NULL, name) ? 0 : no_memory(s);
}

/* Lists <root>/<set>[/folder]; what is no folder is passed over. */
static int list(struct scan *s, const char *folder,
                int (*each)(void *arg, const char *name),
                struct lb_storage *storage, struct lb_iothread *t)
{
  char path[PATH_MAX];
  struct lb_err err = LB_ERR_INIT;
  int n =
      snprintf(path, sizeof path, "%s/%s%s%s", s->want->root,
               lb_sets[s->set].folder, folder ? "/" : "", folder ? folder : "");
  if (n < 0 || (size_t)n >= sizeof path)
    return lb_err_sys(s->err, LB_FAILED, ENAMETOOLONG, "%s", s->want->root);
  s->folder = folder;
  s->folder_bytes = (size_t)n;
  int rc = lb_storage_list(storage, path, each, s, t, &err);
  if (rc == 0 || (folder && err.sys == ENOTDIR))
    return 0;
  if (lb_err_is_set(s->err)) /* by `each' */
    return -s->err->code;
  *s->err = err;
  return lb_err_wrap(s->err, "cannot list the %s set in %s",
                     lb_sets[s->set].folder, path);
}

static int list_folders(struct scan *s, struct lb_storage *storage,
                        struct lb_iothread *t)
{
  int rc = list(s, NULL, each_folder, storage, t);
  if (!rc && !lb_names_order(&s->folders))
    rc = no_memory(s);
  for (size_t i = 0; i < s->folders.n && !rc; i++) {
    s->in_folder = 0;
    rc = list(s, s->folders.text + s->folders.at[i], each_file, storage, t);
    s->n_folders += s->in_folder > 0;
  }
  return rc;
}

static int check_folders(const struct scan *s)
{
  int64_t want =
      s->want->n_folders[s->set] > 1 ? s->want->n_folders[s->set] : 0;
  if (s->count && !s->foreign && want > s->count)
    want = s->count; /* of DLIO's round robin the others are empty */
  if (s->n_folders == want || s->n_files + s->n_loose == 0)
    return 0;
  char loose[64] = "";
  if (s->n_loose)
    snprintf(loose, sizeof loose, " (%" PRId64 " file%s %s beside them)",
             s->n_loose, lb_plural(s->n_loose), lb_are(s->n_loose));
  return lb_err_set(s->err, LB_FAILED,
                    "%s/%s: %" PRId64 " sub-folder%s hold%s files%s, and "
                    "num_subfolders_%s is %" PRId64,
                    s->want->root, lb_sets[s->set].folder, s->n_folders,
                    lb_plural(s->n_folders), s->n_folders == 1 ? "s" : "",
                    loose, lb_sets[s->set].key, s->want->n_folders[s->set]);
}

static int check_count(const struct scan *s)
{
  if (s->n_files >= s->want->n_used[s->set])
    return 0;
  char unfinished[64] = "";
  if (s->n_temporary)
    snprintf(unfinished, sizeof unfinished, " (and %" PRId64 " unfinished)",
             s->n_temporary);
  return lb_err_set(s->err, LB_FAILED,
                    "%s/%s: %" PRId64 " file%s *.%s%s, and num_files_%s is "
                    "%" PRId64,
                    s->want->root, lb_sets[s->set].folder, s->n_files,
                    lb_plural(s->n_files), s->want->extension, unfinished,
                    lb_sets[s->set].key, s->want->n_used[s->set]);
}

/* Flat: sub-folders are only looked into when there are no files, for the
 * message. */
static int take(struct scan *s, struct lb_storage *storage,
                struct lb_iothread *t)
{
  int rc = 0;
  bool flat = s->want->n_folders[s->set] <= 1;
  if (flat)
    rc = list(s, NULL, each_file, storage, t);
  if (!rc && s->n_files == 0)
    rc = list_folders(s, storage, t);
  if (!rc)
    rc = check_folders(s);
  if (!rc)
    rc = check_count(s);
  if (!rc && s->count > s->n_files) /* gaps: indices do not name files */
    rc = begin_foreign(s);
  if (!rc && !lb_names_order(&s->names))
    rc = no_memory(s);
  return rc;
}

int lb_inventory_take(struct lb_inventory *inv, const struct lb_layout *want,
                      enum lb_set set, struct lb_storage *s,
                      struct lb_iothread *t, struct lb_err *err)
{
  int64_t folders = want->n_folders[set] > 1 ? want->n_folders[set] : 0;
  *inv = (struct lb_inventory){.n_folders = folders, .standard = true};
  if (want->n_used[set] == 0)
    return 0;
  if (s->backend->is_virtual) { /* the planned dataset counts as present */
    inv->n_files = want->n_used[set];
    return 0;
  }
  struct scan scan = {.want = want, .rule = *want, .set = set, .err = err};
  scan.rule.names[set] = NULL;
  int rc = take(&scan, s, t);
  if (!rc) {
    inv->n_files = scan.n_files;
    inv->standard = !scan.foreign;
  }
  if (!rc && scan.foreign) {
    inv->n_folders = scan.n_folders;
    inv->names = scan.names.text;
    inv->name_at = scan.names.at;
    inv->names_bytes = scan.names.bytes;
    scan.names = (struct lb_names){0};
  }
  free(scan.seen);
  lb_names_fini(&scan.names);
  lb_names_fini(&scan.folders);
  return rc;
}

void lb_inventory_fini(struct lb_inventory *inv)
{
  free(inv->names);
  free(inv->name_at);
  *inv = (struct lb_inventory){0};
}

/* ---- is anything there? ---- */

struct search {
  const char *extension;
  char *path; /* of the folder; of the file once there is one */
  struct lb_names folders;
};

static int each_any(void *arg, const char *name)
{
  struct search *s = arg;
  size_t n = strlen(s->path);
  if (name[0] == '.')
    return 0;
  if (!has_ending(name, s->extension))
    return lb_names_add(&s->folders, NULL, name) ? 0 : -ENOMEM;
  snprintf(s->path + n, PATH_MAX - n, "/%s", name);
  return 1;
}

/* The same of a sub-folder: what is below it does not count. */
static int each_below(void *arg, const char *name)
{
  struct search *s = arg;
  return name[0] != '.' && has_ending(name, s->extension) ? each_any(arg, name)
                                                          : 0;
}

/* Is there no such folder?  Asked first, so that this is no failed request. */
static bool no_folder(const char *path, struct lb_storage *s,
                      struct lb_iothread *t)
{
  struct lb_io stat = {
      .op = LB_OP_STAT, .slot = -1, .path = path, .flags = LB_IO_DIRECTORY};
  struct lb_err later = LB_ERR_INIT; /* the listing says it, too */
  bool answered;
  lb_storage_probe(s, stat, ENOENT, &answered, t, &later);
  return answered;
}

static int absent(int rc, struct lb_err *err)
{
  if (rc >= 0 || (err->sys != ENOENT && err->sys != ENOTDIR))
    return rc;
  *err = (struct lb_err)LB_ERR_INIT;
  return 0;
}

int lb_inventory_any(const struct lb_layout *l, enum lb_set set,
                     struct lb_storage *s, struct lb_iothread *t,
                     char path[PATH_MAX], struct lb_err *err)
{
  struct search search = {.extension = l->extension, .path = path};
  int n = lb_layout_folder(l, set, -1, path, PATH_MAX);
  if (n < 0)
    return lb_err_sys(err, LB_FAILED, ENAMETOOLONG, "%s", l->root);
  if (no_folder(path, s, t))
    return 0;
  int rc = absent(lb_storage_list(s, path, each_any, &search, t, err), err);
  for (size_t i = 0; !rc && i < search.folders.n; i++) {
    snprintf(path + n, PATH_MAX - (size_t)n, "/%s",
             search.folders.text + search.folders.at[i]);
    rc = absent(lb_storage_list(s, path, each_below, &search, t, err), err);
  }
  lb_names_fini(&search.folders);
  return rc < 0 && !lb_err_is_set(err)
             ? lb_err_sys(err, LB_FAILED, ENOMEM, "%s: its names", l->root)
             : rc;
}
