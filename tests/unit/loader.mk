loader_tests = \
  tests/unit/test_checkpoint \
  tests/unit/test_compute \
  tests/unit/test_crew \
  tests/unit/test_deal \
  tests/unit/test_futex \
  tests/unit/test_loader_kinds \
  tests/unit/test_loader_pool \
  tests/unit/test_loader_ring \
  tests/unit/test_loader_walk \
  tests/unit/test_mark \
  tests/unit/test_queue \
  tests/unit/test_schemes \
  tests/unit/test_verify
check_PROGRAMS += $(loader_tests)
TESTS += $(loader_tests)
loader_rig = tests/unit/loader_rig.c tests/unit/loader_rig.h
tests_unit_test_loader_walk_SOURCES = tests/unit/test_loader_walk.c \
  $(loader_rig)
tests_unit_test_loader_pool_SOURCES = tests/unit/test_loader_pool.c \
  $(loader_rig)
tests_unit_test_loader_kinds_SOURCES = tests/unit/test_loader_kinds.c \
  $(loader_rig)
tests_unit_test_loader_ring_SOURCES = tests/unit/test_loader_ring.c \
  $(loader_rig)
tests_unit_test_mark_SOURCES = tests/unit/test_mark.c $(record_fixture)
