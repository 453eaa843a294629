dist_man_MANS = docs/loadbank.1
EXTRA_DIST += docs/accuracy.md docs/performance.md docs/sizing.md docs/usage.md
EXTRA_DIST += docs/sweep.md
EXTRA_DIST += docs/compare.md
EXTRA_DIST += docs/mlperf.md docs/system-example.yaml
EXTRA_DIST += docs/checkpoints.md docs/formats.md docs/behaviour.md docs/adding-a-format.md
