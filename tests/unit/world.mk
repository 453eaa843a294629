check_PROGRAMS += tests/unit/test_singleton tests/unit/test_host_key \
  tests/unit/test_proc tests/unit/test_gate_rule \
  tests/unit/test_clock_rule tests/unit/test_placement
TESTS += tests/unit/test_singleton tests/unit/test_host_key tests/unit/test_proc \
  tests/unit/test_gate_rule tests/unit/test_clock_rule \
  tests/unit/test_placement
tests_unit_test_singleton_SOURCES = tests/unit/test_singleton.c
tests_unit_test_singleton_LDADD = $(test_ldadd)
tests_unit_test_host_key_SOURCES = tests/unit/test_host_key.c
tests_unit_test_host_key_LDADD = $(test_ldadd)
tests_unit_test_proc_SOURCES = tests/unit/test_proc.c
tests_unit_test_proc_LDADD = $(test_ldadd)
tests_unit_test_gate_rule_SOURCES = tests/unit/test_gate_rule.c
tests_unit_test_gate_rule_LDADD = $(test_ldadd)
tests_unit_test_clock_rule_SOURCES = tests/unit/test_clock_rule.c
tests_unit_test_clock_rule_LDADD = $(test_ldadd)
tests_unit_test_placement_SOURCES = tests/unit/test_placement.c
tests_unit_test_placement_LDADD = $(test_ldadd)
