/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Messages for people, on stderr (results go to stdout) and in the run's log
 * file once one is set.  Only a speaker (rank 0, or every rank with
 * `--log-ranks all`) prints.  Any thread. */
#ifndef LOADBANK_LOG_H
#define LOADBANK_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Who speaks on stderr; `label` ("rank 3: " or "") comes before each message.
 */
void lb_log_speaker(bool speaks, const char *label);

/* A run among several of a job begins, or ends: in between nothing goes to
 * stderr, and what was said before it is not repeated in its results. */
void lb_log_quiet(bool quiet);

/* The log file: messages are also written there, those from before it was set
 * too, as far as 16 KiB hold them; NULL to stop.  Borrowed. */
void lb_log_file(FILE *file);

/* What goes to stderr is from now on also added to the file of that path, line
 * by line, which is opened for each: nothing is lost whatever ends the process,
 * and any rank may share it.  What cannot be written there is not.  all: also
 * what a speaker would say, if this is none.  "": stop. */
void lb_log_copy(const char *path, bool all);

/* From now on a warning that stderr had before is not said there again; the
 * copy and the log file have each.  For runs that follow each other. */
void lb_log_once(void);

/* A whole line on stderr, and in the copy, past everything that a thread may
 * have died holding. */
void lb_log_cry(const char *line, size_t n);

/* Goes to the log file only; with `--verbose` to stderr too. */
void lb_info(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void lb_log_verbose(bool verbose);

/* "loadbank: warning: ...": something the user should know about a number. */
void lb_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* For those who call back with a whole text; arg is not used. */
void lb_warn_text(void *arg, const char *text);

/* "loadbank: ...": an error about to end the program. */
void lb_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Warnings so far, in order, for the result: calls `each` with every text.
 * At most 64 are kept. */
void lb_log_each_warning(void (*each)(void *arg, const char *text), void *arg);

#endif
