# Not a test: the plain loops that tools/bench holds loadbank against.
EXTRA_PROGRAMS = tests/bench/read_loop
tests_bench_read_loop_SOURCES = tests/bench/read_loop.c
tests_bench_read_loop_LDADD = $(HDF5_LIBS)
CLEANFILES += tests/bench/read_loop
