libloadbank_a_SOURCES += src/format/version.c
libloadbank_a_SOURCES += \
  include/loadbank/format.h \
  include/loadbank/hdf5lock.h \
  include/loadbank/parquet.h \
  src/format/content.c \
  src/format/format_impl.c \
  src/format/format_impl.h \
  src/format/formats.c \
  src/format/handles.c \
  src/format/handles.h \
  src/format/hdf5.c \
  src/format/hdf5_lib.c \
  src/format/hdf5_lib.h \
  src/format/hdf5_lock.c \
  src/format/indexed_binary.c \
  src/format/npy.c \
  src/format/npy_header.c \
  src/format/npy_header.h \
  src/format/npz.c \
  src/format/npz_layout.c \
  src/format/npz_layout.h \
  src/format/parquet.c \
  src/format/parquet_codec.c \
  src/format/parquet_codec.h \
  src/format/parquet_footer.c \
  src/format/parquet_layout.c \
  src/format/parquet_layout.h \
  src/format/parquet_make.c \
  src/format/parquet_make.h \
  src/format/parquet_meta.c \
  src/format/parquet_meta.h \
  src/format/parquet_page.c \
  src/format/parquet_verify.c \
  src/format/parquet_verify.h \
  src/format/thrift.c \
  src/format/thrift.h
