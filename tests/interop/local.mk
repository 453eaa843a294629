check_PROGRAMS += tests/interop/make_dataset
tests_interop_make_dataset_SOURCES = tests/interop/make_dataset.c \
  tests/unit/format_fixture.c tests/unit/format_fixture.h
tests_interop_make_dataset_LDADD = $(test_ldadd)
dist_check_SCRIPTS += tests/interop/formats.test
EXTRA_DIST += tests/interop/formats.py tests/interop/content.py
TESTS += tests/interop/formats.test
