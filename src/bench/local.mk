libloadbank_a_SOURCES += \
  include/loadbank/bench.h \
  include/loadbank/plan.h \
  src/bench/agree.c \
  src/bench/demand.c \
  src/bench/memory.c \
  src/bench/plan.c \
  src/bench/plan_impl.h \
  src/bench/plan_json.c \
  src/bench/plan_text.c \
  src/bench/run.c \
  src/bench/schedule.c \
  src/bench/warnings.c
