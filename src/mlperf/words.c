/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The words of MLPerf-style commands and folders. */
#include "lb-config.h"

#include "loadbank/mlperf.h"

#include <string.h>
#include <strings.h>

const char *const lb_mlperf_mode_names[LB_MLPERF_N_MODES] = {
    [LB_MLPERF_CLOSED] = "closed",
    [LB_MLPERF_OPEN] = "open",
    [LB_MLPERF_WHATIF] = "whatif",
};

const char *const lb_mlperf_kind_names[LB_MLPERF_N_KINDS] = {
    [LB_MLPERF_TRAINING] = "training",
    [LB_MLPERF_CHECKPOINTING] = "checkpointing",
};

const char *const lb_mlperf_command_names[LB_MLPERF_N_COMMANDS] = {
    [LB_MLPERF_DATASIZE] = "datasize",
    [LB_MLPERF_DATAGEN] = "datagen",
    [LB_MLPERF_RUN] = "run",
    [LB_MLPERF_CONFIGVIEW] = "configview",
};

int lb_mlperf_word(const char *const *words, size_t n, const char *text)
{
  for (size_t i = 0; text && i < n; i++)
    if (!strcmp(words[i], text))
      return (int)i;
  return -1;
}

int lb_mlperf_boolean(const char *text)
{
  static const char *const words[] = {"false", "true", "no",
                                      "yes",   "off",  "on"};
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
    if (!strcasecmp(text, words[i]))
      return (int)(i % 2);
  return -1;
}

bool lb_mlperf_is_rehearsal(const struct lb_mlperf_scale *s)
{
  return s->files < 1 || s->bytes < 1 || s->time < 1;
}

bool lb_mlperf_same_scale(const struct lb_mlperf_scale *a,
                          const struct lb_mlperf_scale *b, bool timed)
{
  return a->files == b->files && a->bytes == b->bytes &&
         (!timed || a->time == b->time);
}
