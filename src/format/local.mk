libloadbank_a_SOURCES += src/format/version.c
libloadbank_a_SOURCES += \
  include/loadbank/format.h \
  include/loadbank/hdf5lock.h \
  src/format/content.c \
  src/format/decode.h \
  src/format/format_impl.c \
  src/format/format_impl.h \
  src/format/formats.c \
  src/format/handles.c \
  src/format/handles.h \
  src/format/hdf5.c \
  src/format/hdf5_lib.c \
  src/format/hdf5_lib.h \
  src/format/hdf5_lock.c \
  src/format/image.c \
  src/format/image.h \
  src/format/indexed.c \
  src/format/indexed.h \
  src/format/indexed_binary.c \
  src/format/jpeg.c \
  src/format/jpeg_lib.c \
  src/format/mmap_indexed_binary.c \
  src/format/npy.c \
  src/format/npy_header.c \
  src/format/npy_header.h \
  src/format/npz.c \
  src/format/npz_layout.c \
  src/format/npz_layout.h \
  src/format/png.c \
  src/format/png_lib.c \
  src/format/synthetic.c
