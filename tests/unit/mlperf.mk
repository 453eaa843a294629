check_PROGRAMS += tests/unit/test_mlperf_place
TESTS += tests/unit/test_mlperf_place
tests_unit_test_mlperf_place_SOURCES = tests/unit/test_mlperf_place.c
tests_unit_test_mlperf_place_LDADD = $(test_ldadd)

mlperf_cli_tests = tests/unit/test_mlperf_args tests/unit/test_mlperf_launch
check_PROGRAMS += $(mlperf_cli_tests)
TESTS += $(mlperf_cli_tests)
tests_unit_test_mlperf_args_SOURCES = tests/unit/test_mlperf_args.c
tests_unit_test_mlperf_args_LDADD = $(test_ldadd)
tests_unit_test_mlperf_launch_SOURCES = tests/unit/test_mlperf_launch.c
tests_unit_test_mlperf_launch_LDADD = $(test_ldadd)
