#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The sources are as clang-format 14 makes them (other versions differ).
set -u -o pipefail
cd "${LB_TOP_SRCDIR:-.}" || exit 2
find src include tests -name '*.[ch]' -print0 |
  xargs -0 -n 50 -P 2 clang-format-14 --dry-run -Werror --ferror-limit=1 2>&1 |
  sed -n "s/^\(.*\):[0-9]*:[0-9]*: error: .*/\1: not as clang-format 14 makes it; \`make format' mends it/p; /^xargs/p"
