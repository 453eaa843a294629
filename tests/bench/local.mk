# Not tests: what tools/bench needs.
EXTRA_PROGRAMS += tests/bench/read_loop
tests_bench_read_loop_SOURCES = tests/bench/read_loop.c
tests_bench_read_loop_LDADD = $(HDF5_LIBS)
EXTRA_PROGRAMS += tests/bench/same_reads
tests_bench_same_reads_SOURCES = tests/bench/same_reads.c
tests_bench_same_reads_LDADD = libloadbank.a $(lb_libs)
EXTRA_PROGRAMS += tests/bench/repeats
tests_bench_repeats_LDADD =
CLEANFILES += tests/bench/read_loop tests/bench/same_reads tests/bench/repeats
