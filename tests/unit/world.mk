world_tests = \
  tests/unit/test_clock_rule \
  tests/unit/test_gate_rule \
  tests/unit/test_host_key \
  tests/unit/test_placement \
  tests/unit/test_proc \
  tests/unit/test_singleton
check_PROGRAMS += $(world_tests)
TESTS += $(world_tests)
