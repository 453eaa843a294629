report_tests = \
  tests/unit/test_machine \
  tests/unit/test_progress \
  tests/unit/test_report \
  tests/unit/test_results_folder \
  tests/unit/test_steps
check_PROGRAMS += $(report_tests)
TESTS += $(report_tests)
tests_unit_test_report_SOURCES = tests/unit/test_report.c \
  tests/unit/report_run.c tests/unit/report_run.h
EXTRA_DIST += docs/metrics.md
