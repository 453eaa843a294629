check_PROGRAMS += tests/unit/test_mlperf_place
TESTS += tests/unit/test_mlperf_place
tests_unit_test_mlperf_place_SOURCES = tests/unit/test_mlperf_place.c
tests_unit_test_mlperf_place_LDADD = $(test_ldadd)
check_PROGRAMS += tests/unit/test_mlperf_report
TESTS += tests/unit/test_mlperf_report
tests_unit_test_mlperf_report_SOURCES = tests/unit/test_mlperf_report.c \
  tests/unit/result_rig.c tests/unit/result_rig.h \
  tests/unit/report_run.c tests/unit/report_run.h
tests_unit_test_mlperf_report_LDADD = $(test_ldadd)
