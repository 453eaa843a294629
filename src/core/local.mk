libloadbank_a_SOURCES += include/loadbank/versions.h
libloadbank_a_SOURCES += include/loadbank/dtype.h src/core/dtype.c
libloadbank_a_SOURCES += \
  include/loadbank/buf.h \
  include/loadbank/clock.h \
  include/loadbank/err.h \
  include/loadbank/futex.h \
  include/loadbank/histogram.h \
  include/loadbank/log.h \
  include/loadbank/option.h \
  include/loadbank/units.h \
  include/loadbank/nearest.h \
  include/loadbank/rng.h \
  include/loadbank/usage.h \
  src/core/buf.c \
  src/core/clock.c \
  src/core/err.c \
  src/core/futex.c \
  src/core/histogram.c \
  src/core/log.c \
  src/core/rng.c \
  src/core/usage.c
  src/core/units.c \
  src/core/rng.c
  src/core/nearest.c \
  src/core/rng.c
libloadbank_a_SOURCES += \
  include/loadbank/histogram.h \
  src/core/histogram.c
libloadbank_a_SOURCES += \
  include/loadbank/option.h \
  include/loadbank/units.h \
  src/core/units.c
