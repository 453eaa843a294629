# Not a test: the plain loops that tools/bench holds loadbank against.
EXTRA_PROGRAMS += tests/bench/read_loop
tests_bench_read_loop_SOURCES = tests/bench/read_loop.c
tests_bench_read_loop_LDADD = $(HDF5_LIBS)
EXTRA_PROGRAMS += tests/bench/same_reads
tests_bench_same_reads_SOURCES = tests/bench/same_reads.c
tests_bench_same_reads_LDADD = libloadbank.a $(lb_libs)
CLEANFILES += tests/bench/read_loop tests/bench/same_reads
