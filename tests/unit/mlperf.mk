check_PROGRAMS += tests/unit/test_mlperf_place
TESTS += tests/unit/test_mlperf_place
tests_unit_test_mlperf_place_SOURCES = tests/unit/test_mlperf_place.c
tests_unit_test_mlperf_place_LDADD = $(test_ldadd)
mlperf_report_tests = tests/unit/test_mlperf_report \
  tests/unit/test_mlperf_report_files
mlperf_report_rig = tests/unit/mlperf_rig.c tests/unit/mlperf_rig.h \
  tests/unit/result_rig.c tests/unit/result_rig.h \
  tests/unit/report_run.c tests/unit/report_run.h
check_PROGRAMS += $(mlperf_report_tests)
TESTS += $(mlperf_report_tests)
tests_unit_test_mlperf_report_SOURCES = tests/unit/test_mlperf_report.c \
  $(mlperf_report_rig)
tests_unit_test_mlperf_report_LDADD = $(test_ldadd)
tests_unit_test_mlperf_report_files_SOURCES = \
  tests/unit/test_mlperf_report_files.c $(mlperf_report_rig)
tests_unit_test_mlperf_report_files_LDADD = $(test_ldadd)
check_PROGRAMS += tests/unit/test_mlperf_run
TESTS += tests/unit/test_mlperf_run
tests_unit_test_mlperf_run_SOURCES = tests/unit/test_mlperf_run.c
tests_unit_test_mlperf_run_LDADD = $(test_ldadd)
mlperf_system_tests = tests/unit/test_mlperf_system \
  tests/unit/test_mlperf_describe
check_PROGRAMS += $(mlperf_system_tests)
TESTS += $(mlperf_system_tests)
tests_unit_test_mlperf_system_SOURCES = tests/unit/test_mlperf_system.c \
  tests/unit/system_rig.h
tests_unit_test_mlperf_system_LDADD = $(test_ldadd)
tests_unit_test_mlperf_describe_SOURCES = tests/unit/test_mlperf_describe.c \
  tests/unit/system_rig.h
tests_unit_test_mlperf_describe_LDADD = $(test_ldadd)
check_PROGRAMS += tests/unit/test_mlperf_host
TESTS += tests/unit/test_mlperf_host
tests_unit_test_mlperf_host_SOURCES = tests/unit/test_mlperf_host.c
tests_unit_test_mlperf_host_LDADD = $(test_ldadd)

mlperf_cli_tests = \
  tests/unit/test_mlperf_args \
  tests/unit/test_mlperf_docs \
  tests/unit/test_mlperf_launch
check_PROGRAMS += $(mlperf_cli_tests)
TESTS += $(mlperf_cli_tests)
tests_unit_test_mlperf_args_SOURCES = tests/unit/test_mlperf_args.c
tests_unit_test_mlperf_args_LDADD = $(test_ldadd)
tests_unit_test_mlperf_docs_SOURCES = tests/unit/test_mlperf_docs.c
tests_unit_test_mlperf_docs_LDADD = $(test_ldadd)
tests_unit_test_mlperf_launch_SOURCES = tests/unit/test_mlperf_launch.c
tests_unit_test_mlperf_launch_LDADD = $(test_ldadd)

mlperf_config_tests = \
  tests/unit/test_mlperf_config \
  tests/unit/test_mlperf_datasize \
  tests/unit/test_mlperf_hash
check_PROGRAMS += $(mlperf_config_tests)
TESTS += $(mlperf_config_tests)
tests_unit_test_mlperf_config_SOURCES = tests/unit/test_mlperf_config.c \
  tests/unit/mlperf_args.h
tests_unit_test_mlperf_config_LDADD = $(test_ldadd)
tests_unit_test_mlperf_datasize_SOURCES = tests/unit/test_mlperf_datasize.c \
  tests/unit/mlperf_args.h
tests_unit_test_mlperf_datasize_LDADD = $(test_ldadd)
tests_unit_test_mlperf_hash_SOURCES = tests/unit/test_mlperf_hash.c
tests_unit_test_mlperf_hash_LDADD = $(test_ldadd)
check_PROGRAMS += tests/unit/test_mlperf_image
TESTS += tests/unit/test_mlperf_image
tests_unit_test_mlperf_image_SOURCES = tests/unit/test_mlperf_image.c
tests_unit_test_mlperf_image_LDADD = $(test_ldadd)
check_PROGRAMS += tests/unit/test_mlperf_provenance
TESTS += tests/unit/test_mlperf_provenance
tests_unit_test_mlperf_provenance_SOURCES = tests/unit/test_mlperf_provenance.c
tests_unit_test_mlperf_provenance_LDADD = $(test_ldadd)

check_PROGRAMS += tests/unit/test_mlperf_rules
TESTS += tests/unit/test_mlperf_rules
tests_unit_test_mlperf_rules_SOURCES = tests/unit/test_mlperf_rules.c
tests_unit_test_mlperf_rules_LDADD = $(test_ldadd)
