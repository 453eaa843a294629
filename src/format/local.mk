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
  src/format/tfrecord.c \
  src/format/tfrecord_index.c \
  src/format/tfrecord_index.h \
  src/format/tfrecord_layout.c \
  src/format/tfrecord_layout.h \
  src/format/tfrecord_reader.c \
  src/format/tfrecord_reader.h \
  src/format/tfrecord_search.c \
  src/format/tfrecord_verify.c
