dist_check_SCRIPTS += tests/mlperf/rules.test
TESTS += tests/mlperf/rules.test
EXTRA_DIST += tests/mlperf/check.py tests/mlperf/sample.py
