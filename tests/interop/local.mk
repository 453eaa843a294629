check_PROGRAMS += tests/interop/make_dataset tests/interop/format_costs
tests_interop_make_dataset_SOURCES = tests/interop/make_dataset.c \
  tests/unit/format_fixture.c tests/unit/format_fixture.h
tests_interop_make_dataset_LDADD = $(test_ldadd)
tests_interop_format_costs_SOURCES = tests/interop/format_costs.c \
  tests/unit/format_fixture.c tests/unit/format_fixture.h
tests_interop_format_costs_LDADD = $(test_ldadd)
dist_check_SCRIPTS += tests/interop/formats.test tests/interop/csv.test \
  tests/interop/format_costs.test
EXTRA_DIST += tests/interop/formats.py tests/interop/content.py \
  tests/interop/csv_files.py
TESTS += tests/interop/formats.test tests/interop/csv.test \
  tests/interop/format_costs.test
