libloadbank_a_SOURCES += \
  include/loadbank/limit.h \
  include/loadbank/metric_table.h \
  include/loadbank/metrics.h \
  include/loadbank/metrics_detail.h \
  include/loadbank/spool.h \
  include/loadbank/summary.h \
  include/loadbank/windows.h \
  src/metrics/au.c \
  src/metrics/au.h \
  src/metrics/checkpoints.c \
  src/metrics/checkpoints.h \
  src/metrics/detail.c \
  src/metrics/limited_by.c \
  src/metrics/pack.c \
  src/metrics/pack.h \
  src/metrics/record.c \
  src/metrics/record.h \
  src/metrics/reduce.c \
  src/metrics/spool.c \
  src/metrics/stragglers.c \
  src/metrics/stragglers.h \
  src/metrics/table.c \
  src/metrics/values.c \
  src/metrics/values.h \
  src/metrics/warn.c \
  src/metrics/warn.h \
  src/metrics/windows.c
