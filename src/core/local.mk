libloadbank_a_SOURCES += include/loadbank/versions.h
libloadbank_a_SOURCES += include/loadbank/dtype.h src/core/dtype.c
libloadbank_a_SOURCES += \
  include/loadbank/buf.h \
  include/loadbank/clock.h \
  include/loadbank/err.h \
  include/loadbank/log.h \
  include/loadbank/nearest.h \
libloadbank_a_SOURCES += \
  include/loadbank/option.h \
  include/loadbank/units.h \
  include/loadbank/rng.h \
  src/core/buf.c \
  src/core/clock.c \
  src/core/err.c \
  src/core/log.c \
  src/core/nearest.c \
  src/core/rng.c
libloadbank_a_SOURCES += \
  include/loadbank/histogram.h \
  src/core/histogram.c
libloadbank_a_SOURCES += \
  include/loadbank/option.h \
  include/loadbank/units.h \
  src/core/units.c
