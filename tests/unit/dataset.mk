check_PROGRAMS += tests/unit/test_layout tests/unit/test_sampler \
  tests/unit/test_sizes
TESTS += tests/unit/test_layout tests/unit/test_sampler tests/unit/test_sizes
tests_unit_test_layout_SOURCES = tests/unit/test_layout.c
tests_unit_test_layout_LDADD = $(test_ldadd)
tests_unit_test_sampler_SOURCES = tests/unit/test_sampler.c
tests_unit_test_sampler_LDADD = $(test_ldadd)
tests_unit_test_sizes_SOURCES = tests/unit/test_sizes.c
tests_unit_test_sizes_LDADD = $(test_ldadd)
check_PROGRAMS += tests/unit/test_inventory tests/unit/test_make \
  tests/unit/test_manifest
TESTS += tests/unit/test_inventory tests/unit/test_make tests/unit/test_manifest
tests_unit_test_inventory_SOURCES = tests/unit/test_inventory.c
tests_unit_test_inventory_LDADD = $(test_ldadd)
tests_unit_test_make_SOURCES = tests/unit/test_make.c
tests_unit_test_make_LDADD = $(test_ldadd)
record_fixture = tests/unit/record_fixture.c tests/unit/record_fixture.h
tests_unit_test_manifest_SOURCES = tests/unit/test_manifest.c $(record_fixture)
tests_unit_test_manifest_LDADD = $(test_ldadd)
