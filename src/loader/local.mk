libloadbank_a_SOURCES += \
  include/loadbank/loader.h \
  include/loadbank/queue.h \
  src/loader/later.c \
  src/loader/loader.c \
  src/loader/loader_impl.h \
  src/loader/loaders.c \
  src/loader/none.c \
  src/loader/pool.c \
  src/loader/pytorch.c \
  src/loader/queue.c \
  src/loader/ring.c \
  src/loader/walk.c
