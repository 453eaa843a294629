torch_tests = tests/unit/test_torch_file tests/unit/test_shard_copy
check_PROGRAMS += $(torch_tests)
TESTS += $(torch_tests)
tests_unit_test_torch_file_SOURCES = tests/unit/test_torch_file.c
tests_unit_test_torch_file_LDADD = $(test_ldadd)
tests_unit_test_shard_copy_SOURCES = tests/unit/test_shard_copy.c
tests_unit_test_shard_copy_LDADD = $(test_ldadd)
