# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# What the end-to-end tests of `loadbank run' share (or of another command: the
# variable `verb'); they source this file first.  Beside what lib.sh has:
#   job RANKS ARGS...   loadbank run ARGS... on that many ranks, with a limit of
#                       time; $rc, $out, $err, $took (whole seconds)
#   check FOLDER <<EOF  lines `what: expression', see results.py
#   one_line WORD...    the failure is one line on stderr that has the words
. "${LB_TOP_SRCDIR:-.}/tests/cli/lib.sh"
mpitest=${LB_TOP_BUILDDIR:-$loadbank/..}/tests/mpitest
# A build without HDF5 writes no steps.h5; in a list of names.
steps_h5="'steps.h5',"
if "$loadbank" version | grep -q '^HDF5  *not'; then
  steps_h5=
  export LB_TEST_NO_STEPS=1
fi
python=
for p in "${PYTHON:-/usr/bin/python3}" python3; do
  if "$p" -c 'import ast; ast.unparse' 2>/dev/null; then
    python=$p
    break
  fi
done
if [ -z "$python" ]; then
  echo '1..0 # SKIP Python 3.9 is absent'
  exit 0
fi
if ! "$mpitest" 0 >"$work/out" 2>&1; then
  cat "$work/out"
  exit 99
fi

# Started in every process of a job: says where it is, so that a test can
# signal one rank.
cat >"$work/start" <<'E2'
#!/bin/sh
echo $$ >"$LB_PIDS/${PMI_RANK:-${OMPI_COMM_WORLD_RANK:-0}}"
exec "$@"
E2
chmod +x "$work/start"
LB_PIDS=$work/pids
export LB_PIDS


verb=run
# The command of a job, without a limit of time.
launch() { # RANKS ARGS...
  local n=$1
  shift
  rm -rf "$LB_PIDS"
  mkdir "$LB_PIDS"
  if [ "$n" = 1 ]; then
    exec "$work/start" "$loadbank" $verb "$@"
  fi
  # shellcheck disable=SC2086 # a launcher may have arguments
  exec $MPIEXEC -n "$n" "$work/start" "$loadbank" $verb "$@"
}

limit=60
job() { # RANKS ARGS...
  local n=$1 begin=$SECONDS
  shift
  if [ "$n" = 1 ]; then
    timeout -k 5 $limit "$loadbank" $verb "$@" >"$work/out" 2>"$work/err"
  else
    # shellcheck disable=SC2086
    timeout -k 5 $limit $MPIEXEC -n "$n" "$loadbank" $verb "$@" \
      >"$work/out" 2>"$work/err" </dev/null
  fi
  rc=$?
  took=$((SECONDS - begin))
  out=$(cat "$work/out")
  err=$(cat "$work/err")
}

# A job in the background: $launcher; the process of each rank in
# $LB_PIDS/RANK.  Reaped by `reap'.
start_job() { # RANKS ARGS...
  (launch "$@" >"$work/out" 2>"$work/err" </dev/null) &
  launcher=$!
}

# Waits at most so many seconds until the command is true.
until_true() { # SECONDS COMMAND...
  local end=$((SECONDS + $1))
  shift
  until "$@" >/dev/null 2>&1; do
    if [ $SECONDS -ge $end ]; then
      return 1
    fi
    sleep 0.05
  done
}

gone() { # PID; a process that nobody reaps is gone, too
  ! grep -q '^State:[[:space:]]*[^ZX]' "/proc/$1/status" 2>/dev/null
}

# Waits for the job: $rc, $took since `reap' began; kills what is left.
reap() { # SECONDS
  local begin=$SECONDS
  if ! until_true "$1" gone "$launcher"; then
    kill -9 "$launcher" $(cat "$LB_PIDS"/*) 2>/dev/null
  fi
  wait "$launcher"
  rc=$?
  took=$((SECONDS - begin))
  out=$(cat "$work/out")
  err=$(cat "$work/err")
}

all_gone() { # WHAT
  local left= pid
  for pid in $(cat "$LB_PIDS"/*); do
    until_true 5 gone "$pid" || left="$left $pid"
  done
  is "$left" "" "$1: no rank is left"
}

# Succeeded, and without a word of alarm.
done_well() { # WHAT
  is "$rc" 0 "$1: exit 0"
  if [ "$rc" != 0 ]; then
    printf '%s\n' "$err" | sed 's/^/# /'
  fi
}

# Failed with one line on stderr (warnings apart) that has all the words, with
# nothing but that.
one_line() { # WHAT RC WORD...
  local what=$1 lines
  is "$rc" "$2" "$what: exit $2"
  shift 2
  lines=$(printf '%s\n' "$err" | grep -v 'loadbank: warning:')
  is "$(printf '%s\n' "$lines" | grep -c .)" 1 "$what: one line"
  for word in "$@"; do
    has "$lines" "$word" "$what: says '$word'"
  done
  # What hangs ends after a minute or more; a busy machine needs some seconds.
  is "$((took <= 30))" 1 "$what: ends within seconds ($took s)"
}

verdicts() { # FOLDER
  "$python" -B "$top/tests/cli/results.py" "$1" 2>&1
}

# Verdicts of results.py as TAP.
check() { # FOLDER
  local line
  verdicts "$1" >"$work/verdicts" || report 1 "$1: results.py"
  grep -q '^ok\|^not ok' "$work/verdicts" || report 1 "$1: has verdicts"
  while read -r line; do
    case $line in
    'ok '*) report 0 "${line#ok }" ;;
    'not ok '*) report 1 "${line#not ok }" ;;
    *) printf '# %s\n' "${line#\# }" ;;
    esac
  done <"$work/verdicts"
}

# What a folder has, but for names: a check sum of each file.
sums() { # FOLDER
  (cd "$1" && find . -type f ! -name .loadbank.json -exec sha256sum {} + | sort -k 2)
}
