#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The first lines: licence in every source and script; in every .c of src/ (or
# in its own header) what it is for; lb-config.h as the first include.
set -u
cd "${LB_TOP_SRCDIR:-.}" || exit 2
spdx='SPDX-License-Identifier: GPL-3.0-or-later'
bad=0
fail()
{
  echo "$1"
  bad=1
}
while IFS= read -r f; do
  IFS= read -r line <"$f"
  [ "$line" = "/* $spdx */" ] || fail "$f:1: not '/* $spdx */'"
  case $f in
    src/*.c)
      name=${f##*/}
      name=${name%.c}
      cat "$f" "${f%.c}.h" "include/loadbank/$name.h" 2>/dev/null |
        grep -A1 -F "/* $spdx */" | grep -v SPDX | grep -q '^/\* ' ||
        fail "$f:2: no comment that says what the file is for"
      ;;
  esac
  case $f in
    *.c)
      first=$(grep -m 1 '^#[[:space:]]*include' "$f")
      [ -z "$first" ] || [ "$first" = '#include "lb-config.h"' ] ||
        fail "$f: the first include is not lb-config.h"
      ;;
  esac
done < <(find src include tests -name '*.[ch]')
while IFS= read -r f; do
  line='' second=''
  { IFS= read -r line && IFS= read -r second; } <"$f"
  [[ $line == '#!'* ]] || continue
  [[ $second == *"$spdx"* ]] || fail "$f:2: no '# $spdx'"
done < <(find bootstrap tools tests .ci -type f)
exit $bad
