metrics_tests = \
  tests/unit/test_au \
  tests/unit/test_limit \
  tests/unit/test_record \
  tests/unit/test_spool \
  tests/unit/test_windows
check_PROGRAMS += $(metrics_tests) tests/mpi/test_reduce
TESTS += $(metrics_tests) tests/mpi/reduce.test
dist_check_SCRIPTS += tests/mpi/reduce.test
EXTRA_DIST += tests/interop/steps.py
