/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Descriptions of systems, MODE/ORG/systems/SYSTEM.yaml: checked against the
 * schema, read, written once with what the hosts say of themselves, and
 * compared with the hosts later. */
#ifndef LB_MLPERF_SYSTEM_H
#define LB_MLPERF_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "loadbank/buf.h"
#include "loadbank/err.h"
#include "loadbank/yaml.h"
#include "mlperf/host.h"

/* ---- flaws: what is wrong with a file, all of it ---- */

struct lb_mlperf_flaw {
  int line;              /* 0: none */
  char path[LB_KEY_LEN]; /* below system_under_test: "clients[0].quantity" */
  char *text; /* "file:line: path: what is wrong, what is allowed"; owned */
};
enum { LB_MLPERF_FLAWS = 200 }; /* of one file; the last says that more are */
struct lb_mlperf_flaws {
  struct lb_mlperf_flaw *flaw; /* in the order of lines */
  size_t n;
  bool failed; /* no memory */
};
void lb_mlperf_flaws_fini(struct lb_mlperf_flaws *f); /* zeroed is fine */
/* The format is of what stands behind "file:line: path: ". */
void lb_mlperf_flaw(struct lb_mlperf_flaws *f, const char *file, int line,
                    const char *path, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));

/* ---- the description ---- */

/* What rules and reports need of it.  -1, "" and NAN: not given, or wrong. */
struct lb_mlperf_system {
  char submission_name[128], friendly_description[256];
  char storage_location[24], benchmark_api[16], product_api[16];
  char deployment[16];
  int multi_host, simultaneous_write, simultaneous_read; /* 0 or 1 */
  int64_t remap_seconds;
  int64_t rack_units;    /* total_rack_units */
  double watts;          /* nameplate of the power supplies that must be active;
                          * product nodes and switches, docs/metrics.md */
  int64_t clients;       /* sum of quantities */
  int64_t client_groups; /* entries of clients[] */
  int64_t client_memory_gib; /* of the first group */
};

/* Pure.  `file' is for messages.  Any text is fine: what is no YAML is one
 * flaw.  LB_FAILED: no memory. */
int lb_mlperf_system_check(const char *file, const char *text, size_t len,
                           struct lb_mlperf_system *s,
                           struct lb_mlperf_flaws *flaws, struct lb_err *err);
/* The same of a file.  LB_FAILED also: it cannot be read (err->sys). */
int lb_mlperf_system_read(const char *path, struct lb_mlperf_system *s,
                          struct lb_mlperf_flaws *flaws, struct lb_err *err);

/* Pure.  The text of a new description: the hosts as clients, hosts that are
 * alike in one group; the rest blank, each with what is allowed.  note: a
 * comment in the first lines, or NULL. */
void lb_mlperf_system_text(struct lb_buf *b, const char *system,
                           const struct lb_mlperf_host *hosts, size_t n,
                           const char *note);
/* Makes FOLDER/SYSTEM.yaml (and the folder) unless it is there: *made says
 * so.  It is never rewritten. */
int lb_mlperf_system_write(const char *folder, const char *system,
                           const struct lb_mlperf_host *hosts, size_t n,
                           const char *note, bool *made, struct lb_err *err);

/* Which field of clients[] says something else than the hosts?  Fields that
 * are blank, and facts that are missing, are not compared; of drives and ports
 * that are down only those that the file names.  What is wrong by the schema
 * is lb_mlperf_system_read's business.  LB_FAILED as there. */
int lb_mlperf_system_compare(const char *path,
                             const struct lb_mlperf_host *hosts, size_t n,
                             struct lb_mlperf_flaws *flaws, struct lb_err *err);

#endif
