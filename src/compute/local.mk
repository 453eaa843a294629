libloadbank_a_SOURCES += \
  include/loadbank/compute.h \
  src/compute/compute.c \
  src/compute/compute_impl.h \
  src/compute/none.c \
  src/compute/sleep.c
