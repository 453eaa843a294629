check_PROGRAMS += tests/unit/test_picture tests/unit/test_page \
  tests/unit/test_digest tests/unit/test_pace
TESTS += tests/unit/test_picture tests/unit/test_page tests/unit/test_digest \
  tests/unit/test_pace
tests_unit_test_picture_SOURCES = tests/unit/test_picture.c
tests_unit_test_picture_LDADD = $(test_ldadd)
tests_unit_test_page_SOURCES = tests/unit/test_page.c
tests_unit_test_page_LDADD = $(test_ldadd)
tests_unit_test_pace_SOURCES = tests/unit/test_pace.c
tests_unit_test_pace_LDADD = $(test_ldadd)
tests_unit_test_digest_SOURCES = tests/unit/test_digest.c \
  tests/unit/report_run.c tests/unit/report_run.h
tests_unit_test_digest_LDADD = $(test_ldadd)
