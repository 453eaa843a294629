/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From a workload's YAML text and overrides to struct lb_workload, and back.
 *
 * Rank 0 finds and reads the text and broadcasts it (lb_world_bcast_text);
 * every rank loads the same bytes with the same overrides: no file access, no
 * randomness, the same error on every rank.
 *
 *   rank 0:  lb_workload_find(what, dirs, n_dirs, &text, &len, path, &err);
 *   all:     lb_workload_load(text, len, path, overrides, n, &w, &err);
 *   all, when w->derived.seed_is_random:
 *            uint64_t seed = lb_random_seed();  (rank 0's is the one)
 *            lb_world_bcast(world, &seed, sizeof seed);
 *            lb_workload_set_seed(w, seed);
 */
#ifndef LOADBANK_CONFIG_H
#define LOADBANK_CONFIG_H

#include <stddef.h>
#include <stdint.h>

#include "loadbank/buf.h"
#include "loadbank/err.h"
#include "loadbank/workload.h"

/* Bytes a workload's text may have. */
enum { LB_WORKLOAD_MAX = 1 << 20 };

/* ---- finding (rank 0; reads files) ---- */

/* WORKLOAD argument to text.  A name with a '/' or ending in .yaml or .yml is
 * a file; any other is looked for as NAME.yaml in dirs[] (--config-dir; also
 * in DIR/workload), in $LB_WORKLOADDIR, beside the program in a build tree
 * (workloads/, or the folder that the file workloads/path names), and in the
 * installed folder; the first wins.  *text is malloc'ed and zero-terminated,
 * path is for messages.  A name that is nowhere: LB_USAGE with the nearest. */
int lb_workload_find(const char *what, const char *const *dirs, int n_dirs,
                     char **text, size_t *len, char path[PATH_MAX],
                     struct lb_err *err);

/* Calls `each` for every built-in, by name, with its first comment line. */
int lb_workload_each(const char *const *dirs, int n_dirs,
                     void (*each)(void *arg, const char *name, const char *path,
                                  const char *line),
                     void *arg, struct lb_err *err);

/* `workload=NAME` among the overrides: the name (borrowed), or NULL.  More
 * than one: the last. */
const char *lb_override_workload(const char *const *overrides, int n);

/* ---- loading (every rank; pure) ---- */

/* name: for messages and w->name (its base name without .yaml).  overrides:
 * "a.b=c", "++workload.a.b=c", "~a.b" ...; `workload=NAME` is skipped.
 * *w is NULL on failure; an error is LB_USAGE "file:line: key: ..." . */
int lb_workload_load(const char *text, size_t len, const char *name,
                     const char *const *overrides, int n_overrides,
                     struct lb_workload **w, struct lb_err *err);
void lb_workload_free(struct lb_workload *w); /* NULL is fine */

/* Reads what the workload names beside itself: the numbers of empirical
 * distributions.  Every rank that runs or plans. */
int lb_workload_read_files(struct lb_workload *w, struct lb_err *err);

/* What the user should know about how the keys were read (rounded values,
 * keys that mean nothing here and why), one text each, in order. */
int lb_workload_n_notes(const struct lb_workload *w);
const char *lb_workload_note(const struct lb_workload *w, int i);

/* Was the key (its canonical name) given in the file or by an override? */
bool lb_workload_is_set(const struct lb_workload *w, const char *key);

/* A data_folder or checkpoint_folder below that root of storage_root, or where
 * it stands alone; its length, below PATH_MAX for the workload's own. */
int lb_workload_path(const struct lb_workload *w, int root, const char *folder,
                     char out[PATH_MAX]);

/* The options struct of a row: "storage.storage_options" is the chosen
 * backend's, "dataset.<format>" that format's; NULL when it has none. */
const void *lb_workload_options(const struct lb_workload *w,
                                const char *prefix);

/* A seed from the system, and the one all ranks use from now on. */
uint64_t lb_random_seed(void);
void lb_workload_set_seed(struct lb_workload *w, uint64_t seed);

/* ---- before a run (every rank; pure) ---- */

/* What loads but cannot run: keys, words, formats and backends that are still
 * to come ("not supported yet"), and what this build lacks.  LB_USAGE.  What
 * needs the numbers of ranks and accelerators: lb_plan_make. */
int lb_workload_check_run(const struct lb_workload *w, struct lb_err *err);

/* Two folders that hold a burst buffer and what it is copied to: neither is in
 * the other.  As the paths are written. */
int lb_workload_check_apart(const struct lb_workload *w, const char *burst,
                            const char *last, struct lb_err *err);
/* LB_USAGE at the place where the key is given (or at the file). */
int lb_workload_error(const struct lb_workload *w, const char *key,
                      struct lb_err *err, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* Fills what formats are told from the workload, but for what depends on the
 * run: has_bytes and n_files (set to the configured numbers). */
void lb_workload_format_params(const struct lb_workload *w,
                               struct lb_format_params *p);

/* ---- showing ---- */

/* The effective configuration as YAML that loads back to the same values.
 * Secrets (access keys) are left out. */
void lb_workload_print(const struct lb_workload *w, struct lb_buf *out);
/* Patterns of the files of a result but for the log, NULL at the end; the
 * summary first: without it the rest counts as no result. */
extern const char *const lb_result_names[];
/* A text in double quotes. */
void lb_yaml_quote(const char *text, struct lb_buf *out);

/* 16 hex digits over the effective configuration but for output.folder. */
enum { LB_HASH_LEN = 17 };
void lb_workload_hash(const struct lb_workload *w, char out[LB_HASH_LEN]);

/* Every key with type, default, range and doc: for `config keys` (those that
 * contain `filter`, NULL: all) and docs/configuration.md. */
void lb_config_keys_text(struct lb_buf *out, const char *filter);
void lb_config_keys_markdown(struct lb_buf *out);

#endif
