libloadbank_a_SOURCES += \
  include/loadbank/faulty.h \
  include/loadbank/iolist.h \
  include/loadbank/iostats.h \
  include/loadbank/newfile.h \
  include/loadbank/simulated.h \
  include/loadbank/storage.h \
  include/loadbank/virtual.h \
  src/storage/backends.c \
  src/storage/faulty.c \
  src/storage/file.c \
  src/storage/iolist.c \
  src/storage/iostats.c \
  src/storage/iothread.c \
  src/storage/local_fs.c \
  src/storage/newfile.c \
  src/storage/none.c \
  src/storage/run.c \
  src/storage/simulated.c \
  src/storage/storage_impl.h \
  src/storage/virtual.c
