#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Who may include whom: docs/architecture.md.  A header belongs to the module
# whose src/<module>/local.mk lists it; a header of src/<module>/ is seen
# there only; libraries are seen only where the last table says.
set -u
cd "${LB_TOP_SRCDIR:-.}" || exit 2

# module: the modules it may see, besides itself
arrows='
core:
world: core
dist: core
storage: core dist
format: core dist storage
dataset: core dist storage format
loader: core dist storage format dataset
compute: core dist
metrics: core world storage
checkpoint: core dist storage
sweep: core
config: core dist storage format loader checkpoint sweep
report: core world dist storage format dataset loader compute metrics checkpoint sweep config
results: core world dist storage format dataset loader compute metrics checkpoint sweep config report
picture: core
page: core picture
digest: core storage metrics config report results picture page
bench: core world dist storage format dataset loader compute metrics checkpoint sweep config report results
mlperf: core world dist storage format dataset loader compute metrics checkpoint sweep config report results picture page digest bench
cli: core world dist storage format dataset loader compute metrics checkpoint sweep config report results picture page digest bench mlperf
main: core world dist storage format dataset loader compute metrics checkpoint sweep config report results picture page digest bench mlperf cli
'
# header of a library: the modules that may see it
libraries='
mpi.h: world
gsl/: dist
yaml.h: config
hwloc.h: core
lzf.h: format
hdf5.h: format report
jansson.h: dataset checkpoint report results page digest bench mlperf cli
nettle/: mlperf
zlib.h: core format cli
libdeflate.h: core format
bzlib.h: format
lzma.h: format
jpeglib.h: format
jerror.h: format
png.h: format
lzf.h: format
snappy-c.h: format
zstd.h: format
lz4.h: format
liburing.h: storage
'

{
  printf '%s' "$arrows" | sed -n 's/^\([a-z]*\):/arrow \1 /p'
  printf '%s' "$libraries" | sed -n 's/^\([a-z0-9.\/]*\):/library \1 /p'
  for mk in src/*/local.mk; do
    m=${mk#src/}
    grep -o 'loadbank/[a-z0-9_]*\.h' "$mk" | sed "s|^|header ${m%/*} |"
  done
  find include -name '*.h' | sed 's|^include/|public |'
  grep -nE '^[[:space:]]*#[[:space:]]*include' -r src include --include='*.[ch]' |
    sed -nE 's/^([^:]*):([0-9]*):[^"<]*["<]([^">]*)[">].*/include \1 \2 \3/p'
} | awk '
function fail(text) { print text; bad = 1 }
$1 == "arrow" { known[$2] = 1; may[$2, $2] = 1; for (i = 3; i <= NF; i++) may[$2, $i] = 1 }
$1 == "library" { n_lib++; lib[n_lib] = $2; for (i = 3; i <= NF; i++) sees[$2, $i] = 1 }
$1 == "header" {
  if ($3 in owner && owner[$3] != $2)
    fail("include/" $3 " is listed by src/" owner[$3] " and by src/" $2)
  owner[$3] = $2
}
$1 == "public" && !($2 in owner) { fail("include/" $2 ": in no src/<module>/local.mk") }
$1 == "include" {
  where = $2 ":" $3
  if ($2 ~ /^include\//) {
    own = substr($2, length("include/") + 1)
    if (!(own in owner))
      next
    m = owner[own]
  } else if (split($2, part, "/") > 2)
    m = part[2]
  else
    m = "main"
  if (!(m in known)) {
    fail(where ": module " m " is not in the table of tests/lint/arrows.sh")
    next
  }
  for (i = 1; i <= n_lib; i++)
    if (index($4, lib[i]) == 1 && !((lib[i], m) in sees))
      fail(where ": " m " may not include " $4)
  if ($4 ~ /^loadbank\//) {
    if ($4 in owner && !((m, owner[$4]) in may))
      fail(where ": " m " may not include " $4 " of " owner[$4])
  } else if (split($4, part, "/") == 2 && (part[1] in known) && part[1] != m)
    fail(where ": " $4 " is private to " part[1])
  else if ($4 ~ /^\.\.\//)
    fail(where ": " $4 ": name headers from include/ or src/")
}
END { exit bad }'
