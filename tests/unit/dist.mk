check_PROGRAMS += tests/unit/test_dist tests/unit/test_dist_cut
TESTS += tests/unit/test_dist tests/unit/test_dist_cut
tests_unit_test_dist_SOURCES = tests/unit/test_dist.c
tests_unit_test_dist_LDADD = $(test_ldadd)
tests_unit_test_dist_cut_SOURCES = tests/unit/test_dist_cut.c
tests_unit_test_dist_cut_LDADD = $(test_ldadd)
