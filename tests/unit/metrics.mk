check_PROGRAMS += tests/unit/test_au tests/unit/test_record \
  tests/unit/test_limit tests/unit/test_spool tests/unit/test_windows
TESTS += tests/unit/test_au tests/unit/test_record tests/unit/test_limit \
  tests/unit/test_spool tests/unit/test_windows
tests_unit_test_au_SOURCES = tests/unit/test_au.c
tests_unit_test_au_LDADD = $(test_ldadd)
tests_unit_test_record_SOURCES = tests/unit/test_record.c
tests_unit_test_record_LDADD = $(test_ldadd)
tests_unit_test_limit_SOURCES = tests/unit/test_limit.c
tests_unit_test_limit_LDADD = $(test_ldadd)
tests_unit_test_spool_SOURCES = tests/unit/test_spool.c
tests_unit_test_spool_LDADD = $(test_ldadd)
tests_unit_test_windows_SOURCES = tests/unit/test_windows.c
tests_unit_test_windows_LDADD = $(test_ldadd)
check_PROGRAMS += tests/mpi/test_reduce
tests_mpi_test_reduce_SOURCES = tests/mpi/test_reduce.c
tests_mpi_test_reduce_LDADD = $(test_ldadd)
dist_check_SCRIPTS += tests/mpi/reduce.test
TESTS += tests/mpi/reduce.test
EXTRA_DIST += tests/interop/steps.py
