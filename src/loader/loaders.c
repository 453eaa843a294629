/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of loaders.  To add one: its file, its name in LB_LOADER_LIST, its
 * line in local.mk. */
#include "lb-config.h"

#include "loadbank/loader_kind.h"

#include <string.h>

#include "loader_impl.h"

const struct lb_loader_kind *const lb_loaders[] = {
#define X(n) &lb_loader_##n,
    LB_LOADER_LIST(X)
#undef X
        NULL};

const struct lb_loader_kind *lb_loader_find(const char *name)
{
  for (int i = 0; lb_loaders[i]; i++)
    if (!strcmp(lb_loaders[i]->name, name))
      return lb_loaders[i];
  return NULL;
}
