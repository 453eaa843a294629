check_PROGRAMS += tests/unit/test_mlperf_place
TESTS += tests/unit/test_mlperf_place
tests_unit_test_mlperf_place_SOURCES = tests/unit/test_mlperf_place.c
tests_unit_test_mlperf_place_LDADD = $(test_ldadd)
check_PROGRAMS += tests/unit/test_mlperf_run
TESTS += tests/unit/test_mlperf_run
tests_unit_test_mlperf_run_SOURCES = tests/unit/test_mlperf_run.c
tests_unit_test_mlperf_run_LDADD = $(test_ldadd)
