#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# cppcheck of the sources; a false alarm is silenced at its place with
# `/* cppcheck-suppress id ; why */'.
set -u
cd "${LB_TOP_SRCDIR:-.}" || exit 2
# normalCheckLevelMaxBranches, missingInclude: about cppcheck, not about us.
# It does not know _Noreturn, but the attribute.
exec cppcheck -q -j 2 --std=c11 --platform=unix64 --error-exitcode=1 \
  --enable=warning,performance,portability --inline-suppr \
  --suppress=missingInclude --suppress=missingIncludeSystem \
  --suppress=unmatchedSuppression \
  "-D_Noreturn=__attribute__((noreturn))" \
  -I include -I src -I tests -DHAVE_HDF5=1 --max-configs=4 src tests
