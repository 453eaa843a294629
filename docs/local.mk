EXTRA_DIST += docs/formats.md docs/adding-a-format.md
