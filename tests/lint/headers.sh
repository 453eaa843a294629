#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Every header compiles alone, after lb-config.h.
set -u
cd "${LB_TOP_SRCDIR:-.}" || exit 2
: "${LB_CC:=cc}" "${LB_CFLAGS:=-Iinclude -Isrc}"
export LB_CC LB_CFLAGS
# shellcheck disable=SC2016 # expanded by the inner shell
find include src tests -name '*.h' -print0 | xargs -0 -n 1 -P 2 sh -c '
  printf "#include \"lb-config.h\"\n#include \"%s\"\n" "$PWD/$0" |
    $LB_CC $LB_CFLAGS -Werror -fsyntax-only -xc - || exit 1'
