storage_tests = \
  tests/unit/test_histogram \
  tests/unit/test_iolist \
  tests/unit/test_iostats \
  tests/unit/test_backends \
  tests/unit/test_local_fs \
  tests/unit/test_storage_errors \
  tests/unit/test_run_reads \
  tests/unit/test_direct \
  tests/unit/test_storage_cost \
  tests/unit/test_virtual \
  tests/unit/test_simulated \
  tests/unit/test_contention
check_PROGRAMS += $(storage_tests)
TESTS += $(storage_tests)
tests_unit_test_histogram_SOURCES = tests/unit/test_histogram.c
tests_unit_test_histogram_LDADD = $(test_ldadd)
tests_unit_test_iolist_SOURCES = tests/unit/test_iolist.c
tests_unit_test_iolist_LDADD = $(test_ldadd)
tests_unit_test_iostats_SOURCES = tests/unit/test_iostats.c
tests_unit_test_iostats_LDADD = $(test_ldadd)
tests_unit_test_backends_SOURCES = tests/unit/test_backends.c
tests_unit_test_backends_LDADD = $(test_ldadd)
tests_unit_test_local_fs_SOURCES = tests/unit/test_local_fs.c
tests_unit_test_local_fs_LDADD = $(test_ldadd)
tests_unit_test_storage_errors_SOURCES = tests/unit/test_storage_errors.c
tests_unit_test_storage_errors_LDADD = $(test_ldadd)
tests_unit_test_run_reads_SOURCES = tests/unit/test_run_reads.c
tests_unit_test_run_reads_LDADD = $(test_ldadd)
tests_unit_test_direct_SOURCES = tests/unit/test_direct.c
tests_unit_test_direct_LDADD = $(test_ldadd)
tests_unit_test_storage_cost_SOURCES = tests/unit/test_storage_cost.c
tests_unit_test_storage_cost_LDADD = $(test_ldadd)
tests_unit_test_virtual_SOURCES = tests/unit/test_virtual.c
tests_unit_test_virtual_LDADD = $(test_ldadd)
tests_unit_test_simulated_SOURCES = tests/unit/test_simulated.c
tests_unit_test_simulated_LDADD = $(test_ldadd)
tests_unit_test_contention_SOURCES = tests/unit/test_contention.c
tests_unit_test_contention_LDADD = $(test_ldadd)
