libloadbank_a_SOURCES += \
  include/loadbank/compare.h \
  include/loadbank/results.h \
  src/results/baseline.c \
  src/results/cause.c \
  src/results/compare.c \
  src/results/compare_impl.h \
  src/results/compare_json.c \
  src/results/compare_text.c \
  src/results/differences.c \
  src/results/find.c \
  src/results/groups.c \
  src/results/judge.c \
  src/results/quantities.c \
  src/results/read.c \
  src/results/results_impl.h \
  src/results/value.c
