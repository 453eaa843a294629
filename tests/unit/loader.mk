loader_tests = tests/unit/test_queue tests/unit/test_deal \
  tests/unit/test_loader_walk tests/unit/test_loader_pool \
  tests/unit/test_loader_ring tests/unit/test_loader_kinds tests/unit/test_verify
check_PROGRAMS += $(loader_tests)
TESTS += $(loader_tests)
loader_rig = tests/unit/loader_rig.c tests/unit/loader_rig.h
tests_unit_test_verify_SOURCES = tests/unit/test_verify.c
tests_unit_test_verify_LDADD = $(test_ldadd)
tests_unit_test_queue_SOURCES = tests/unit/test_queue.c
tests_unit_test_queue_LDADD = $(test_ldadd)
tests_unit_test_deal_SOURCES = tests/unit/test_deal.c
tests_unit_test_deal_LDADD = $(test_ldadd)
tests_unit_test_loader_walk_SOURCES = tests/unit/test_loader_walk.c $(loader_rig)
tests_unit_test_loader_walk_LDADD = $(test_ldadd)
tests_unit_test_loader_pool_SOURCES = tests/unit/test_loader_pool.c $(loader_rig)
tests_unit_test_loader_pool_LDADD = $(test_ldadd)
tests_unit_test_loader_kinds_SOURCES = tests/unit/test_loader_kinds.c $(loader_rig)
tests_unit_test_loader_kinds_LDADD = $(test_ldadd)
tests_unit_test_loader_ring_SOURCES = tests/unit/test_loader_ring.c $(loader_rig)
tests_unit_test_loader_ring_LDADD = $(test_ldadd)
check_PROGRAMS += tests/unit/test_compute tests/unit/test_checkpoint \
  tests/unit/test_schemes \
  tests/unit/test_futex
TESTS += tests/unit/test_compute tests/unit/test_checkpoint \
  tests/unit/test_schemes \
  tests/unit/test_futex
tests_unit_test_futex_SOURCES = tests/unit/test_futex.c
tests_unit_test_futex_LDADD = $(test_ldadd)
tests_unit_test_compute_SOURCES = tests/unit/test_compute.c
tests_unit_test_compute_LDADD = $(test_ldadd)
tests_unit_test_schemes_SOURCES = tests/unit/test_schemes.c
tests_unit_test_schemes_LDADD = $(test_ldadd)
tests_unit_test_checkpoint_SOURCES = tests/unit/test_checkpoint.c
tests_unit_test_checkpoint_LDADD = $(test_ldadd)
check_PROGRAMS += tests/unit/test_crew tests/unit/test_mark
TESTS += tests/unit/test_crew tests/unit/test_mark
tests_unit_test_crew_SOURCES = tests/unit/test_crew.c
tests_unit_test_crew_LDADD = $(test_ldadd)
tests_unit_test_mark_SOURCES = tests/unit/test_mark.c $(record_fixture)
tests_unit_test_mark_LDADD = $(test_ldadd)
