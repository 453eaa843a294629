torch_tests = \
  tests/unit/test_shard_copy \
  tests/unit/test_torch_file
check_PROGRAMS += $(torch_tests)
TESTS += $(torch_tests)
