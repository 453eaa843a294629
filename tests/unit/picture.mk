picture_tests = \
  tests/unit/test_digest \
  tests/unit/test_pace \
  tests/unit/test_page \
  tests/unit/test_picture
check_PROGRAMS += $(picture_tests)
TESTS += $(picture_tests)
tests_unit_test_digest_SOURCES = tests/unit/test_digest.c \
  tests/unit/report_run.c tests/unit/report_run.h
