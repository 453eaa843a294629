check_PROGRAMS += tests/unit/test_report tests/unit/test_machine \
  tests/unit/test_steps
TESTS += tests/unit/test_report tests/unit/test_machine tests/unit/test_steps
tests_unit_test_report_SOURCES = tests/unit/test_report.c \
  tests/unit/report_run.c tests/unit/report_run.h
tests_unit_test_report_LDADD = $(test_ldadd)
tests_unit_test_machine_SOURCES = tests/unit/test_machine.c
tests_unit_test_machine_LDADD = $(test_ldadd)
tests_unit_test_steps_SOURCES = tests/unit/test_steps.c
tests_unit_test_steps_LDADD = $(test_ldadd)
EXTRA_DIST += docs/metrics.md
