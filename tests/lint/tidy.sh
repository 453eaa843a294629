#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# clang-tidy 14 with the .clang-tidy of the tree, two files at a time.  Not the
# tests: a failed ok() goes on, and each would be a path to a null pointer.
set -u
cd "${LB_TOP_SRCDIR:-.}" || exit 2
: "${LB_CC:=cc}" "${LB_CFLAGS:=-Iinclude -Isrc}"
# clang has to know the include folders that the MPI wrapper adds, or those that
# were given in its place.
mpi=$({ $LB_CC -show || $LB_CC -showme:compile || echo "$LB_CC"; } 2>/dev/null |
  grep -oE '(^| )-I[^ ]+' | tr '\n' ' ')
export LB_TIDY_FLAGS="$LB_CFLAGS $mpi"
# stderr holds only counts of what was suppressed in system headers.
# shellcheck disable=SC2016 # expanded by the inner shell
find src -name '*.c' -print0 | xargs -0 -n 1 -P 2 sh -c '
  know="-include lb-config.h -include tests/lint/analyzer.h"
  [ "$0" != src/core/err.c ] || know=
  exec clang-tidy-14 --quiet "$0" -- -Wall -Wextra $LB_TIDY_FLAGS $know 2>/dev/null'
