dist_man_MANS = docs/loadbank.1
EXTRA_DIST += docs/usage.md
