#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Functions that have a better one, and constructs that the house does without.
# A line that must have one says why in the same line or the one before it:
#   /* lint: exit, for a child must not run the parent's handlers */
set -u
here=$(cd "$(dirname "$0")" && pwd)
cd "${LB_TOP_SRCDIR:-.}" || exit 2
code=$(mktemp)
trap 'rm -f "$code"' EXIT

# where|name as an extended regular expression|use instead
rules='
src include tests|ato[ifl]|lb_option parsing or strtol with its checks
src include tests|strcpy|a sized copy or lb_buf
src include tests|strcat|lb_buf
src include tests|v?sprintf|snprintf or lb_buf_printf
src include tests|gets|getline
src include tests|strtok|strtok_r or strcspn
src include tests|rand|lb_rng
src include tests|system|nothing: no shell is needed
src include tests|popen|nothing: no shell is needed
src include|exit|return the error: only main ends the program
src include|abort|return the error
src include|assert|an error, or _Static_assert
src include|alloca|a buffer of known size
'
find src include tests -name '*.[ch]' -print0 2>/dev/null |
  xargs -0 awk -f "$here/strip.awk" >"$code"
bad=0
while IFS='|' read -r where name instead; do
  [ -n "$where" ] || continue
  while IFS=: read -r file line _; do
    word=$(sed -n "${line}p" "$file" | grep -oE "\<($name)\>" | head -n 1)
    sed -n "$((line > 1 ? line - 1 : 1)),${line}p" "$file" |
      grep -qE "lint: ($name), " && continue
    echo "$file:$line: $word(): use $instead"
    bad=1
  done < <(grep -E "^(${where// /|})/" "$code" |
    grep -E "(^|[^A-Za-z0-9_.>])($name)[[:space:]]*\(")
done <<<"$rules"
while IFS=: read -r file line text; do
  echo "$file:$line: typedef of a struct or union:$text"
  bad=1
done < <(grep -E ':[[:space:]]*typedef[[:space:]]+(struct|union|enum)' "$code")
# Marks of unfinished work, in pieces so that they do not find themselves.
marks=$(grep -rnE "\<(TO""DO|FIX""ME|XX""X|HA""CK)\>" src include tests tools workloads docs 2>/dev/null)
if [ -n "$marks" ]; then
  echo "$marks"
  bad=1
fi
exit $bad
