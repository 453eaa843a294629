/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sets of a dataset, and what they are called. */
#ifndef LOADBANK_SET_H
#define LOADBANK_SET_H

enum lb_set { LB_SET_TRAIN, LB_SET_EVAL, LB_N_SETS };

struct lb_set_row {
  const char *key;    /* in names of keys and in results */
  const char *folder; /* of its files, below the dataset's */
  const char *doc;    /* in sentences: what is done with it */
};
extern const struct lb_set_row lb_sets[LB_N_SETS];

#endif
