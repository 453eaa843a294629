/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From results to the blocks of a report: tables, pictures, and sentences on
 * what is missing.  What each picture shows is defined in docs/metrics.md.
 * Results are read again (raw steps, seconds, configuration); nothing of them
 * is trusted, and what cannot be read is named in the report instead. */
#ifndef LOADBANK_DIGEST_H
#define LOADBANK_DIGEST_H

#include "loadbank/page.h"
#include "loadbank/results.h"

/* Above so many results, or where they are a sizing's or a sweep's, only what
 * they have in common is shown. */
enum { LB_DIGEST_SINGLE = 12 };

/* named: what the user named, for what lies there besides results (sizings,
 * sweeps).  LB_FAILED: no memory. */
int lb_digest(struct lb_page *page, const struct lb_results *results,
              const char *const *named, size_t n_named, struct lb_err *err);

#endif
