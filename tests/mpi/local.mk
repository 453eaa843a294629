check_PROGRAMS += tests/mpi/mpi_size tests/mpi/test_world tests/mpi/test_gate \
  tests/mpi/bench_gate
tests_mpi_mpi_size_SOURCES = tests/mpi/mpi_size.c
tests_mpi_test_world_SOURCES = tests/mpi/test_world.c tests/mpi/mpitap.h
tests_mpi_test_world_LDADD = $(test_ldadd)
tests_mpi_test_gate_SOURCES = tests/mpi/test_gate.c tests/mpi/mpitap.h
tests_mpi_test_gate_LDADD = $(test_ldadd)
tests_mpi_bench_gate_SOURCES = tests/mpi/bench_gate.c
tests_mpi_bench_gate_LDADD = libloadbank.a
EXTRA_DIST += tests/mpi/lib.sh
dist_check_SCRIPTS += tests/mpi/world.test tests/mpi/gate.test
TESTS += tests/mpi/world.test tests/mpi/gate.test
check_SCRIPTS += tests/mpitest
