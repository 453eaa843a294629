results_tests = \
  tests/unit/test_compare \
  tests/unit/test_results
check_PROGRAMS += $(results_tests)
TESTS += $(results_tests)
tests_unit_test_results_SOURCES = tests/unit/test_results.c \
  tests/unit/result_rig.c tests/unit/result_rig.h tests/unit/report_run.c \
  tests/unit/report_run.h
tests_unit_test_compare_SOURCES = tests/unit/test_compare.c \
  tests/unit/result_rig.c tests/unit/result_rig.h tests/unit/report_run.c \
  tests/unit/report_run.h
