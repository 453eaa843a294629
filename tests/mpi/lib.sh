# Shared by the .test scripts: one TAP line per configuration of a parallel
# program; its own TAP goes along as comments.
# shellcheck shell=sh
bin=$LB_TOP_BUILDDIR/tests/mpi
mpitest=$LB_TOP_BUILDDIR/tests/mpitest
n_checks=0
tmp=$(mktemp -d "${TMPDIR:-/tmp}/loadbank-test-XXXXXX") || exit 99
trap 'rm -rf "$tmp"' EXIT

# check RC TEXT: one TAP line.
check() {
  n_checks=$((n_checks + 1))
  if [ "$1" = 0 ]; then
    echo "ok $n_checks - $2"
  else
    echo "not ok $n_checks - $2"
  fi
}

# run_tap TEXT COMMAND...: good when it exits 0, has a plan, and nothing is not ok.
run_tap() {
  text=$1
  shift
  "$@" >"$tmp/out" 2>&1
  rc=$?
  grep -q '^1\.\.' "$tmp/out" || rc=98
  grep -q '^not ok' "$tmp/out" && rc=97
  [ $rc = 0 ] || sed 's/^/# /' "$tmp/out"
  check $rc "$text (exit $rc)"
}

finish() {
  echo "1..$n_checks"
}
