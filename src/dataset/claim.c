/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One job at a time generates in a folder. */
#include "lb-config.h"

#include "loadbank/claim.h"
#include "loadbank/dataset.h"

static const char name[] = ".loadbank.lock";

int lb_dataset_claim(const char *root, int *fd, struct lb_err *err)
{
  char holder[LB_CLAIM_TEXT];
  int rc = lb_claim_take(root, name, fd, holder, err);
  if (rc <= 0)
    return rc;
  return lb_err_set(err, LB_FAILED,
                    "%s: another job generates a dataset here now (%s); wait "
                    "for it, or choose another dataset.data_folder",
                    root, holder);
}

void lb_dataset_release(const char *root, int *fd)
{
  lb_claim_give(root, name, fd);
}
