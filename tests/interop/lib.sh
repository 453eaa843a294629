# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=sh
# A reader of others is absent: the test is skipped, or with LB_NEED_READERS, as
# in a complete check, fails.
missing()
{
  if [ -n "${LB_NEED_READERS-}" ]; then
    echo "Bail out! $1"
    exit 99
  fi
  echo "1..0 # SKIP $1"
  exit 0
}
