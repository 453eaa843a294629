/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the tests of the configuration share. */
#ifndef CONFIG_SUPPORT_H
#define CONFIG_SUPPORT_H

#include <string.h>

#include "loadbank/config.h"

/* Loads a text; NULL on failure, with err filled. */
static inline struct lb_workload *load_with(const char *text,
                                            const char *const *overrides, int n,
                                            struct lb_err *err)
{
  struct lb_workload *w = NULL;
  *err = (struct lb_err)LB_ERR_INIT;
  lb_workload_load(text, strlen(text), "t.yaml", overrides, n, &w, err);
  return w;
}

static inline struct lb_workload *load_text(const char *text,
                                            struct lb_err *err)
{
  return load_with(text, NULL, 0, err);
}

#endif
