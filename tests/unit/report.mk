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
tests_unit_test_report_LDADD = $(test_ldadd)
tests_unit_test_machine_SOURCES = tests/unit/test_machine.c
tests_unit_test_machine_LDADD = $(test_ldadd)
tests_unit_test_steps_SOURCES = tests/unit/test_steps.c
tests_unit_test_steps_LDADD = $(test_ldadd)
tests_unit_test_progress_SOURCES = tests/unit/test_progress.c
tests_unit_test_progress_LDADD = $(test_ldadd)
tests_unit_test_results_folder_SOURCES = tests/unit/test_results_folder.c
tests_unit_test_results_folder_LDADD = $(test_ldadd)
EXTRA_DIST += docs/metrics.md
