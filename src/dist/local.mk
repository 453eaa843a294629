libloadbank_a_SOURCES += src/dist/version.c
libloadbank_a_SOURCES += \
  include/loadbank/dist.h \
  include/loadbank/mean.h \
  src/dist/constant.c \
  src/dist/cut.c \
  src/dist/dist.c \
  src/dist/dist_impl.h \
  src/dist/empirical.c \
  src/dist/exponential.c \
  src/dist/gamma.c \
  src/dist/gsl_stream.c \
  src/dist/lognormal.c \
  src/dist/mean.c \
  src/dist/normal.c \
  src/dist/poisson.c \
  src/dist/uniform.c
