libloadbank_a_SOURCES += src/format/version.c
libloadbank_a_SOURCES += \
  include/loadbank/format.h \
  include/loadbank/hdf5lock.h \
  src/format/compress.c \
  src/format/compress.h \
  src/format/compress_bz2.c \
  src/format/compress_impl.h \
  src/format/compress_xz.c \
  src/format/compress_zlib.c \
  src/format/content.c \
  src/format/csv.c \
  src/format/csv_scan.c \
  src/format/csv_scan.h \
  src/format/csv_text.c \
  src/format/csv_text.h \
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
  src/format/npz_deflate.c \
  src/format/npz_deflate.h \
  src/format/npz_layout.c \
  src/format/npz_layout.h \
  src/format/zip_stream.c \
  src/format/zip_stream.h
