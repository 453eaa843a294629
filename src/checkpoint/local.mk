libloadbank_a_SOURCES += \
  include/loadbank/checkpoint.h \
  src/checkpoint/model.c \
  src/checkpoint/rank_zero.c \
  src/checkpoint/shard.c
