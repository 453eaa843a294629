loader_tests = tests/unit/test_queue tests/unit/test_loader_walk \
  tests/unit/test_loader_pool
check_PROGRAMS += $(loader_tests)
TESTS += $(loader_tests)
loader_rig = tests/unit/loader_rig.c tests/unit/loader_rig.h
tests_unit_test_queue_SOURCES = tests/unit/test_queue.c
tests_unit_test_queue_LDADD = $(test_ldadd)
tests_unit_test_loader_walk_SOURCES = tests/unit/test_loader_walk.c $(loader_rig)
tests_unit_test_loader_walk_LDADD = $(test_ldadd)
tests_unit_test_loader_pool_SOURCES = tests/unit/test_loader_pool.c $(loader_rig)
tests_unit_test_loader_pool_LDADD = $(test_ldadd)
