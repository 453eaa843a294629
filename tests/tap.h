/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The smallest useful TAP producer: one line per check, the plan at the end.
 *   int main(void) { ok(1 + 1 == 2, "sums"); return done(); } */
#ifndef TAP_H
#define TAP_H

#include <stdbool.h>

#define ok(cond, ...) tap_ok((cond), #cond, __FILE__, __LINE__, __VA_ARGS__)
/* Values are printed when they differ. */
#define is_int(got, want, ...)                                        \
  tap_is_int((long long)(got), (long long)(want), __FILE__, __LINE__, \
             __VA_ARGS__)
#define is_str(got, want, ...) \
  tap_is_str((got), (want), __FILE__, __LINE__, __VA_ARGS__)
#define is_near(got, want, tolerance, ...) \
  tap_is_near((got), (want), (tolerance), __FILE__, __LINE__, __VA_ARGS__)

bool tap_ok(bool cond, const char *text, const char *file, int line,
            const char *fmt, ...) __attribute__((format(printf, 5, 6)));
bool tap_is_int(long long got, long long want, const char *file, int line,
                const char *fmt, ...) __attribute__((format(printf, 5, 6)));
bool tap_is_str(const char *got, const char *want, const char *file, int line,
                const char *fmt, ...) __attribute__((format(printf, 5, 6)));
bool tap_is_near(double got, double want, double tolerance, const char *file,
                 int line, const char *fmt, ...)
    __attribute__((format(printf, 6, 7)));
/* Prints the plan; the value main returns. */
int done(void);

/* Of this process, now. */
int tap_open_files(void);
int tap_threads(void);

/* An empty folder that is removed at exit; its path. */
const char *tap_tmpdir(void);

#endif
