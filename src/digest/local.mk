libloadbank_a_SOURCES += \
  include/loadbank/digest.h \
  src/digest/au.c \
  src/digest/checkpoints.c \
  src/digest/digest.c \
  src/digest/loads.c \
  src/digest/machine.c \
  src/digest/operations.c \
  src/digest/overview.c \
  src/digest/seconds.c \
  src/digest/seconds.h \
  src/digest/short.c \
  src/digest/sizing.c \
  src/digest/steps.c \
  src/digest/steps.h \
  src/digest/story.c \
  src/digest/story.h \
  src/digest/study.h \
  src/digest/sweep.c \
  src/digest/time.c
