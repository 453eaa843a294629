libloadbank_a_SOURCES += \
  include/loadbank/dataset.h \
  src/dataset/layout.c \
  src/dataset/sampler.c \
  src/dataset/sizes.c
