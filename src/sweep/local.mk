libloadbank_a_SOURCES += \
  include/loadbank/sweep.h \
  src/sweep/sweep.c \
  src/sweep/texts.c \
  src/sweep/time.c \
  src/sweep/values.c
