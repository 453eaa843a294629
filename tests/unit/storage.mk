storage_tests = \
  tests/unit/test_backends \
  tests/unit/test_contention \
  tests/unit/test_direct \
  tests/unit/test_histogram \
  tests/unit/test_iolist \
  tests/unit/test_iostats \
  tests/unit/test_local_fs \
  tests/unit/test_run_reads \
  tests/unit/test_simulated \
  tests/unit/test_storage_cost \
  tests/unit/test_storage_errors \
  tests/unit/test_virtual
check_PROGRAMS += $(storage_tests)
TESTS += $(storage_tests)
