check_PROGRAMS += tests/unit/test_au tests/unit/test_record \
  tests/unit/test_limit tests/unit/test_spool
TESTS += tests/unit/test_au tests/unit/test_record tests/unit/test_limit \
  tests/unit/test_spool
tests_unit_test_au_SOURCES = tests/unit/test_au.c
tests_unit_test_au_LDADD = $(test_ldadd)
tests_unit_test_record_SOURCES = tests/unit/test_record.c
tests_unit_test_record_LDADD = $(test_ldadd)
tests_unit_test_limit_SOURCES = tests/unit/test_limit.c
tests_unit_test_limit_LDADD = $(test_ldadd)
tests_unit_test_spool_SOURCES = tests/unit/test_spool.c
tests_unit_test_spool_LDADD = $(test_ldadd)
