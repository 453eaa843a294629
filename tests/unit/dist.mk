dist_tests = \
  tests/unit/test_dist \
  tests/unit/test_dist_cut \
  tests/unit/test_mean
check_PROGRAMS += $(dist_tests)
TESTS += $(dist_tests)
