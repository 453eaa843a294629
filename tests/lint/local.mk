lint_checks = tests/lint/arrows.sh tests/lint/banned.sh \
  tests/lint/cppcheck.sh tests/lint/format.sh tests/lint/headers.sh \
  tests/lint/shell.sh tests/lint/size.sh tests/lint/spdx.sh \
  tests/lint/tidy.sh
EXTRA_DIST += $(lint_checks) tests/lint/run tests/lint/strip.awk \
  tests/lint/analyzer.h

# LINT_CHECKS='arrows banned' runs only those.
lint_cflags = $(DEFS) -I$(abs_top_builddir) -I$(abs_top_srcdir)/include \
  -I$(abs_top_srcdir)/src -I$(abs_top_srcdir)/tests \
  -DLB_WORKLOADDIR="\"\"" -std=c11 $(CPPFLAGS) $(HDF5_CFLAGS) \
  $(YAML_CFLAGS) $(GSL_CFLAGS) $(JANSSON_CFLAGS) $(ZLIB_CFLAGS) \
  $(HWLOC_CFLAGS) $(LIBURING_CFLAGS) $(LIBDEFLATE_CFLAGS) $(JPEG_CFLAGS) \
  $(PNG_CFLAGS) $(LZF_CFLAGS) $(LZMA_CFLAGS)
lint: lb-config.h
	@LB_TOP_SRCDIR='$(abs_top_srcdir)' LB_CC='$(CC)' \
	  LB_CFLAGS='$(lint_cflags)' $(srcdir)/tests/lint/run $(LINT_CHECKS)
format:
	@cd $(srcdir) && find src include tests -name '*.[ch]' -exec \
	  clang-format-14 -i {} +
.PHONY: lint format

dist_check_SCRIPTS += tests/lint/lint.test
TESTS += tests/lint/lint.test
