/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of this module call of each other. */
#ifndef LB_REPORT_IMPL_H
#define LB_REPORT_IMPL_H

#include "loadbank/report.h"

/* The path as it stays right elsewhere: absolute, in `whole' unless it is that
 * already. */
enum { LB_PATH_TEXT = 8192 };
const char *lb_report_path(const char *path, char whole[LB_PATH_TEXT]);

/* Rank 0. */
int lb_report_hydra(const struct lb_report *r, struct lb_err *err);

/* Collective; no agreement at the end: the caller's. */
int lb_report_per_accelerator(const struct lb_world *w,
                              const struct lb_metrics *m,
                              const struct lb_report *r, struct lb_err *err);

/* Collective; no agreement at the end.  Rank 0 writes LB_PACE_FILE, if there
 * was a request at all. */
void lb_report_per_second(const struct lb_world *w, const struct lb_report *r,
                          struct lb_err *err);

/* Collective.  The file's name (static), or NULL with the reason (static, or
 * the error's text).  A failure is not the run's: it only costs this file. */
const char *lb_report_steps(const struct lb_world *w, struct lb_metrics *m,
                            const struct lb_report *r, char *reason,
                            size_t size);

#endif
