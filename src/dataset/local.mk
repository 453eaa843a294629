libloadbank_a_SOURCES += \
  include/loadbank/dataset.h \
  include/loadbank/layout.h \
  include/loadbank/manifest.h \
  include/loadbank/sampler.h \
  src/dataset/claim.c \
  src/dataset/free_space.c \
  src/dataset/inventory.c \
  src/dataset/layout.c \
  src/dataset/make.c \
  src/dataset/manifest.c \
  src/dataset/manifest_fields.c \
  src/dataset/manifest_impl.h \
  src/dataset/names.c \
  src/dataset/names.h \
  src/dataset/remove.c \
  src/dataset/sampler.c \
  src/dataset/sizes.c
