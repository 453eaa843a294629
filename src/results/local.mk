libloadbank_a_SOURCES += \
  include/loadbank/results.h \
  src/results/find.c \
  src/results/quantities.c \
  src/results/read.c \
  src/results/results_impl.h \
  src/results/value.c
