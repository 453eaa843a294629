dataset_tests = \
  tests/unit/test_inventory \
  tests/unit/test_layout \
  tests/unit/test_make \
  tests/unit/test_manifest \
  tests/unit/test_sampler \
  tests/unit/test_sizes
check_PROGRAMS += $(dataset_tests)
TESTS += $(dataset_tests)
record_fixture = tests/unit/record_fixture.c tests/unit/record_fixture.h
tests_unit_test_manifest_SOURCES = tests/unit/test_manifest.c $(record_fixture)
