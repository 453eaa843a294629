#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Every shell script, known by its first line, passes shellcheck, and so does the
# completion.
set -u
cd "${LB_TOP_SRCDIR:-.}" || exit 2
mapfile -t scripts < <(find bootstrap tools tests .ci -type f ! -name '*.o' \
  -exec awk 'FNR == 1 && /^#!.*(\/| )(ba)?sh/ { print FILENAME } { nextfile }' {} +)
scripts+=(src/completion/loadbank)
# Launchers and lists of options are split into words on purpose (info level).
shellcheck -x --severity=warning "${scripts[@]}"
