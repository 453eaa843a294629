check_PROGRAMS += tests/unit/test_err tests/unit/test_rng tests/unit/test_buf
TESTS += tests/unit/test_err tests/unit/test_rng tests/unit/test_buf
tests_unit_test_err_SOURCES = tests/unit/test_err.c
tests_unit_test_err_LDADD = $(test_ldadd)
tests_unit_test_rng_SOURCES = tests/unit/test_rng.c
tests_unit_test_rng_LDADD = $(test_ldadd)
tests_unit_test_buf_SOURCES = tests/unit/test_buf.c
tests_unit_test_buf_LDADD = $(test_ldadd)
