# Fuzz targets, by hand or at night, not part of `make check':
#   make fuzz [FUZZ_SECONDS=600] [FUZZERS="fuzz_csv ..."]
# Each begins with what tests/fuzz/corpus/NAME holds and keeps what it finds of
# use in fuzz/NAME of the build tree; a finding ends it and is in a file crash-*.
FUZZERS = fuzz_csv fuzz_npz
FUZZ_SECONDS = 600
FUZZ_CC = clang-14
EXTRA_DIST += tests/fuzz/fuzz.h tests/fuzz/fuzz.c tests/fuzz/fuzz_csv.c \
  tests/fuzz/fuzz_npz.c tests/fuzz/corpus
fuzz:
	$(AM_V_GEN)$(MKDIR_P) fuzz && set -e && for f in $(FUZZERS); do \
	  $(FUZZ_CC) -g -O1 -fsanitize=fuzzer,address,undefined \
	    -fno-sanitize-recover=all $(DEFS) $(DEFAULT_INCLUDES) $(AM_CPPFLAGS) \
	    $(HDF5_CFLAGS) $(HWLOC_CFLAGS) -std=c11 -pthread \
	    $$(find $(srcdir)/src/core $(srcdir)/src/dist $(srcdir)/src/storage \
	      $(srcdir)/src/format -name '*.c') \
	    $(srcdir)/tests/unit/format_fixture.c $(srcdir)/tests/support.c \
	    $(srcdir)/tests/fuzz/fuzz.c $(srcdir)/tests/fuzz/$$f.c \
	    -o fuzz/$$f $(lb_libs); \
	  name=$${f#fuzz_}; $(MKDIR_P) fuzz/$$name; \
	  (cd fuzz && ./$$f -max_total_time=$(FUZZ_SECONDS) -timeout=20 \
	    -max_len=20000 -rss_limit_mb=2048 -print_final_stats=1 $$name \
	    $(abs_top_srcdir)/tests/fuzz/corpus/$$name); \
	done
.PHONY: fuzz
clean-local:
	rm -rf fuzz
