libloadbank_a_SOURCES += src/format/version.c
libloadbank_a_SOURCES += \
  include/loadbank/format.h \
  include/loadbank/hdf5lock.h \
  src/format/content.c \
  src/format/format_impl.c \
  src/format/format_impl.h \
  src/format/formats.c \
  src/format/handles.c \
  src/format/handles.h \
  src/format/hdf5.c \
  src/format/hdf5_filter.c \
  src/format/hdf5_filter.h \
  src/format/hdf5_impl.h \
  src/format/hdf5_lib.c \
  src/format/hdf5_lib.h \
  src/format/hdf5_lock.c \
  src/format/hdf5_look.c \
  src/format/hdf5_open.c \
  src/format/hdf5_read.c \
  src/format/hdf5_read.h \
  src/format/hdf5_shape.c \
  src/format/hdf5_shape.h \
  src/format/indexed_binary.c \
  src/format/npy.c \
  src/format/npy_header.c \
  src/format/npy_header.h \
  src/format/npz.c \
  src/format/npz_layout.c \
  src/format/npz_layout.h
