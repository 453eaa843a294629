check_PROGRAMS += tests/unit/test_results
TESTS += tests/unit/test_results
tests_unit_test_results_SOURCES = tests/unit/test_results.c \
  tests/unit/result_rig.c tests/unit/result_rig.h \
  tests/unit/report_run.c tests/unit/report_run.h
tests_unit_test_results_LDADD = $(test_ldadd)
check_PROGRAMS += tests/unit/test_compare
TESTS += tests/unit/test_compare
tests_unit_test_compare_SOURCES = tests/unit/test_compare.c \
  tests/unit/result_rig.c tests/unit/result_rig.h \
  tests/unit/report_run.c tests/unit/report_run.h
tests_unit_test_compare_LDADD = $(test_ldadd)
