#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The sources are as clang-format 14 makes them (other versions differ).
set -u
cd "${LB_TOP_SRCDIR:-.}" || exit 2
bad=0
while IFS= read -r f; do
  if ! clang-format-14 --dry-run -Werror "$f" >/dev/null 2>&1; then
    echo "$f: not as clang-format 14 makes it; \`make format' mends it"
    bad=1
  fi
done < <(find src include tests -name '*.[ch]' | sort)
exit $bad
