# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=sh
# What tests of the command line share; they source this file first.
#   run ARGS...        runs loadbank in an empty folder; $rc, $out, $err
#   is GOT WANT TEXT   has TEXT WORD WHAT   passes CONDITION WHAT
LC_ALL=C
export LC_ALL
unset LB_WORKLOADDIR
top=${LB_TOP_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
loadbank=${LB_TOP_BUILDDIR:-$PWD}/loadbank
[ -x "$loadbank" ] || {
  echo "Bail out! no $loadbank"
  exit 99
}
golden=$top/tests/cli/golden
work=$(mktemp -d "${TMPDIR:-/tmp}/loadbank-cli-XXXXXX") || exit 99
trap 'rm -rf "$work"' EXIT
mkdir "$work/cwd"
cd "$work/cwd" || exit 99
checks=0
failed=0

report() { # 0|1 WHAT
  checks=$((checks + 1))
  if [ "$1" = 0 ]; then
    echo "ok $checks - $2"
  else
    echo "not ok $checks - $2"
    failed=1
  fi
}

run() {
  "$loadbank" "$@" >"$work/out" 2>"$work/err"
  rc=$?
  out=$(cat "$work/out")
  err=$(cat "$work/err")
}

is() {
  if [ "$1" = "$2" ]; then
    report 0 "$3"
  else
    report 1 "$3"
    printf '%s\n' "got:  $1" "want: $2" | sed 's/^/# /'
  fi
}

has() {
  case $1 in
  *"$2"*) report 0 "$3" ;;
  *)
    report 1 "$3"
    printf '%s\n' "no '$2' in:" "$1" | sed 's/^/# /'
    ;;
  esac
}

# The text equals golden/NAME; LB_GOLDEN=update writes it.
same_as_golden() { # NAME WHAT
  if [ "$LB_GOLDEN" = update ]; then
    cp "$work/out" "$golden/$1"
  fi
  if diff -u "$golden/$1" "$work/out" >"$work/diff" 2>&1; then
    report 0 "$2"
  else
    report 1 "$2"
    sed 's/^/# /' "$work/diff"
  fi
}

# An error: exit 2, one line on stderr, nothing on stdout, nothing written.
refused() { # WORD WHAT, after run
  is "$rc" 2 "$2: exit 2"
  has "$err" "$1" "$2: says '$1'"
  is "$(printf '%s\n' "$err" | wc -l)" 1 "$2: one line"
  is "$out" "" "$2: nothing on stdout"
  is "$(ls -A)" "" "$2: nothing written"
}

finish() {
  echo "1..$checks"
  exit $failed
}
