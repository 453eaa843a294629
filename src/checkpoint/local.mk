libloadbank_a_SOURCES += \
  include/loadbank/checkpoint.h \
  include/loadbank/crew.h \
  include/loadbank/mark.h \
  include/loadbank/retention.h \
  include/loadbank/shard.h \
  src/checkpoint/crew.c \
  src/checkpoint/dlio.c \
  src/checkpoint/found.c \
  src/checkpoint/mark.c \
  src/checkpoint/model.c \
  src/checkpoint/remove.c \
  src/checkpoint/shard.c
