libloadbank_a_SOURCES += \
  include/loadbank/bench.h \
  include/loadbank/plan.h \
  src/bench/schedule.c
