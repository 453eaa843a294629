check_PROGRAMS += tests/interop/make_dataset tests/interop/format_costs \
  tests/interop/make_parquet tests/interop/make_torch
tests_interop_make_dataset_SOURCES = tests/interop/make_dataset.c \
  tests/unit/format_fixture.c tests/unit/format_fixture.h
tests_interop_format_costs_SOURCES = tests/interop/format_costs.c \
  tests/unit/format_fixture.c tests/unit/format_fixture.h
tests_interop_make_parquet_SOURCES = tests/interop/make_parquet.c \
  tests/unit/format_fixture.c tests/unit/format_fixture.h
tests_interop_make_torch_SOURCES = tests/interop/make_torch.c
interop_tests = tests/interop/formats.test tests/interop/format_costs.test \
  tests/interop/csv.test tests/interop/parquet.test \
  tests/interop/report.test tests/interop/tfrecord.test tests/interop/torch.test \
  tests/interop/trace.test
dist_check_SCRIPTS += $(interop_tests)
TESTS += $(interop_tests)
EXTRA_DIST += tests/interop/lib.sh tests/interop/formats.py tests/interop/content.py tests/interop/tap.py \
  tests/interop/csv_files.py tests/interop/parquet.py \
  tests/interop/parquet.mjs tests/interop/report.js tests/interop/tfrecord.py \
  tests/interop/trace.py \
  tests/interop/torch_files.py
