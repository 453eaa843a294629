libloadbank_a_SOURCES += \
  include/loadbank/bench.h \
  include/loadbank/plan.h \
  src/bench/demand.c \
  src/bench/memory.c \
  src/bench/plan.c \
  src/bench/plan_impl.h \
  src/bench/schedule.c \
  src/bench/warnings.c
