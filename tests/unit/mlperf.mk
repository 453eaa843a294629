mlperf_tests = \
  tests/unit/test_mlperf_args \
  tests/unit/test_mlperf_config \
  tests/unit/test_mlperf_datasize \
  tests/unit/test_mlperf_describe \
  tests/unit/test_mlperf_docs \
  tests/unit/test_mlperf_hash \
  tests/unit/test_mlperf_host \
  tests/unit/test_mlperf_image \
  tests/unit/test_mlperf_launch \
  tests/unit/test_mlperf_place \
  tests/unit/test_mlperf_provenance \
  tests/unit/test_mlperf_report \
  tests/unit/test_mlperf_report_files \
  tests/unit/test_mlperf_rules \
  tests/unit/test_mlperf_run \
  tests/unit/test_mlperf_system
check_PROGRAMS += $(mlperf_tests)
TESTS += $(mlperf_tests)
mlperf_report_rig = tests/unit/mlperf_rig.c tests/unit/mlperf_rig.h \
  tests/unit/result_rig.c tests/unit/result_rig.h tests/unit/report_run.c \
  tests/unit/report_run.h
tests_unit_test_mlperf_report_SOURCES = tests/unit/test_mlperf_report.c \
  $(mlperf_report_rig)
tests_unit_test_mlperf_report_files_SOURCES = tests/unit/test_mlperf_report_files.c \
  $(mlperf_report_rig)
tests_unit_test_mlperf_system_SOURCES = tests/unit/test_mlperf_system.c \
  tests/unit/system_rig.h
tests_unit_test_mlperf_describe_SOURCES = tests/unit/test_mlperf_describe.c \
  tests/unit/system_rig.h
tests_unit_test_mlperf_config_SOURCES = tests/unit/test_mlperf_config.c \
  tests/unit/mlperf_args.h
tests_unit_test_mlperf_datasize_SOURCES = tests/unit/test_mlperf_datasize.c \
  tests/unit/mlperf_args.h
