# Parallel programs and the scripts that run them on many numbers of ranks.
mpi_tests = tests/mpi/world.test tests/mpi/sub.test tests/mpi/point.test \
  tests/mpi/gate.test tests/mpi/fault.test \
  tests/mpi/singleton.test tests/mpi/conductor.test tests/mpi/hosts.test \
  tests/mpi/checkpoints.test
dist_check_SCRIPTS += $(mpi_tests)
TESTS += $(mpi_tests)
EXTRA_DIST += tests/mpi/lib.sh
check_SCRIPTS += tests/mpitest
check_PROGRAMS += tests/mpi/mpi_size tests/mpi/test_world tests/mpi/test_gate \
  tests/mpi/test_sub tests/mpi/test_point \
  tests/mpi/fault tests/mpi/bench_gate tests/mpi/test_conductor \
  tests/mpi/test_checkpoints
tests_mpi_mpi_size_LDADD =
tests_mpi_test_world_SOURCES = tests/mpi/test_world.c tests/mpi/mpitap.h
tests_mpi_test_sub_SOURCES = tests/mpi/test_sub.c tests/mpi/mpitap.h
tests_mpi_test_point_SOURCES = tests/mpi/test_point.c tests/mpi/mpitap.h
tests_mpi_test_gate_SOURCES = tests/mpi/test_gate.c tests/mpi/mpitap.h
tests_mpi_test_conductor_SOURCES = tests/mpi/test_conductor.c \
  tests/mpi/mpitap.h tests/unit/loader_rig.c tests/unit/loader_rig.h
tests_mpi_test_checkpoints_SOURCES = tests/mpi/test_checkpoints.c \
  tests/mpi/mpitap.h
# Not a test: bench_gate [STEP_MS [STEPS]] prints the gate's efficiency.
tests_mpi_bench_gate_SOURCES = tests/mpi/bench_gate.c
tests_mpi_bench_gate_LDADD = libloadbank.a
