format_tests = \
  tests/unit/test_append \
  tests/unit/test_call_profile \
  tests/unit/test_compress \
  tests/unit/test_content \
  tests/unit/test_csv \
  tests/unit/test_dtype \
  tests/unit/test_formats \
  tests/unit/test_hdf5 \
  tests/unit/test_hdf5_chunks \
  tests/unit/test_hdf5_foreign \
  tests/unit/test_images \
  tests/unit/test_indexed_binary \
  tests/unit/test_mmap_indexed \
  tests/unit/test_npy \
  tests/unit/test_npz \
  tests/unit/test_parquet \
  tests/unit/test_tfrecord \
  tests/unit/test_tfrecord_wrong \
  tests/unit/test_thrift
check_PROGRAMS += $(format_tests)
TESTS += $(format_tests)
format_fixture = tests/unit/format_fixture.c tests/unit/format_fixture.h
tests_unit_test_formats_SOURCES = tests/unit/test_formats.c $(format_fixture)
tests_unit_test_npy_SOURCES = tests/unit/test_npy.c $(format_fixture)
tests_unit_test_call_profile_SOURCES = tests/unit/test_call_profile.c \
  $(format_fixture)
tests_unit_test_npz_SOURCES = tests/unit/test_npz.c $(format_fixture)
tests_unit_test_hdf5_SOURCES = tests/unit/test_hdf5.c $(format_fixture)
tests_unit_test_hdf5_chunks_SOURCES = tests/unit/test_hdf5_chunks.c \
  $(format_fixture)
tests_unit_test_hdf5_foreign_SOURCES = tests/unit/test_hdf5_foreign.c \
  $(format_fixture)
tests_unit_test_indexed_binary_SOURCES = tests/unit/test_indexed_binary.c \
  $(format_fixture)
tests_unit_test_parquet_SOURCES = tests/unit/test_parquet.c \
  tests/unit/parquet_rig.c tests/unit/parquet_rig.h $(format_fixture)
tests_unit_test_tfrecord_SOURCES = tests/unit/test_tfrecord.c $(format_fixture)
tests_unit_test_tfrecord_wrong_SOURCES = tests/unit/test_tfrecord_wrong.c \
  $(format_fixture)
tests_unit_test_mmap_indexed_SOURCES = tests/unit/test_mmap_indexed.c \
  $(format_fixture)
tests_unit_test_images_SOURCES = tests/unit/test_images.c $(format_fixture)
tests_unit_test_append_SOURCES = tests/unit/test_append.c $(format_fixture)
tests_unit_test_csv_SOURCES = tests/unit/test_csv.c $(format_fixture)
