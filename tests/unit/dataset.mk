check_PROGRAMS += tests/unit/test_layout tests/unit/test_sampler \
  tests/unit/test_sizes
TESTS += tests/unit/test_layout tests/unit/test_sampler tests/unit/test_sizes
tests_unit_test_layout_SOURCES = tests/unit/test_layout.c
tests_unit_test_layout_LDADD = $(test_ldadd)
tests_unit_test_sampler_SOURCES = tests/unit/test_sampler.c
tests_unit_test_sampler_LDADD = $(test_ldadd)
tests_unit_test_sizes_SOURCES = tests/unit/test_sizes.c
tests_unit_test_sizes_LDADD = $(test_ldadd)
