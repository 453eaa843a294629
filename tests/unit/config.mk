config_tests = \
  tests/unit/test_option \
  tests/unit/test_config \
  tests/unit/test_config_errors \
  tests/unit/test_config_keys \
  tests/unit/test_config_find \
  tests/unit/test_config_fuzz
check_PROGRAMS += $(config_tests) tests/unit/config_docs
TESTS += $(config_tests)
EXTRA_DIST += tests/data/workloads

tests_unit_test_option_SOURCES = tests/unit/test_option.c
tests_unit_test_option_LDADD = $(test_ldadd)
tests_unit_test_config_SOURCES = tests/unit/test_config.c tests/unit/config_support.h
tests_unit_test_config_LDADD = $(test_ldadd)
tests_unit_test_config_errors_SOURCES = tests/unit/test_config_errors.c tests/unit/config_support.h
tests_unit_test_config_errors_LDADD = $(test_ldadd)
tests_unit_test_config_keys_SOURCES = tests/unit/test_config_keys.c tests/unit/config_support.h
tests_unit_test_config_keys_LDADD = $(test_ldadd)
tests_unit_test_config_find_SOURCES = tests/unit/test_config_find.c
tests_unit_test_config_find_LDADD = $(test_ldadd)
tests_unit_test_config_fuzz_SOURCES = tests/unit/test_config_fuzz.c tests/unit/config_support.h
tests_unit_test_config_fuzz_LDADD = $(test_ldadd)
tests_unit_config_docs_SOURCES = tests/unit/config_docs.c
tests_unit_config_docs_LDADD = $(test_ldadd)

# docs/configuration.md is made from the table of keys; test_config_keys fails
# when it is stale.
.PHONY: docs-update
docs-update: tests/unit/config_docs$(EXEEXT)
	$(AM_V_GEN)LB_TOP_SRCDIR=$(abs_top_srcdir) tests/unit/config_docs$(EXEEXT) > configuration.md.tmp && \
	  mv configuration.md.tmp $(srcdir)/docs/configuration.md
