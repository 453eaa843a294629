bench_tests = \
  tests/unit/test_closed_forms \
  tests/unit/test_commands \
  tests/unit/test_demand \
  tests/unit/test_estimate \
  tests/unit/test_make_tick \
  tests/unit/test_plan \
  tests/unit/test_schedule \
  tests/unit/test_size_book \
  tests/unit/test_size_plan \
  tests/unit/test_size_search \
  tests/unit/test_size_text \
  tests/unit/test_sweep
check_PROGRAMS += $(bench_tests)
TESTS += $(bench_tests)
tests_unit_test_make_tick_SOURCES = tests/unit/test_make_tick.c $(loader_rig)
