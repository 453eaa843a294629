libloadbank_a_SOURCES += \
  include/loadbank/checkpoint.h \
  src/checkpoint/model.c \
  src/checkpoint/rank_zero.c \
  src/checkpoint/shard.c
libloadbank_a_SOURCES += \
  include/loadbank/tensor.h \
  include/loadbank/torch_file.h \
  include/loadbank/torch_load.h \
  src/checkpoint/torch.c \
  src/checkpoint/torch_check.c \
  src/checkpoint/torch_metadata.c \
  src/checkpoint/torch_pickle.c \
  src/checkpoint/torch_pickle.h \
  src/checkpoint/torch_reads.c \
  src/checkpoint/torch_zip.c \
  src/checkpoint/torch_zip.h
