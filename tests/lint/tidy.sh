#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# clang-tidy 14 with the .clang-tidy of the tree, two files at a time.  Not the
# tests: a failed ok() goes on, and each would be a path to a null pointer.
set -u
cd "${LB_TOP_SRCDIR:-.}" || exit 2
: "${LB_CC:=cc}" "${LB_CFLAGS:=-Iinclude -Isrc}"
# clang has to know the include folders that the MPI wrapper adds.
mpi=$({ $LB_CC -show || $LB_CC -showme:compile; } 2>/dev/null |
  grep -oE '(^| )-I[^ ]+' | tr '\n' ' ')
# stderr holds only counts of what was suppressed in system headers.
# shellcheck disable=SC2086 # flags are words
find src -name '*.c' -print0 |
  xargs -0 -P 2 -I '{}' clang-tidy-14 --quiet '{}' -- $LB_CFLAGS $mpi 2>/dev/null
