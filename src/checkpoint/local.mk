libloadbank_a_SOURCES += \
  include/loadbank/checkpoint.h \
  include/loadbank/crew.h \
  include/loadbank/mark.h \
  include/loadbank/retention.h \
  include/loadbank/shard.h \
  include/loadbank/shard_copy.h \
  src/checkpoint/consolidate.c \
  src/checkpoint/copy.c \
  src/checkpoint/crew.c \
  src/checkpoint/ddp.c \
  src/checkpoint/dlio.c \
  src/checkpoint/fsdp.c \
  src/checkpoint/found.c \
  src/checkpoint/full_state_dict.c \
  src/checkpoint/layers.c \
  src/checkpoint/layers.h \
  src/checkpoint/mark.c \
  src/checkpoint/model.c \
  src/checkpoint/remove.c \
  src/checkpoint/shard.c \
  src/checkpoint/state.c \
  src/checkpoint/state.h
libloadbank_a_SOURCES += \
  include/loadbank/tensor.h \
  include/loadbank/torch_file.h \
  include/loadbank/torch_load.h \
  src/checkpoint/torch.c \
  src/checkpoint/torch_pickle.c \
  src/checkpoint/torch_pickle.h \
  src/checkpoint/torch_reads.c \
  src/checkpoint/torch_stream.c \
  src/checkpoint/torch_stream.h \
  src/checkpoint/torch_zip.c \
  src/checkpoint/torch_zip.h
