libloadbank_a_SOURCES += \
  include/loadbank/deal.h \
  include/loadbank/loader.h \
  include/loadbank/loader_kind.h \
  include/loadbank/queue.h \
  include/loadbank/verify.h \
  src/loader/batches.c \
  src/loader/dali.c \
  src/loader/deal.c \
  src/loader/lane.c \
  src/loader/loader.c \
  src/loader/loader_impl.h \
  src/loader/loaders.c \
  src/loader/none.c \
  src/loader/pool.c \
  src/loader/pytorch.c \
  src/loader/queue.c \
  src/loader/ring.c \
  src/loader/verify.c \
  src/loader/synthetic.c \
  src/loader/tensorflow.c \
  src/loader/walk.c
