config_tests = \
  tests/unit/test_config \
  tests/unit/test_config_errors \
  tests/unit/test_config_find \
  tests/unit/test_config_fuzz \
  tests/unit/test_config_keys \
  tests/unit/test_option
check_PROGRAMS += $(config_tests)
TESTS += $(config_tests)
tests_unit_test_config_SOURCES = tests/unit/test_config.c \
  tests/unit/config_support.h
tests_unit_test_config_errors_SOURCES = tests/unit/test_config_errors.c \
  tests/unit/config_support.h
tests_unit_test_config_keys_SOURCES = tests/unit/test_config_keys.c \
  tests/unit/config_support.h
EXTRA_DIST += tests/data/workloads

# What the documentation has from tables of the source: the tests that find it
# stale write it.
docs_tests = tests/unit/test_config_keys tests/unit/test_mlperf_docs \
  tests/unit/test_mlperf_rules
.PHONY: docs-update
docs-update: $(docs_tests:=$(EXEEXT))
	$(AM_V_GEN)for t in $(docs_tests); do \
	  LB_GOLDEN=update LB_TOP_SRCDIR=$(abs_top_srcdir) $$t$(EXEEXT) > docs-update.log || \
	    { cat docs-update.log; exit 1; }; \
	done
CLEANFILES += docs-update.log
