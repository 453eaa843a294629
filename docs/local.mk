EXTRA_DIST += docs/configuration.md docs/configuration.in.md
