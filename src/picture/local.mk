libloadbank_a_SOURCES += \
  include/loadbank/picture.h \
  src/picture/axis.c \
  src/picture/axis.h \
  src/picture/bars.c \
  src/picture/frame.c \
  src/picture/frame.h \
  src/picture/heat.c \
  src/picture/histogram.c \
  src/picture/lines.c \
  src/picture/markup.c \
  src/picture/picture.c \
  src/picture/points.c \
  src/picture/measure.c \
  src/picture/measure.h
