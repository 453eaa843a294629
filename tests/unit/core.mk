core_tests = \
  tests/unit/test_buf \
  tests/unit/test_crc32c \
  tests/unit/test_err \
  tests/unit/test_files \
  tests/unit/test_hash \
  tests/unit/test_log \
  tests/unit/test_rng \
  tests/unit/test_stall \
  tests/unit/test_ticks
check_PROGRAMS += $(core_tests)
TESTS += $(core_tests)
