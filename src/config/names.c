/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names that a run gives to files, and folders that are addresses: what would
 * end in another place than it says is refused. */
#include "lb-config.h"

#include "config/config_impl.h"

#include <ctype.h>
#include <fnmatch.h>
#include <string.h>

enum { LONGEST = 200 }; /* bytes, so that what is added still makes a name */

const char *const lb_result_names[] = {
    "summary.json",
    "metrics.csv",
    "per_second.csv",
    "[0-9]*_output.json",
    "[0-9]*_per_epoch_stats.json",
    "steps.h5",
    "steps-node[0-9]*.h5",
    ".steps-[0-9]*.spool",
    NULL,
};

static bool has_control(const char *name)
{
  for (; *name; name++)
    if (iscntrl((unsigned char)*name))
      return true;
  return false;
}

/* NULL, or why it is no name. */
static const char *not_a_name(const char *name)
{
  if (!*name)
    return "is empty";
  if (strchr(name, '/') || !strcmp(name, ".") || !strcmp(name, ".."))
    return "is a path; a plain name is allowed";
  if (has_control(name))
    return "has a control character";
  return strlen(name) > LONGEST ? "has more than 200 bytes" : NULL;
}

static int check_plain(const struct lb_workload *w, const char *key,
                       const char *name, struct lb_err *err)
{
  const char *why = not_a_name(name);
  return why ? lb_workload_error(w, key, err, "'%.220s' %s", name, why) : 0;
}

static int check_output(const struct lb_workload *w, const char *key,
                        const char *name, struct lb_err *err)
{
  if (check_plain(w, key, name, err))
    return -err->code;
  for (size_t i = 0; lb_result_names[i]; i++)
    if (!fnmatch(lb_result_names[i], name, 0))
      return lb_workload_error(
          w, key, err, "'%s' is the name of another file of the results", name);
  return 0;
}

int check_names(const struct lb_workload *w, struct lb_err *err)
{
  const char *log = w->output.log_file, *hydra = w->output.hydra_folder;
  if (check_output(w, "output.log_file", log, err) ||
      check_output(w, "output.hydra_folder", hydra, err) ||
      check_folder(w, "output.folder", w->output.folder, err) ||
      check_roots(w, err))
    return -err->code;
  if (!strcmp(log, hydra))
    return lb_workload_error(w, "output.hydra_folder", err,
                             "'%s' is output.log_file, too", log);
  const char *prefix = w->dataset.file_prefix;
  if (workload_uses(w, "dataset.") &&
      (check_plain(w, "dataset.file_prefix", prefix, err) ||
       check_folder(w, "dataset.data_folder", w->dataset.data_folder, err)))
    return -err->code;
  if (workload_uses(w, "dataset.") && prefix[0] == '.')
    return lb_workload_error(w, "dataset.file_prefix", err,
                             "'%s': names that begin with a dot are those of "
                             "files that are not whole",
                             prefix);
  if (!workload_uses(w, "checkpoint."))
    return 0;
  int rc = check_folder(w, "checkpoint.checkpoint_folder",
                        w->checkpoint.checkpoint_folder, err);
  if (!rc && *w->checkpoint.burst_buffer.folder)
    rc = check_folder(w, "checkpoint.burst_buffer.folder",
                      w->checkpoint.burst_buffer.folder, err);
  return rc;
}
