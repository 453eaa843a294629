#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Names what has grown long; a warning, never a failure.
set -u
cd "${LB_TOP_SRCDIR:-.}" || exit 2
find src include tests -name '*.[ch]' -exec awk '
  FNR == 1 && name { report() }
  { name = FILENAME; n = FNR }
  END { report() }
  function report() {
    limit = name ~ /\.h$/ ? 150 : 500
    if (n > limit) printf "warning: %s: %d lines (more than %d)\n", name, n, limit
  }' {} +
exit 0
