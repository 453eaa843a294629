libloadbank_a_SOURCES += \
  include/loadbank/checkpoint.h \
  include/loadbank/shard.h \
  src/checkpoint/dlio.c \
  src/checkpoint/model.c \
  src/checkpoint/shard.c
