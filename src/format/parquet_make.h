/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Making a Parquet file.  Only for src/format. */
#ifndef LB_FORMAT_PARQUET_MAKE_H
#define LB_FORMAT_PARQUET_MAKE_H

#include "format/parquet_meta.h"

/* The hook `make' of the format. */
int pq_make(const struct lb_format_params *p, const struct lb_file *f,
            struct lb_sink *sink, struct lb_err *err);

#endif
