/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Records that lie beside data, for tests that write and damage them. */
#ifndef RECORD_FIXTURE_H
#define RECORD_FIXTURE_H

#include "loadbank/manifest.h"
#include "loadbank/mark.h"

/* Of a dataset: large numbers, and a prefix that has to be escaped. */
struct lb_manifest fixture_manifest(void);
/* Of the save of that number, whole. */
struct lb_mark fixture_mark(int64_t number);

#endif
