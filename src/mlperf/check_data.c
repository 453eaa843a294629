/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Is the dataset that the runs claim on disk?  Only a warning: the folder may
 * have been used for something else since, and elsewhere it cannot be seen. */
#include "lb-config.h"

#include "mlperf/checks.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <sys/stat.h>

#include "loadbank/json.h"

struct seen {
  uint64_t files, measured, bytes; /* bytes of the measured ones */
};
/* Files up to this many are all measured, of more every 64th. */
enum { ALL = 10000, EVERY = 64 };

static void look_at(int dir, const char *name, struct seen *s)
{
  struct stat st;
  s->files++;
  if (s->files > ALL && s->files % EVERY)
    return;
  if (!fstatat(dir, name, &st, 0)) {
    s->measured++;
    s->bytes += (uint64_t)st.st_size;
  }
}

/* The files of a folder, and of the folders in it.  False: it cannot be seen.
 */
static bool look_into(const char *path, int depth, struct seen *s)
{
  char below[PATH_MAX];
  const struct dirent *e = NULL;
  DIR *d = opendir(path);
  if (!d)
    return false;
  while ((e = readdir(d)) != NULL) {
    if (e->d_name[0] == '.')
      continue;
    if (e->d_type != DT_DIR)
      look_at(dirfd(d), e->d_name, s);
    else if (depth == 0 && snprintf(below, sizeof below, "%s/%s", path,
                                    e->d_name) < (int)sizeof below)
      look_into(below, depth + 1, s);
  }
  closedir(d);
  return true;
}

static bool look(const char *data, const char *model, struct seen *s)
{
  char path[PATH_MAX];
  *s = (struct seen){0};
  if (snprintf(path, sizeof path, "%s/%s/train", data, model) <
          (int)sizeof path &&
      look_into(path, 0, s))
    return true;
  return snprintf(path, sizeof path, "%s/train", data) < (int)sizeof path &&
         look_into(path, 0, s);
}

/* What the mean of n files of random sizes may be short of, as a share: four
 * standard errors, and a percent. */
static double tolerance(const struct lb_mlperf_leaf *l, double record,
                        uint64_t n)
{
  double stdev =
      lb_json_real(lb_json_at(l->file[LB_MLPERF_METADATA].json,
                              "parameters.dataset.record_length_bytes_stdev"));
  return 0.01 + (stdev > 0 && n ? 4 * stdev / record / sqrt((double)n) : 0);
}

/* The folder from the root on, or NULL: a relative one says little later, but
 * the proof of separation has where it really was. */
static const char *from_root(const struct lb_mlperf_leaf *l,
                             const struct lb_mlperf_facts *f)
{
  const char *real = f->data_dir[0] == '/'
                         ? f->data_dir
                         : json_string_value(json_object_get(
                               l->file[LB_MLPERF_FS_SEPARATION].json,
                               "data_or_chkpt_realpath"));
  return real && real[0] == '/' ? real : NULL;
}

/* LB-07 */
void lb_mlperf_check_data(struct lb_mlperf_check *c)
{
  const char *where = lb_mlperf_here(c)->name;
  size_t i = lb_mlperf_next_whole(c, c->first, LB_MLPERF_RUN);
  const struct lb_mlperf_facts *f = &c->facts[i < c->end ? i : c->first];
  struct seen s;
  if (i == c->end || !f->data_dir || f->files < 0 || f->record_bytes <= 0)
    return;
  const char *folder = from_root(&c->tree->leaf[i], f);
  if (!folder || !look(folder, c->place.model, &s)) {
    lb_mlperf_say(c, LB_MLPERF_INFO, where, NULL,
                  "the data folder %.200s cannot be seen from here: that the "
                  "dataset has the claimed size was not checked",
                  f->data_dir);
    return;
  }
  int64_t samples = f->samples_per_file > 0 ? f->samples_per_file : 1;
  double claimed = (double)samples * f->record_bytes;
  double mean = s.measured ? (double)s.bytes / (double)s.measured : 0;
  if (s.files < (uint64_t)f->files)
    lb_mlperf_say(c, LB_MLPERF_WARNING, where, NULL,
                  "the data folder %.200s has %llu files now, the runs claim "
                  "%lld",
                  f->data_dir, (unsigned long long)s.files,
                  (long long)f->files);
  else if (mean < claimed * (1 - tolerance(&c->tree->leaf[i], f->record_bytes,
                                           s.measured)))
    lb_mlperf_say(c, LB_MLPERF_WARNING, where, NULL,
                  "the files in %.200s have %.0f bytes on average now, the "
                  "runs claim %.0f",
                  f->data_dir, mean, claimed);
}
