/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The files of indexed_binary and mmap_indexed_binary, which are the same, and
 * what their readers share.  Only for src/format. */
#ifndef LB_FORMAT_INDEXED_H
#define LB_FORMAT_INDEXED_H

#include "format/format_impl.h"

enum { LB_INDEX_ENTRY = 8 }; /* bytes */
enum lb_index { LB_INDEX_OFFSETS, LB_INDEX_SIZES, LB_N_INDICES };

/* Hooks of both formats. */
extern const struct lb_sidecar lb_indexed_sidecars[LB_N_INDICES];
int lb_indexed_sizes(const struct lb_format_params *p, const struct lb_file *f,
                     struct lb_file_sizes *out, struct lb_err *err);
int lb_indexed_make(const struct lb_format_params *p, const struct lb_file *f,
                    struct lb_sink *sink, struct lb_err *err);

/* Of one index file. */
uint64_t lb_index_bytes(const struct lb_file *f);
int lb_index_name(char *path, size_t size, const struct lb_file *f,
                  enum lb_index index, struct lb_err *err);
/* Is it as long as an index of the file's samples is? */
int lb_index_check(const char *path, const struct lb_file *f, int64_t size,
                   struct lb_err *err);
/* Refuses an entry that no file is long enough for. */
int lb_index_check_entry(const char *path, uint64_t i, uint64_t entry,
                         struct lb_err *err);
/* The data file has to reach up to the end of a sample. */
int lb_indexed_cut_short(const struct lb_file *f, uint64_t size, uint64_t end,
                         struct lb_err *err);

/* Opens into a slot, and looks how long the file is. */
bool lb_indexed_list_open(struct lb_iolist *list, int slot, const char *path,
                          unsigned flags);

#endif
